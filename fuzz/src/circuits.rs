//! Files of circom, snarkjs and bellman, native files, and programs that compute witnesses.

use std::io::{Cursor, Read as Bytes, Seek};

use algebra::{Bls12381, Bn254, CurveGroup, Dialect, Engine, ScalarOf};
use circuit::{
    Error, PointList,
    bellman::{G1Part, Parameters, PowersFile, PowersKind},
    json::{Proof, VerifyingKey, public_from_json},
    kzg::{BatchContribution, BatchTranscript},
    native::{SonicG1, SonicG2, SonicSrs, TflszCrs, TflszG1, TflszG2},
    ptau::{G1Section, G2Section, Ptau},
    r1cs::R1cs,
    synthesis::ConstraintSystem,
    wtns::Wtns,
    zkey::{G1Query, Zkey},
};
use witness::{Limits, Program};

use crate::{
    ceremonies,
    sessions::split,
    target::{Read, Target, is_read, readers, text},
};

/// Points that a reader takes of a list: an honest file has a few dozen.
const POINTS: u64 = 64;
/// What a hostile program may do before it is stopped.
const LIMITS: Limits = Limits { steps: 1 << 18, memory: 1 << 24 };

pub fn targets() -> Vec<Target> {
    vec![
        on_both("circuit-r1cs", r1cs::<Bn254>, r1cs::<Bls12381>),
        on_both("circuit-wtns", wtns::<Bn254>, wtns::<Bls12381>),
        on_both("circuit-zkey", zkey::<Bn254>, zkey::<Bls12381>),
        on_both("circuit-ptau", ptau::<Bn254>, ptau::<Bls12381>),
        on_both("circuit-powers", powers::<Bn254>, powers::<Bls12381>),
        on_both("circuit-bellman", bellman::<Bn254>, bellman::<Bls12381>)
            .with_seeds(ceremonies::bellmans),
        on_both("circuit-sonic", sonic::<Bn254>, sonic::<Bls12381>).with_seeds(ceremonies::sonics),
        on_both("circuit-tflsz", tflsz::<Bn254>, tflsz::<Bls12381>),
        Target::new(
            "circuit-json",
            [json::<Bn254>(), json::<Bls12381>()].into_iter().flatten().collect(),
        ),
        Target::new(
            "circuit-kzg",
            readers![|bytes| is_read(BatchContribution::read(bytes)), |bytes| is_read(
                BatchTranscript::read(bytes)
            ),],
        ),
        Target::new("witness-programs", readers![program]).with_seeds(programs),
    ]
}

/// A target that reads files of one curve and of the other.
fn on_both(
    name: &str,
    bn254: fn(&[u8]) -> Result<(), Error>,
    bls12381: fn(&[u8]) -> Result<(), Error>,
) -> Target {
    let reader = |read: fn(&[u8]) -> Result<(), Error>| -> Read {
        Box::new(move |bytes| is_read(read(bytes)))
    };
    Target::new(name, vec![reader(bn254), reader(bls12381)])
}

fn r1cs<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    let r1cs = R1cs::<E>::open(file)?;
    r1cs.labels(file)?.try_for_each(|label| label.map(drop))?;
    r1cs.constraints(file)?.try_for_each(|constraint| constraint.map(drop))?;
    ConstraintSystem::read::<E>(file).map(drop)
}

fn wtns<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    Wtns::<E>::open(file)?.read_all(file).map(drop)
}

/// Reads the first points of a list.
fn points<G: CurveGroup>(list: PointList<G>, file: &mut (impl Bytes + Seek)) -> Result<(), Error> {
    let points = list.read(file, 0, list.len().min(POINTS) as usize)?;
    list.check_subgroup(0, &points)
}

fn zkey<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    let _ = is_read(Zkey::<E>::open_record(file));
    let zkey = Zkey::<E>::open(file)?;
    for query in G1Query::ALL {
        points(zkey.g1(query)?, file)?;
    }
    points(zkey.b_g2()?, file)?;
    zkey.coefficients(file)?.try_for_each(|one| one.map(drop))?;
    zkey.circuit_hash(file)?;
    zkey.contributions(file)?.try_for_each(|one| one.map(drop))?;
    if zkey.is_native() {
        zkey.transcript(file)?;
    }
    Ok(())
}

