//! What must hold on a board, computed from its entries and from what really happened, and not by the rules.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use algebra::Group as _;
use board::{Entry, Head};
use wire::{Digest, DigestWriter};

use super::{setting::SCHEDULE, truth::Truth};
use crate::{
    count::BallotBox,
    election::{
        Close, Closing, Election, Message, Opening, Party, Phase, Role, SignedBallot,
        TereliusWikstrom, policy::SKEW, voter::Standing,
    },
};

/// An election before an entry.
pub(super) struct Before {
    phase: Phase,
    awaited: Vec<Party>,
    faults: usize,
    mixes: usize,
    decrypted: Vec<u16>,
}

impl Before {
    pub(super) fn of(election: &Election) -> Self {
        Self {
            phase: election.phase(),
            awaited: election.awaited(),
            faults: election.faults().len(),
            mixes: election.mixes().len(),
            decrypted: election.decrypted_by(),
        }
    }
}

/// The voters' ballots by their revisions, in the order in which voters came first: places in [`Truth::sealed`].
type Expected = Vec<(u32, BTreeMap<u32, usize>)>;

#[derive(Clone, Default)]
pub(super) struct Watch {
    /// Place and time of the entry with which the wait began.
    since: (u64, u64),
    pub(super) turn: u32,
    /// Somebody was passed over with this entry.
    passed: bool,
    roll: u64,
    participants: BTreeSet<u16>,
    /// Verdicts: the place, the author, and whether it is of this run.
    verdicts: Vec<(u64, u16, bool)>,
    /// Honest trustees whose message of this round is of another run: the round must find that out.
    suspects: BTreeSet<Party>,
    /// The entry that opened the polls.
    pub(super) opening: Option<Digest>,
    expected: Expected,
    refused: u32,
    ciphertexts: HashSet<Vec<u8>>,
    last_ballots: u64,
    pub(super) closing: Option<(Digest, Head)>,
    signers: BTreeSet<Party>,
    mixing: Option<Digest>,
    /// Who is absent in this phase.
    absent: BTreeSet<Party>,
    /// Somebody was absent before the polls opened.
    pub(super) lost_trustee: bool,
    /// Something was done to honest parties that makes them say what does not count.
    pub(super) is_disturbed: bool,
}

type Verdict = Result<(), String>;

