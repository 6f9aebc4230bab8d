//! Ceremonies with transcripts of this project's own: what tFLSZ, Sonic and native Groth16 ceremonies
//! have in common.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use ::ceremony::{Error, Records, Snapshot, phase2::Contribution};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Error as FileError, native};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::json;
use wire::{Digest, NewFile};

use super::{
    continuity::{ContinuityArgs, Findings},
    files,
    turn::StepArgs,
    verdict::remark,
};
use crate::{
    failure::Failure,
    output::{self, Output},
    progress::Bars,
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
            Failure::file(path, error).hint("`new` writes the first file of a ceremony")
        })?;
        Ok(Self { file, curve, path: path.to_owned() })
    }

    /// What goes wrong when all of a file is taken for true.
    pub fn failure(&self, error: Error) -> Failure {
        failure(&self.path, error)
    }

    /// Why a file does not verify: what is in it is false, unless it cannot be read at all.
    pub fn refusal(&self, error: Error) -> Failure {
        refusal(&self.path, error)
    }
}

/// Why a file does not verify: what is in it is false, unless it cannot be read at all.
fn refusal(path: &Path, error: Error) -> Failure {
    let is_false = match &error {
        Error::File(error) => {
            matches!(error, FileError::Point { .. } | FileError::Infinity { .. })
        }
        Error::Phase1TooSmall { .. } => false,
        _ => true,
    };
    match is_false {
        true => Failure::refused(format!("{}: {error}", path.display())),
        false => failure(path, error),
    }
}

/// Why nothing was contributed to a file: it is not this one's turn, or it does not verify.
pub fn input_failure(path: &Path, error: Error) -> Failure {
    match error {
        Error::RoundOver | Error::RoundEmpty { .. } => failure(path, error),
        error => refusal(path, error),
    }
}

/// The digest of a whole file.
pub fn digest(input: &mut Input) -> Result<Digest, Failure> {
    let taken = Snapshot::take(&mut input.file, &Bars::new()).map(|snapshot| snapshot.digest());
    taken.map_err(|error| failure(&input.path, error))
}

/// What goes wrong with a file.
pub fn failure(path: &Path, error: Error) -> Failure {
    let hint = match &error {
        Error::RoundOver => Some("contribute to round 2 instead"),
        Error::RoundEmpty { .. } | Error::NoContributions | Error::Phase1 { .. } => {
            Some("at least one contribution is needed first")
        }
        Error::Phase1TooSmall { .. } => Some("use a phase 1 of a larger power"),
        _ => None,
    };
    let failure = Failure::file(path, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// What a verified file must continue and have in it, and what to remark on.
pub fn findings(
    args: &ContinuityArgs,
    input: &mut Input,
    contributions: &[Contribution],
    records: impl Fn(Curve, &mut File) -> Result<Records, Error>,
) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    if let Some(after) = &args.after.after {
        let mut old = Input::open(after)?;
        let old = records(old.curve, &mut old.file).map_err(|error| old.failure(error))?;
        let new = records(input.curve, &mut input.file).map_err(|error| input.failure(error))?;
        args.after.check((after, &old), (&input.path, &new), &mut findings)?;
    }
    args.check_expected(&input.path, contributions, &mut findings)?;
    remark(contributions, &mut findings);
    Ok(findings)
}

/// A verifier's randomness.
pub fn verifier_rng() -> ChaCha20Rng {
    ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng))
}

/// Creates the parameters that a ceremony ends with.
pub fn finish(
    args: &StepArgs,
    output: &Output,
    make: impl FnOnce(Curve, &mut File, &mut NewFile) -> Result<(), Error>,
) -> Result<(), Failure> {
    let mut input = Input::open(&args.input)?;
    let mut out = files::Output::create(&args.out)?;
    let made = make(input.curve, &mut input.file, &mut out.file);
    made.map_err(|error| input.failure(error))?;
    let bytes = out.finish()?;
    let object = json!({ "in": args.input, "out": args.out, "bytes": bytes });
    output.result(&object, || vec![format!("{}: {}", output::bytes(bytes), args.out.display())]);
    Ok(())
}

/// Options of commands that look at one file.
#[derive(clap::Args)]
pub struct FileArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
