//! An election of version 2 without threads: one log with a clock that the test moves, and every party asked in turn.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use board::{
    Identity,
    logged::{Desk, Drawer, LogBoard, origin_of},
};
use log::{AuthorId, Header, LocalLog, LogAccess as _, Origin, OutboxStore};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    description::{Draft, Schedule, Shuffle},
    election::{
        Clock, Election, Message, Mixer, Operator, Party, PartyPolicy, Phase, Role, Scheme,
        Session, Setup, SignedBallot, TereliusWikstrom, Tflsz, TflszParameters, Trustee, Until,
    },
    preferences::Ranking,
    replay::{Party as _, Protocol as _},
};
use wire::Encode as _;

use super::{OPERATOR, PATIENCE, STATION, World, draft, party};

pub const BEGINS: u64 = 1_000_000;
pub const SCHEDULE: Schedule =
    Schedule { opens: BEGINS + 1000, closes: BEGINS + 2000, patience: 100, quorum: 4 };

/// Three trustees of whom two decrypt, three mixers of whom two mix, and a quorum of four.
pub fn timed() -> Draft {
    Draft { schedule: Some(SCHEDULE), ..draft() }
}

/// A keeper, its clock, and what the parties signed: a fork shares the latter.
pub struct Town<S: Scheme = TereliusWikstrom> {
    pub world: World,
    pub log: Arc<LocalLog>,
    pub now: Arc<AtomicU64>,
    pub outboxes: Outboxes,
    pub session: Session<S>,
    /// Where each party spoke last: who spoke on another board since reads its outbox again.
    spoke: Arc<Mutex<BTreeMap<Party, u64>>>,
    number: u64,
}

/// The parties that work on a board: all, or those whom a keeper lets hear of it.
pub fn everyone() -> Vec<Party> {
    let of = |role| (1..=3).map(move |number| party(role, number));
    [OPERATOR].into_iter().chain(of(Role::Trustee)).chain(of(Role::Mixer)).collect()
}

/// The keeper of every town's log.
pub fn keeper() -> Identity {
    Identity::from_seed(&[200; 32])
}

fn keep(now: &Arc<AtomicU64>, origin: Origin) -> Arc<LocalLog> {
    let now = now.clone();
    let clock = Box::new(move || now.load(Ordering::SeqCst) * 1000);
    Arc::new(LocalLog::in_memory(keeper(), origin, None, clock).unwrap())
}

/// What every party signed, and the number of the next run.
#[derive(Clone)]
pub struct Outboxes {
    kept: Arc<Mutex<BTreeMap<AuthorId, Signed>>>,
    runs: Arc<AtomicU64>,
}

type Signed = Vec<(Header, Vec<u8>)>;

const FIRST_RUN: u64 = 1 << 40;

impl Outboxes {
    /// Runs have numbers that no other town's have.
    fn new() -> Self {
        static RUNS: LazyLock<Arc<AtomicU64>> =
            LazyLock::new(|| Arc::new(AtomicU64::new(FIRST_RUN)));
        Self { kept: Arc::default(), runs: RUNS.clone() }
    }

    /// Runs have the same numbers each time.
    fn seeded() -> Self {
        Self { kept: Arc::default(), runs: Arc::new(AtomicU64::new(FIRST_RUN)) }
    }
}

struct Outbox(Outboxes, AuthorId);

impl OutboxStore for Outbox {
    type Error = String;

