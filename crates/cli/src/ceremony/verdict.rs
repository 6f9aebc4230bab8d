//! What verdicts on ceremonies say of their contributions, and of what these do not show.

use std::{
    collections::HashMap,
    fs::File,
    path::{Path, PathBuf},
};

use ::ceremony::{Error, Records, phase1, phase2::Contribution, tflsz};
use circuit::{Attribution, Origin};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use super::{
    continuity::{ContinuityArgs, Findings},
    drand::{VerifiedRound, read_round},
    files::Input,
    turn::{Hash, hex},
};
use crate::failure::Failure;

/// Options of `verify` about the beacon that a ceremony should end with.
#[derive(clap::Args)]
pub struct FinalBeaconArgs {
    /// Require that the last contribution is the beacon of this public randomness, in hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = hex, conflicts_with = "drand")]
    require_final_beacon: Option<Hash>,
    /// Require that the last contribution is the beacon of this round of drand, in the JSON of its servers.
    /// The signature is checked with the key of the chain default or quicknet.
    #[arg(long, value_name = "FILE")]
    drand: Option<PathBuf>,
    /// Require that the last beacon was hashed 2^N times.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(10..=63))]
    iterations_exp: Option<u8>,
}

impl FinalBeaconArgs {
    /// Requires that the last contribution is the beacon that was announced.
    pub fn check(
        &self,
        file: &Path,
        contributions: &[Contribution],
        findings: &mut Findings,
    ) -> Result<(), Failure> {
        let round = self.drand.as_deref().map(read_round).transpose()?;
        let announced = match (&round, &self.require_final_beacon) {
            (Some(round), _) => Some(round.randomness.to_vec()),
            (None, Some(Hash(hash))) => Some(hash.clone()),
            (None, None) => None,
        };
        if announced.is_none() && self.iterations_exp.is_none() {
            return Ok(());
        }
        let wrong = |what: String| Err(Failure::refused(format!("{}: {what}", file.display())));
        let last = contributions.last().map(|one| &one.attribution.origin);
        let Some(Origin::Beacon { iterations_exp, hash }) = last else {
            return wrong("the last contribution is not a beacon".to_owned());
        };
        if announced.is_some_and(|announced| announced != *hash) {
            return wrong(format!("the last contribution is the beacon {}", HEXLOWER.encode(hash)));
        }
        if self.iterations_exp.is_some_and(|announced| announced != *iterations_exp) {
            return wrong(format!("the last beacon is hashed 2^{iterations_exp} times"));
        }
        let line = match &round {
            Some(VerifiedRound { chain, number, .. }) => {
                format!(
                    "The last contribution is the beacon of drand {}, round {number}.",
                    chain.name()
                )
            }
            None => "The last contribution is the beacon that was announced.".to_owned(),
        };
        let drand = round.as_ref().map(VerifiedRound::json);
        let value = json!({
            "hash": HEXLOWER.encode(hash), "iterations_exp": iterations_exp, "drand": drand,
        });
        findings.add("final_beacon", value, Some(line));
        Ok(())
    }
}

/// Options of `verify` about what a ceremony must continue, have in it and end with.
#[derive(clap::Args)]
pub struct RequirementArgs {
    #[command(flatten)]
    continuity: ContinuityArgs,
    #[command(flatten)]
    beacon: FinalBeaconArgs,
}

impl RequirementArgs {
    /// Checks a verified file of snarkjs' form or a native one, whose records `records` reads.
    pub fn check(
        &self,
        input: &mut Input,
        contributions: &[Contribution],
        records: fn(&mut File) -> Result<Records, Error>,
    ) -> Result<Findings, Failure> {
        let (mut findings, path) = (Findings::default(), input.path().to_owned());
        if let Some(after) = &self.continuity.after.after {
            let mut old = input.open_alike(after)?;
            let old = records(&mut old.file).map_err(|error| old.failure(error))?;
            let new = records(&mut input.file).map_err(|error| input.failure(error))?;
            self.continuity.after.check((after, &old), (&path, &new), &mut findings)?;
        }
        self.continuity.check_expected(&path, contributions, &mut findings)?;
        self.beacon.check(&path, contributions, &mut findings)?;
        remark(contributions, &mut findings);
        Ok(findings)
    }
}

/// Who knows the secrets, as far as contributions tell: beacons are public.
pub fn who_knows(secrets: &str, contributions: &[Contribution]) -> String {
    let participants = participants(contributions);
    let beacons = contributions.len() - participants;
    match (participants, beacons) {
        (_, 0) => format!("Nobody knows {secrets} if one contributor forgot theirs."),
        (1, _) => format!(
            "Nobody knows {secrets} if the one participant forgot theirs: a beacon's are public."
        ),
        _ => format!(
            "Nobody knows {secrets} if one of the {participants} participants forgot theirs: a \
             beacon's are public."
        ),
    }
}

/// How many contributions are not of beacons.
pub fn participants(contributions: &[Contribution]) -> usize {
    let origins = contributions.iter().map(|one| &one.attribution.origin);
    origins.filter(|origin| **origin == Origin::Participant).count()
}

/// Adds what a reader could overlook in the list of contributions.
pub fn remark(contributions: &[Contribution], findings: &mut Findings) {
    let remarks = remarks(contributions);
    let json: Vec<Value> = remarks.iter().map(|remark| remark.json.clone()).collect();
    findings.add("participants", participants(contributions).into(), None);
    findings.add("warnings", json.into(), None);
    findings.lines.extend(remarks.into_iter().map(|remark| format!("WARNING: {}", remark.text)));
}

struct Remark {
    json: Value,
    text: String,
}

fn remarks(contributions: &[Contribution]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let (mut names, mut beacon) = (HashMap::<&str, usize>::new(), None);
    for (index, Contribution { attribution, .. }) in contributions.iter().enumerate() {
        let number = index + 1;
        if let Some(before) = beacon {
            let text = format!(
                "contribution {number} comes after the beacon at {before}: whoever made it \
                 already knew the beacon's outcome."
            );
            let json = json!({ "kind": "after_beacon", "contribution": index, "text": text });
            remarks.push(Remark { json, text });
        }
        if attribution.origin != Origin::Participant {
            beacon = Some(number);
        }
        let Some(name) = attribution.name.as_deref() else { continue };
        match names.get(name) {
            Some(first) => {
                let text = format!(
                    "contributions {first} and {number} have the same name: compare their hashes \
                     with what that person published."
                );
                let json = json!({ "kind": "same_name", "contribution": index, "text": text });
                remarks.push(Remark { json, text });
            }
            None => drop(names.insert(name, number)),
        }
    }
    remarks
}

/// Contributions in the form of snarkjs, as the public knows them.
pub fn of_phase1(contributions: &[phase1::Contribution]) -> Vec<Contribution> {
    contributions.iter().cloned().map(Contribution::from).collect()
}

/// Contributions to ceremonies that have no beacons.
pub fn of_series<'a>(
    contributions: impl IntoIterator<Item = &'a tflsz::Contribution>,
) -> Vec<Contribution> {
    let one = |one: &tflsz::Contribution| Contribution {
        hash: one.hash,
        attribution: Attribution::participant(one.name.clone()),
        input: Some(one.input),
    };
    contributions.into_iter().map(one).collect()
}
