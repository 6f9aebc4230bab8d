//! `subrosa election parameters`: two ceremonies become the parameters of an election's shuffle.

use std::path::{Path, PathBuf};

use board::MAX_PAYLOAD;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use study::{
    description::{ElectionDescription, Shuffle},
    election::TflszParameters,
};
use wire::{Decode as _, Encode as _};

use crate::{
    failure::Failure,
    output::{self, Output},
};

/// Options of `parameters`.
#[derive(clap::Args)]
pub struct Args {
    /// The last file of a phase 1 over BLS12-381. Cut it to the power that is needed (`subrosa ceremony
    /// phase1 truncate`) to keep bundles small.
    #[arg(long, value_name = "PTAU")]
    phase1: PathBuf,
    /// The last file of a `subrosa ceremony tflsz` ceremony that began with this phase 1.
    #[arg(value_name = "FILE")]
    ceremony: PathBuf,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let parameters =
        TflszParameters { phase1: read(&args.phase1)?, ceremony: read(&args.ceremony)? };
    let verified = parameters.verify(&mut UnwrapErr(SysRng)).map_err(Failure::refused)?;
    let bytes = parameters.to_bytes();
    wire::write_new(&args.out, &bytes).map_err(|error| Failure::file(&args.out, error))?;
    let (digest, size) = (parameters.digest().to_string(), verified.points.size());
    let contributors = &verified.contributors;
    let object = json!({
        "out": args.out, "parameters": digest, "size": size, "contributors": contributors,
    });
    output.result(&object, || {
        let mut lines = contributors.clone();
        let most = output::counted(size, "ballot", "ballots");
        lines.push(format!("checked, for up to {most}: {}", args.out.display()));
        lines.push("write this into the election's description:".to_owned());
        lines.push("    shuffle = \"tflsz\"".to_owned());
        lines.push(format!("    parameters = \"{digest}\""));
        lines
    });
    Ok(())
}

/// The election with the parameters that it is mixed under: none, or those of a file, which a
/// description that names no shuffle takes up.
pub fn with_parameters(
    description: ElectionDescription,
    path: Option<&Path>,
) -> Result<(ElectionDescription, Vec<u8>), Failure> {
    let Some(path) = path else {
        return match description.shuffle.parameters() {
            None => Ok((description, Vec::new())),
            Some(_) => Err(Failure::input("the shuffle `tflsz` needs its parameters")
                .hint("give the file that `subrosa election parameters` wrote, with --parameters")),
        };
    };
    let bytes = read(path)?;
    let parameters = TflszParameters::from_bytes(&bytes);
    let digest = parameters.map_err(|error| Failure::file(path, error))?.digest();
    match description.shuffle.parameters() {
        Some(named) if named != digest => {
            let problem = format!(
                "the digest of these parameters is {digest}, but the description says {named}"
            );
            Err(Failure::file(path, problem))
        }
        _ => {
            let shuffle = Shuffle::Tflsz { parameters: digest };
            Ok((description.with_shuffle(shuffle).map_err(Failure::input)?, bytes))
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    wire::read_bounded(path, MAX_PAYLOAD as u64).map_err(|error| Failure::file(path, error))
}
