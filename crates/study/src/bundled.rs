//! A board in a bundle: every entry is an object. For a board on a log, a record shows that the log has these entries.

use board::{Board, BoardError, Bulletin, Entry, MemoryStore, Store as _, logged::Record};
use claim::{BundleError, BundleWriter, Claim, Explanation, Objects, Refusal};
use log::{EntryError, FollowError, note::VerifierKey};
use serde_json::{Value, json};
use wire::{Decode as _, DecodeError, Digest, Encode as _};

use crate::{
    checks::{BD_1, BD_2, BD_3, BD_4, CB_9},
    election::Setup,
};

/// The role of the entries, in order.
pub(crate) const BOARD: &str = "board";
/// The role of the record of a log.
pub(crate) const LOG: &str = "log";
/// Leaves, a checkpoint and a proof: no log of a board has more bytes.
const RECORD_LIMIT: u64 = 1 << 31;

/// The versions of a claim about a board: the first is that of a chain, the second that of a log.
pub(crate) type Versions = [u16; 2];

/// The objects of a board in a bundle.
#[derive(Clone, Debug)]
pub struct BoardObjects {
    entries: Vec<Digest>,
    record: Option<Digest>,
    log: Option<Value>,
}

impl BoardObjects {
    /// Writes the entries of a board up to a place, and the log's record of them.
    pub(crate) fn write(
        writer: &mut BundleWriter,
        board: &dyn Bulletin,
        last: u64,
    ) -> Result<Self, BundleError> {
        let entries = board.entries().iter().take_while(|entry| entry.sequence() <= last);
        let add = |entry: &Entry| {
            let path = format!("{BOARD}/{:08}.entry", entry.sequence());
            writer.add_object(&path, &entry.to_bytes())
        };
        let entries = entries.map(add).collect::<Result<_, _>>()?;
        let record = board.record(last);
        let log = record.as_ref().map(statement);
        let record = record.map(|record| writer.add_object("board/log", &record.to_bytes()));
        Ok(Self { entries, record: record.transpose()?, log })
    }

    /// What a claim about the board says of its log.
    pub(crate) fn log(&self) -> Option<&Value> {
        self.log.as_ref()
    }

    /// A claim about this board, with the objects of a further role.
    pub(crate) fn claim(
        &self,
        (kind, versions): (&str, Versions),
        role: Option<(&str, Vec<Digest>)>,
        statement: Value,
    ) -> Claim {
        let [chained, logged] = versions;
        let version = if self.record.is_some() { logged } else { chained };
        let record = self.record.map(|record| (LOG, vec![record]));
        let roles = [(BOARD, self.entries.clone())].into_iter().chain(record).chain(role);
        Claim::new(kind, version, roles, statement)
    }
}

/// A board of a bundle, every signature verified.
pub(crate) struct BundledBoard {
    entries: Vec<Entry>,
    log: Option<Value>,
}

impl BundledBoard {
    /// Requires that a claim names the record of a log if its version says so, and none otherwise.
    pub(crate) fn require_version(
        claim: &Claim,
        [chained, logged]: Versions,
    ) -> Result<(), Refusal> {
        let has_record = claim.objects(LOG).next().is_some();
        let due = if has_record { logged } else { chained };
        if claim.version == due {
            return Ok(());
        }
        let reason = format!(
            "it is of version {}, and a claim that names {} `{LOG}` is of version {due}",
            claim.version,
            if has_record { "a" } else { "no" }
        );
        Err(Refusal::new("claim", reason).under(CB_9))
    }

    /// Reads the board of a claim and verifies it: the chain of signatures, or the log.
    pub(crate) fn open(
        claim: &Claim,
        objects: &Objects<'_>,
        versions: Versions,
    ) -> Result<Self, Refusal> {
        Self::require_version(claim, versions)?;
        match claim.objects(LOG).next() {
            Some(_) => Self::on_log(objects),
            None => Self::on_chain(objects),
        }
    }

    fn on_chain(objects: &Objects<'_>) -> Result<Self, Refusal> {
        let store = MemoryStore::new();
        for (sequence, entry) in (0..).zip(objects.all(BOARD)) {
            let appended = store.append(sequence, &entry?);
            appended.map_err(|error| Refusal::new(BOARD, error.to_string()).under(BD_1))?;
        }
        // For people: by it a party is named that is at fault. A board without it is refused by `open`.
        let genesis = store.read(0).ok().flatten();
        let genesis = genesis.and_then(|bytes| Entry::from_bytes(&bytes).ok());
        let board = Board::open(store).map_err(|error| broken(genesis.as_ref(), &error))?;
        Ok(Self { entries: board.entries().to_vec(), log: None })
    }

