//! Proofs, answers, receipts, documents and questions of transparent tables.

use std::{fs, sync::LazyLock};

use table::{
    AbsenceProof, AuxRecord, EpochHeader, Fraction, Genesis, LightLookup, Lookup, PublicKey,
    Question, QuestionLog, QuestionProof, Succession, Table, audit,
    claims::read_records,
    log::{
        Attestation, Cosignature, ErasureProof, Evidence, Growth, KeyRange, LoggedEpoch,
        LoggedRecords, LoggedRotation, Receipt, Rotation, Scope, SignedCheckpoint, Tombstone,
    },
    query::{Answer, Moments, Outcome, Query, Region},
    rollup::{Predicate, RolledUp},
    sql,
    sum_tree::{Path, Root},
    trie::{Absence, Cover, Label, Member},
};
use wire::{Decode as _, DecodeError, Reader};

use crate::{
    pieces::root,
    sessions::{join, split},
    shuffles::sized,
    target::{Target, canonical, is_read, readers, same, text},
};

/// The table of the vectors.
static TABLE: LazyLock<Table> = LazyLock::new(|| table("sum"));
/// Their second one, whose operator changed keys.
static HOUSE: LazyLock<Table> = LazyLock::new(|| table("evidence"));

pub fn targets() -> Vec<Target> {
    vec![
        Target::new(
            "table-messages",
            readers![
                canonical::<Attestation>,
                canonical::<Cosignature>,
                canonical::<KeyRange>,
                canonical::<Scope>,
                canonical::<Receipt>,
                canonical::<Growth>,
                canonical::<PublicKey>,
                canonical::<Rotation>,
                canonical::<Succession>,
                canonical::<Question>,
                canonical::<QuestionProof>,
                canonical::<QuestionLog>,
                canonical::<Tombstone>,
                canonical::<ErasureProof>,
            ],
        ),
        Target::new(
            "table-records",
            readers![
                canonical::<AuxRecord>,
                canonical::<EpochHeader>,
                canonical::<LoggedEpoch>,
                canonical::<LoggedRecords>,
                canonical::<LoggedRotation>,
                |bytes| is_read(read_records(bytes)),
            ],
        ),
        Target::new(
            "table-answers",
            readers![
                canonical::<Answer>,
                canonical::<Query>,
                canonical::<Region>,
                canonical::<Outcome>,
                canonical::<Moments>,
                canonical::<Fraction>,
                canonical::<Predicate>,
                canonical::<RolledUp>,
            ],
        ),
        Target::new(
            "table-lookups",
            readers![
                canonical::<Lookup>,
                canonical::<LightLookup>,
                canonical::<AbsenceProof>,
                canonical::<Root>,
                canonical::<Member>,
                canonical::<Absence>,
                canonical::<Cover>,
                |bytes| sized(bytes, path),
                |bytes| sized(bytes, label),
            ],
        ),
        Target::new(
            "table-documents",
            readers![
                genesis,
                text(|text| note(&TABLE, text)),
                text(|text| note(&HOUSE, text)),
                evidence
            ],
        ),
        Target::new("table-audits", readers![audit]).with_seeds(audits),
        Target::new("table-questions", readers![text(question)]).with_seeds(questions),
    ]
}

fn table(bundle: &str) -> Table {
    let path = root().join("vectors/table").join(bundle).join("objects/table/genesis.json");
    let genesis = Genesis::from_bytes(&fs::read(path).expect("the genesis is read"));
    genesis.and_then(Table::new).expect("the vectors' table")
}

/// A path in a tree of four slots.
fn path(reader: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
    let (path, mut out) = (Path::decode(reader, 4)?, Vec::new());
    path.encode(&mut out);
    Ok(out)
}

fn label(reader: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
    let (label, mut out) = (Label::decode(reader, 256)?, Vec::new());
    label.encode(&mut out);
    Ok(out)
}

fn genesis(bytes: &[u8]) -> bool {
    let read = Genesis::from_bytes(bytes);
    read.iter().for_each(|genesis| same(&genesis.to_bytes(), bytes));
    is_read(read.and_then(Table::new))
}

fn note(table: &Table, text: &str) -> bool {
    let read = SignedCheckpoint::from_note(table, text);
    read.iter().for_each(|signed| same(signed.to_note().as_bytes(), text.as_bytes()));
    is_read(read)
}

fn evidence(bytes: &[u8]) -> bool {
    let mut table = HOUSE.clone();
    let read = Evidence::from_bytes(&mut table, bytes);
    read.iter().for_each(|evidence| _ = is_read(evidence.verify(&table)));
    is_read(read)
}

/// The header of an epoch, and its audit or a part of one.
fn audit(bytes: &[u8]) -> bool {
    let parts = split(bytes);
    let [header, audit] = parts.as_slice() else { return false };
    let Ok(header) = EpochHeader::from_bytes(header) else { return false };
    let whole = is_read(audit::verify(&TABLE, &header, audit, &()));
    is_read(audit::verify_part(&HOUSE, &header, audit)) || whole
}

fn audits() -> Vec<Vec<u8>> {
    let of = |bundle: &str, audit: &str, epoch: u32| {
        let folder = root().join("vectors/table").join(bundle).join("objects/table");
        let read =
            |end: &str| fs::read(folder.join(format!("epoch-{epoch}.{end}"))).expect("an audit");
        join(&[read("header"), read(audit)])
    };
    vec![of("audit", "audit", 2), of("part", "part", 1), of("records", "audit", 3)]
}

fn question(text: &str) -> bool {
    is_read(sql::plan(&TABLE, 4, text))
}

fn questions() -> Vec<Vec<u8>> {
    let texts = [
        "SELECT COUNT(*), SUM(wage), VAR_SAMP(wage) FROM pay WHERE epoch = 2 AND role = 'nurse'",
        "SELECT SUM(hours) FROM pay WHERE epoch BETWEEN 2 AND 4",
        "SELECT MEDIAN(wage) AS middle FROM pay WHERE epoch BETWEEN 1 AND 4 GROUP BY role",
        "SELECT role, AVG(wage) FROM pay WHERE epoch = 1 AND (role = 'nurse' OR role IN ('cook')) GROUP BY role",
        "SELECT PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY wage) FROM pay WHERE epoch = 1",
    ];
    texts.map(|text| text.as_bytes().to_vec()).into()
}
