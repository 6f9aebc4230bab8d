//! Answers, audits and looked-up rows as claims in a bundle, which `subrosa verify` checks offline.
//!
//! Every claim names the `genesis` of its table, which fixes the table's name, and all but audits
//! and evidence name the `checkpoint` of the log that they are about. Whether the table is the one that you mean
//! and the checkpoint recent enough, only you can say: both stand in the statement.

mod explained;
mod own;
mod recorded;
mod statement;

pub use own::own_epochs;
pub use recorded::{read_records, records_file};
#[cfg(feature = "sql")]
pub(crate) use statement::outcome as outcome_json;

use board::AuthorId;
use claim::{
    BundleError, BundleWriter, Check, Claim, Findings, Kind, Objects, Premise, Refusal, Role,
    Verifier,
};
use serde_json::{Value, json};
use wire::{Decode, Digest, Encode, Progress};

use crate::{
    AbsenceProof, AuxRecord, EpochHeader, Fault, Genesis, Lookup, Refused, Table, audit,
    checks::{TB_1, TB_5},
    log::{Evidence, LoggedRotation, SignedCheckpoint},
    query::{self, Answer},
};

const VERSION: u16 = 1;
const GENESIS: &str = "genesis";
const GENESIS_FILE: &str = "table/genesis.json";
const CHECKPOINT: &str = "checkpoint";
const PROOF: &str = "proof";
const HEADER: &str = "header";
const BUNDLE: &str = "audit";
const PART: &str = "part";
/// Changes of the operator's key that the checkpoint's log records; a role of its own, or none.
const ROTATIONS: &str = "rotations";
const EVIDENCE: &str = "evidence";

/// Kinds of claims.
const ANSWER_KIND: &str = "table-answer";
const AUDIT_KIND: &str = "table-audit";
const PART_KIND: &str = "table-audit-part";
const LOOKUP_KIND: &str = "table-lookup";
const ABSENCE_KIND: &str = "table-absence";
const EVIDENCE_KIND: &str = "table-evidence";

/// A table in a bundle being written: its genesis and a checkpoint, which claims share.
pub struct TableWriter<'a> {
    writer: &'a mut BundleWriter,
    table: &'a Table,
    signed: &'a SignedCheckpoint,
    genesis: Digest,
    checkpoint: Digest,
    rotations: Vec<Digest>,
}

impl<'a> TableWriter<'a> {
    /// Adds genesis and checkpoint, under `table/` in the bundle.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn new(
        writer: &'a mut BundleWriter,
        table: &'a Table,
        signed: &'a SignedCheckpoint,
    ) -> Result<Self, BundleError> {
        let genesis = writer.add_object(GENESIS_FILE, &table.genesis().to_bytes())?;
        let checkpoint = writer.add_object("table/checkpoint.txt", signed.to_note().as_bytes())?;
        Ok(Self { writer, table, signed, genesis, checkpoint, rotations: Vec::new() })
    }

    /// Adds the changes of the operator's key that the log records: without them the claims that
    /// follow verify under the first key only.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn with_rotations(mut self, rotations: &[LoggedRotation]) -> Result<Self, BundleError> {
        for (number, rotation) in rotations.iter().enumerate() {
            let name = format!("table/rotation-{number}");
            self.rotations.push(self.writer.add_object(&name, &rotation.to_bytes())?);
        }
        Ok(self)
    }

    /// Adds an answer under a name; it is verified first, to state what it says.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn answer(&mut self, name: &str, answer: &Answer) -> Result<(), ClaimError> {
        let (table, signed) = (self.table, self.signed);
        let verified = query::verify(table, signed, answer, &table.genesis().auditors)?;
        let statement = statement::answer(table, signed, answer, &verified);
        self.logged(ANSWER_KIND, name, &answer.to_bytes(), statement)
    }

    /// Adds a looked-up row under a name.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn lookup(&mut self, name: &str, lookup: &Lookup) -> Result<(), ClaimError> {
        lookup.verify(self.table, self.signed)?;
        let statement = statement::lookup(self.table, self.signed, lookup);
        self.logged(LOOKUP_KIND, name, &lookup.to_bytes(), statement)
    }

    /// Adds the absence of a pseudonym under a name.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn absence(&mut self, name: &str, absence: &AbsenceProof) -> Result<(), ClaimError> {
        absence.verify(self.table, self.signed)?;
        let statement = statement::absence(self.table, self.signed, absence);
        self.logged(ABSENCE_KIND, name, &absence.to_bytes(), statement)
    }

    /// Adds an epoch's audit, which whoever verifies the bundle then repeats.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn audit(
        &mut self,
        header: &EpochHeader,
        bundle: &[u8],
        progress: &dyn Progress,
    ) -> Result<(), ClaimError> {
        add_audit(self.writer, self.table, self.genesis, (header, bundle), progress).map(|_| ())
    }

    fn logged(
        &mut self,
        kind: &str,
        name: &str,
        proof: &[u8],
        statement: Value,
    ) -> Result<(), ClaimError> {
        let proof = self.writer.add_object(&format!("table/{name}.proof"), proof)?;
        let claim = Claim::new(kind, VERSION, self.places(proof), statement);
        Ok(self.writer.add_claim(name, &claim)?)
    }

    /// The objects of a claim about the log.
    fn places(&self, proof: Digest) -> Vec<(&'static str, Vec<Digest>)> {
        let mut objects = vec![
            (GENESIS, vec![self.genesis]),
            (CHECKPOINT, vec![self.checkpoint]),
            (PROOF, vec![proof]),
        ];
        if !self.rotations.is_empty() {
            objects.push((ROTATIONS, self.rotations.clone()));
        }
        objects
    }
}

