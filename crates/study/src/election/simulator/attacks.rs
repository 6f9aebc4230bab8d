//! What a dishonest operator, keeper, station, voter, and one dishonest trustee or mixer do.

use board::Head;
use shuffle::PublicKey;
use wire::{Decode as _, Digest, Encode as _};

use super::{
    setting::{SCHEDULE, VOTERS},
    truth::Sealed,
    world::{OPERATOR, STATION, World, everyone, identity, last_week, voter},
};
use crate::election::{
    Absence, Close, Closing, Election, Message, Opening, Party, Phase, Ready, Role, Seen,
    SignedBallot,
};
use crate::replay::Protocol as _;

/// The voter who is not honest.
const CHEAT: u32 = VOTERS - 1;

impl World {
    /// Something happens on one of the boards.
    pub(super) fn step(&mut self, number: u64) {
        if self.plan.fork == Some(number) {
            self.fork();
            if self.plan.both_open {
                self.open_both();
            }
        }
        let board = self.below(self.boards.len() as u64) as usize;
        match self.below(16) {
            0..=3 => self.honest_step(board),
            4 => {
                let seconds = 1 + self.below(60);
                self.advance(seconds);
            }
            5 => {
                let seconds = 90 + self.below(40);
                self.advance(seconds);
            }
            6 => self.disturb(board),
            7 => drop(self.operate(board)),
            8 => self.say_again(board),
            _ => self.attack(board),
        }
    }

    /// Members are shown one board after the other until the polls of both are open.
    fn open_both(&mut self) {
        for board in 0..2 {
            self.work(board, |_| true, |phase| *phase == Phase::Casting);
            self.advance(1);
        }
        self.advance_to(SCHEDULE.opens);
        (0..2).for_each(|board| self.vote(board));
    }

    /// Some of those who are shown this board work.
    fn honest_step(&mut self, board: usize) {
        for _ in 0..3 {
            let index = self.below(6) as usize;
            let is_shown = self.members[index].side == board || self.one_in(8);
            let party = self.members[index].party;
            if is_shown && self.ask(board, party) {
                return;
            }
        }
    }

    /// Members are killed, and come back; what was held back comes forward.
    fn disturb(&mut self, board: usize) {
        let index = self.below(6) as usize;
        let lost = 1 + self.below(6) as usize;
        match self.below(3) {
            0 if self.plan.restores => {
                self.boards[board].watch.is_disturbed = true;
                self.members[index].restore(lost);
            }
            0 if !self.held.is_empty() => {
                let at = self.below(self.held.len() as u64) as usize;
                let (board, said) = self.held.swap_remove(at);
                self.append(board, &said.header, &said.payload);
            }
            _ => self.members[index].restart(),
        }
    }

    /// An entry of another board, or of last week, is handed in here.
    fn say_again(&mut self, board: usize) {
        let others = match self.plan.last_week {
            true => last_week().to_vec(),
            false => self.boards[self.boards.len() - 1 - board].keeper.recorded(),
        };
        let at = self.below(others.len() as u64) as usize;
        let (header, payload) = &others[at];
        if !self.boards[board].keeper.has(header) {
            self.boards[board].watch.is_disturbed = true;
            self.append(board, header, payload);
        }
    }

    /// All that was said last week, as soon as the board waits for it.
    pub(super) fn say_last_week(&mut self, from: usize) {
        self.boards[0].watch.is_disturbed = true;
        for (header, payload) in &last_week()[from..] {
            match header.kind() {
                "ballots/revisions" => self.advance_to(SCHEDULE.opens),
                "election/close/2" => self.advance_to(SCHEDULE.closes),
                _ => {}
            }
            if !self.boards[0].keeper.has(header) && self.broken.is_none() {
                self.append(0, header, payload);
            }
        }
    }

    fn attack(&mut self, board: usize) {
        match self.phase(board) {
            Phase::Readiness => match self.below(3) {
                0 => self.be_ready(board),
                _ => self.declare_absent(board),
            },
            Phase::KeyGeneration(1 | 2) => match self.below(2) {
                0 => self.speak_for_another(board),
                _ => self.declare_absent(board),
            },
            Phase::KeyGeneration(_) | Phase::Opening => match self.below(4) {
                0 => self.speak_for_another(board),
                _ => self.open_falsely(board),
            },
            Phase::Casting => match self.below(8) {
                0..=2 => self.vote(board),
                3 => self.post_any_ballot(board),
                4 | 5 => self.post_altered_ballot(board),
                6 => self.close_falsely(board),
                _ => {
                    let time = [SCHEDULE.opens, SCHEDULE.closes][self.below(2) as usize];
                    self.advance_to(time);
                }
            },
            Phase::Certification => self.sign_falsely(board),
            Phase::Mixing(_) => match self.below(3) {
                0 => self.declare_absent(board),
                _ => self.mix_falsely(board),
            },
            Phase::Decryption => match self.below(2) {
                0 => self.decrypt_falsely(board),
                _ => self.publish_falsely(board),
            },
            Phase::Finished | Phase::Failed(_) | Phase::Parameters | Phase::Registration => {}
        }
    }

