//! An election in one process: every party a thread, the board in memory.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::{path::Path, thread, time::Duration};

use board::{Board, Entry, Identity, MemoryStore, Store};
use claim::{Bundle, Refusal, Registry, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    description::{Draft, ElectionDescription, Rule},
    election::{
        ElectionVerifier, Message, Mixer, Operator, Participant, Parties, PartySecret, Role,
        Session, SessionError, Setup, Trustee, Until, Voter, cast, participate, write_bundle,
    },
    preferences::Ranking,
};
use wire::Encode;

pub const PATIENCE: Duration = Duration::from_secs(60);

/// All secrets of an election, and its board.
pub struct World {
    pub description: ElectionDescription,
    pub operator: PartySecret,
    pub station: PartySecret,
    pub trustees: Vec<PartySecret>,
    pub mixers: Vec<PartySecret>,
    pub credentials: Vec<Identity>,
    pub store: MemoryStore,
}

pub fn draft() -> Draft {
    Draft {
        title: "Lunch".into(),
        question: "What for lunch?".into(),
        candidates: ["soup", "salad", "stew"].map(String::from).to_vec(),
        max_ranks: 3,
        rules: vec![Rule::Plurality, Rule::Irv],
        trustees: 3,
        threshold: 2,
        mixers: 3,
        minimum_mixers: 2,
        notes: None,
        link: None,
    }
}

impl World {
    pub fn new(draft: Draft, voters: usize) -> Self {
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let description = ElectionDescription::new(draft).unwrap();
        let mut secret = || PartySecret::generate(&mut rng);
        let (operator, station) = (secret(), secret());
        let trustees = (0..description.trustees).map(|_| secret()).collect();
        let mixers = (0..description.mixers).map(|_| secret()).collect();
        let credentials = (0..voters).map(|_| Identity::generate(&mut rng)).collect();
        let store = MemoryStore::new();
        Self { description, operator, station, trustees, mixers, credentials, store }
    }

    pub fn parties(&self) -> Parties {
        let keys = |secrets: &[PartySecret]| -> Vec<_> {
            secrets.iter().map(|secret| secret.identity().id()).collect()
        };
        let station = [self.station.identity().id()];
        let operator = self.operator.identity().id();
        Parties::new(operator, &station, &keys(&self.trustees), &keys(&self.mixers)).unwrap()
    }

    pub fn roll(&self) -> Vec<Voter> {
        let voter = |(i, credential): (usize, &Identity)| Voter {
            name: format!("V{i}"),
            credential: credential.id(),
        };
        self.credentials.iter().enumerate().map(voter).collect()
    }

    /// Sets up, and publishes the roll.
    pub fn set_up(&self) -> Session {
        let setup = Setup { description: self.description.clone(), parties: self.parties() };
        let operator = self.operator.identity();
        let mut session = Session::create(self.boxed(), &operator, setup).unwrap();
        assert!(session.post(&operator, &Message::Roll(self.roll())).unwrap());
        session
    }

    pub fn boxed(&self) -> Box<dyn Store> {
        Box::new(self.store.clone())
    }

    pub fn session(&self) -> Session {
        Session::open(self.boxed(), None).unwrap()
    }

    /// Posts one ballot per ranking.
    pub fn cast(&self, rankings: &[Ranking]) {
        let ballots: Vec<(u32, Ranking)> = (0..).zip(rankings.iter().cloned()).collect();
        let mut session = self.session();
        let station = self.station.identity();
        cast(
            &mut session,
            &station,
            &ballots,
            |booth, voter, ranking| {
                let mut rng = ChaCha20Rng::seed_from_u64(voter.into());
                booth.seal(voter, &self.credentials[voter as usize], ranking, &mut rng)
            },
            |_| (),
        )
        .unwrap();
    }

    pub fn operate(&self, until: Until, patience: Duration) -> Result<(), SessionError> {
        let mut session = self.session();
        let mut operator =
            Operator::new(&self.operator, session.election(), until, patience).unwrap();
        participate(&mut session, &mut operator, |_, _| ())
    }

