//! `vectors/ceremony`: small ceremonies of both forms, made from seeds; some show the keys of proofs.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use algebra::{Bls12381, Bn254, Engine};
use ceremony::{
    Snapshot, Trust,
    claims::{Evidence, Files, Verified, write_bundle},
    phase1::{self, Beacon, Settings},
    phase2,
};
use circuit::wtns::Wtns;
use claim::{Bundle, BundleWriter};
use snark::{claims as proofs, groth16::ProvingKey};

use super::support::{Ceremony, record, rng};

const BUNDLES: [&str; 5] = ["phase1", "proof", "record", "snarkjs", "bls12-381"];
/// Powers of τ up to 2^4.
const POWER: u32 = 4;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

fn beacon() -> Beacon {
    Beacon::new(vec![0x7c, 0x3e, 0x1f], 10).unwrap()
}

fn snapshot(bytes: &[u8]) -> Snapshot<Cursor<&[u8]>> {
    Snapshot::take(Cursor::new(bytes), &()).unwrap()
}

fn name(name: &str) -> Option<String> {
    Some(name.to_owned())
}

/// The circuit of `vectors/snark`, over another curve with that curve's prime in place of BN254's.
fn circuit<E: Engine>() -> Vec<u8> {
    let bytes = fs::read(vectors().join("snark/circuit.r1cs")).unwrap();
    let (old, new) = (Bn254::scalar_modulus(), E::scalar_modulus());
    let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
    [&bytes[..at], &new, &bytes[at + old.len()..]].concat()
}

