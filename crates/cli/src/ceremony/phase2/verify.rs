//! `subrosa ceremony phase2 verify`.

use std::path::PathBuf;

use ::ceremony::phase2::{self, Verified};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use data_encoding::HEXLOWER;
use serde_json::json;

use super::{
    basis::{Basis, BasisArgs},
    native,
    turn::Key,
};
use crate::{
    ceremony::{
        continuity::Findings,
        files::Input,
        native::verifier_rng,
        phase::is_native,
        publish::{self, BundleArgs},
        report::{hash_lines, key_contribution_lines, key_contributions_json},
        turn::VerifierArgs,
        verdict::{RequirementArgs, who_knows},
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
    #[arg(long = "r1cs", alias = "circuit", value_name = "FILE")]
    circuit: PathBuf,
    #[command(flatten)]
    basis: BasisArgs,
    #[command(flatten)]
    requirements: RequirementArgs,
    #[command(flatten)]
    verifier: VerifierArgs,
    /// Accept that the highest power of H is missing, because the key came through bellman's parameters.
    #[arg(long)]
    without_top_power: bool,
    #[command(flatten)]
    bundle: BundleArgs,
}

impl Args {
    /// Writes the bundle if one is asked for: verified once more, as a reader will.
    fn publish(&self, findings: &mut Findings) -> Result<(), Failure> {
        let evidence = || publish::key(&self.file, &self.circuit, self.basis.phase1());
        if let Some((line, digest)) = self.bundle.write(evidence)? {
            findings.add("bundle", digest, Some(line));
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let key = Input::open_as(&args.file, Format::Zkey)?;
    let circuit = Input::open_as(&args.circuit, Format::R1cs)?;
    circuit.require_curve(&key)?;
    match key.curve {
        Curve::Bn254 => verify::<Bn254>(args, circuit, key, output),
        Curve::Bls12381 => verify::<Bls12381>(args, circuit, key, output),
    }
}

fn verify<E: Engine>(
    args: &Args,
    mut circuit: Input,
    mut key: Input,
    output: &Output,
) -> Result<(), Failure> {
    let (mut phase1, requirements) = (args.basis.open(&key)?, &args.requirements);
    let mut settings = args.basis.settings(&args.verifier);
    settings.may_lack_top_power = args.without_top_power;
    let settings = &settings;
    let is_native = is_native::<Key, E>(&mut key)?;
    let basis = args.basis.check::<E>(&mut phase1, settings)?;
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    let (r1cs, ptau, zkey) = (&mut circuit.file, &mut phase1.file, &mut key.file);
    if is_native {
        let info = phase2::native::verify::<E>(r1cs, ptau, zkey, settings, &mut rng, &bars);
        let info = info.map_err(|error| key.refusal(error))?;
        let records = phase2::native::records::<E>;
        let mut findings = requirements.check(&mut key, &info.contributions, records)?;
        args.publish(&mut findings)?;
        native::report(key.curve, &info, basis, findings, output);
    } else {
        let verified = phase2::verify::<E>(r1cs, ptau, zkey, settings, &mut rng, &bars);
        let verified = verified.map_err(|error| key.refusal(error))?;
        let records = phase2::records::<E>;
        let mut findings = requirements.check(&mut key, &verified.contributions, records)?;
        args.publish(&mut findings)?;
        report(key.curve, &verified, basis, findings, output);
    }
    Ok(())
}

/// Says what was checked.
pub fn report(
    curve: Curve,
    verified: &Verified,
    basis: Basis,
    findings: Findings,
    output: &Output,
) {
    let Verified { circuit_hash, is_hash_checked, has_top_power, contributions } = verified;
    let mut object = json!({
        "verified": true,
        "native": false,
        "curve": curve.snarkjs_name(),
        "circuit_hash": HEXLOWER.encode(circuit_hash),
        "hash_checked": is_hash_checked,
        "top_power": has_top_power,
        "contributions": key_contributions_json(contributions),
        "phase1": basis.json,
    });
    if let Some(object) = object.as_object_mut() {
        object.extend(findings.json);
    }
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
        lines.extend(findings.lines);
        lines.push(who_knows("its secret", contributions));
        lines.extend(basis.lines);
        lines
    });
}