    /// Runs the whole election with the trustees and mixers of these numbers.
    pub fn run(
        &self,
        rankings: &[Ranking],
        trustees: &[u16],
        mixers: &[u16],
        patience: Duration,
    ) -> Result<Session, SessionError> {
        drop(self.set_up());
        self.resume(rankings, trustees, mixers, patience)
    }

    pub fn resume(
        &self,
        rankings: &[Ranking],
        trustees: &[u16],
        mixers: &[u16],
        patience: Duration,
    ) -> Result<Session, SessionError> {
        thread::scope(|scope| {
            for (number, secret) in (1..).zip(&self.trustees) {
                if trustees.contains(&number) {
                    scope.spawn(|| self.follow(|session| copy(secret).and_then_trustee(session)));
                }
            }
            for (number, secret) in (1..).zip(&self.mixers) {
                if mixers.contains(&number) {
                    scope.spawn(|| self.follow(|session| copy(secret).and_then_mixer(session)));
                }
            }
            self.operate(Until::Open, patience)?;
            self.cast(rankings);
            self.operate(Until::Finished, patience)
        })?;
        Ok(self.session())
    }

    fn follow<P: Participant>(&self, party: impl FnOnce(&Session) -> P) {
        let mut session = self.session();
        let mut party = party(&session);
        // A failed election is the operator's to report.
        let _ = participate(&mut session, &mut party, |_, _| ());
    }

    pub fn identity_of(&self, entry: &Entry) -> Identity {
        let all = [&self.operator, &self.station].into_iter().chain(&self.trustees);
        let mut identities = all.chain(&self.mixers).map(PartySecret::identity);
        identities.find(|identity| identity.id() == entry.author()).unwrap()
    }

    /// The same board with some messages replaced or left out, signed again by their authors.
    pub fn rewrite(
        &self,
        entries: &[Entry],
        mut edit: impl FnMut(&Entry, Message) -> Option<Message>,
    ) -> Vec<Entry> {
        let genesis = &entries[0];
        let store = MemoryStore::new();
        store.append(0, &genesis.to_bytes()).unwrap();
        let mut board = Board::open(store).unwrap();
        for entry in &entries[1..] {
            let message = Message::from_entry(entry.kind(), entry.payload()).unwrap();
            if let Some(message) = edit(entry, message) {
                let identity = self.identity_of(entry);
                board.append(&identity, message.kind(), &message.to_bytes()).unwrap();
            }
        }
        board.entries().to_vec()
    }
}

/// A party's secret for a thread of its own.
struct Copied(PartySecret);

fn copy(secret: &PartySecret) -> Copied {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    secret.save(&path).unwrap();
    Copied(PartySecret::load(&path).unwrap())
}

impl Copied {
    fn and_then_trustee(self, session: &Session) -> Trustee {
        Trustee::new(self.0, session.election()).unwrap()
    }

    fn and_then_mixer(self, session: &Session) -> Mixer {
        Mixer::new(self.0, session.election()).unwrap()
    }
}

pub fn everybody() -> [u16; 3] {
    [1, 2, 3]
}

/// `count` rankings of all kinds, blank ones too.
pub fn rankings(world: &World, count: usize) -> Vec<Ranking> {
    let shape = world.description.shape();
    let all: [&[u8]; 7] = [&[0, 1, 2], &[1], &[2, 0], &[], &[1, 2], &[0], &[2, 1, 0]];
    let all = all.map(|choices| shape.ranking(choices.iter().copied()).unwrap());
    all.iter().cycle().take(count).cloned().collect()
}

pub fn verify(bundle: &Path) -> Result<(), VerifyError> {
    let registry = Registry::new().with(ElectionVerifier);
    claim::verify(&Bundle::open(bundle).unwrap(), &registry, &()).map(drop)
}

/// What the verifier says of entries that are bundled with the claim of the honest election.
pub fn verdict(entries: &[Entry], honest: &Session) -> Result<(), Refusal> {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write_bundle(&root, entries, honest.election()).unwrap();
    match verify(&root) {
        Ok(()) => Ok(()),
        Err(VerifyError::Refused(refusal)) => Err(refusal),
        Err(other) => panic!("{other}"),
    }
}

pub fn role_of(world: &World, entry: &Entry) -> (Role, u16) {
    let party = world.parties().party(&entry.author()).unwrap();
    (party.role, party.number)
}