    /// Who is not honest of trustees and mixers.
    fn corrupt(&self, role: Role) -> Option<Party> {
        self.plan.corrupt.and_then(|index| everyone().nth(index)).filter(|one| one.role == role)
    }

    fn head(&self, board: usize) -> Head {
        self.election(board).head().unwrap()
    }

    /// The log up to some entry of a board.
    fn older_head(&mut self, board: usize) -> Head {
        let at = self.below(self.boards[board].session.entries().len() as u64) as usize;
        self.boards[board].session.entries()[at].head().unwrap()
    }

    fn declare_absent(&mut self, board: usize) {
        let awaited = self.election(board).awaited();
        let party = match self.below(3) {
            0 => everyone().nth(self.below(6) as usize),
            _ => awaited.get(self.below(awaited.len().max(1) as u64) as usize).copied(),
        };
        let Some(party) = party else { return };
        if self.one_in(2) {
            self.advance(u64::from(SCHEDULE.patience) + 1);
        }
        let head = if self.one_in(3) { self.older_head(board) } else { self.head(board) };
        self.say(board, OPERATOR, &Message::Absence(Absence { party, head }));
    }

    /// Ready for another board, or before there is a roll.
    fn be_ready(&mut self, board: usize) {
        let Some(index) = self.plan.corrupt else { return };
        let party = everyone().nth(index).unwrap();
        let head = match self.below(2) {
            0 => self.boards[board].session.entries()[0].head().unwrap(),
            _ => Head { root: Digest::from([7; 32]), ..self.head(board) },
        };
        self.say(board, party, &Message::Ready(Ready { nonce: [1; 32], head }));
    }

    /// A trustee says again what another one said, or what is its own in another slot.
    fn speak_for_another(&mut self, board: usize) {
        let Some(own) = self.corrupt(Role::Trustee) else { return };
        let kind = match self.phase(board) {
            Phase::KeyGeneration(1) => "key/commitments",
            Phase::KeyGeneration(2) => "key/shares",
            _ => "key/verdicts",
        };
        let author = identity(own).id();
        let entries = self.boards[board].session.entries();
        let others = entries.iter().filter(|one| one.kind() == kind && one.author() != author);
        let payload = others.map(|one| one.payload().to_vec()).next_back();
        match self.below(2) {
            0 => {
                let Some(payload) = payload else { return };
                self.post(board, own, (kind, &[]), &payload);
            }
            _ => self.speak_aside(board, own),
        }
    }

    /// What is right to say, in a slot where it does not belong.
    fn speak_aside(&mut self, board: usize, own: Party) {
        let mut rng = self.child();
        let clock = crate::election::Clock::new(|| SCHEDULE.closes);
        let index = everyone().position(|party| party == own).unwrap();
        let (member, at) = (&mut self.members[index], &self.boards[board]);
        let message = member.message(board, at.session.election(), &clock, &mut rng);
        if let Some(message) = message {
            let (kind, payload) = <Election>::entry_of(&message);
            self.post(board, own, (&kind, b"aside"), &payload);
        }
    }

    fn open_falsely(&mut self, board: usize) {
        let Ok(opening) = self.election(board).opening() else { return };
        let Opening { key, mut confirmed, mut head } = opening;
        let mut other = key;
        match self.below(6) {
            0 => other = PublicKey::new(key.point() + key.point()).unwrap(),
            1 => drop(confirmed.pop()),
            2 if self.one_in(3) => self.advance_to(SCHEDULE.closes),
            3 => head = self.older_head(board),
            _ => {}
        }
        self.say(board, OPERATOR, &Message::Opening(Opening { key: other, confirmed, head }));
        // What was refused is said again in the same slot.
        if self.one_in(3) && self.phase(board) != Phase::Casting {
            let again =
                Opening { key, confirmed: self.election(board).confirmed_by().to_vec(), head };
            let again = self.election(board).opening().unwrap_or(again);
            let (kind, payload) = <Election>::entry_of(&Message::Opening(again));
            self.post(board, OPERATOR, (&kind, head.size.to_string().as_bytes()), &payload);
        }
    }

    /// An honest station posts the vote of a voter.
    pub(super) fn vote_as(&mut self, place: u32) {
        if let Some(sealed) = self.seal(0, place, 1) {
            self.post_ballot(0, self.truth.sealed[sealed].ballot.clone());
        }
    }

