//! `subrosa table dispute`: a user's receipts against what its operator published, as evidence that anybody
//! checks.

use std::path::{Path, PathBuf};

use ::table::{
    AbsenceProof, Fault, Lookup, Table, claims,
    log::{Evidence, LoggedRotation, Receipt, SignedCheckpoint},
};
use claim::BundleWriter;
use clap::Subcommand;
use serde_json::json;
use wire::Decode;

use super::{cosign::read_growth, keys::Own, receipt};
use crate::{failure::Failure, output::Output, verify::check};

const NOTE_LIMIT: u64 = 1 << 20;
const PROOF_LIMIT: u64 = 1 << 24;
/// Changes of the operator's key in a bundle.
const MAX_ROTATIONS: usize = 1 << 12;

/// What an operator did with a row that it had signed for.
#[derive(Subcommand)]
pub enum Command {
    /// Its row is not in its epoch.
    Omission(ShownArgs),
    /// Its row is in its epoch, but with other values.
    Alteration(ShownArgs),
    /// Its epoch is not in the log, although the deadline is over.
    Withholding(WithheldArgs),
}

/// Options of `dispute omission` and `dispute alteration`.
#[derive(clap::Args)]
pub struct ShownArgs {
    #[command(flatten)]
    promised: Promised,
    /// What the operator shows of the epoch: for an omission, a bundle of `table absence`; for an
    /// alteration, one of `table lookup`.
    #[arg(long, value_name = "DIR")]
    shown: PathBuf,
}

/// Options of `dispute withholding`.
#[derive(clap::Args)]
pub struct WithheldArgs {
    #[command(flatten)]
    promised: Promised,
    /// A log that a quorum of witnesses cosigned after the deadline, as `subrosa table log --out` wrote it.
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
}

/// What was promised.
#[derive(clap::Args)]
struct Promised {
    /// The file that `subrosa table ingest --receipts` wrote, or the user's lines of it.
    receipts: PathBuf,
    /// The user's own keys, as `subrosa table keys` wrote them.
    #[arg(long, value_name = "FILE")]
    own: PathBuf,
    /// The directory to write the evidence to, for `subrosa verify`.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `dispute`.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Omission(args) => by_bundle(&args, output, omission),
        Command::Alteration(args) => by_bundle(&args, output, alteration),
        Command::Withholding(args) => withholding(&args, output),
    }
}

/// A log, and what an operator shows under it.
struct Shown<'a> {
    directory: &'a Path,
    table: Table,
    signed: SignedCheckpoint,
}

impl<'a> Shown<'a> {
    /// Reads the log of a bundle that has been verified, and lets the table know the changes of key in it.
    fn read(directory: &'a Path, mut table: Table) -> Result<Self, Failure> {
        let file = |name: &str| directory.join("objects/table").join(name);
        let mut rotations = Vec::new();
        for number in 0..MAX_ROTATIONS {
            let path = file(&format!("rotation-{number}"));
            if !path.is_file() {
                break;
            }
            rotations.push(decode::<LoggedRotation>(&path, PROOF_LIMIT)?);
        }
        let path = file("checkpoint.txt");
        let failed = |error: &dyn std::fmt::Display| Failure::file(&path, error.to_string());
        let note = wire::read_bounded(&path, NOTE_LIMIT).map_err(|error| failed(&error))?;
        let note = String::from_utf8(note).map_err(|error| failed(&error))?;
        let signed = SignedCheckpoint::from_note_with(&mut table, &note, &rotations);
        Ok(Self { directory, signed: signed.map_err(|fault| failed(&fault))?, table })
    }

    /// A proof about an ordered column, if the bundle has one.
    fn proof<T: Decode>(&self, what: &str, column: u16) -> Result<Option<T>, Failure> {
        let path = self.directory.join(format!("objects/table/{what}-{column}.proof"));
        path.is_file().then(|| decode(&path, PROOF_LIMIT)).transpose()
    }
}

fn decode<T: Decode>(path: &Path, limit: u64) -> Result<T, Failure> {
    let bytes = wire::read_bounded(path, limit).map_err(|error| Failure::file(path, error))?;
    T::from_bytes(&bytes).map_err(|error| Failure::file(path, error))
}