/// Adds an epoch's audit to a bundle without answers, which needs no checkpoint, and what it records besides its
/// rows, if that is anything.
///
/// # Errors
/// [`ClaimError`].
pub fn write_audit(
    writer: &mut BundleWriter,
    table: &Table,
    (header, records): (&EpochHeader, &[AuxRecord]),
    bundle: &[u8],
    progress: &dyn Progress,
) -> Result<(), ClaimError> {
    let genesis = writer.add_object(GENESIS_FILE, &table.genesis().to_bytes())?;
    let digest = add_audit(writer, table, genesis, (header, bundle), progress)?;
    match records {
        [] => Ok(()),
        _ => recorded::add_records(writer, table, (genesis, digest), (header, records)),
    }
}

fn add_audit(
    writer: &mut BundleWriter,
    table: &Table,
    genesis: Digest,
    (header, bundle): (&EpochHeader, &[u8]),
    progress: &dyn Progress,
) -> Result<Digest, ClaimError> {
    let report = audit::verify(table, header, bundle, progress)?;
    let epoch = header.core.epoch;
    let mut add =
        |what: &str, bytes: &[u8]| writer.add_object(&format!("table/epoch-{epoch}.{what}"), bytes);
    let header_digest = add("header", &header.to_bytes())?;
    let bundle_digest = add("audit", bundle)?;
    let objects =
        [(GENESIS, vec![genesis]), (HEADER, vec![header_digest]), (BUNDLE, vec![bundle_digest])];
    let statement = statement::audit(table, header, &report);
    let claim = Claim::new(AUDIT_KIND, VERSION, objects, statement);
    writer.add_claim(&format!("audit-{epoch}"), &claim)?;
    Ok(header_digest)
}

/// Adds a part of an epoch's audit ([`audit::split`]) to a bundle, alone.
///
/// # Errors
/// [`ClaimError`].
pub fn write_audit_part(
    writer: &mut BundleWriter,
    table: &Table,
    header: &EpochHeader,
    part: &[u8],
) -> Result<(), ClaimError> {
    let scope = audit::verify_part(table, header, part)?;
    let genesis = writer.add_object(GENESIS_FILE, &table.genesis().to_bytes())?;
    let epoch = header.core.epoch;
    let header_file = format!("table/epoch-{epoch}.header");
    let header_digest = writer.add_object(&header_file, &header.to_bytes())?;
    let part = writer.add_object(&format!("table/epoch-{epoch}.part"), part)?;
    let objects = [(GENESIS, vec![genesis]), (HEADER, vec![header_digest]), (PART, vec![part])];
    let statement = statement::audit_part(table, header, &scope);
    let claim = Claim::new(PART_KIND, VERSION, objects, statement);
    Ok(writer.add_claim(&format!("audit-{epoch}-part"), &claim)?)
}

