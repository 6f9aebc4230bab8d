//! What the files of a claim bear out.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Pairing};
use chacha20::ChaCha20Rng;
use circuit::{
    Curve, Format, Origin,
    json::VerifyingKey,
    ptau::{Ptau, PtauHeader},
    zkey::{Zkey, ZkeyHeader},
};
use claim::{Check, Explanation, Findings, Refusal, require_within};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::Value;
use wire::Digest;

use super::{
    checks::{CE_5, CE_7, CE_10, CE_11, CE_12, CE_23, CE_27, Part, of_file},
    files::{
        CIRCUIT, CIRCUIT_LIMIT, Evidence, FILE_LIMIT, Files, PARAMETERS, PHASE1, RECORD,
        RECORD_LIMIT,
    },
    statement::{Phase1, Size, Statement, require_location},
};
use crate::{
    Error, Snapshot,
    phase1::{self, History, Settings},
    phase2,
};

/// The digest of a circuit's file.
const CIRCUIT_DOMAIN: &str = "subrosa/ceremony/circuit";

/// Verifies a ceremony.
///
/// # Errors
/// [`Refusal`] with the first thing that is wrong.
pub(super) fn check(files: &Files) -> Result<Findings, Refusal> {
    require_bounded(&files.evidence)?;
    require_location(files.location.as_deref())?;
    let (role, file, format) = match &files.evidence {
        Evidence::Phase1 { parameters } => (PARAMETERS, parameters, Format::Ptau),
        Evidence::Key { parameters, .. } => (PARAMETERS, parameters, Format::Zkey),
        Evidence::Record { record, .. } => (RECORD, record, Format::Zkey),
    };
    let curve = Curve::of_file(&mut Cursor::new(file), format);
    match curve.map_err(unreadable(role))? {
        Curve::Bn254 => check_over::<Bn254>(files),
        Curve::Bls12381 => check_over::<Bls12381>(files),
    }
}

/// What is larger than a verifier would read is not published.
fn require_bounded(evidence: &Evidence) -> Result<(), Refusal> {
    let file = |role, bytes| require_within(role, bytes, FILE_LIMIT);
    match evidence {
        Evidence::Phase1 { parameters } => file(PARAMETERS, parameters),
        Evidence::Key { parameters, circuit, phase1 } => {
            file(PARAMETERS, parameters)?;
            require_within(CIRCUIT, circuit, CIRCUIT_LIMIT)?;
            file(PHASE1, phase1)
        }
        Evidence::Record { record, .. } => require_within(RECORD, record, RECORD_LIMIT),
    }
}

fn check_over<E: Engine>(files: &Files) -> Result<Findings, Refusal> {
    // The data are fixed: nobody who made them foresees the weights.
    let rng = &mut ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let (what, statement) = match &files.evidence {
        Evidence::Phase1 { parameters } => {
            ("contributions to phase 1", powers::<E>(parameters, rng)?)
        }
        Evidence::Key { parameters, circuit, phase1 } => {
            ("contributions to the key", key::<E>(parameters, circuit, phase1, rng)?)
        }
        Evidence::Record { record, parameters } => {
            ("contributions to the key, by its record", recorded::<E>(record, *parameters, rng)?)
        }
    };
    let checks = vec![Check::new(what, statement.contributions.len() as u64)];
    let explanation = explain(&files.evidence, &statement);
    let statement: Value = statement.to_json(<E as Pairing>::NAME, files.location.as_deref());
    Ok(Findings::new(statement, checks).explained(explanation))
}

/// The checks of a ceremony that holds.
fn explain(evidence: &Evidence, statement: &Statement) -> Explanation {
    let is_native = statement.is_native;
    let part = match evidence {
        Evidence::Phase1 { .. } => Part::Phase1 { is_native },
        Evidence::Key { .. } => Part::Phase2 { is_native },
        Evidence::Record { .. } => Part::Record { is_native },
    };
    let contributions = &statement.contributions;
    let beacons =
        contributions.iter().filter(|one| one.attribution.origin != Origin::Participant).count();
    let mut held = Explanation::new()
        .with(CE_23, "form of the claim's objects", 1)
        .with(part.contributions(), "contributions, each with its equations", contributions.len())
        .with(part.beacons(), "beacons, hashed again", beacons)
        .with(part.secrets(), "secrets that somebody contributed to", 1);
    match part {
        Part::Phase1 { .. } => {
            held.put(CE_5, "lists of powers, every point", 4);
            held.put(CE_7, "Lagrange sections", 4);
        }
        Part::Phase2 { .. } => {
            held.put(CE_10, "first key, computed again from circuit and phase 1", 1);
            held.put(CE_12, "lists of the key that delta divides, every point", 2);
            let below = statement.phase1.as_ref().map_or(0, |phase1| phase1.contributions.len());
            held.put(
                Part::Phase2 { is_native }.claim(),
                "contributions to the phase 1 below",
                below,
            );
        }
        Part::Record { .. } => held.put(CE_11, "delta in both groups", 1),
    }
    held.put(part.claim(), "parameters, as the claim of their phase requires", 1);
    held.put(CE_27, "statement, as the files bear it out", 1);
    held
}

