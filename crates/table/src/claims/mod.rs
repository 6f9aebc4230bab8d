//! Answers, audits and looked-up rows as claims in a bundle, which `subrosa verify` checks offline.
//!
//! Every claim names the `genesis` of its table, which fixes the table's name, and all but audits
//! and evidence name the `checkpoint` of the log that they are about. Whether the table is the one that you mean
//! and the checkpoint recent enough, only you can say: both stand in the statement.

mod explained;
mod objects;
mod own;
mod recorded;
mod statement;
mod writer;

pub use objects::ClaimError;
pub use own::own_epochs;
pub use recorded::{read_records, records_file};
#[cfg(feature = "sql")]
pub(crate) use statement::outcome as outcome_json;
pub use writer::TableWriter;

use claim::{
    BundleWriter, Check, Claim, Findings, Kind, Objects, Premise, Refusal, Role, Verifier,
};
use serde_json::json;
use wire::{Encode, Progress};

use self::{
    objects::{
        ABSENCE_KIND, ANSWER_KIND, AUDIT_KIND, BUNDLE, CheckFn, EVIDENCE, EVIDENCE_KIND, GENESIS,
        GENESIS_FILE, HEADER, LOGGED, LOOKUP_KIND, PART, PART_KIND, VERSION, read_header,
        read_logged, read_table, refused,
    },
    writer::add_audit,
};
use crate::{
    AbsenceProof, AuxRecord, EpochHeader, Lookup, Table, audit,
    log::Evidence,
    query::{self, Answer},
};

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

/// Verifies one kind of claims about tables.
pub struct TableVerifier {
    kind: Kind,
    check: CheckFn,
}

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