fn ptau<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    let ptau = Ptau::<E>::open(file)?;
    for section in [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau] {
        points(ptau.g1(section)?, file)?;
    }
    for section in [G2Section::Tau, G2Section::Beta] {
        points(ptau.g2(section)?, file)?;
    }
    ptau.contributions(file)?.try_for_each(|one| one.map(drop))?;
    if ptau.is_prepared() {
        points(ptau.lagrange_g1(G1Section::LagrangeTau, 2)?, file)?;
        points(ptau.lagrange_g2(2)?, file)?;
    }
    if ptau.is_native() {
        ptau.transcript(file)?;
    }
    Ok(())
}

/// Challenges and responses: their length says which power they are of.
fn powers<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    for kind in [PowersKind::Challenge, PowersKind::Response] {
        let Some(power) = PowersFile::<E>::power_of_len(kind, bytes.len() as u64) else { continue };
        for dialect in [Dialect::Snarkjs, Dialect::Bellman] {
            let powers = PowersFile::<E>::open(file, kind, power, dialect)?;
            powers.previous_hash(file)?;
            powers.public_key(file)?;
            points(powers.g1(G1Section::Tau)?, file)?;
            points(powers.g2(G2Section::Tau)?, file)?;
        }
    }
    Ok(())
}

fn bellman<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    for dialect in [Dialect::Snarkjs, Dialect::Bellman] {
        let parameters = Parameters::<E>::open(file, dialect)?;
        for part in G1Part::ALL {
            points(parameters.g1(part), file)?;
        }
        points(parameters.b_g2(), file)?;
        parameters.ceremony(file)?;
    }
    Ok(())
}

fn sonic<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    let srs = match SonicSrs::<E>::open(file) {
        Ok(srs) => srs,
        Err(_) => SonicSrs::<E>::open_ceremony(file)?.0,
    };
    points(srs.g1(SonicG1::Powers), file)?;
    points(srs.g1(SonicG1::AlphaPowers), file)?;
    points(srs.g2(SonicG2::Powers), file)?;
    points(srs.g2(SonicG2::AlphaPowers), file)
}

fn tflsz<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    let crs = match TflszCrs::<E>::open(file) {
        Ok(crs) => crs,
        Err(_) => TflszCrs::<E>::open_ceremony(file)?.0,
    };
    for list in TflszG1::ALL {
        points(crs.g1(list), file)?;
    }
    for list in TflszG2::ALL {
        points(crs.g2(list), file)?;
    }
    Ok(())
}

/// Proofs, keys and public inputs of snarkjs. What is read may be spelt in another way; as it is written it is read again.
fn json<E: Engine>() -> Vec<Read> {
    readers![
        text(|text| {
            let read = Proof::<E>::from_json(text);
            let written = read.iter().map(|proof| proof.to_json().expect("it is written"));
            written.for_each(|text| assert!(Proof::<E>::from_json(&text).is_ok()));
            is_read(read)
        }),
        text(|text| {
            let read = VerifyingKey::<E>::from_json(text);
            let written = read.iter().map(|key| key.to_json().expect("it is written"));
            written.for_each(|text| assert!(VerifyingKey::<E>::from_json(&text).is_ok()));
            is_read(read)
        }),
        text(|text| is_read(public_from_json::<ScalarOf<E>>(text))),
    ]
}

/// Inputs in JSON, and a program in WebAssembly.
fn program(bytes: &[u8]) -> bool {
    let parts = split(bytes);
    let [inputs, program] = parts.as_slice() else { return false };
    let Ok(inputs) = str::from_utf8(inputs) else { return false };
    let Ok(program) = Program::new(program, LIMITS) else { return false };
    let _ = is_read(program.curve());
    is_read(program.witness::<Bn254>(inputs, &mut Vec::new()))
}

fn programs() -> Vec<Vec<u8>> {
    let folder = crate::pieces::root().join("fuzz/seeds/witness-programs");
    let files = crate::pieces::files_below(&folder).into_iter();
    let programs = files.map(|path| std::fs::read(path).expect("a seed is read"));
    let inputs = br#"{"a": "3", "b": [1, [2, "0x4"]], "c": true}"#;
    programs.map(|program| crate::sessions::join(&[inputs.to_vec(), program])).collect()
}