/// A phase 1: every contribution and every point.
fn powers<E: Engine>(file: &[u8], rng: &mut ChaCha20Rng) -> Result<Statement, Refusal> {
    let (history, header) = verify_phase1::<E>(PARAMETERS, file, rng)?;
    let History { is_native, contributions, .. } = history;
    let parameters = digest(file).map_err(refused(PARAMETERS, Part::Phase1 { is_native }))?;
    Ok(Statement {
        power: Some(header.power),
        is_hash_checked: is_native || !header.is_truncated(),
        ..Statement::new(is_native, parameters, contributions)
    })
}

/// A key: phase 1, the first key made again, every contribution and every point.
fn key<E: Engine>(
    file: &[u8],
    circuit: &[u8],
    phase1: &[u8],
    rng: &mut ChaCha20Rng,
) -> Result<Statement, Refusal> {
    let (history, _) = verify_phase1::<E>(PHASE1, phase1, rng)?;
    let below = Part::Phase1 { is_native: history.is_native };
    let phase1_digest = digest(phase1).map_err(refused(PHASE1, below))?;
    let (r1cs, ptau) = (&mut Cursor::new(circuit), &mut Cursor::new(phase1));
    let (zkey, settings) = (&mut Cursor::new(file), &Settings::default());
    let opened = Zkey::<E>::open(zkey);
    let opened = opened.map_err(unreadable(PARAMETERS))?;
    let is_native = opened.is_native();
    let refused = refused(PARAMETERS, Part::Phase2 { is_native });
    let verified = match is_native {
        true => phase2::native::verify::<E>(r1cs, ptau, zkey, settings, rng, &())
            .map(|info| (info.circuit_hash, info.contributions, true)),
        false => phase2::verify::<E>(r1cs, ptau, zkey, settings, rng, &())
            .map(|found| (found.circuit_hash, found.contributions, found.is_hash_checked)),
    };
    let (circuit_hash, contributions, is_hash_checked) = verified.map_err(&refused)?;
    let key = VerifyingKey::of_zkey(&opened, zkey).map_err(|error| refused(error.into()))?;
    Ok(Statement {
        is_hash_checked,
        key: Some(key.digest()),
        size: Some(size(opened.header())),
        circuit: Some(Digest::of(CIRCUIT_DOMAIN, circuit)),
        circuit_hash: Some(circuit_hash),
        phase1: Some(Phase1 { parameters: phase1_digest, contributions: history.contributions }),
        ..Statement::new(is_native, digest(file).map_err(&refused)?, contributions)
    })
}

/// The record of a key: every contribution to `δ`.
fn recorded<E: Engine>(
    record: &[u8],
    parameters: Digest,
    rng: &mut ChaCha20Rng,
) -> Result<Statement, Refusal> {
    let settings = Settings::default();
    let opened = Zkey::<E>::open_record(&mut Cursor::new(record));
    let is_native = opened.is_ok_and(|zkey| zkey.is_native());
    let recorded = phase2::verify_record::<E>(&mut Cursor::new(record), &settings, rng, &());
    let recorded = recorded.map_err(refused(RECORD, Part::Record { is_native }))?;
    let phase2::Recorded { is_native, circuit_hash, contributions, header, key } = recorded;
    Ok(Statement {
        // The circuit hash is the record's word.
        is_hash_checked: false,
        key: Some(key.digest()),
        size: Some(size(&header)),
        circuit_hash: Some(circuit_hash),
        ..Statement::new(is_native, parameters, contributions)
    })
}

/// Verifies a phase 1 of either form: who made it, and how large it is.
fn verify_phase1<E: Engine>(
    role: &'static str,
    file: &[u8],
    rng: &mut ChaCha20Rng,
) -> Result<(History, PtauHeader), Refusal> {
    let (reader, settings) = (&mut Cursor::new(file), &Settings::default());
    let history = phase1::history::<E>(reader);
    let history = history.map_err(refused(role, Part::Phase1 { is_native: false }))?;
    let is_native = history.is_native;
    let verified = match is_native {
        true => phase1::native::verify::<E>(reader, settings, rng, &()).map(drop),
        false => phase1::verify::<E>(reader, settings, rng, &()).map(drop),
    };
    let header = verified.and_then(|()| Ok(Ptau::<E>::open(reader)?.header()));
    let header = header.map_err(refused(role, Part::Phase1 { is_native }))?;
    Ok((history, header))
}

fn size<E: Engine>(header: &ZkeyHeader<E>) -> Size {
    Size { wires: header.variables, rows: header.domain_size }
}

/// The digest by which contributors and verifiers name a file.
fn digest(file: &[u8]) -> Result<Digest, Error> {
    Ok(Snapshot::take(Cursor::new(file), &())?.digest())
}

fn unreadable(role: &'static str) -> impl Fn(circuit::Error) -> Refusal {
    move |error| Refusal::new(role, error.to_string()).under(of_file(&error))
}

fn refused(role: &'static str, part: Part) -> impl Fn(Error) -> Refusal {
    move |error| Refusal::new(role, error.to_string()).under(part.check(&error))
}
