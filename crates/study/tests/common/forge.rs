//! What somebody can do who holds every signing key: any board, with the honest election's claim.

use std::{path::Path, sync::LazyLock};

use board::{Board, Entry, MemoryStore};
use claim::{Bundle, BundleWriter, Claim, Refusal, Registry, VerifyError};
use serde_json::Value;
use study::election::{CLAIM_KIND, ElectionVerifier, Message, Party, Session, write_bundle};
use wire::Encode;

use super::{PATIENCE, World, draft, everybody, rankings};

/// Something that a party says on the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub by: Party,
    pub kind: String,
    pub payload: Vec<u8>,
}

impl Said {
    pub fn new(by: Party, message: &Message) -> Self {
        Self { by, kind: message.kind().to_owned(), payload: message.to_bytes() }
    }

    pub fn message(&self) -> Message {
        Message::from_entry(&self.kind, &self.payload).unwrap()
    }

    /// The same in other words.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Message)) {
        let mut message = self.message();
        edit(&mut message);
        *self = Self::new(self.by, &message);
    }
}

impl World {
    /// What was said on a board by parties of this election.
    pub fn script(&self, entries: &[Entry]) -> Vec<Said> {
        let said = |entry: &Entry| Said {
            by: self.parties().party(&entry.author()).unwrap(),
            kind: entry.kind().to_owned(),
            payload: entry.payload().to_vec(),
        };
        entries.iter().map(said).collect()
    }

    /// A board on which the parties say this, in a fresh chain that they all sign.
    pub fn forge(&self, script: &[Said]) -> Vec<Entry> {
        let identity = |said: &Said| self.identity(said.by);
        let (setup, rest) = script.split_first().unwrap();
        let store = MemoryStore::new();
        let mut board =
            Board::create(store, &identity(setup), &setup.kind, &setup.payload).unwrap();
        for said in rest {
            board.append(&identity(said), &said.kind, &said.payload).unwrap();
        }
        board.entries().to_vec()
    }
}

/// A finished honest election, to be tampered with.
pub struct Honest {
    pub world: World,
    pub entries: Vec<Entry>,
    pub script: Vec<Said>,
    pub statement: Value,
}

impl Honest {
    /// The same election for every test of a file.
    pub fn get() -> &'static Self {
        static HONEST: LazyLock<Honest> = LazyLock::new(|| {
            let world = World::new(draft(), 7);
            let ballots = rankings(&world, 7);
            let session = world.run(&ballots, &everybody(), &everybody(), PATIENCE).unwrap();
            let entries = session.entries().to_vec();
            let (script, statement) = (world.script(&entries), statement_of(&session));
            Honest { world, entries, script, statement }
        });
        &HONEST
    }

    /// The places of the entries of a kind.
    pub fn places(&self, kind: &str) -> Vec<usize> {
        let kinds = self.script.iter().enumerate();
        kinds.filter(|(_, said)| said.kind == kind).map(|(place, _)| place).collect()
    }

    /// The verdict on the election with an edited script.
    pub fn forged(&self, edit: impl FnOnce(&mut Vec<Said>)) -> Result<(), Refusal> {
        let mut script = self.script.clone();
        edit(&mut script);
        assert_ne!(script, self.script, "nothing was tampered with");
        self.verdict(&self.world.forge(&script), &self.statement)
    }

    /// The verdict on any entries and any statement, in a bundle whose digests are right.
    pub fn verdict(&self, entries: &[Entry], statement: &Value) -> Result<(), Refusal> {
        verdict_on(entries, statement)
    }
}

/// The verdict on any entries and any statement, in a bundle whose digests are right.
pub fn verdict_on(entries: &[Entry], statement: &Value) -> Result<(), Refusal> {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    bundle_of(&root, entries, statement);
    refusal_of(verify(&root))
}

/// Writes a bundle with these entries and this statement.
pub fn bundle_of(root: &Path, entries: &[Entry], statement: &Value) {
    let mut writer = BundleWriter::create(root).unwrap();
    let add = |(place, entry): (usize, &Entry)| {
        writer.add_object(&format!("board/{place:08}.entry"), &entry.to_bytes()).unwrap()
    };
    let digests = entries.iter().enumerate().map(add).collect();
    let claim = Claim::new(CLAIM_KIND, 1, [("board", digests)], statement.clone());
    writer.add_claim(CLAIM_KIND, &claim).unwrap();
    writer.finish().unwrap();
}

pub fn statement_of(session: &Session) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write_bundle(&root, session.board(), session.election()).unwrap();
    let claim = std::fs::read(root.join("claims/election.json")).unwrap();
    serde_json::from_slice::<Claim>(&claim).unwrap().statement
}

pub fn verify(bundle: &Path) -> Result<(), VerifyError> {
    let registry = Registry::new().with(ElectionVerifier::default());
    claim::verify(&Bundle::open(bundle).unwrap(), &registry, &()).map(drop)
}

/// What the verifier says of a finished election, as it is published.
pub fn verdict(session: &Session) -> Result<(), Refusal> {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write_bundle(&root, session.board(), session.election()).unwrap();
    refusal_of(verify(&root))
}

fn refusal_of(verdict: Result<(), VerifyError>) -> Result<(), Refusal> {
    match verdict {
        Ok(()) => Ok(()),
        Err(VerifyError::Refused(refusal)) => Err(refusal),
        Err(other) => panic!("{other}"),
    }
}

/// Asserts in which phase, by whom and why an election was refused.
#[track_caller]
pub fn refused(
    verdict: Result<(), Refusal>,
    phase: &str,
    by: impl Into<Option<Party>>,
    why: &[&str],
) {
    let refusal = verdict.expect_err("this was accepted");
    assert_eq!(refusal.phase, phase, "{refusal}");
    assert_eq!(refusal.party, by.into().map(|party| party.to_string()), "{refusal}");
    why.iter().for_each(|part| assert!(refusal.reason.contains(part), "{refusal}"));
}