    fn headers(&self) -> Result<Vec<Header>, String> {
        let kept = self.0.kept.lock().unwrap();
        Ok(kept.get(&self.1).into_iter().flatten().map(|(header, _)| header.clone()).collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, String> {
        let kept = self.0.kept.lock().unwrap();
        let mut own = kept.get(&self.1).into_iter().flatten();
        Ok(own.find(|(one, _)| one == header).map(|(_, payload)| payload.clone()))
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), String> {
        let mut kept = self.0.kept.lock().unwrap();
        kept.entry(self.1).or_default().push((header.clone(), payload.to_vec()));
        Ok(())
    }
}

fn desk(outboxes: &Outboxes) -> Desk {
    let (kept, runs) = (outboxes.clone(), outboxes.runs.clone());
    let open = move |_: &_, author: &AuthorId| Ok(Drawer::new(Outbox(kept.clone(), *author)));
    let draw = move || u128::from(runs.fetch_add(1, Ordering::SeqCst)).to_le_bytes();
    Desk::new(Box::new(open), || 1000, draw)
}

impl Town {
    /// Sets up, and publishes the roll.
    pub fn new(draft: Draft, voters: usize) -> Self {
        let origin = "example.org/lunch".parse().unwrap();
        Self::begin(draft, voters, origin, Outboxes::new(), None)
    }

    /// The same election, byte for byte, each time, on a log that is named after its keeper.
    pub fn seeded(draft: Draft, voters: usize) -> Self {
        let origin = origin_of(&keeper().id()).unwrap();
        Self::begin(draft, voters, origin, Outboxes::seeded(), None)
    }
}

impl Town<Tflsz> {
    /// As [`Town::seeded`] makes one, mixed under these parameters.
    pub fn paired(draft: Draft, voters: usize, parameters: &TflszParameters) -> Self {
        let shuffle = Shuffle::Tflsz { parameters: parameters.digest() };
        let (draft, origin) = (Draft { shuffle, ..draft }, origin_of(&keeper().id()).unwrap());
        Self::begin(draft, voters, origin, Outboxes::seeded(), Some(parameters.to_bytes()))
    }
}

impl<S: Scheme> Town<S> {
    fn begin(
        draft: Draft,
        voters: usize,
        origin: Origin,
        outboxes: Outboxes,
        parameters: Option<Vec<u8>>,
    ) -> Self {
        let world = World::new(draft, voters);
        let now = Arc::new(AtomicU64::new(BEGINS));
        let log = keep(&now, origin);
        let setup = Setup { description: world.description.clone(), parties: world.parties() };
        let operator = world.identity(OPERATOR);
        let (kind, payload) = Election::<S>::entry_of(&Message::Setup(setup));
        let board = LogBoard::create(log.clone(), desk(&outboxes), &operator, &kind, &payload);
        let session = Session::over(Box::new(board.unwrap())).unwrap();
        let (spoke, number) = (Arc::default(), 0);
        let mut town = Self { world, log, now, outboxes, session, spoke, number };
        if let Some(file) = parameters {
            town.say(OPERATOR, &Message::Parameters(file));
        }
        town.say(OPERATOR, &Message::Roll(town.world.roll()));
        town
    }

    pub fn election(&self) -> &Election<S> {
        self.session.election()
    }

    pub fn time(&self) -> u64 {
        self.now.load(Ordering::SeqCst)
    }

    pub fn advance_to(&self, time: u64) {
        self.now.fetch_max(time, Ordering::SeqCst);
    }

    pub fn advance(&self, seconds: u64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Posts whatever it is, as a party that is not honest may.
    pub fn say(&mut self, party: Party, message: &Message<S>) {
        self.sit_down(party);
        let identity = self.world.identity(party);
        assert!(self.session.post(&identity, message, |_| true).unwrap(), "{}", message.kind());
    }

    fn sit_down(&mut self, party: Party) {
        let before = self.spoke.lock().unwrap().insert(party, self.number);
        if before.is_some_and(|before| before != self.number) {
            let board = LogBoard::open(self.log.clone(), desk(&self.outboxes), None).unwrap();
            self.session = Session::over(Box::new(board)).unwrap();
        }
    }

    /// The reason why the last entry does not count.
    pub fn refusal(&mut self, party: Party, message: &Message<S>) -> String {
        let known = self.election().faults().len();
        self.say(party, message);
        let faults = self.election().faults();
        assert_eq!(faults.len(), known + 1, "{} counts", message.kind());
        faults[known].reason.clone()
    }

    /// Another log of the same keeper with the same beginning, which it shows to others.
    pub fn fork(&self) -> Self {
        let now = Arc::new(AtomicU64::new(BEGINS));
        let log = keep(&now, self.log.key().name.as_str().parse().unwrap());
        for leaf in self.log.leaves(0, 1 << 12).unwrap() {
            now.store(leaf.time, Ordering::SeqCst);
            let payload = self.log.payload(&leaf.header).unwrap().unwrap_or_default();
            log.submit(&leaf.header, &payload).unwrap();
        }
        now.store(self.time(), Ordering::SeqCst);
        let board = LogBoard::open(log.clone(), desk(&self.outboxes), None).unwrap();
        let session = Session::over(Box::new(board)).unwrap();
        let credentials = World::new(draft(), self.world.credentials.len()).credentials;
        let world = World {
            description: self.world.description.clone(),
            credentials,
            store: self.world.store.clone(),
        };
        let (outboxes, spoke) = (self.outboxes.clone(), self.spoke.clone());
        Self { world, log, now, outboxes, session, spoke, number: self.number + 1 }
    }

    fn clock(&self) -> Clock {
        let now = self.now.clone();
        Clock::new(move || now.load(Ordering::SeqCst))
    }

    pub fn policy(&self) -> PartyPolicy {
        PartyPolicy { clock: self.clock(), ..PartyPolicy::default() }
    }

    /// Has a party do what the board waits for; `false` if there is nothing, or it was said in vain.
    pub fn ask(&mut self, who: Party) -> bool {
        self.sit_down(who);
        let secrets = self.world.secrets(who, self.session.id());
        let mut rng = ChaCha20Rng::seed_from_u64(self.election().head().unwrap().size);
        let state = self.session.election();
        macro_rules! ask {
            ($party:expr) => {{
                let mut party = $party;
                let Some(task) = party.awaited(state) else { return false };
                party.perform(task, state, &mut rng).unwrap()
            }};
        }
        let message = match who.role {
            Role::Operator => {
                let operator =
                    Operator::new(self.world.identity(who), state, Until::Finished, PATIENCE)
                        .unwrap();
                ask!(operator.with_clock(self.clock()))
            }
            Role::Trustee => ask!(Trustee::new(secrets, state).unwrap().with_policy(self.policy())),
            _ => {
                ask!(Mixer::new(secrets, state).unwrap().with_policy(self.policy()).with_parts(700))
            }
        };
        self.session.post(&self.world.identity(who), &message, |_| true).unwrap()
    }

    /// Has these parties work until none of them has anything to say.
    pub fn work(&mut self, parties: &[Party]) {
        for _ in 0..500 {
            let said = parties.iter().filter(|party| self.ask(**party)).count();
            if said == 0 {
                return;
            }
        }
        panic!("no end in phase {:?}", self.election().phase());
    }

    /// Opens the polls.
    pub fn open(&mut self) {
        self.work(&everyone());
        assert_eq!(self.election().phase(), Phase::Casting);
        self.advance_to(SCHEDULE.opens);
    }

    pub fn sealed(&self, voter: u32, ranking: &Ranking) -> SignedBallot<S> {
        let mut rng = ChaCha20Rng::seed_from_u64(voter.into());
        let booth = self.election().booth().unwrap();
        booth.seal(voter, &self.world.credentials[voter as usize], ranking, &mut rng).unwrap()
    }

    /// Posts ballots of these voters.
    pub fn vote(&mut self, voters: impl IntoIterator<Item = u32>) {
        let all = super::rankings(&self.world, self.world.credentials.len());
        let sealed = voters.into_iter().map(|voter| self.sealed(voter, &all[voter as usize]));
        let ballots = Message::Ballots(sealed.collect());
        self.say(STATION, &ballots);
    }

    /// From the opening to the outcome.
    pub fn finish(&mut self, parties: &[Party]) {
        self.advance_to(SCHEDULE.closes + 1);
        for _ in 0..20 {
            self.work(parties);
            if self.election().phase() == Phase::Finished {
                return;
            }
            self.advance(u64::from(SCHEDULE.patience) + 2);
        }
    }
}
