//! `subrosa ceremony phase1 verify`.

use std::{fs::File, path::PathBuf};

use ::ceremony::{
    Error, Records,
    phase1::{self, Verified},
    phase2::Contribution,
};
use algebra::{Bls12381, Bn254, Engine};
use circuit::Curve;
use serde_json::json;

use super::{native, turn::Powers};
use crate::{
    ceremony::{
        continuity::Findings,
        files::Input,
        native::verifier_rng,
        phase::is_native,
        publish::{self, BundleArgs},
        report::{contribution_lines, contributions_json},
        turn::VerifierArgs,
        verdict::{RequirementArgs, of_phase1, who_knows},
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Accept a file that was cut to a smaller power, although the hashes of its last contribution can be
    /// checked only in the whole file.
    #[arg(long)]
    truncated: bool,
    #[command(flatten)]
    requirements: RequirementArgs,
    #[command(flatten)]
    verifier: VerifierArgs,
    #[command(flatten)]
    bundle: BundleArgs,
}

impl Args {
    /// Checks what a verified file must have besides, and writes the bundle if one is asked for: verified once
    /// more, as a reader will.
    fn findings(
        &self,
        input: &mut Input,
        contributions: &[Contribution],
        records: fn(&mut File) -> Result<Records, Error>,
    ) -> Result<Findings, Failure> {
        let mut findings = self.requirements.check(input, contributions, records)?;
        if let Some((line, digest)) = self.bundle.write(|| publish::phase1(&self.file))? {
            findings.add("bundle", digest, Some(line));
        }
        Ok(findings)
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let input = Input::open(&args.file)?;
    match input.curve {
        Curve::Bn254 => verify::<Bn254>(args, input, output),
        Curve::Bls12381 => verify::<Bls12381>(args, input, output),
    }
}

fn verify<E: Engine>(args: &Args, mut input: Input, output: &Output) -> Result<(), Failure> {
    let settings = args.verifier.settings();
    if is_native::<Powers, E>(&mut input)? {
        let findings = |input: &mut Input, contributions: &[Contribution]| {
            args.findings(input, contributions, phase1::native::records::<E>)
        };
        return native::verify::<E>(input, &settings, findings, output);
    }
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    let verified = phase1::verify::<E>(&mut input.file, &settings, &mut rng, &bars);
    let verified = verified.map_err(|error| input.refusal(error))?;
    let contributions = of_phase1(&verified.contributions);
    let records = phase1::records::<E>;
    let findings = args.findings(&mut input, &contributions, records)?;
    report(input.curve, &verified, findings, args.truncated, output)
}

/// Says what was checked, and what the file does not show.
fn report(
    curve: Curve,
    verified: &Verified,
    findings: Findings,
    is_truncated_accepted: bool,
    output: &Output,
) -> Result<(), Failure> {
    let Verified { header, contributions, is_prepared, is_hash_checked } = verified;
    let curve = curve.snarkjs_name();
    let mut object = json!({
        "verified": true,
        "native": false,
        "curve": curve,
        "power": header.power,
        "ceremony_power": header.ceremony_power,
        "prepared": is_prepared,
        "hash_checked": is_hash_checked,
        "contributions": contributions_json(contributions),
    });
    if let Some(object) = object.as_object_mut() {
        object.extend(findings.json);
    }
    let lines = || {
        let mut lines = contribution_lines(contributions);
        let prepared = if *is_prepared { ", prepared for circuits" } else { "" };
        lines.push(format!("{curve}, power {}{prepared}: every point is right.", header.power));
        if !is_hash_checked {
            let power = header.ceremony_power;
            lines.push(format!(
                "Cut from a file of power {power}: the hashes of the last contribution can be \
                 checked only in that file."
            ));
        }
        lines.extend(findings.lines);
        lines.push(who_knows("the secrets", &of_phase1(contributions)));
        lines
    };
    let is_open = !is_hash_checked && !is_truncated_accepted;
    let open = is_open.then(|| {
        let power = header.ceremony_power;
        Failure::unestablished(
            "the hashes of the last contribution were not checked: the file was cut",
        )
        .hint(format!(
            "verify the whole file of power {power}, or accept this file with --truncated"
        ))
    });
    output.verdict(object, lines, open)
}