fn omission(shown: &Shown<'_>, receipt: &Receipt) -> Result<Option<Evidence>, Failure> {
    let absence = shown.proof::<AbsenceProof>("absence", receipt.column)?;
    let absence = absence.filter(|absence| absence.epoch.header.core.epoch == receipt.epoch);
    Ok(absence.map(|absence| Evidence::Omission {
        receipt: receipt.clone(),
        epoch: absence.epoch,
        checkpoint: shown.signed.clone(),
        absence: absence.absence,
    }))
}

fn alteration(shown: &Shown<'_>, receipt: &Receipt) -> Result<Option<Evidence>, Failure> {
    let lookup = shown.proof::<Lookup>("lookup", receipt.column)?;
    let lookup = lookup.filter(|lookup| lookup.epoch.header.core.epoch == receipt.epoch);
    Ok(lookup.map(|lookup| Evidence::Alteration {
        receipt: receipt.clone(),
        leaf: lookup.leaf.hash(),
        epoch: lookup.epoch,
        checkpoint: shown.signed.clone(),
        member: lookup.ids,
    }))
}

/// What one receipt proves together with a bundle; none if the bundle is not about its epoch.
type Accuse = fn(&Shown<'_>, &Receipt) -> Result<Option<Evidence>, Failure>;

fn by_bundle(args: &ShownArgs, output: &Output, accuse: Accuse) -> Result<(), Failure> {
    let own = Own::load(&args.promised.own)?;
    let table = own.table()?;
    // Genuine, or no part of it is evidence of anything.
    let report = check(&args.shown, &[])?;
    let name = table.id().to_string();
    if report.verdicts.iter().any(|verdict| verdict.statement.get("table") != Some(&json!(name))) {
        return Err(Failure::file(&args.shown, "it is about another table"));
    }
    let shown = Shown::read(&args.shown, table)?;
    let mut accused = Vec::new();
    for (receipt, _) in receipt::read(&args.promised.receipts, own.user(), &shown.table)? {
        accused.extend(accuse(&shown, &receipt)?);
    }
    settle(&args.promised, &shown.table, accused, output)
}

fn withholding(args: &WithheldArgs, output: &Output) -> Result<(), Failure> {
    let own = Own::load(&args.promised.own)?;
    let growth = read_growth(&args.log)?;
    growth.verify(None).map_err(|fault| Failure::refused(format!("the log: {fault}")))?;
    if growth.table.id() != own.table()?.id() {
        return Err(Failure::file(&args.log, "the log of another table"));
    }
    let receipts = receipt::read(&args.promised.receipts, own.user(), &growth.table)?.into_iter();
    let accused = receipts
        .map(|(receipt, _)| Evidence::Withholding { receipt, checkpoint: growth.signed.clone() });
    settle(&args.promised, &growth.table, accused.collect(), output)
}

/// Writes the first that convicts the operator; says why none does, otherwise.
fn settle(
    promised: &Promised,
    table: &Table,
    accused: Vec<Evidence>,
    output: &Output,
) -> Result<(), Failure> {
    let mut reason = None;
    for evidence in accused {
        match evidence.verify(table) {
            Ok(()) => return write(&promised.out, table, &evidence, output),
            Err(fault) => reason = Some(fault),
        }
    }
    Err(match reason {
        None => Failure::input("no receipt of yours is about what is shown").hint(
            "receipts and what the operator shows must be about the same epoch and ordered column",
        ),
        Some(fault @ Fault::NoOffence { .. }) => Failure::refused(fault),
        Some(fault) => Failure::refused(format!("this convicts nobody: {fault}"))
            .hint("receipts must be the operator's, about your row under the keys that you have"),
    })
}

fn write(out: &Path, table: &Table, evidence: &Evidence, output: &Output) -> Result<(), Failure> {
    let mut writer = BundleWriter::create(out).map_err(Failure::input)?;
    claims::write_evidence(&mut writer, table, evidence)?;
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let object = json!({ "bundle": digest, "offence": evidence.offence() });
    output.result(&object, || {
        vec![
            format!("the operator is convicted: {}", evidence.offence()),
            format!("bundle {digest}"),
        ]
    });
    Ok(())
}
