//! `subrosa ceremony phase2` on keys of native ceremonies.

use ::ceremony::phase2::{
    Settings,
    native::{self, Info},
};
use algebra::Engine;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::{
    ceremony::{
        files::Input,
        native::verifier_rng,
        report::{
            digest_line, hash_lines, key_contribution_lines, key_contributions_json, with_digest,
        },
    },
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Runs `verify`.
pub fn verify<E: Engine>(
    mut circuit: Input,
    mut phase1: Input,
    mut key: Input,
    settings: &Settings,
    output: &Output,
) -> Result<(), Failure> {
    let (r1cs, ptau, zkey) = (&mut circuit.file, &mut phase1.file, &mut key.file);
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    let verified = native::verify::<E>(r1cs, ptau, zkey, settings, &mut rng, &bars);
    let info = verified.map_err(|error| key.refusal(error))?;
    let mut object = info_json(key.curve.snarkjs_name(), &info);
    if let Some(object) = object.as_object_mut() {
        object.insert("verified".to_owned(), true.into());
    }
    output.result(&object, || {
        let mut lines = contribution_lines(&info);
        lines.push("The key is that of circuit and phase 1, with these contributions.".to_owned());
        lines.push("Nobody knows its secret if one contributor forgot theirs.".to_owned());
        lines
    });
    Ok(())
}

/// Runs `info`.
pub fn info<E: Engine>(mut input: Input, output: &Output) -> Result<(), Failure> {
    let info = native::info::<E>(&mut input.file).map_err(|error| input.failure(error))?;
    let curve = input.curve.snarkjs_name();
    let digest = input.digest()?;
    output.result(&with_digest(info_json(curve, &info), &digest), || {
        let mut lines = vec![
            format!("curve   {curve}"),
            format!("wires   {}", output::count(info.variables.into())),
            format!("public  {}", output::count(info.public.into())),
            format!("domain  2^{}", info.domain_size.ilog2()),
            "native".to_owned(),
        ];
        lines.extend(contribution_lines(&info));
        lines.push("hash that the next contribution answers:".to_owned());
        lines.extend(hash_lines(&info.challenge));
        lines.push(digest_line(&digest));
        lines
    });
    Ok(())
}

fn contribution_lines(info: &Info) -> Vec<String> {
    let mut lines = vec!["circuit hash:".to_owned()];
    lines.extend(hash_lines(&info.circuit_hash));
    lines.extend(key_contribution_lines(&info.contributions));
    lines
}

fn info_json(curve: &str, info: &Info) -> Value {
    json!({
        "curve": curve,
        "native": true,
        "wires": info.variables,
        "public": info.public,
        "domain_size": info.domain_size,
        "circuit_hash": HEXLOWER.encode(&info.circuit_hash),
        "challenge": HEXLOWER.encode(&info.challenge),
        "contributions": key_contributions_json(&info.contributions),
    })
}
