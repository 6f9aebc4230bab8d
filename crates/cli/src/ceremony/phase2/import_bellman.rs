//! `subrosa ceremony phase2 import-bellman`.

use std::{fs::File, io::BufReader, path::PathBuf};

use ::ceremony::{
    Error,
    phase2::{self, Import},
};
use algebra::{Bls12381, Bn254};
use circuit::{Curve, Format};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng as _, UnwrapErr};

use super::{basis::BasisArgs, verify::report};
use crate::{
    ceremony::{
        continuity::Findings,
        files::{self, Input},
        turn::{DialectName, ImportArgs},
        verdict::remark,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `import-bellman`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    turn: ImportArgs,
    /// The circuit, a `.r1cs` file.
    #[arg(long = "r1cs", alias = "circuit", value_name = "FILE")]
    circuit: PathBuf,
    #[command(flatten)]
    basis: BasisArgs,
    /// Make a key without the highest power of `H`, which parameters do not have and no proof needs. It
    /// must be said here, and to every later command that verifies the key.
    #[arg(long)]
    without_top_power: bool,
    /// Whose points at infinity the parameters have.
    #[arg(long, value_enum, default_value = "snarkjs")]
    dialect: DialectName,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let turn = &args.turn;
    if !args.without_top_power {
        return Err(Failure::input("bellman's parameters are without the highest power of H")
            .hint("`--without-top-power` makes such a key, and every later verifier has to say it too"));
    }
    let mut old = Input::open_as(&turn.input, Format::Zkey)?;
    let mut circuit = Input::open_as(&args.circuit, Format::R1cs)?;
    let mut phase1 = args.basis.open(&old)?;
    circuit.require_curve(&old)?;
    let response = File::open(&turn.response);
    let response = response.map_err(|error| Failure::file(&turn.response, error))?;
    let mut settings = args.basis.settings(&turn.verifier);
    settings.may_lack_top_power = args.without_top_power;
    let settings = &settings;
    let mut out = files::Output::create(&turn.out)?;
    let basis = match old.curve {
        Curve::Bn254 => args.basis.check::<Bn254>(&mut phase1, settings)?,
        Curve::Bls12381 => args.basis.check::<Bls12381>(&mut phase1, settings)?,
    };
    let files = Import {
        response: &mut BufReader::new(response),
        circuit: &mut circuit.file,
        ptau: &mut phase1.file,
        old: &mut old.file,
    };
    let (new, dialect, name) = (&mut out.file, args.dialect.dialect(), turn.name.clone());
    let bars = Bars::new();
    let rng = &mut ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let verified = match old.curve {
        Curve::Bn254 => {
            phase2::import_bellman::<Bn254>(files, new, dialect, name, settings, rng, &bars)
        }
        Curve::Bls12381 => {
            phase2::import_bellman::<Bls12381>(files, new, dialect, name, settings, rng, &bars)
        }
    };
    let verified = verified.map_err(|error| match error {
        error @ (Error::NotPrepared | Error::CircuitTooLarge { .. }) => phase1.failure(error),
        error => files::refusal(&turn.response, error),
    })?;
    out.finish()?;
    let mut findings = Findings::default();
    remark(&verified.contributions, &mut findings);
    report(old.curve, &verified, basis, findings, output);
    Ok(())
}
