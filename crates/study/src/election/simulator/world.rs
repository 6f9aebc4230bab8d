//! An election's parties, keepers and clocks, as a schedule moves them.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use board::{
    Identity,
    logged::{Desk, LogBoard},
};
use log::Header;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng};
use wire::{Digest, Encode as _};

use super::{
    keeper::{Keeper, Recorded, origin},
    member::{Member, Said},
    plan::Plan,
    setting::{Broken, SCHEDULE, VOTERS, description},
    truth::{Sealed, Truth},
    watch::{Before, Watch},
};
use crate::{
    election::{
        Clock, Election, Message, Operator, Parties, Party, Phase, Role, Rule, Seat, Seed, Session,
        Setup, Until, Voter,
    },
    preferences::Ranking,
    replay::{Party as _, Protocol as _},
};

pub(super) const OPERATOR: Party = Party { role: Role::Operator, number: 1 };
pub(super) const STATION: Party = Party { role: Role::Station, number: 1 };

/// The seed of the schedule that was played last week.
const LAST_WEEK: u64 = u64::MAX;

/// Trustees and mixers.
pub(super) fn everyone() -> impl Iterator<Item = Party> {
    let of = |role| (1..=3).map(move |number| Party { role, number });
    of(Role::Trustee).chain(of(Role::Mixer))
}

pub(super) fn seed_of(party: Party) -> [u8; 32] {
    let mut seed = [9; 32];
    seed[..3].copy_from_slice(&party.to_bytes());
    seed
}

pub(super) fn voter(place: u32) -> Identity {
    Identity::from_seed(&[100 + place as u8; 32])
}

pub(super) fn identity(party: Party) -> Identity {
    Identity::from_seed(&seed_of(party))
}

/// The first two entries, the same in every schedule: set-up and roll.
fn beginning() -> &'static [(Header, Vec<u8>)] {
    static BEGINNING: LazyLock<Vec<(Header, Vec<u8>)>> = LazyLock::new(|| {
        let of = |role| -> Vec<_> {
            everyone().filter(|party| party.role == role).map(|one| identity(one).id()).collect()
        };
        let (operator, station) = (identity(OPERATOR), identity(STATION).id());
        let parties =
            Parties::new(operator.id(), &[station], &of(Role::Trustee), &of(Role::Mixer)).unwrap();
        let roll =
            |place| Voter { name: format!("V{place}"), credential: voter(place).id(), class: None };
        let setup = Message::Setup(Setup { description: description(), parties });
        let roll: Message = Message::Roll((0..VOTERS).map(roll).collect());
        let sign = |message: Message| {
            let (kind, payload) = Election::entry_of(&message);
            let slot = (kind.as_str(), [].as_slice());
            (Header::sign(&operator, &origin(), slot, 1000, &payload).unwrap(), payload)
        };
        vec![sign(setup), sign(roll)]
    });
    &BEGINNING
}

/// A keeper's log, and the election that everybody computes from it.
pub(super) struct Board {
    pub(super) keeper: Arc<Keeper>,
    pub(super) session: Session,
    pub(super) watch: Watch,
}

impl Board {
    fn follow(keeper: Keeper, watch: Watch) -> Self {
        let keeper = Arc::new(keeper);
        let board = LogBoard::open(keeper.clone(), Desk::of_a_reader(), None).unwrap();
        Self { keeper, session: Session::over(Box::new(board)).unwrap(), watch }
    }

    pub(super) fn election(&self) -> &Election {
        self.session.election()
    }
}

pub(super) struct World {
    pub(super) rng: ChaCha20Rng,
    pub(super) plan: Plan,
    /// The true time.
    now: Arc<AtomicU64>,
    pub(super) boards: Vec<Board>,
    pub(super) members: Vec<Member>,
    pub(super) truth: Truth,
    /// What a keeper took and did not append.
    pub(super) held: Vec<(usize, Said)>,
    pub(super) broken: Option<String>,
}

