//! GM17 and Sonic by hand: from a circuit to a proof that verifies, and what is refused.

use std::{
    fs::{self, File},
    io::Cursor,
    path::Path,
};

use algebra::{
    Affine, Bls12381, Bn254, CurveGroup, Engine, FixedBaseTable, Group, Pairing, Scalar, ScalarOf,
};
use circuit::{
    native::{SonicG1, SonicG2, SonicWriter},
    r1cs::{Constraint, R1csHeader, R1csWriter},
    wtns,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{deal, fail, succeed};

/// `z = factor · x · y`, with `z` public.
fn circuit<E: Engine>(factor: u64) -> Vec<u8> {
    let header = R1csHeader { wires: 4, public_outputs: 1, constraints: 1, ..Default::default() };
    let term = |wire, factor| vec![(wire, ScalarOf::<E>::from_u64(factor))];
    let row = Constraint { a: term(2, 1), b: term(3, 1), c: term(1, factor) };
    let mut out = R1csWriter::<_, E>::new(Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints([Ok(row)]).unwrap();
    out.labels((0..4).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

/// The reference string of a ceremony in which everybody knows the secrets.
fn reference_string<E: Engine>(degree: i64) -> Vec<u8> {
    let (x, alpha) = (ScalarOf::<E>::from_u64(5), ScalarOf::<E>::from_u64(7));
    let inverse = x.invert().unwrap();
    let power = |i: i64| {
        let base = if i < 0 { inverse } else { x };
        (0..i.abs()).fold(ScalarOf::<E>::one(), |power, _| power * base)
    };
    let all: Vec<_> = (-degree..=degree).map(|i| (i, power(i))).collect();
    let plain: Vec<_> = all.iter().map(|(_, power)| *power).collect();
    let times: Vec<_> = plain.iter().map(|&power| alpha * power).collect();
    let mut gap = times.clone();
    gap.remove(degree as usize);
    fn points<G: CurveGroup>(scalars: &[G::Scalar]) -> Vec<Affine<G>> {
        G::precompute(&FixedBaseTable::new(&G::generator()).mul_all(scalars))
    }
    let mut out = SonicWriter::<_, E>::new(Vec::new(), degree as u64).unwrap();
    out.g1(SonicG1::Powers).unwrap().write(&points::<E::G1>(&plain)).unwrap();
    out.g1(SonicG1::AlphaPowers).unwrap().write(&points::<E::G1>(&gap)).unwrap();
    out.g2(SonicG2::Powers).unwrap().write(&points::<E::G2>(&plain)).unwrap();
    out.g2(SonicG2::AlphaPowers).unwrap().write(&points::<E::G2>(&times)).unwrap();
    out.finish().unwrap()
}

/// A directory with two circuits, a witness for either, and a reference string.
fn begin<E: Engine>() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("circuit.r1cs"), circuit::<E>(1)).unwrap();
    fs::write(path.join("other.r1cs"), circuit::<E>(2)).unwrap();
    for (name, product) in [("good.wtns", 21), ("bad.wtns", 22)] {
        let values = [1, product, 3, 7].map(ScalarOf::<E>::from_u64);
        wtns::write::<E, _>(File::create(path.join(name)).unwrap(), &values).unwrap();
    }
    fs::write(path.join("srs"), reference_string::<E>(40)).unwrap();
    fs::write(path.join("short.srs"), reference_string::<E>(4)).unwrap();
    directory
}

fn snark(path: &Path, arguments: &str) -> Value {
    serde_json::from_str(&succeed(path, &words(&format!("--json snark {arguments}")))).unwrap()
}

fn refuse(path: &Path, arguments: &str, code: i32, message: &str) {
    fail(path, &words(&format!("snark {arguments}")), code, message);
}

fn words(arguments: &str) -> Vec<&str> {
    arguments.split_whitespace().collect()
}

/// The same file with one byte changed.
fn spoil(path: &Path, from: &str, to: &str, at: usize) {
    let mut bytes = fs::read(path.join(from)).unwrap();
    bytes[at] ^= 1;
    fs::write(path.join(to), bytes).unwrap();
}

fn gm17<E: Engine>(curve: &str) {
    let directory = begin::<E>();
    let path = directory.path();
    let circuit = "--system gm17 --r1cs circuit.r1cs";
    let info = snark(path, &format!("info {circuit}"));
    assert_eq!((&info["rows"], &info["wires"]), (&5.into(), &6.into()));
    assert_eq!(info["curve"], curve);
    deal(path, &format!("{circuit} --out pk --verification-key vk")).unwrap();
    let taken = deal(path, &format!("{circuit} --out pk --verification-key vk2")).unwrap_err();
    assert!(taken.message().contains("already exists"), "{taken:?}");
    for former in ["--srs srs", "--out pk2"] {
        let former = format!("setup {circuit} {former} --verification-key vk2");
        refuse(path, &former, 2, "are now made by `subrosa-lab key`");
    }

    let proven = "--key pk --proof proof --public public.json";
    snark(path, &format!("prove {circuit} --witness good.wtns {proven}"));
    let verify = "verify --system gm17 --key vk --public public.json";
    let verified = snark(path, &format!("{verify} --proof proof"));
    assert_eq!(verified["verified"], true);

    let other = "--key pk --proof p --public p.json";
    refuse(path, &format!("prove {circuit} --witness bad.wtns {other}"), 1, "not satisfied");
    let wrong = "prove --system gm17 --r1cs other.r1cs --witness good.wtns";
    refuse(path, &format!("{wrong} {other}"), 2, "another circuit");
    fs::write(path.join("22.json"), r#"["22"]"#).unwrap();
    let verify_22 = "verify --system gm17 --key vk --public 22.json --proof proof";
    refuse(path, verify_22, 1, "does not hold");
    refuse(path, &format!("{verify} --proof pk"), 2, "not a file of kind `gm17prf`");
    spoil(path, "proof", "spoiled", 40);
    let ran = crate::common::run(path, &words(&format!("snark {verify} --proof spoiled")));
    assert_ne!(ran.code, 0, "{ran:?}");
}

fn sonic<E: Engine>(curve: &str) {
    let directory = begin::<E>();
    let path = directory.path();
    let circuit = "--system sonic --r1cs circuit.r1cs";
    let info = snark(path, &format!("info {circuit}"));
    let made = snark(path, &format!("setup {circuit} --srs srs --verification-key vk"));
    assert_eq!((&made["curve"], &made["degree"]), (&curve.into(), &40.into()));
    assert_eq!(made["circuit"], info["circuit"]);
    refuse(path, &format!("setup {circuit} --verification-key v"), 2, "`--srs` is missing");
    let short = format!("setup {circuit} --srs short.srs --verification-key v");
    refuse(path, &short, 2, "has degree 4, the circuit needs");
    let no_srs = format!("setup {circuit} --srs circuit.r1cs --verification-key v");
    refuse(path, &no_srs, 2, "not one of this program");

    let proven = "--srs srs --proof proof --public public.json";
    snark(path, &format!("prove {circuit} --witness good.wtns {proven}"));
    let verify = format!("verify {circuit} --key vk");
    let verified = snark(path, &format!("{verify} --public public.json --proof proof"));
    assert_eq!(verified["verified"], true);
    assert_eq!(verified["key"], made["key"]);
    let again = format!("{verify} --srs srs --public public.json --proof proof");
    assert_eq!(snark(path, &again)["key"], made["key"]);
    // The points `[αx]₂` in the place of `[αx²]₂`: what digests there were are the right ones.
    let mut bytes = fs::read(path.join("vk")).unwrap();
    let (len, first) = (E::G2::ENCODED_LEN, 22 + <E as Pairing>::NAME.len() + 8);
    bytes.copy_within(first + 2 * len..first + 3 * len, first + 3 * len);
    fs::write(path.join("bent"), bytes).unwrap();
    let bent = format!("verify {circuit} --key bent --srs srs --public public.json --proof proof");
    refuse(path, &bent, 1, "is not the key of this circuit under this reference string");

    let other = "--srs srs --proof p --public p.json";
    refuse(path, &format!("prove {circuit} --witness bad.wtns {other}"), 1, "does not satisfy");
    let wrong = "verify --system sonic --r1cs other.r1cs --key vk --public public.json";
    refuse(path, &format!("{wrong} --proof proof"), 2, "another circuit");
    fs::write(path.join("22.json"), r#"["22"]"#).unwrap();
    refuse(path, &format!("{verify} --public 22.json --proof proof"), 1, "does not hold");
    let no_circuit = "verify --system sonic --key vk --public public.json --proof proof";
    refuse(path, no_circuit, 2, "no circuit");
    spoil(path, "proof", "spoiled", 40);
    let spoiled = format!("snark {verify} --public public.json --proof spoiled");
    let ran = crate::common::run(path, &words(&spoiled));
    assert_ne!(ran.code, 0, "{ran:?}");
}

fn unhelped<E: Engine>(curve: &str) {
    let directory = begin::<E>();
    let path = directory.path();
    let circuit = "--system sonic-unhelped --r1cs circuit.r1cs";
    let info = snark(path, &format!("info {circuit}"));
    let made = snark(path, &format!("setup {circuit} --srs srs --verification-key vk"));
    assert_eq!((&made["curve"], &made["degree"]), (&curve.into(), &40.into()));
    assert_eq!(made["circuit"], info["circuit"]);
    let short = format!("setup {circuit} --srs short.srs --verification-key v");
    refuse(path, &short, 2, "has degree 4, the circuit needs");

    let proven = "--srs srs --proof proof --public public.json";
    let good = format!("prove {circuit} --witness good.wtns");
    refuse(path, &format!("{good} {proven}"), 2, "`--key` is missing");
    snark(path, &format!("{good} --key vk {proven}"));
    // Without the circuit.
    let verify = "verify --system sonic-unhelped --key vk";
    let verified = snark(path, &format!("{verify} --public public.json --proof proof"));
    assert_eq!(verified["verified"], true);
    // And with it, to see that the key is the circuit's and not another's.
    let again = format!("verify {circuit} --srs srs --public public.json --proof proof");
    assert_eq!(snark(path, &format!("{again} --key vk"))["key"], made["key"]);
    let other = "setup --system sonic-unhelped --r1cs other.r1cs --srs srs";
    snark(path, &format!("{other} --verification-key other"));
    refuse(path, &format!("{again} --key other"), 1, "is not the key of this circuit");
    let alone = format!("{verify} --srs srs --public public.json --proof proof");
    refuse(path, &alone, 2, "no circuit");

    let other = "--key vk --srs srs --proof p --public p.json";
    refuse(path, &format!("prove {circuit} --witness bad.wtns {other}"), 1, "does not satisfy");
    let wrong = "prove --system sonic-unhelped --r1cs other.r1cs --witness good.wtns";
    refuse(path, &format!("{wrong} {other}"), 2, "another circuit");
    fs::write(path.join("22.json"), r#"["22"]"#).unwrap();
    refuse(path, &format!("{verify} --public 22.json --proof proof"), 1, "does not hold");
    let helped = "verify --system sonic --r1cs circuit.r1cs --key vk";
    let helped = format!("{helped} --public public.json --proof proof");
    refuse(path, &helped, 2, "not a file of kind `sonicvk`");
    spoil(path, "proof", "spoiled", 40);
    let spoiled = format!("snark {verify} --public public.json --proof spoiled");
    assert_ne!(crate::common::run(path, &words(&spoiled)).code, 0);
}

/// Two proofs, checked with a helper.
fn helped<E: Engine>() {
    let directory = begin::<E>();
    let path = directory.path();
    let circuit = "--r1cs circuit.r1cs";
    snark(path, &format!("setup --system sonic {circuit} --srs srs --verification-key vk"));
    for index in [1, 2] {
        let made = format!("--srs srs --proof proof{index} --public public{index}.json");
        snark(path, &format!("prove --system sonic {circuit} --witness good.wtns {made}"));
        let files = format!("--public public{index}.json --proof proof{index}");
        snark(path, &format!("advise {circuit} --srs srs {files} --advice advice{index}"));
    }
    let public = "--public public1.json public2.json";
    let proofs = "--proof proof1 proof2";
    let files = format!("{circuit} {public} {proofs} --advice advice1 advice2");
    let made = snark(path, &format!("aggregate {files} --srs srs --aggregate aggregate"));
    assert_eq!(made["proofs"], 2);
    let verified = snark(path, &format!("verify-helped {files} --key vk --aggregate aggregate"));
    assert_eq!((&verified["verified"], &verified["proofs"]), (&true.into(), &2.into()));

    // Another order, another circuit, a file that is missing, one proof of the two.
    let swapped = format!("{circuit} {public} {proofs} --advice advice2 advice1");
    let rest = "--key vk --aggregate aggregate";
    refuse(path, &format!("verify-helped {swapped} {rest}"), 1, "does not hold");
    let other = files.replace("circuit.r1cs", "other.r1cs");
    refuse(path, &format!("verify-helped {other} {rest}"), 2, "another circuit");
    let fewer = format!("{circuit} {public} --proof proof1 --advice advice1 advice2");
    refuse(path, &format!("verify-helped {fewer} {rest}"), 2, "proofs: 1, public");
    refuse(path, &format!("aggregate {fewer} --srs srs --aggregate a"), 2, "proofs: 1, public");
    let one = format!("{circuit} --public public1.json --proof proof1 --advice advice1");
    refuse(path, &format!("verify-helped {one} {rest}"), 2, "values of the aggregate: 2 for 1");
    fs::write(path.join("22.json"), r#"["22"]"#).unwrap();
    let lie = files.replace("public2.json", "22.json");
    refuse(path, &format!("verify-helped {lie} {rest}"), 1, "proof 1 does not hold");
    refuse(path, &format!("aggregate {files} --srs srs --aggregate proof1"), 2, "already exists");
    let short = format!("aggregate {files} --srs short.srs --aggregate a");
    refuse(path, &short, 2, "has degree 4, the circuit needs");
    // Every file in turn, spoiled.
    for name in ["proof1", "advice1", "aggregate"] {
        spoil(path, name, "spoiled", 40);
        let spoiled =
            format!("verify-helped {files} {rest} ").replace(&format!(" {name} "), " spoiled ");
        assert!(spoiled.contains("spoiled") && !spoiled.contains("--spoiled"));
        let ran = crate::common::run(path, &words(&format!("snark {spoiled}")));
        assert_ne!(ran.code, 0, "{name}: {ran:?}");
        fs::remove_file(path.join("spoiled")).unwrap();
    }
}

#[test]
fn sonic_with_a_helper() {
    helped::<Bn254>();
    helped::<Bls12381>();
}

#[test]
fn gm17_from_circuit_to_proof() {
    gm17::<Bn254>("bn128");
    gm17::<Bls12381>("bls12381");
}

#[test]
fn sonic_from_circuit_to_proof() {
    sonic::<Bn254>("bn128");
    sonic::<Bls12381>("bls12381");
}

#[test]
fn sonic_unhelped_from_circuit_to_proof() {
    unhelped::<Bn254>("bn128");
    unhelped::<Bls12381>("bls12381");
}
