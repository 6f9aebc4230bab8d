//! The protocols on logs: an election, a traceable mix and questions, from the first entry to the last, and what a
//! keeper or a party cannot do there.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use board::{
    Bulletin as _, Identity,
    logged::{Desk, LogBoard, MemoryOutbox},
};
use log::{Header, LocalLog, LogAccess};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::SecretKey;
use study::{
    election::{Election, Message, Operator, Party, Phase, Role, Session, Setup, Until, cast},
    inquiry,
    replay::{self, Protocol, Replay},
    tracing::{self, Task},
};
use trace::{By, Direction, IndexSet, Query, Question, routed::Querier};
use wire::Encode as _;

use crate::common::{
    OPERATOR, PATIENCE, STATION, World, draft, everybody, party, rankings, take_part,
};

/// A keeper, and what the parties signed.
pub struct Hall {
    pub world: World,
    pub log: Arc<LocalLog>,
    outboxes: MemoryOutbox,
}

impl Hall {
    pub fn new(voters: usize) -> Self {
        let clock = AtomicU64::new(1_000_000);
        let clock = Box::new(move || clock.fetch_add(10, Ordering::SeqCst));
        let origin = "example.org/lunch".parse().unwrap();
        let keeper = Identity::from_seed(&[200; 32]);
        let log = Arc::new(LocalLog::in_memory(keeper, origin, None, clock).unwrap());
        Self { world: World::new(draft(), voters), log, outboxes: MemoryOutbox::default() }
    }

    fn desk(&self) -> Desk {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let draw = || u128::from(RUNS.fetch_add(1, Ordering::SeqCst)).to_le_bytes();
        self.outboxes.desk(|| 1000, draw)
    }

    /// Sets up, and publishes the roll.
    fn set_up(&self) -> Session {
        let world = &self.world;
        let setup = Setup { description: world.description.clone(), parties: world.parties() };
        let operator = world.identity(OPERATOR);
        let payload = Message::<study::election::TereliusWikstrom>::Setup(setup).to_bytes();
        let board =
            LogBoard::create(self.log.clone(), self.desk(), &operator, "election/setup", &payload);
        let mut session = Session::over(Box::new(board.unwrap())).unwrap();
        assert!(session.post(&operator, &Message::Roll(world.roll()), |_| true).unwrap());
        session
    }

    fn session(&self) -> Session {
        let board = LogBoard::open(self.log.clone(), self.desk(), None).unwrap();
        Session::over(Box::new(board)).unwrap()
    }

    fn follow<P: replay::Party<Election>>(&self, party: impl FnOnce(&Session) -> P) {
        let mut session = self.session();
        let mut party = party(&session);
        take_part(&mut session, &mut party).unwrap();
    }

    fn operate(&self, until: Until) {
        let operator = self.world.identity(OPERATOR);
        self.follow(|session| {
            Operator::new(operator, session.election(), until, PATIENCE).unwrap()
        });
    }

    fn cast(&self) {
        let rankings = rankings(&self.world, self.world.credentials.len());
        let ballots: Vec<_> = (0..).zip(rankings).collect();
        let station = self.world.identity(STATION);
        let seal = |booth: &study::election::Booth<_>, voter: u32, ranking: &_| {
            let mut rng = ChaCha20Rng::seed_from_u64(voter.into());
            booth.seal(voter, &self.world.credentials[voter as usize], ranking, &mut rng)
        };
        cast(&mut self.session(), &station, &ballots, seal, |_| ()).unwrap();
    }

    pub fn run(&self) -> Session {
        drop(self.set_up());
        thread::scope(|scope| {
            for number in everybody() {
                let world = &self.world;
                scope.spawn(move || self.follow(|session| world.trustee(number, session)));
                scope.spawn(move || self.follow(|session| world.mixer(number, session)));
            }
            scope.spawn(|| {
                for _ in 0..20 {
                    self.log.tick().unwrap();
                    thread::sleep(Duration::from_millis(20));
                }
            });
            self.operate(Until::Open);
            self.cast();
            self.operate(Until::Finished);
        });
        self.session()
    }
}

