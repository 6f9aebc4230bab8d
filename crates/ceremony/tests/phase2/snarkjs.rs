//! Files from snarkjs to us and back.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::Command,
};

use algebra::{Bls12381, Bn254, Engine};
use ceremony::phase2;
use circuit::Curve;

use super::{
    fixtures,
    support::{Files, beacon, contribute},
};

/// A directory of a test for a curve, in which snarkjs runs.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(curve: Curve, test: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ceremony-phase2");
        let folder = root.join(test).join(curve.snarkjs_name());
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// What snarkjs says, if it succeeds.
    pub fn snarkjs(&self, arguments: &[&str]) -> Result<String, String> {
        let cli = fixtures::path(Curve::Bn254, "../node_modules/snarkjs/build/cli.cjs");
        let ran = Command::new("node").arg(cli).args(arguments).current_dir(&self.0).output();
        let ran = ran.unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        if ran.status.success() { Ok(said) } else { Err(said) }
    }
}

/// A hash as snarkjs prints it, without white space.
pub fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn first_key<E: Engine>(curve: Curve) {
    let files = Files::of(curve);
    let ours = files.new_key::<E>();
    assert!(ours == fixtures::read(curve, "new.zkey"));

    // The circuit fills the domain of phase 1: one monomial does not exist.
    let folder = Folder::new(curve, "full");
    let log_size = u32::from_le_bytes(header_tail(&ours)).trailing_zeros();
    assert!(log_size < 8);
    let ptau = fixtures::read(curve, &format!("prepared_{log_size:02}.ptau"));
    folder.write("circuit.r1cs", &files.r1cs);
    folder.write("full.ptau", &ptau);
    folder.snarkjs(&["groth16", "setup", "circuit.r1cs", "full.ptau", "full.zkey"]).unwrap();
    let full = Files { r1cs: files.r1cs, ptau };
    let ours = full.new_key::<E>();
    assert!(ours == folder.read("full.zkey"));
    let (key, _) = contribute::<E>(&ours, None, 1);
    full.verify::<E>(&key).unwrap();
}

/// The size of the domain: the last count before six points of section 2.
fn header_tail(zkey: &[u8]) -> [u8; 4] {
    let base = u32::from_le_bytes(zkey[40..44].try_into().unwrap()) as usize;
    let at = 40 + 4 + base + 4 + 32 + 8;
    zkey[at..at + 4].try_into().unwrap()
}

fn theirs<E: Engine>(curve: Curve) {
    let files = Files::of(curve);
    let key = fixtures::read(curve, "beacon.zkey");
    let verified = files.verify::<E>(&key).unwrap();
    assert_eq!(verified.contributions[0].attribution.name.as_deref(), Some("Ana"));

    // The same beacon makes the same file.
    let (ours, receipt) = beacon::<E>(&fixtures::read(curve, "named.zkey"), &[1, 2]);
    assert!(ours == key);
    assert_eq!((receipt.index, receipt.contribution_hash), (1, verified.contributions[1].hash));
    assert_eq!(receipt.circuit_hash, verified.circuit_hash);

    let json = phase2::export::<E>(&mut Cursor::new(&key)).unwrap().to_json().unwrap();
    assert!(json.as_bytes() == fixtures::read(curve, "verification_key.json"));
}

/// Ours, theirs, ours, their beacon, our beacon; then a proof.
fn mixed_chain<E: Engine>(curve: Curve) {
    let (files, folder) = (Files::of(curve), Folder::new(curve, "mixed"));
    folder.write("circuit.r1cs", &files.r1cs);
    folder.write("prepared.ptau", &files.ptau);
    folder.write("circuit.wtns", &fixtures::read(curve, "circuit.wtns"));

    let (key, first) = contribute::<E>(&files.new_key::<E>(), Some("Zoë"), 1);
    folder.write("1.zkey", &key);
    let said = folder.snarkjs(&["zkey", "contribute", "1.zkey", "2.zkey", "--name=Bob", "-e=two"]);
    let said = squeezed(&said.unwrap());
    assert!(said.contains(&hex(&first.circuit_hash)));
    let info = phase2::info::<E>(&mut Cursor::new(folder.read("2.zkey"))).unwrap();
    assert!(said.contains(&hex(&info.contributions[1].hash)), "{said}");
    let (key, third) = contribute::<E>(&folder.read("2.zkey"), None, 3);
    folder.write("3.zkey", &key);
    folder.snarkjs(&["zkey", "beacon", "3.zkey", "4.zkey", "0a0b0c", "10", "--name=x"]).unwrap();
    let (key, last) = beacon::<E>(&folder.read("4.zkey"), b"five");
    folder.write("5.zkey", &key);

    let verified = files.verify::<E>(&key).unwrap();
    assert_eq!(verified.contributions.len(), 5);
    let said = folder.snarkjs(&["zkey", "verify", "circuit.r1cs", "prepared.ptau", "5.zkey"]);
    let said = said.unwrap();
    assert!(said.contains("ZKey Ok!"), "{said}");
    let said = squeezed(&said);
    for receipt in [first, third, last] {
        assert_eq!(verified.contributions[receipt.index].hash, receipt.contribution_hash);
        assert!(said.contains(&hex(&receipt.contribution_hash)));
    }

    let json = phase2::export::<E>(&mut Cursor::new(&key)).unwrap().to_json().unwrap();
    folder.write("ours.json", json.as_bytes());
    folder.snarkjs(&["zkey", "export", "verificationkey", "5.zkey", "theirs.json"]).unwrap();
    assert!(json.as_bytes() == folder.read("theirs.json"));
    let prove = ["groth16", "prove", "5.zkey", "circuit.wtns", "proof.json", "public.json"];
    folder.snarkjs(&prove).unwrap();
    let said = folder.snarkjs(&["groth16", "verify", "ours.json", "public.json", "proof.json"]);
    assert!(said.unwrap().contains("OK!"));
}

#[test]
fn first_key_bn254() {
    first_key::<Bn254>(Curve::Bn254);
}

#[test]
fn first_key_bls12_381() {
    first_key::<Bls12381>(Curve::Bls12381);
}

#[test]
fn their_files_bn254() {
    theirs::<Bn254>(Curve::Bn254);
}

#[test]
fn their_files_bls12_381() {
    theirs::<Bls12381>(Curve::Bls12381);
}

#[test]
fn mixed_chain_bn254() {
    mixed_chain::<Bn254>(Curve::Bn254);
}

#[test]
fn mixed_chain_bls12_381() {
    mixed_chain::<Bls12381>(Curve::Bls12381);
}
