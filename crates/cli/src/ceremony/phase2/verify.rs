//! `subrosa ceremony phase2 verify`.

use std::path::PathBuf;

use ::ceremony::phase2::{self, Settings, Verified};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use data_encoding::HEXLOWER;
use serde_json::json;

use super::{native, turn::Key};
use crate::{
    ceremony::{
        files::Input,
        native::verifier_rng,
        phase::is_native,
        report::{hash_lines, key_contribution_lines, key_contributions_json},
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The key.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The circuit, a `.r1cs` file.
    #[arg(long, value_name = "FILE")]
    circuit: PathBuf,
    /// The prepared file of phase 1. `subrosa ceremony phase1 verify` checks it.
    #[arg(long, value_name = "FILE")]
    phase1: PathBuf,
    /// Beacons that were hashed more than two to this power times are refused.
    #[arg(
        long,
        value_name = "N",
        default_value_t = Settings::default().max_iterations_exp,
        value_parser = clap::value_parser!(u8).range(10..=63)
    )]
    max_iterations_exp: u8,
    /// Allow that the highest power of H is missing: the key came through bellman's parameters.
    #[arg(long)]
    without_top_power: bool,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let key = Input::open_as(&args.file, Format::Zkey)?;
    let circuit = Input::open_as(&args.circuit, Format::R1cs)?;
    let phase1 = Input::open(&args.phase1)?;
    circuit.require_curve(&key)?;
    phase1.require_curve(&key)?;
    let mut settings = Settings::default();
    settings.max_iterations_exp = args.max_iterations_exp;
    settings.may_lack_top_power = args.without_top_power;
    match key.curve {
        Curve::Bn254 => verify::<Bn254>(circuit, phase1, key, &settings, output),
        Curve::Bls12381 => verify::<Bls12381>(circuit, phase1, key, &settings, output),
    }
}

fn verify<E: Engine>(
    mut circuit: Input,
    mut phase1: Input,
    mut key: Input,
    settings: &Settings,
    output: &Output,
) -> Result<(), Failure> {
    if is_native::<Key, E>(&mut key)? {
        return native::verify::<E>(circuit, phase1, key, settings, output);
    }
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    let (r1cs, ptau, zkey) = (&mut circuit.file, &mut phase1.file, &mut key.file);
    let verified = phase2::verify::<E>(r1cs, ptau, zkey, settings, &mut rng, &bars);
    let verified = verified.map_err(|error| key.refusal(error))?;
    report(key.curve, &verified, output);
    Ok(())
}

/// Says what was checked.
pub fn report(curve: Curve, verified: &Verified, output: &Output) {
    let Verified { circuit_hash, is_hash_checked, has_top_power, contributions } = verified;
    let object = json!({
        "verified": true,
        "native": false,
        "curve": curve.snarkjs_name(),
        "circuit_hash": HEXLOWER.encode(circuit_hash),
        "hash_checked": is_hash_checked,
        "top_power": has_top_power,
        "contributions": key_contributions_json(contributions),
    });
    output.result(&object, || {
        let mut lines = vec!["circuit hash:".to_owned()];
        lines.extend(hash_lines(circuit_hash));
        lines.extend(key_contribution_lines(contributions));
        if !is_hash_checked {
            lines.push(
                "The circuit hash is of snarkjs and cannot be made again: the circuit fills phase 1."
                    .to_owned(),
            );
        }
        if !has_top_power {
            lines.push(
                "The highest power of H is missing: the key came through bellman's parameters."
                    .to_owned(),
            );
        }
        lines.push("The key is that of circuit and phase 1, with these contributions.".to_owned());
        lines.push("Nobody knows its secret if one contributor forgot theirs.".to_owned());
        lines
    });
}
