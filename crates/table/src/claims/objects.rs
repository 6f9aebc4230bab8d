//! What claims about tables have in common: the roles of their objects, and how these are read.

use claim::{BundleError, Findings, Objects, Refusal, Role};
use wire::{Decode, Progress};

use crate::{
    EpochHeader, Fault, Genesis, Refused, Table,
    checks::{TB_1, TB_5},
    log::{LoggedRotation, SignedCheckpoint},
};

pub(super) const VERSION: u16 = 1;
pub(super) const GENESIS: &str = "genesis";
pub(super) const GENESIS_FILE: &str = "table/genesis.json";
pub(super) const CHECKPOINT: &str = "checkpoint";
pub(super) const PROOF: &str = "proof";
pub(super) const HEADER: &str = "header";
/// Changes of the operator's key that the checkpoint's log records; a role of its own, or none.
pub(super) const ROTATIONS: &str = "rotations";

pub(super) const BUNDLE: &str = "audit";
pub(super) const PART: &str = "part";
pub(super) const EVIDENCE: &str = "evidence";

/// Kinds of claims.
pub(super) const ANSWER_KIND: &str = "table-answer";
pub(super) const AUDIT_KIND: &str = "table-audit";
pub(super) const PART_KIND: &str = "table-audit-part";
pub(super) const LOOKUP_KIND: &str = "table-lookup";
pub(super) const ABSENCE_KIND: &str = "table-absence";
pub(super) const EVIDENCE_KIND: &str = "table-evidence";

/// Roles of what a checkpoint's log holds.
pub(super) const LOGGED: &[Role] =
    &[Role::one(CHECKPOINT), Role::one(GENESIS), Role::one(PROOF), Role::any(ROTATIONS)];

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
pub(super) type CheckFn = fn(&Objects<'_>, &dyn Progress) -> Result<Findings, Refusal>;

pub(super) fn refused(phase: &'static str) -> impl Fn(Refused) -> Refusal {
    move |Refused { check, fault }| Refusal::new(phase, fault.to_string()).under(check)
}

/// Bytes that an object has in a role, which are no encoding of it.
pub(super) fn malformed(phase: &'static str) -> impl Fn(wire::DecodeError) -> Refusal {
    move |error| Refusal::new(phase, error.to_string()).under(error.check())
}

pub(super) fn read_table(objects: &Objects<'_>) -> Result<Table, Refusal> {
    let genesis = Genesis::from_bytes(&objects.only(GENESIS)?).and_then(Table::new);
    genesis.map_err(|error| Refusal::new("genesis", error.to_string()).under(TB_1))
}

pub(super) fn read_logged<T: Decode>(
    objects: &Objects<'_>,
) -> Result<(Table, SignedCheckpoint, T), Refusal> {
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

pub(super) fn read_header(objects: &Objects<'_>) -> Result<EpochHeader, Refusal> {
    EpochHeader::from_bytes(&objects.only(HEADER)?).map_err(malformed("header"))
}
