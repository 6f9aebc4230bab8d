//! An election in one process: every party a thread, the board in memory.

mod dealer;
mod forge;
mod keys;
mod play;
mod town;

use std::{thread, time::Duration};

use board::{Identity, MemoryStore, Store};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    description::{Draft, ElectionDescription, Question, Rule, Shuffle},
    election::{
        Election, Message, Mixer, Operator, Parties, Party, Role, Session, Setup, Trustee, Until,
        Voter, cast,
    },
    preferences::Ranking,
    replay::{self, SessionError},
    secrets::{MemorySecret, RunSecret, RunSecrets},
};
use wire::{Digest, Encode};

pub use dealer::{bad_shares, false_accusation};
pub use forge::{Honest, Said, bundle_of, refused, statement_of, verdict, verdict_on, verify};
pub use keys::TraceKey;
pub use play::nobody_cheats;
pub use town::{BEGINS, SCHEDULE, Town, everyone, keeper, timed};

pub const OPERATOR: Party = Party { role: Role::Operator, number: 1 };
pub const STATION: Party = Party { role: Role::Station, number: 1 };
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An election's voters, and its board. The parties' keys, and what they draw, are the same in every world.
pub struct World {
    pub description: ElectionDescription,
    pub credentials: Vec<Identity>,
    pub store: MemoryStore,
}

pub fn draft() -> Draft {
    Draft {
        title: "Lunch".into(),
        questions: vec![Question::ranked(
            "What for lunch?",
            &["soup", "salad", "stew"],
            3,
            &[Rule::Plurality, Rule::Irv],
        )],
        classes: Vec::new(),
        trustees: 3,
        threshold: 2,
        mixers: 3,
        minimum_mixers: 2,
        schedule: None,
        shuffle: Shuffle::TereliusWikstrom,
        notes: None,
        link: None,
    }
}

impl World {
    pub fn new(draft: Draft, voters: usize) -> Self {
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let description = ElectionDescription::new(draft).unwrap();
        let credentials = (0..voters).map(|_| Identity::generate(&mut rng)).collect();
        let store = MemoryStore::new();
        Self { description, credentials, store }
    }

    /// What a party draws for its run, as its state has it.
    pub fn secrets(&self, party: Party, board: Digest) -> RunSecrets {
        let drawn = RunSecret::draw(&mut drawing(party, 1));
        RunSecrets::new(self.identity(party), board, MemorySecret::of(drawn))
    }

    pub fn identity(&self, party: Party) -> Identity {
        Identity::generate(&mut drawing(party, 0))
    }

    /// A trustee as it comes back after it was killed: with its key file and its state.
    pub fn trustee(&self, number: u16, session: &Session) -> Trustee {
        let secrets = self.secrets(party(Role::Trustee, number), session.id());
        Trustee::new(secrets, session.election()).unwrap()
    }

    /// A mixer as it comes back after it was killed.
    pub fn mixer(&self, number: u16, session: &Session) -> Mixer {
        let secrets = self.secrets(party(Role::Mixer, number), session.id());
        Mixer::new(secrets, session.election()).unwrap()
    }

    pub fn parties(&self) -> Parties {
        let keys = |role, count| -> Vec<_> {
            (1..=count).map(|number| self.identity(party(role, number)).id()).collect()
        };
        let trustees = keys(Role::Trustee, self.description.trustees);
        let mixers = keys(Role::Mixer, self.description.mixers);
        let operator = self.identity(OPERATOR).id();
        Parties::new(operator, &keys(Role::Station, 1), &trustees, &mixers).unwrap()
    }

    /// The roll; if there are classes, the voters are in them by turns.
    pub fn roll(&self) -> Vec<Voter> {
        let voter = |(i, credential): (usize, &Identity)| Voter {
            name: format!("V{i}"),
            credential: credential.id(),
            class: u8::try_from(i % self.description.classes.len().max(1))
                .ok()
                .filter(|_| !self.description.classes.is_empty()),
        };
        self.credentials.iter().enumerate().map(voter).collect()
    }

    /// Sets up, and publishes the roll.
    pub fn set_up(&self) -> Session {
        let setup = Setup { description: self.description.clone(), parties: self.parties() };
        let operator = self.identity(OPERATOR);
        let mut session = Session::create(self.boxed(), &operator, setup).unwrap();
        assert!(session.post(&operator, &Message::Roll(self.roll()), |_| true).unwrap());
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
        let station = self.identity(STATION);
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
            Operator::new(self.identity(OPERATOR), session.election(), until, patience).unwrap();
        take_part(&mut session, &mut operator)
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
            for &number in trustees {
                scope.spawn(move || self.follow(|session| self.trustee(number, session)));
            }
            for &number in mixers {
                scope.spawn(move || self.follow(|session| self.mixer(number, session)));
            }
            self.operate(Until::Open, patience)?;
            self.cast(rankings);
            self.operate(Until::Finished, patience)
        })?;
        Ok(self.session())
    }

    pub fn follow<P: replay::Party<Election>>(&self, party: impl FnOnce(&Session) -> P) {
        let mut session = self.session();
        let mut party = party(&session);
        // A failed election is the operator's to report.
        let _ = take_part(&mut session, &mut party);
    }
}

/// Runs a party to its end.
pub fn take_part(
    session: &mut Session,
    party: &mut impl replay::Party<Election>,
) -> Result<(), SessionError> {
    session.participate(party, &mut ChaCha20Rng::seed_from_u64(0), |_| ())
}

fn drawing(party: Party, what: u8) -> ChaCha20Rng {
    let mut seed = [what; 32];
    seed[..3].copy_from_slice(&party.to_bytes());
    ChaCha20Rng::from_seed(seed)
}

pub fn party(role: Role, number: u16) -> Party {
    Party { role, number }
}

pub fn everybody() -> [u16; 3] {
    [1, 2, 3]
}

/// `count` rankings of all kinds, blank ones too.
pub fn rankings(world: &World, count: usize) -> Vec<Ranking> {
    let shape = world.description.layout().ranking(0).unwrap();
    let all: [&[u8]; 7] = [&[0, 1, 2], &[1], &[2, 0], &[], &[1, 2], &[0], &[2, 1, 0]];
    let all = all.map(|choices| shape.ranking(choices.iter().copied()).unwrap());
    all.iter().cycle().take(count).cloned().collect()
}