/// Adds evidence against the operator to a bundle, which says so after verifying it.
///
/// # Errors
/// [`ClaimError`].
pub fn write_evidence(
    writer: &mut BundleWriter,
    table: &Table,
    evidence: &Evidence,
) -> Result<(), ClaimError> {
    evidence.verify(table)?;
    let genesis = writer.add_object(GENESIS_FILE, &table.genesis().to_bytes())?;
    let digest = writer.add_object("table/evidence", &evidence.to_bytes(table))?;
    let objects = [(GENESIS, vec![genesis]), (EVIDENCE, vec![digest])];
    let claim = Claim::new(EVIDENCE_KIND, VERSION, objects, statement::evidence(table, evidence));
    Ok(writer.add_claim("evidence", &claim)?)
}

/// Why a claim cannot be added to a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// It does not hold.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// It cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// What a kind of claim checks, from its objects to the statement that they bear out.
type CheckFn = fn(&Objects<'_>, &dyn Progress) -> Result<Findings, Refusal>;

/// Verifies one kind of claims about tables.
pub struct TableVerifier {
    kind: Kind,
    check: CheckFn,
}

/// Roles of what a checkpoint's log holds.
const LOGGED: &[Role] =
    &[Role::one(CHECKPOINT), Role::one(GENESIS), Role::one(PROOF), Role::any(ROTATIONS)];
const AUDITED: &[Role] = &[Role::one(BUNDLE), Role::one(GENESIS), Role::one(HEADER)];
const AUDITED_IN_PART: &[Role] = &[Role::one(GENESIS), Role::one(HEADER), Role::one(PART)];
const OFFENDED: &[Role] = &[Role::one(EVIDENCE), Role::one(GENESIS)];

/// The verifiers of all kinds of claims about tables.
pub fn verifiers() -> impl Iterator<Item = TableVerifier> {
    let kinds: [(&str, &[Role], CheckFn); 6] = [
        (ANSWER_KIND, LOGGED, check_answer),
        (LOOKUP_KIND, LOGGED, check_lookup),
        (ABSENCE_KIND, LOGGED, check_absence),
        (AUDIT_KIND, AUDITED, check_audit),
        (PART_KIND, AUDITED_IN_PART, check_part),
        (EVIDENCE_KIND, OFFENDED, check_evidence),
    ];
    kinds.into_iter().chain(recorded::KINDS).map(|(name, roles, check)| TableVerifier {
        kind: Kind { name, versions: &[VERSION], roles },
        check,
    })
}

impl Verifier for TableVerifier {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn check(
        &self,
        _: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        (self.check)(objects, progress)
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        statement::describe(&claim.statement)
    }

    fn premises(&self, claim: &Claim) -> Vec<Premise> {
        let is_unaudited = claim.statement.get("assurance") == Some(&json!(statement::UNAUDITED));
        let text = "that the operator entered what was handed in: no auditor vouches for it";
        is_unaudited.then(|| Premise::new("unaudited", text)).into_iter().collect()
    }
}

fn refused(phase: &'static str) -> impl Fn(Refused) -> Refusal {
    move |Refused { check, fault }| Refusal::new(phase, fault.to_string()).under(check)
}

/// Bytes that an object has in a role, which are no encoding of it.
fn malformed(phase: &'static str) -> impl Fn(wire::DecodeError) -> Refusal {
    move |error| Refusal::new(phase, error.to_string()).under(error.check())
}

fn read_table(objects: &Objects<'_>) -> Result<Table, Refusal> {
    let genesis = Genesis::from_bytes(&objects.only(GENESIS)?).and_then(Table::new);
    genesis.map_err(|error| Refusal::new("genesis", error.to_string()).under(TB_1))
}

fn read_logged<T: Decode>(objects: &Objects<'_>) -> Result<(Table, SignedCheckpoint, T), Refusal> {
    let mut table = read_table(objects)?;
    let note = String::from_utf8(objects.only(CHECKPOINT)?)
        .map_err(|_| Refusal::new("checkpoint", "not UTF-8").under(TB_5))?;
    let rotation = |bytes: Result<Vec<u8>, Refusal>| {
        LoggedRotation::from_bytes(&bytes?).map_err(malformed("rotation"))
    };
    let rotations: Vec<_> = objects.all(ROTATIONS).map(rotation).collect::<Result<_, _>>()?;
    let signed = SignedCheckpoint::check_note(&mut table, &note, &rotations);
    let signed = signed.map_err(refused("checkpoint"))?;
    let proof = T::from_bytes(&objects.only(PROOF)?).map_err(malformed("proof"))?;
    Ok((table, signed, proof))
}

fn check_answer(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, answer) = read_logged::<Answer>(objects)?;
    let auditors = &table.genesis().auditors;
    let verified = query::check(&table, &signed, &answer, auditors).map_err(refused("answer"))?;
    let checks = vec![
        Check::new("cosignatures of the checkpoint", signed.cosignatures.len() as u64),
        Check::new("epochs in the log", verified.epochs.len() as u64),
        match answer.rolled_up {
            None => Check::new("keys of the region, none left out", verified.keys as u64),
            Some(_) => Check::new("roll-up of the region, in the log", 1),
        },
        Check::new("answer's proof", 1),
    ];
    let statement = statement::answer(&table, &signed, &answer, &verified);
    let explanation = explained::answer(&table, &signed, &answer, &verified);
    Ok(Findings::new(statement, checks).explained(explanation))
}