    /// A voter votes, perhaps again; its station posts the ballot or does not.
    fn vote(&mut self, board: usize) {
        let place = self.below(VOTERS.into()) as u32;
        let own = self.truth.sealed.iter().filter(|sealed| sealed.ballot.voter == place);
        let revision = own.filter_map(|sealed| sealed.ballot.revision).max().unwrap_or(0) + 1;
        let Some(sealed) = self.seal(board, place, revision) else { return };
        let ballot = self.truth.sealed[sealed].ballot.clone();
        match self.below(6) {
            0 | 1 => {}
            // The voter votes again meanwhile, and what came first is posted last.
            2 => {
                let Some(next) = self.seal(board, place, revision + 1) else { return };
                self.post_ballot(board, self.truth.sealed[next].ballot.clone());
                self.post_ballot(board, ballot);
            }
            _ => self.post_ballot(board, ballot),
        }
        if self.one_in(3) {
            self.advance_to(SCHEDULE.opens);
        }
    }

    fn post_ballot(&mut self, board: usize, ballot: SignedBallot) {
        self.say(board, STATION, &Message::Ballots(vec![ballot]));
    }

    fn some_sealed(&mut self) -> Option<Sealed> {
        let at = self.below(self.truth.sealed.len().max(1) as u64) as usize;
        self.truth.sealed.get(at).cloned()
    }

    /// A station posts what it has, from whichever board, whenever it likes.
    fn post_any_ballot(&mut self, board: usize) {
        let opening = self.boards[board].watch.opening;
        let all = self.truth.sealed.iter();
        let others = all.filter(|sealed| Some(sealed.opening) != opening);
        let other = others.map(|sealed| sealed.ballot.clone()).next_back();
        let some = self.some_sealed().map(|sealed| sealed.ballot);
        let is_other = self.one_in(2);
        if let Some(ballot) = other.filter(|_| is_other).or(some) {
            self.post_ballot(board, ballot);
        }
    }

    fn post_altered_ballot(&mut self, board: usize) {
        let how = self.below(6);
        let mut cheats = self.truth.sealed.iter().filter(|one| one.ballot.voter == CHEAT);
        let some = if how < 4 { self.some_sealed() } else { cheats.next_back().cloned() };
        let Some(Sealed { ballot, opening, vote, .. }) = some else { return };
        let SignedBallot { voter: place, revision, ballot: sealed, signature } = ballot;
        let number = revision.unwrap_or(1);
        let Some(booth) = self.election(board).booth().cloned() else { return };
        let made = |voter, revision, ballot| SignedBallot { voter, revision, ballot, signature };
        let altered = match how {
            0 => made(place, Some(number + 1), sealed),
            1 => {
                // The station seals another vote under the voter's name.
                let Some(other) = self.seal(board, place, number) else { return };
                let ballot = self.truth.forget(other).ballot.ballot;
                made(place, revision, ballot)
            }
            2 => booth.sign(place, revision, sealed, &identity(STATION)),
            3 => {
                // Somebody copies a ballot whose content it does not know.
                let mut bytes = sealed.to_bytes();
                *bytes.iter_mut().rev().nth(31).unwrap() ^= 1;
                let Ok(copy) = shuffle::ballot::EncryptedBallot::from_bytes(&bytes) else { return };
                booth.sign(CHEAT, Some(number), copy, &voter(CHEAT))
            }
            4 => {
                let again = booth.sign(CHEAT, Some(number + 1), sealed, &voter(CHEAT));
                let tracker = booth.tracker(CHEAT, number + 1, &again.ballot);
                // One that was sealed for another board is good for neither.
                if self.boards[board].watch.opening == Some(opening) {
                    self.truth.seal(Sealed { ballot: again.clone(), opening, tracker, vote });
                }
                again
            }
            _ => {
                let Some(other) = self.seal(board, CHEAT, number) else { return };
                self.truth.sealed[other].ballot.clone()
            }
        };
        self.post_ballot(board, altered);
    }

    fn close_falsely(&mut self, board: usize) {
        let Some(Closing { close, head }) = self.election(board).closing_now() else { return };
        let Close { accepted, refused, ballots } = close;
        if self.one_in(3) {
            self.advance_to(SCHEDULE.closes);
        }
        let (close, head) = match self.below(4) {
            0 => (Close { accepted: accepted + 1, refused, ballots }, head),
            1 => (Close { ballots: Digest::from([3; 32]), ..close }, head),
            2 => (close, self.older_head(board)),
            _ => (close, head),
        };
        self.say(board, OPERATOR, &Message::Closing(Closing { close, head }));
    }

    fn sign_falsely(&mut self, board: usize) {
        let other = self.boards[self.boards.len() - 1 - board].election().seen();
        let Some(own) = self.plan.corrupt.and_then(|index| everyone().nth(index)) else { return };
        let Some(seen) = self.election(board).seen() else { return };
        let seen = match self.below(2) {
            0 => other.unwrap_or(seen),
            _ => Seen { closing: Digest::from([1; 32]), ..seen },
        };
        self.say(board, own, &Message::Seen(seen));
    }
}