    fn on_log(objects: &Objects<'_>) -> Result<Self, Refusal> {
        let record = Record::from_bytes(&objects.only_within(LOG, RECORD_LIMIT)?);
        let malformed =
            |error: DecodeError| Refusal::new(LOG, error.to_string()).under(error.check());
        let record = record.map_err(malformed)?;
        let written = (0..).zip(objects.all(BOARD)).map(|(number, bytes): (u64, _)| {
            let refused = |error: DecodeError| {
                Refusal::new(BOARD, format!("object {number}: {error}")).under(error.check())
            };
            Entry::from_bytes(&bytes?).map_err(refused)
        });
        let written = written.collect::<Result<Vec<_>, _>>()?;
        let entries = record.verify(&written);
        let entries = entries.map_err(|error| broken(written.first(), &error))?;
        Ok(Self { entries, log: Some(statement(&record)) })
    }

    /// The entries, in order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The first of them.
    pub(crate) fn genesis(&self) -> Result<&Entry, Refusal> {
        self.entries.first().ok_or_else(|| Refusal::new(BOARD, "there are no entries").under(BD_1))
    }

    /// What a claim about the board says of its log.
    pub(crate) fn log(&self) -> Option<&Value> {
        self.log.as_ref()
    }

    /// The checks of a board that holds.
    pub(crate) fn explained(&self) -> Explanation {
        let entries = self.entries.len();
        match &self.log {
            None => Explanation::new().with(BD_1, "entries, in one chain", entries).with(
                BD_2,
                "signatures of entries",
                entries,
            ),
            Some(_) => Explanation::new()
                .with(BD_3, "leaves from the first on, in the keeper's checkpoint", entries)
                .with(BD_4, "entries, each a signed leaf with its payload", entries),
        }
    }

    /// What was checked about the entries.
    pub(crate) fn checked(log: Option<&Value>) -> &'static str {
        match log {
            None => "signed entries, in one chain",
            Some(_) => "signed entries, none left out of the log up to the keeper's checkpoint",
        }
    }
}

/// What a claim says of the log that its board stands on: which one it is, and which checkpoint to compare with
/// what others saw.
fn statement(record: &Record) -> Value {
    let checkpoint = record.checkpoint.checkpoint();
    let mut statement = json!({
        "key": record.key.to_string(),
        "size": checkpoint.size,
        "root": checkpoint.root.to_string(),
        "leaves": record.leaves.leaves.len(),
    });
    let cosigned =
        |(key, time): (&VerifierKey, u64)| json!({ "key": key.to_string(), "time": time });
    let witnesses: Vec<Value> = record.cosigned().map(cosigned).collect();
    if let Some(fields) = statement.as_object_mut().filter(|_| !witnesses.is_empty()) {
        fields.insert("witnesses".to_owned(), witnesses.into());
    }
    statement
}

/// Adds what a statement says of the board's log.
pub(crate) fn with_log(mut statement: Value, log: Option<&Value>) -> Value {
    if let (Some(fields), Some(log)) = (statement.as_object_mut(), log) {
        fields.insert("log".to_owned(), log.clone());
    }
    statement
}

/// The log of a statement in a line, if there is one.
pub(crate) fn describe_log(statement: &Value) -> Option<String> {
    let log = statement.get("log")?;
    let (key, size) = (log["key"].as_str()?, log["size"].as_u64()?);
    let keys = log["witnesses"].as_array().map_or(&[][..], Vec::as_slice);
    let keys: Vec<&str> = keys.iter().filter_map(|witness| witness["key"].as_str()).collect();
    let cosigned = match keys.len() {
        0 => ", cosigned by no witness that is named".to_owned(),
        count => format!(", cosigned by {count} of {count} named witnesses: {}", keys.join(", ")),
    };
    Some(format!("log {key}, as its keeper signed it at {size} leaves{cosigned}"))
}

/// What is wrong with the board, and by whose doing if the entry says so.
fn broken(genesis: Option<&Entry>, error: &BoardError) -> Refusal {
    let refusal = Refusal::new(BOARD, error.to_string()).under(error.check());
    let author = match error {
        BoardError::Sequence { author, .. }
        | BoardError::Chain { author, .. }
        | BoardError::Signature { author, .. }
        | BoardError::Follow(FollowError::Entry {
            error: EntryError::Signature { author }, ..
        }) => author,
        _ => return refusal,
    };
    // For people: without a setup nobody is named.
    let setup = genesis.and_then(|genesis| Setup::from_genesis(genesis).ok());
    match setup.and_then(|setup| setup.parties.party(author)) {
        Some(party) => refusal.by(party.to_string()),
        None => refusal,
    }
}