fn check_lookup(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, lookup) = read_logged::<Lookup>(objects)?;
    lookup.check(&table, &signed).map_err(refused("look-up"))?;
    let checks = vec![Check::new("row in its epoch", 1)];
    let statement = statement::lookup(&table, &signed, &lookup);
    Ok(Findings::new(statement, checks).explained(explained::lookup(&table, &signed)))
}

fn check_absence(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, absence) = read_logged::<AbsenceProof>(objects)?;
    absence.check(&table, &signed).map_err(refused("absence"))?;
    let checks = vec![Check::new("pseudonym not in its epoch", 1)];
    let statement = statement::absence(&table, &signed, &absence);
    Ok(Findings::new(statement, checks).explained(explained::absence(&table, &signed)))
}

fn check_audit(objects: &Objects<'_>, progress: &dyn Progress) -> Result<Findings, Refusal> {
    let table = read_table(objects)?;
    let header = read_header(objects)?;
    let bundle = objects.only(BUNDLE)?;
    let report = audit::check(&table, &header, &bundle, progress).map_err(refused("audit"))?;
    let checks = vec![
        Check::new("rows, of distinct users", report.rows),
        Check::new("statements about order and bounds", report.statements),
        Check::new("proofs of powers", report.power_proofs),
    ];
    let statement = statement::audit(&table, &header, &report);
    Ok(Findings::new(statement, checks).explained(explained::audit(&header, &report)))
}

fn check_part(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let table = read_table(objects)?;
    let header = read_header(objects)?;
    let scope = audit::check_part(&table, &header, &objects.only(PART)?);
    let scope = scope.map_err(refused("part of an audit"))?;
    let checks = vec![Check::new("part of an audit", 1)];
    let statement = statement::audit_part(&table, &header, &scope);
    Ok(Findings::new(statement, checks).explained(explained::part(&table, &scope)))
}

fn check_evidence(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let mut table = read_table(objects)?;
    let evidence = Evidence::read(&mut table, &objects.only(EVIDENCE)?);
    let evidence = evidence.map_err(refused("evidence"))?;
    evidence.check(&table).map_err(refused("evidence"))?;
    let checks = vec![Check::new("offence of the operator, signed by itself", 1)];
    let statement = statement::evidence(&table, &evidence);
    Ok(Findings::new(statement, checks).explained(explained::evidence(&table, &evidence)))
}

fn read_header(objects: &Objects<'_>) -> Result<EpochHeader, Refusal> {
    EpochHeader::from_bytes(&objects.only(HEADER)?).map_err(malformed("header"))
}

/// How a statement names a key.
fn named(key: &AuthorId) -> Value {
    json!(key.to_string())
}