/// One contributor and a beacon in each phase.
fn native<E: Engine>() -> Ceremony {
    let (mut first, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
    phase1::native::new::<E>(&mut first, POWER, &()).unwrap();
    let old = &mut snapshot(&first);
    phase1::native::contribute::<E>(old, &mut one, name("Ana"), Trust::Skip, &mut rng(1), &())
        .unwrap();
    let old = &mut Cursor::new(&one);
    phase1::native::contribute_beacon::<E>(old, &mut two, None, &beacon(), &()).unwrap();
    let mut phase1 = Vec::new();
    phase1::prepare::<E>(&mut Cursor::new(&two), &mut Cursor::new(&mut phase1), &()).unwrap();

    let circuit = circuit::<E>();
    let (mut first, mut one, mut key) = (Vec::new(), Vec::new(), Vec::new());
    let (r1cs, ptau) = (&mut Cursor::new(&circuit), &mut Cursor::new(&phase1));
    phase2::native::new::<E>(r1cs, ptau, &mut first, &Settings::default(), &()).unwrap();
    let old = &mut snapshot(&first);
    phase2::native::contribute::<E>(old, &mut one, name("Ben"), Trust::Skip, &mut rng(2), &())
        .unwrap();
    let old = &mut Cursor::new(&one);
    phase2::native::contribute_beacon::<E>(old, &mut key, None, &beacon(), &()).unwrap();
    Ceremony { circuit, phase1, key }
}

/// In the form of snarkjs, two contributors and a beacon in each phase.
fn snarkjs<E: Engine>() -> Ceremony {
    let mut last = Cursor::new(Vec::new());
    phase1::new::<E>(&mut last, POWER, &()).unwrap();
    let mut last = last.into_inner();
    for (who, seed) in [(name("Ana"), 1), (None, 3)] {
        let mut next = Cursor::new(Vec::new());
        let old = &mut snapshot(&last);
        phase1::contribute::<E>(old, &mut next, who, Trust::Skip, &mut rng(seed), &()).unwrap();
        last = next.into_inner();
    }
    let (mut beaten, mut phase1) = (Cursor::new(Vec::new()), Cursor::new(Vec::new()));
    let old = &mut Cursor::new(&last);
    phase1::contribute_beacon::<E>(old, &mut beaten, None, &beacon(), &()).unwrap();
    phase1::prepare::<E>(&mut beaten, &mut phase1, &()).unwrap();

    let (circuit, mut key) = (circuit::<E>(), Cursor::new(Vec::new()));
    let r1cs = &mut Cursor::new(&circuit);
    phase2::new::<E>(r1cs, &mut phase1, &mut key, &Settings::default(), &()).unwrap();
    let mut last = key.into_inner();
    for (who, seed) in [(name("Ben"), 2), (name("Eva"), 4)] {
        let mut next = Cursor::new(Vec::new());
        let old = &mut snapshot(&last);
        phase2::contribute::<E>(old, &mut next, who, Trust::Skip, &mut rng(seed), &()).unwrap();
        last = next.into_inner();
    }
    let mut key = Cursor::new(Vec::new());
    phase2::contribute_beacon::<E>(&mut Cursor::new(&last), &mut key, None, &beacon(), &())
        .unwrap();
    Ceremony { circuit, phase1: phase1.into_inner(), key: key.into_inner() }
}

/// A bundle with a proof under the ceremony's key, and the ceremony.
fn with_proof(root: &Path, key: &[u8], names: Option<[&str; 2]>, ceremony: &Files, seed: u8) {
    let witness = &mut Cursor::new(fs::read(vectors().join("snark/witness.wtns")).unwrap());
    let values = Wtns::<Bn254>::open(witness).unwrap().read_all(witness).unwrap();
    let public = fs::read(vectors().join("snark/public.json")).unwrap();
    let key = ProvingKey::<Bn254>::read_zkey(&mut Cursor::new(key)).unwrap();
    let proof = key.prove(&values, &mut rng(seed)).unwrap();
    let files = proofs::Files {
        key: key.verifying_key().to_json().unwrap().into_bytes(),
        proofs: vec![proof.to_json().unwrap().into_bytes()],
        public: vec![serde_json::from_slice(&public).unwrap()],
        names: names.map(|names| names.map(str::to_owned).to_vec()),
        circuit: None,
    };
    let ceremony = Verified::new(ceremony).unwrap();
    let proofs = proofs::Verified::new(&files).unwrap();
    assert_eq!(ceremony.key(), proofs.key());
    let mut writer = BundleWriter::create(root).unwrap();
    ceremony.write(&mut writer).unwrap();
    proofs.write(&mut writer).unwrap();
    writer.finish().unwrap();
}

fn make(root: &Path) {
    let ceremony = native::<Bn254>();
    let location = |name: &str| Some(format!("https://example.org/{name}"));
    let evidence = Evidence::Phase1 { parameters: ceremony.phase1.clone() };
    let files = Files { evidence, location: location("prepared.ptau") };
    write_bundle(&root.join("phase1"), &files).unwrap();

    let names = Some(["product", "sum"]);
    with_proof(&root.join("proof"), &ceremony.key, names, &ceremony.whole(), 5);
    let evidence = Evidence::Record {
        record: record::<Bn254>(&ceremony.key),
        parameters: snapshot(&ceremony.key).digest(),
    };
    let files = Files { evidence, location: location("key.zkey") };
    with_proof(&root.join("record"), &ceremony.key, None, &files, 6);

    write_bundle(&root.join("snarkjs"), &snarkjs::<Bn254>().whole()).unwrap();
    write_bundle(&root.join("bls12-381"), &native::<Bls12381>().whole()).unwrap();
}

#[test]
fn the_vectors_of_ceremonies_are_made_again() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    for name in BUNDLES {
        let digest = |root: &Path| Bundle::open(&root.join(name)).unwrap().digest().unwrap();
        let kept = digest(&vectors().join("ceremony"));
        assert_eq!(kept, digest(directory.path()), "{name}: `scripts/vectors`");
    }
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_ceremonies_are_made() {
    let root = vectors().join("ceremony");
    for name in BUNDLES {
        fs::remove_dir_all(root.join(name)).unwrap();
    }
    make(&root);
}