#[test]
fn an_election_on_a_log_counts_every_ballot_and_is_asked_about() {
    let hall = Hall::new(7);
    let session = hall.run();
    let election = session.election();
    assert_eq!(election.phase(), Phase::Finished);
    assert_eq!(election.faults(), []);
    assert_eq!((election.accepted(), election.mixes()), (7, vec![1, 2, 3]));
    assert_eq!(
        LogBoard::open(hall.log.clone(), Desk::of_a_reader(), None).unwrap().contradictions(),
        []
    );
    // Every entry has a place and a time, and none is a heartbeat.
    assert!(session.entries().iter().all(|entry| entry.time().is_some()));
    assert!(session.entries().iter().all(|entry| !entry.kind().starts_with("log/")));

    // What is asked about it stands on the same log.
    let mut inquiry = inquiry::Follower::take_up(session).unwrap();
    let (asker, mut rng) = (Identity::from_seed(&[77; 32]), ChaCha20Rng::seed_from_u64(3));
    let querier = Querier::new(Identity::from_seed(&[77; 32]), SecretKey::generate(&mut rng));
    let all = IndexSet::all(7);
    let questions = vec![Question { inputs: all.clone(), outputs: all }];
    let ground = inquiry.state().counted().ground().clone();
    let request = querier.request(&ground, Direction::Out, By::Value, questions, &mut rng);
    let query = Query::new(vec![request]).unwrap();
    let id = *query.id();
    assert!(inquiry.post(&asker, &tracing::Message::Query(query.clone()), |_| true).unwrap());
    assert!(inquiry.state().docket().query(&id).is_some());
    // A second time in the same slot it is not said at all.
    assert!(!inquiry.post(&asker, &tracing::Message::Query(query), |_| true).unwrap());
    let awaited: Vec<_> = (1..=6).filter_map(|number| inquiry.state().awaited(number)).collect();
    assert!(matches!(awaited[..], [Task::Pass(waited)] if waited == id), "{}", awaited.len());
}

/// Signs and hands in past every outbox, as a party does that wants to cheat.
fn force<P: Protocol>(hall: &Hall, by: Party, subject: &[u8], message: &P::Message) {
    let (kind, payload) = P::entry_of(message);
    let (identity, origin) = (hall.world.identity(by), "example.org/lunch".parse().unwrap());
    let header = Header::sign(&identity, &origin, (&kind, subject), 1000, &payload).unwrap();
    hall.log.submit(&header, &payload).unwrap();
}

/// The keeper holds back that a trustee is declared absent in round 1, in which it does answer, and brings it in
/// round 2, where the trustee has had no time.
#[test]
fn what_a_keeper_held_back_counts_in_no_other_phase() {
    let hall = Hall::new(2);
    let mut session = hall.set_up();
    let late = party(Role::Trustee, 3);
    let absent = Message::Absent(late);
    let subject = session.state().subject(&absent);
    assert_eq!(subject, b"key generation, round 1: trustee 3");
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    for number in everybody() {
        let mut trustee = hall.world.trustee(number, &session);
        let task = replay::Party::<Election>::awaited(&trustee, session.election()).unwrap();
        let word =
            replay::Party::perform(&mut trustee, task, session.election(), &mut rng).unwrap();
        let identity = hall.world.identity(party(Role::Trustee, number));
        assert!(session.post(&identity, &word, |_| true).unwrap());
    }
    assert_eq!(session.election().phase(), Phase::KeyGeneration(2));
    force::<Election>(&hall, OPERATOR, &subject, &absent);
    session.sync().unwrap();
    assert!(session.election().awaited().contains(&late));
    let fault = session.election().faults().last().unwrap();
    assert!(fault.reason.contains("out of place"), "{fault}");
    // Said in this phase it counts.
    let subject = session.state().subject(&absent);
    force::<Election>(&hall, OPERATOR, &subject, &absent);
    session.sync().unwrap();
    assert!(!session.election().awaited().contains(&late));
}

/// Two copies of a trustee with two outboxes say two things.
#[test]
fn a_second_entry_in_a_slot_is_its_authors_fault_and_moves_nothing() {
    let hall = Hall::new(2);
    let mut session = hall.set_up();
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    let mut trustee = hall.world.trustee(1, &session);
    let task = replay::Party::<Election>::awaited(&trustee, session.election()).unwrap();
    let word = replay::Party::perform(&mut trustee, task, session.election(), &mut rng).unwrap();
    force::<Election>(&hall, party(Role::Trustee, 1), b"", &word);
    let mut other = hall.world.trustee(2, &session);
    let task = replay::Party::<Election>::awaited(&other, session.election()).unwrap();
    let other = replay::Party::perform(&mut other, task, session.election(), &mut rng).unwrap();
    force::<Election>(&hall, party(Role::Trustee, 1), b"", &other);
    session.sync().unwrap();
    let awaited = session.election().awaited();
    assert_eq!(awaited, [party(Role::Trustee, 2), party(Role::Trustee, 3)]);
    let [fault] = session.election().faults() else { panic!("one fault") };
    assert_eq!(fault.party, Some(party(Role::Trustee, 1)));
    let board = LogBoard::open(hall.log.clone(), Desk::of_a_reader(), None).unwrap();
    let [found] = board.contradictions() else { panic!("one contradiction") };
    assert!(found.holds());
    assert_eq!(board.entries().len(), Replay::entries(&session).len());
}
