//! `subrosa ceremony phase1` on files of native ceremonies.

use ::ceremony::{
    phase1::{
        Settings,
        native::{self, Info},
    },
    phase2::Contribution,
};
use algebra::Engine;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::{
    ceremony::{
        continuity::Findings,
        files::Input,
        native::verifier_rng,
        report::{
            digest_line, hash_lines, key_contribution_lines, key_contributions_json, with_digest,
        },
        verdict::who_knows,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs `verify`; `findings` are what a verified file must have besides.
pub fn verify<E: Engine>(
    mut input: Input,
    settings: &Settings,
    findings: impl FnOnce(&mut Input, &[Contribution]) -> Result<Findings, Failure>,
    output: &Output,
) -> Result<(), Failure> {
    let file = &mut input.file;
    let verified = native::verify::<E>(file, settings, &mut verifier_rng(), &Bars::new());
    let info = verified.map_err(|error| input.refusal(error))?;
    let findings = findings(&mut input, &info.contributions)?;
    let curve = input.curve.snarkjs_name();
    let mut object = info_json(curve, &info);
    if let Some(object) = object.as_object_mut() {
        object.insert("verified".to_owned(), true.into());
        object.extend(findings.json);
    }
    output.result(&object, || {
        let mut lines = key_contribution_lines(&info.contributions);
        let (power, whole) = (info.header.power, info.header.ceremony_power);
        let prepared = if info.is_prepared { ", prepared for circuits" } else { "" };
        lines.push(format!("{curve}, power {power} of {whole}{prepared}: every point is right."));
        lines.extend(findings.lines);
        lines.push(who_knows("the secrets", &info.contributions));
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
        let prepared = if info.is_prepared { "" } else { "not " };
        let mut lines = vec![
            format!("curve      {curve}"),
            format!("power      {} of {}", info.header.power, info.header.ceremony_power),
            format!("native; {prepared}prepared for circuits"),
        ];
        lines.extend(key_contribution_lines(&info.contributions));
        lines.push("hash that the next contribution answers:".to_owned());
        lines.extend(hash_lines(&info.challenge));
        lines.push(digest_line(&digest));
        lines
    });
    Ok(())
}

fn info_json(curve: &str, info: &Info) -> Value {
    json!({
        "curve": curve,
        "native": true,
        "power": info.header.power,
        "ceremony_power": info.header.ceremony_power,
        "prepared": info.is_prepared,
        "challenge": HEXLOWER.encode(&info.challenge),
        "contributions": key_contributions_json(&info.contributions),
    })
}