fn require(holds: bool, what: &str) -> Verdict {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

impl Watch {
    /// Looks at an entry and what became of it.
    pub(super) fn observe(
        &mut self,
        before: &Before,
        (entry, entries): (&Entry, &[Entry]),
        election: &Election,
        (truth, now): (&Truth, u64),
    ) -> Verdict {
        let author = election.setup().parties.party(&entry.author());
        let fresh = &election.faults()[before.faults.min(election.faults().len())..];
        let is_absence = |reason: &str| {
            ["did not answer in time", "posted no message"].iter().any(|one| reason.contains(one))
        };
        let is_refused = fresh.iter().any(|fault| {
            (fault.sequence, fault.party) == (entry.sequence(), author)
                && !is_absence(&fault.reason)
        });
        let honest = truth.honest.get(&entry.author());
        if is_refused {
            let is_blamed = honest.is_some() && !self.is_disturbed;
            let is_alive = !matches!(election.phase(), Phase::Failed(_));
            require(!(is_blamed && is_alive), "an honest party is at fault")?;
            // Who gives a verdict in another's name is not waited for any more.
            let said = Message::<TereliusWikstrom>::from_entry(entry.kind(), entry.payload());
            if let (Ok(Message::KeyRound3(said)), Some(author)) = (said, author)
                && said.trustee() != author.number
            {
                self.participants.remove(&author.number);
            }
        } else if let Some(author) = author {
            self.require_slot(entry)?;
            let is_own = honest.is_none() || truth.was_said(&entry.digest());
            // What trustees say is judged when the round ends, and a mix when it is whole.
            let is_of_round = entry.kind().starts_with("key/");
            let is_judged_later = is_of_round || entry.kind().starts_with("mix/");
            require(is_own || is_judged_later, "an honest party's word of another run counts")?;
            self.suspects.extend((!is_own && is_of_round).then_some(author));
            let message = Message::from_entry(entry.kind(), entry.payload());
            let message = message.map_err(|error| error.to_string())?;
            if let Some(head) = message.head() {
                let is_here = entries.iter().any(|entry| entry.head() == Some(*head));
                require(is_here, "a message about another board counts")?;
            }
            self.take(before, entry, (author, &message), election, (truth, now))?;
        }
        self.settle(before, entry, election)
    }

    /// `BD-4`, `BD-5`, as far as they can be said without the state.
    fn require_slot(&self, entry: &Entry) -> Verdict {
        require(entry.contradicts().is_none(), "a second entry of one slot counts")?;
        let kinds = ["key/", "election/ready", "election/seen", "election/back", "decryption"];
        let is_plain = kinds.iter().any(|kind| entry.kind().starts_with(kind));
        require(!is_plain || entry.subject().is_empty(), "an entry in another slot counts")
    }

    /// What must hold of an entry that counts.
    fn take(
        &mut self,
        before: &Before,
        entry: &Entry,
        (author, message): (Party, &Message),
        election: &Election,
        (truth, now): (&Truth, u64),
    ) -> Verdict {
        let time = entry.time().unwrap_or(0);
        let waited = time.saturating_sub(self.since.1) > u64::from(SCHEDULE.patience);
        match message {
            Message::Roll(_) => self.roll = entry.sequence(),
            Message::Ready(ready) => {
                require(ready.head.size > self.roll, "somebody is ready who saw no roll")?;
            }
            Message::KeyRound1(said) => {
                require(said.trustee() == author.number, "a commitment in another's name")?;
                self.participants.insert(author.number);
            }
            Message::KeyRound2(said) => {
                require(said.dealer() == author.number, "shares in another's name")?;
            }
            Message::KeyRound3(said) => {
                require(said.trustee() == author.number, "a verdict in another's name")?;
                let is_own = !self.suspects.contains(&author);
                self.verdicts.push((entry.sequence(), author.number, is_own));
            }
            Message::Absence(absence) => {
                require(before.awaited.contains(&absence.party), "absent, and not awaited")?;
                require(absence.head.size > self.since.0, "absent by an older word")?;
                require(waited, "absent before its time")?;
                self.absent.insert(absence.party);
                self.passed = true;
                self.lost_trustee |= self.opening.is_none() && absence.party.role == Role::Trustee;
            }
            Message::Opening(opening) => self.open(opening, entry, election, waited)?,
            Message::Ballots(ballots) => {
                require(SCHEDULE.is_open(time), "ballots count while the polls are closed")?;
                self.last_ballots = entry.sequence();
                ballots.iter().for_each(|ballot| self.take_ballot(ballot, truth));
            }
            Message::Closing(closing) => self.close(closing, entry, election, truth)?,
            Message::Seen(seen) => {
                let is_it = self.closing == Some((seen.closing, seen.head));
                require(is_it, "a signature of another closing counts")?;
                self.signers.insert(author);
                let is_honest = truth.honest.contains_key(&entry.author());
                let is_over = now + SKEW >= SCHEDULE.closes;
                require(!is_honest || is_over, "an honest party signs too early by its clock")?;
            }
            Message::MixHeader(header) => {
                require(header.turn == self.turn, "a mix of another turn counts")?;
                self.mixing = Some(header.digest);
            }
            Message::MixPart(part) => {
                require(part.turn == self.turn, "a part of another turn counts")?;
            }
            Message::Decryption(partial) => {
                require(partial.trustee() == author.number, "a decryption in another's name")?;
                require(!before.decrypted.contains(&author.number), "who decrypts twice counts")?;
            }
            Message::Outcome(outcome) => {
                let mut faults: Vec<u64> =
                    election.faults().iter().map(|fault| fault.sequence).collect();
                faults.dedup();
                require(outcome.faults == faults, "the outcome has other faults")?;
                let tally = self.tally(election, truth);
                require(outcome.tally == tally, "the result is not the voters' will")?;
            }
            _ => {}
        }
        if let (Phase::Mixing(mixer), "mix/header" | "mix/part") = (&before.phase, entry.kind()) {
            require(*mixer == author.number, "a mixer mixes out of turn")?;
        }
        if election.mixes().len() > before.mixes {
            let is_lie = self.mixing.is_some_and(|digest| truth.lies.contains(&digest));
            require(!is_lie, "a false mix counts")?;
            let is_honest = truth.honest.contains_key(&entry.author());
            let is_own = !is_honest || truth.was_said(&entry.digest());
            require(is_own, "an honest mixer's mix of another run counts")?;
        }
        Ok(())
    }

    fn open(
        &mut self,
        opening: &Opening<algebra::Ristretto255>,
        entry: &Entry,
        election: &Election,
        waited: bool,
    ) -> Verdict {
        let time = entry.time().unwrap_or(0);
        require(time < SCHEDULE.closes, "the polls open when they should be closed")?;
        let own = election.keys().map(|keys| keys.public_key().point().encode());
        let key = election.booth().map(|booth| booth.key.point().encode());
        require(own == key, "the key is not the trustees'")?;
        let by_then = self.verdicts.iter().filter(|(place, ..)| *place < opening.head.size);
        let all: BTreeSet<u16> = by_then.clone().map(|(_, trustee, _)| *trustee).collect();
        // Those whose verdict is about another board's messages are named, and are nobody who confirmed.
        let here = election.faults().iter().filter(|fault| fault.sequence == entry.sequence());
        let named: Vec<Party> = here.filter_map(|fault| fault.party).collect();
        let is_named = |number| named.contains(&Party { role: Role::Trustee, number });
        let own = by_then.filter(|(_, trustee, is_own)| *is_own && !is_named(*trustee));
        let confirmed: BTreeSet<u16> = own.map(|(_, trustee, _)| *trustee).collect();
        let is_said = opening.confirmed.iter().copied().eq(confirmed.iter().copied());
        require(is_said, "the opening names others than those who confirmed the key")?;
        require(waited || self.participants.is_subset(&all), "the polls open without a trustee")?;
        self.opening = Some(entry.digest());
        Ok(())
    }

    /// `VO-1` to `VO-3`, about ballots that their voters made.
    fn take_ballot(&mut self, ballot: &SignedBallot, truth: &Truth) {
        let known = truth.find(ballot);
        let known = known.filter(|index| Some(truth.sealed[*index].opening) == self.opening);
        let (Some(index), Some(revision)) = (known, ballot.revision) else {
            self.refused += 1;
            return;
        };
        let place = self.expected.iter().position(|(voter, _)| *voter == ballot.voter);
        let own = place.map(|place| &self.expected[place].1);
        if let Some(first) = own.and_then(|own| own.get(&revision)) {
            let is_same = truth.sealed[*first].ballot.ballot == ballot.ballot;
            self.refused += u32::from(!is_same);
            return;
        }
        let all = ballot.ballot.ciphertexts().iter();
        let components: Vec<Vec<u8>> = all.map(|one| one.c1.encode()).collect();
        if components.iter().any(|one| self.ciphertexts.contains(one)) {
            self.refused += 1;
            return;
        }
        self.ciphertexts.extend(components);
        let place = place.unwrap_or_else(|| {
            self.expected.push((ballot.voter, BTreeMap::new()));
            self.expected.len() - 1
        });
        self.expected[place].1.insert(revision, index);
    }

    /// The ballots that count, in their order.
    fn counting(&self) -> impl Iterator<Item = usize> {
        self.expected.iter().filter_map(|(_, own)| own.last_key_value().map(|(_, index)| *index))
    }

    fn close(
        &mut self,
        closing: &Closing,
        entry: &Entry,
        election: &Election,
        truth: &Truth,
    ) -> Verdict {
        let time = entry.time().unwrap_or(0);
        require(time >= SCHEDULE.closes, "the polls close before their time")?;
        require(closing.head.size > self.last_ballots, "the closing is older than a ballot")?;
        let mut writer = DigestWriter::new("subrosa/election/ballots/v2");
        self.counting().for_each(|index| writer.update(truth.sealed[index].tracker.as_bytes()));
        let accepted = self.expected.len() as u32;
        let close = Close { accepted, refused: self.refused, ballots: writer.finish() };
        require(closing.close == close, "the closing is about other ballots")?;
        require(election.accepted() == self.expected.len(), "other ballots count")?;
        for index in self.counting() {
            let sealed = &truth.sealed[index];
            let standing = Standing::of(election, sealed.ballot.voter, &sealed.tracker);
            let counts = matches!(standing, Standing::Counts { .. });
            require(counts, "a voter finds another ballot than the last")?;
        }
        self.closing = entry.head().map(|head| (entry.digest(), head));
        Ok(())
    }

    fn tally(&self, election: &Election, truth: &Truth) -> Vec<u8> {
        let votes = self.counting().map(|index| truth.sealed[index].vote.clone());
        let questions = &election.setup().description.questions;
        serde_json::to_vec(&votes.collect::<BallotBox>().tally(questions)).unwrap()
    }

    /// What must hold of where the election goes.
    fn settle(&mut self, before: &Before, entry: &Entry, election: &Election) -> Verdict {
        let phase = election.phase();
        let is_mixing = |phase: &Phase| matches!(phase, Phase::Mixing(_));
        if before.phase == Phase::Certification && is_mixing(&phase) {
            let quorum = usize::from(SCHEDULE.quorum);
            require(self.signers.len() >= quorum, "mixing begins without a quorum")?;
        }
        if is_mixing(&before.phase) && phase == Phase::Decryption {
            let mixers: BTreeSet<u16> = election.mixes().into_iter().collect();
            let minimum = usize::from(election.setup().description.minimum_mixers);
            require(mixers.len() >= minimum, "ballots are opened with too few mixes")?;
        }
        let passed = std::mem::take(&mut self.passed) && is_mixing(&phase);
        let is_new = before.phase != phase || passed;
        let is_opening = (&before.phase, &phase) == (&Phase::KeyGeneration(3), &Phase::Opening);
        if is_new && !is_opening {
            let fresh = &election.faults()[before.faults.min(election.faults().len())..];
            let is_blamed = |party: &Party| fresh.iter().any(|fault| fault.party == Some(*party));
            if before.phase == Phase::KeyGeneration(1) {
                let own = |number| Party { role: Role::Trustee, number };
                self.participants.retain(|number| !is_blamed(&own(*number)));
            }
            let is_over = matches!(phase, Phase::Failed(_));
            let is_found_out = is_over || self.suspects.iter().all(is_blamed);
            require(is_found_out, "a trustee's word of another run counts")?;
            self.suspects.clear();
            let ended = is_mixing(&phase) && is_mixing(&before.phase);
            self.turn = if ended { self.turn + 1 } else { 1 };
            self.since = (entry.sequence(), entry.time().unwrap_or(0));
            self.absent.clear();
        }
        let comes_back = |party: &Party| match phase {
            Phase::Readiness | Phase::KeyGeneration(_) => election.task_of(*party).is_some(),
            _ => true,
        };
        if let Some(author) = election.setup().parties.party(&entry.author()) {
            self.absent.remove(&author);
        }
        require(self.absent.iter().all(comes_back), "who was absent may not come back")
    }
}
