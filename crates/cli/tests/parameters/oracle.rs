//! What a coordinator hands out, and a participant's command does with it.

use std::{fs, io::Cursor, path::Path};

use algebra::{
    Affine, AffineGroup as _, Bn254, CurveGroup as _, Group as _, Pairing, PointForm, Scalar as _,
};
use circuit::{
    json::Proof,
    ptau::{G1Section, Ptau},
    r1cs::{Constraint, R1csHeader, R1csWriter},
    zkey::{G1Query, Zkey},
};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{fail, run, succeed};

type G1 = <Bn254 as Pairing>::G1;

fn ceremony(path: &Path, arguments: &str) -> Value {
    let arguments: Vec<_> =
        ["--json", "ceremony"].into_iter().chain(arguments.split(' ')).collect();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

fn refused(path: &Path, arguments: &str, code: i32, message: &str) {
    let arguments: Vec<_> = ["ceremony"].into_iter().chain(arguments.split(' ')).collect();
    fail(path, &arguments, code, message);
}

/// `z = x·y` for a public `z`, and two wires that nothing is said of.
fn circuit() -> Vec<u8> {
    let header = R1csHeader { wires: 6, public_outputs: 1, constraints: 1, ..Default::default() };
    let term = |wire| vec![(wire, algebra::ScalarOf::<Bn254>::one())];
    let row = Constraint { a: term(2), b: term(3), c: term(1) };
    let mut out = R1csWriter::<_, Bn254>::new(Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints([Ok(row)]).unwrap();
    out.labels((0..6).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

/// A directory with a prepared phase 1 and a first key.
fn begin(form: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("circuit.r1cs"), circuit()).unwrap();
    ceremony(path, "phase1 new --power 2 --out 0.ptau");
    ceremony(path, "phase1 contribute --in 0.ptau --out 1.ptau");
    ceremony(path, "phase1 prepare --in 1.ptau --out p.ptau");
    let new = format!("phase2 new{form} --circuit circuit.r1cs --phase1 p.ptau --out 0.zkey");
    ceremony(path, &new);
    directory
}

fn point(key: &[u8], query: G1Query, index: u64) -> Affine<G1> {
    let zkey = Zkey::<Bn254>::open(&mut Cursor::new(key)).unwrap();
    zkey.g1(query).unwrap().read(&mut Cursor::new(key), index, 1).unwrap()[0]
}

fn put(key: &mut [u8], query: G1Query, index: u64, point: Affine<G1>) {
    let zkey = Zkey::<Bn254>::open(&mut Cursor::new(&*key)).unwrap();
    let (at, mut bytes) = (zkey.g1(query).unwrap().offset_of(index) as usize, Vec::new());
    G1::write_form(&[point], PointForm::Montgomery, &mut bytes);
    key[at..at + bytes.len()].copy_from_slice(&bytes);
}

/// The whole attack by the command line: the key that comes of it verifies, and so does a proof of
/// nothing. A participant who does not say `--trust-input` refuses the key.
fn trapdoor(form: &str) {
    let directory = begin(form);
    let path = directory.path();
    let mut evil = fs::read(path.join("0.zkey")).unwrap();
    for (ic, slot) in [(0, 2), (1, 3)] {
        let point = point(&evil, G1Query::Ic, ic);
        put(&mut evil, G1Query::K, slot, point);
    }
    fs::write(path.join("evil.zkey"), evil).unwrap();
    let contribute = "phase2 contribute --in evil.zkey --out 1.zkey";
    let message = "zkey section 8 (C), point 2: not the point of circuit and phase 1";
    refused(path, &format!("{contribute} --first 0.zkey"), 1, message);
    refused(path, &format!("{contribute} --circuit circuit.r1cs --phase1 p.ptau"), 1, message);
    assert!(!path.join("1.zkey").exists() && !path.join("1.zkey.seed").exists());

    let ran =
        run(path, &format!("ceremony {contribute} --trust-input").split(' ').collect::<Vec<_>>());
    assert!(ran.code == 0 && ran.err.contains("THE INPUT IS NOT VERIFIED"), "{ran:?}");
    let mut key = fs::read(path.join("1.zkey")).unwrap();
    let divided = [2, 3].map(|slot| G1::from_affine(&point(&key, G1Query::K, slot)));
    [2, 3].into_iter().for_each(|slot| put(&mut key, G1Query::K, slot, G1::affine_identity()));
    fs::write(path.join("1.zkey"), &key).unwrap();
    ceremony(path, "phase2 verify --circuit circuit.r1cs --phase1 p.ptau 1.zkey");
    ceremony(path, "phase2 export --in 1.zkey --out vk.json");
    let points = Zkey::<Bn254>::open(&mut Cursor::new(&key)).unwrap().header().points.clone();
    let c = -(divided[0] + divided[1].mul(&algebra::ScalarOf::<Bn254>::from_u64(1_000_003)));
    let proof =
        Proof::<Bn254> { a: points.alpha_g1, b: points.beta_g2, c: G1::to_affine_all(&[c])[0] };
    fs::write(path.join("proof.json"), proof.to_json().unwrap()).unwrap();
    fs::write(path.join("public.json"), "[\"1000003\"]").unwrap();
    succeed(
        path,
        &"snark verify --key vk.json --proof proof.json --public public.json"
            .split(' ')
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_trapdoor_through_the_program() {
    trapdoor("");
    trapdoor(" --native");
}

/// A kept seed is for the file that it was made for: another with the same challenge gets no answer, not
/// even from who believes it.
#[test]
fn a_kept_seed_answers_one_file() {
    let directory = begin("");
    let path = directory.path();
    ceremony(path, "phase1 contribute --in 0.ptau --out 2.ptau --keep-seed");
    let answer = fs::read(path.join("2.ptau")).unwrap();
    fs::remove_file(path.join("2.ptau")).unwrap();
    let mut evil = fs::read(path.join("0.ptau")).unwrap();
    let ptau = Ptau::<Bn254>::open(&mut Cursor::new(&evil)).unwrap();
    let [alpha, beta] = [G1Section::AlphaTau, G1Section::BetaTau].map(|kind| {
        let list = ptau.g1(kind).unwrap();
        list.offset_of(0) as usize..list.offset_of(1) as usize
    });
    evil[alpha].copy_from_slice(&answer[beta]);
    fs::write(path.join("0.ptau"), evil).unwrap();
    let again = "phase1 contribute --in 0.ptau --out 2.ptau";
    refused(path, &format!("{again} --trust-input"), 2, "made for a contribution to another file");
    refused(path, again, 2, "made for a contribution to another file");
    assert!(!path.join("2.ptau").exists());
    fs::remove_file(path.join("2.ptau.seed")).unwrap();
    refused(path, again, 1, "ptau section 4");
}
