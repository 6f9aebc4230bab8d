//! Ceremonies with transcripts of this project's own: what tFLSZ, Sonic and native Groth16 ceremonies
//! have in common.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use ::ceremony::{Error, phase1::Beacon, tflsz::Receipt};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Error as FileError, native};
use data_encoding::HEXLOWER;
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::{Value, json};
use wire::{Blake2b, NewFile};

use super::{
    files,
    report::hash_lines,
    turn::{BeaconArgs, ContributeArgs},
};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// A file of this project's own.
pub struct Input {
    pub file: File,
    pub curve: Curve,
    path: PathBuf,
}

impl Input {
    /// Opens a file and reads which curve it is over.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let mut file = File::open(path).map_err(|error| Failure::file(path, error))?;
        let curve = native::curve_of_file(&mut file);
        let curve = curve.map_err(|error| {
            Failure::file(path, error).hint("`new` writes the file that a ceremony begins with")
        })?;
        Ok(Self { file, curve, path: path.to_owned() })
    }

    /// What goes wrong when all of a file is taken for true.
    pub fn failure(&self, error: Error) -> Failure {
        failure(&self.path, error)
    }

    /// Why a file does not verify: what is in it is false, unless it cannot be read at all.
    pub fn refusal(&self, error: Error) -> Failure {
        let is_false = match &error {
            Error::File(error) => {
                matches!(error, FileError::Point { .. } | FileError::Infinity { .. })
            }
            Error::Phase1TooSmall { .. } => false,
            _ => true,
        };
        match is_false {
            true => Failure::refused(format!("{}: {error}", self.path.display())),
            false => failure(&self.path, error),
        }
    }
}

/// What goes wrong with a file.
pub fn failure(path: &Path, error: Error) -> Failure {
    let hint = match &error {
        Error::RoundOver => Some("contribute to round 2"),
        Error::RoundEmpty { .. } | Error::NoContributions => Some("somebody must contribute first"),
        Error::Phase1TooSmall { .. } => Some("take a phase 1 of a larger power"),
        _ => None,
    };
    let failure = Failure::file(path, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A verifier's randomness.
pub fn verifier_rng() -> ChaCha20Rng {
    ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng))
}

/// A contribution that answers `challenge` in a round: draws the secrets, makes the file, puts it
/// into its place, forgets the secrets and reports.
pub fn take_turn(
    args: &ContributeArgs,
    challenge: &[u8; 64],
    round: u8,
    output: &Output,
    make: impl FnOnce(&mut ChaCha20Rng, &mut NewFile) -> Result<Receipt, Failure>,
) -> Result<(), Failure> {
    // A seed is for one round only.
    let turn = Blake2b::digest(&[&challenge[..], &[round]].concat());
    let (receipt, kept) =
        args.secrets.contribute(&args.out, &turn, output, |out, rng| make(rng, &mut out.file))?;
    let mut object = turn_json(&receipt, args.name.as_deref(), &args.out);
    if let Some(object) = object.as_object_mut() {
        object.insert("round".to_owned(), round.into());
        object.insert("seed".to_owned(), json!(kept));
    }
    output.result(&object, || turn_lines(&receipt, &args.out));
    Ok(())
}

/// A beacon's contribution: makes the file, puts it into its place and reports.
pub fn take_beacon(
    args: &BeaconArgs,
    output: &Output,
    make: impl FnOnce(&Beacon, &mut NewFile) -> Result<Receipt, Failure>,
) -> Result<(), Failure> {
    let beacon = Beacon::new(args.hash.0.clone(), args.iterations_exp).map_err(Failure::input)?;
    let mut out = files::Output::create(&args.out)?;
    let receipt = make(&beacon, &mut out.file)?;
    out.finish()?;
    let object = turn_json(&receipt, args.name.as_deref(), &args.out);
    output.result(&object, || turn_lines(&receipt, &args.out));
    Ok(())
}

fn turn_json(receipt: &Receipt, name: Option<&str>, out: &Path) -> Value {
    json!({
        "contribution": receipt.index,
        "name": name,
        "hash": HEXLOWER.encode(&receipt.hash),
        "out": out,
    })
}

fn turn_lines(receipt: &Receipt, out: &Path) -> Vec<String> {
    let mut lines = vec![format!("contribution {}: {}", receipt.index + 1, out.display())];
    lines.push("contribution hash, to be published:".to_owned());
    lines.extend(hash_lines(&receipt.hash));
    lines
}

/// Creates the parameters that a ceremony ends with.
pub fn finish(
    input: &Path,
    path: &Path,
    output: &Output,
    make: impl FnOnce(&mut NewFile) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut out = files::Output::create(path)?;
    make(&mut out.file)?;
    let bytes = out.finish()?;
    let object = json!({ "in": input, "out": path, "bytes": bytes });
    output.result(&object, || vec![format!("{}: {}", output::bytes(bytes), path.display())]);
    Ok(())
}

/// Options of commands that make parameters of a finished ceremony.
#[derive(clap::Args)]
pub struct FinishArgs {
    /// The last file of the ceremony.
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Options of commands that look at one file.
#[derive(clap::Args)]
pub struct FileArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