impl World {
    pub(super) fn new(seed: u64, broken: Broken) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let plan = Plan::draw(&mut rng);
        let keeper = Keeper::new(&origin());
        // Last week's log began at another time: one of the same beginning is a second board of the same log.
        let now = SCHEDULE.opens - 1000 + u64::from(seed == LAST_WEEK);
        keeper.append(now, &beginning()[0].0, &beginning()[0].1);
        let board = Board::follow(keeper, Watch::default());
        let id = board.session.id();
        let mut members: Vec<Member> =
            everyone().map(|party| Member::new(party, seed_of(party), id, broken)).collect();
        let mut truth = Truth::default();
        for (index, member) in members.iter_mut().enumerate() {
            member.is_corrupt = plan.corrupt == Some(index);
            if !member.is_corrupt {
                truth.honest.insert(member.identity().id(), member.party);
            }
        }
        let now = Arc::new(AtomicU64::new(now));
        let (boards, held) = (vec![board], Vec::new());
        let mut world = Self { rng, plan, now, boards, members, truth, held, broken: None };
        let (header, payload) = &beginning()[1];
        world.append(0, header, payload);
        world
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }

    pub(super) fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    pub(super) fn child(&mut self) -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(self.rng.next_u64())
    }

    /// The keeper's time.
    pub(super) fn time(&self) -> u64 {
        self.now.load(Relaxed) + self.plan.ahead
    }

    pub(super) fn advance(&self, seconds: u64) {
        self.now.fetch_add(seconds, Relaxed);
    }

    /// Waits until a time of the keeper's.
    pub(super) fn advance_to(&self, time: u64) {
        self.now.fetch_max(time.saturating_sub(self.plan.ahead), Relaxed);
    }

    fn clock(&self, ahead: u64) -> Clock {
        let now = self.now.clone();
        Clock::new(move || now.load(Relaxed) + ahead)
    }

    pub(super) fn election(&self, board: usize) -> &Election {
        self.boards[board].election()
    }

    pub(super) fn phase(&self, board: usize) -> Phase {
        self.election(board).phase()
    }

    /// Appends an entry, and looks at what becomes of it.
    pub(super) fn append(&mut self, board: usize, header: &Header, payload: &[u8]) {
        let (time, now) = (self.time(), self.now.load(Relaxed));
        let Board { keeper, session, watch } = &mut self.boards[board];
        let before = Before::of(session.election());
        let known = session.entries().len();
        keeper.append(time, header, payload);
        session.sync().unwrap();
        for entry in &session.entries()[known..] {
            let all = (entry, session.entries());
            let observed = watch.observe(&before, all, session.election(), (&self.truth, now));
            if let (Err(what), None) = (observed, &self.broken) {
                self.broken = Some(format!("board {board}, {}: {what}", entry.kind()));
            }
        }
    }

    /// Posts whatever it is in whatever slot, as somebody who keeps no outbox.
    pub(super) fn post(&mut self, board: usize, author: Party, slot: (&str, &[u8]), bytes: &[u8]) {
        let time = self.time();
        let header = Header::sign(&identity(author), &origin(), slot, time, bytes).unwrap();
        self.append(board, &header, bytes);
    }

    /// Posts a message in its slot.
    pub(super) fn say(&mut self, board: usize, author: Party, message: &Message) {
        let subject = self.election(board).subject(message);
        let (kind, payload) = Election::entry_of(message);
        self.post(board, author, (&kind, &subject), &payload);
    }

    /// Has a trustee or a mixer do what the board waits for; `false` if there is nothing that it has not said.
    pub(super) fn ask(&mut self, board: usize, party: Party) -> bool {
        let mut rng = self.child();
        let (clock, time) = (self.clock(0), self.time());
        let Some(index) = everyone().position(|one| one == party) else { return false };
        let (member, at) = (&mut self.members[index], &self.boards[board]);
        if member.is_out {
            return false;
        }
        let election = at.session.election();
        let Some(message) = member.message(board, election, &clock, &mut rng) else { return false };
        let keeper = at.keeper.clone();
        let said = member.sign((board, &keeper), &message, election, time);
        let Some(said) = said else { return false };
        if !member.is_corrupt {
            let double = self.truth.say(&said.header);
            self.broken = self.broken.take().or(double);
        }
        if keeper.has(&said.header) {
            return false;
        }
        if self.plan.holds && self.one_in(6) {
            self.boards[board].watch.is_disturbed = true;
            self.held.push((board, said));
            return false;
        }
        self.append(board, &said.header, &said.payload);
        true
    }

    /// Has an honest operator do what the board waits for.
    pub(super) fn operate(&mut self, board: usize) -> bool {
        let (clock, mut rng) = (self.clock(self.plan.ahead), self.child());
        let election = self.boards[board].session.election();
        let patience = std::time::Duration::ZERO;
        let operator =
            Operator::new(identity(OPERATOR), election, Until::Finished, patience).unwrap();
        let mut operator = operator.with_clock(clock);
        let Some(task) = operator.awaited(election) else { return false };
        let Ok(message) = operator.perform(task, election, &mut rng) else { return false };
        self.say(board, OPERATOR, &message);
        true
    }

    /// Has everybody on this board work, until nobody has anything to say or `until` holds.
    pub(super) fn work(
        &mut self,
        board: usize,
        is_there: impl Fn(&Member) -> bool,
        until: impl Fn(&Phase) -> bool,
    ) {
        for _ in 0..40 {
            let mut said = false;
            for index in 0..self.members.len() {
                if until(&self.phase(board)) || self.broken.is_some() {
                    return;
                }
                let (party, works) = (self.members[index].party, is_there(&self.members[index]));
                said |= works && self.ask(board, party);
            }
            if !until(&self.phase(board)) {
                said |= self.operate(board);
            }
            if !said {
                return;
            }
        }
    }

    /// The same board again, for those whom the keeper shows it.
    pub(super) fn fork(&mut self) {
        let Board { keeper, watch, .. } = &self.boards[0];
        let mut watch = watch.clone();
        watch.is_disturbed = true;
        let board = Board::follow(keeper.fork(), watch);
        self.boards[0].watch.is_disturbed = true;
        self.boards.push(board);
        self.advance(1);
        for index in 0..self.members.len() {
            self.members[index].side = self.below(2) as usize;
        }
    }

    /// A voter seals and signs a vote for a board, by its device or somebody else's seed.
    pub(super) fn seal(&mut self, board: usize, place: u32, revision: u32) -> Option<usize> {
        let seed = Seed::from_bytes({
            let mut seed = [0; 32];
            seed[..8].copy_from_slice(&self.rng.next_u64().to_le_bytes());
            seed
        });
        let choice = self.below(6) as u8;
        let opening = self.boards[board].watch.opening?;
        let booth = self.election(board).booth()?.clone();
        let votes: [&[u8]; 6] = [&[0, 1, 2], &[1], &[2, 0], &[], &[1, 2], &[2, 1, 0]];
        let ranking = Ranking::new(votes[usize::from(choice)].to_vec())?;
        let cells = booth.cells(&ranking.into()).ok()?;
        let credential = voter(place);
        let seat = Seat { voter: place, credential: credential.id(), revision };
        let ballot = booth.seal_from(&seat, &cells, &seed).ok()?;
        let ballot = booth.sign(place, Some(revision), ballot, &credential);
        let tracker = booth.tracker(place, revision, &ballot.ballot);
        let vote = booth.layout.decode(&cells);
        Some(self.truth.seal(Sealed { ballot, opening, tracker, vote }))
    }

    /// From wherever the schedule left off, with all who still work: a result, if there can be one.
    pub(super) fn end(&mut self) {
        self.plan.holds = false;
        let boards = self.boards.len();
        for round in 0..14 {
            for board in 0..boards {
                let is_over = |phase: &Phase| matches!(phase, Phase::Finished | Phase::Failed(_));
                if self.broken.is_some() || is_over(&self.phase(board)) {
                    continue;
                }
                // First those who were shown this board, then everybody: a party may be shown both.
                let is_shown = move |member: &Member| {
                    boards == 1 || round > 6 || member.is_corrupt || member.side == board
                };
                self.work(board, is_shown, is_over);
            }
            let is_open = self.boards.iter().all(|board| board.election().booth().is_some());
            self.advance(if is_open { 400 } else { 120 });
            if is_open {
                self.advance_to(SCHEDULE.closes + 1);
            }
        }
    }

    /// What must hold in the end.
    pub(super) fn judge(&self) -> Option<String> {
        if self.broken.is_some() {
            return self.broken.clone();
        }
        let finished = self.boards.iter().filter(|board| board.election().tally().is_some());
        let mut results: Vec<Option<Digest>> =
            finished.map(|board| board.watch.closing.map(|(closing, _)| closing)).collect();
        results.dedup();
        if results.len() > 1 {
            return Some("two results".to_owned());
        }
        // With everybody there an election finishes, unless its polls did not open in time.
        let [board] = self.boards.as_slice() else { return None };
        let phase = board.election().phase();
        let is_late = matches!(&phase, Phase::Failed(why) if why.contains("did not open in time"));
        let is_out = self.members.iter().any(|member| member.is_out);
        // A trustee who cheats and one who was late are two of three.
        let lost = board.watch.lost_trustee && self.plan.corrupt.is_some_and(|one| one < 3);
        // Messages of last week in their names keep trustees from saying what is right: all of them before there
        // is a key, and after that one who is missed if another cheats.
        let is_blamed = |member: &&Member| {
            let own =
                board.election().faults().iter().any(|fault| fault.party == Some(member.party));
            own && member.party.role == Role::Trustee
        };
        let blamed = self.members.iter().filter(is_blamed).count();
        let is_spoiled = self.plan.last_week && (board.election().booth().is_none() || blamed > 1);
        let is_stuck = phase != Phase::Finished && !is_late && !is_out && !lost && !is_spoiled;
        is_stuck.then(|| format!("no result, in phase {phase:?}"))
    }
}

/// What stood on the log of last week's run of the same election, from the same bytes, by the same rules.
pub(super) fn last_week() -> Recorded {
    static WEEK: LazyLock<Recorded> = LazyLock::new(|| play_last_week(None));
    static WITHOUT_NONCES: LazyLock<Recorded> =
        LazyLock::new(|| play_last_week(Some(Rule::Nonces)));
    if Rule::Nonces.is_kept() { WEEK.clone() } else { WITHOUT_NONCES.clone() }
}

fn play_last_week(rule: Option<Rule>) -> Recorded {
    Rule::without(rule, || {
        let mut world = World::new(LAST_WEEK, Broken::Nothing);
        world.plan = Plan::default();
        world.work(0, |_| true, |phase| *phase == Phase::Casting);
        world.advance_to(SCHEDULE.opens);
        (0..VOTERS).for_each(|place| world.vote_as(place));
        world.end();
        Arc::new(world.boards[0].keeper.recorded())
    })
}
