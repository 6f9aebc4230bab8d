//! What snarkjs makes of native files: what `docs/ceremony.md` says that it does.

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
    fixtures, phase1,
    phase2::{Files, beacon, export, three},
};

/// A directory of a curve, in which snarkjs runs.
struct Folder(PathBuf);

impl Folder {
    fn new(curve: Curve) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ceremony-native");
        let folder = root.join(curve.snarkjs_name());
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// What snarkjs says, if it succeeds.
    fn snarkjs(&self, arguments: &[&str]) -> Result<String, String> {
        let cli = fixtures::path(Curve::Bn254, "../node_modules/snarkjs/build/cli.cjs");
        let ran = Command::new("node").arg(cli).args(arguments).current_dir(&self.0).output();
        let ran = ran.unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        if ran.status.success() { Ok(said) } else { Err(said) }
    }
}

/// Phase 1 and phase 2 are native; the circuit is circom's, and snarkjs proves.
fn proofs_by_snarkjs<E: Engine>(curve: Curve) {
    let folder = Folder::new(curve);
    let ptau = phase1::prepare::<E>(&phase1::whole::<E>(8));
    let files = Files { r1cs: fixtures::read(curve, "circuit.r1cs"), ptau };
    let (key, _) = beacon::<E>(&three::<E>(&files));
    files.verify::<E>(&key).unwrap();
    folder.write("circuit.r1cs", &files.r1cs);
    folder.write("native.ptau", &files.ptau);
    folder.write("native.zkey", &key);
    folder.write("circuit.wtns", &fixtures::read(curve, "circuit.wtns"));

    let prove = ["groth16", "prove", "native.zkey", "circuit.wtns", "proof.json", "public.json"];
    folder.snarkjs(&prove).unwrap();
    let json = export::<E>(&key).unwrap().to_json().unwrap();
    folder.write("ours.json", json.as_bytes());
    let said = folder.snarkjs(&["groth16", "verify", "ours.json", "public.json", "proof.json"]);
    assert!(said.unwrap().contains("OK!"));
    folder.snarkjs(&["zkey", "export", "verificationkey", "native.zkey", "theirs.json"]).unwrap();
    assert!(json.as_bytes() == folder.read("theirs.json"));

    // snarkjs makes the first key that we make from the same points.
    folder.snarkjs(&["groth16", "setup", "circuit.r1cs", "native.ptau", "theirs.zkey"]).unwrap();
    let (r1cs, native) = (&mut Cursor::new(&files.r1cs), &mut Cursor::new(&files.ptau));
    let mut ours = Vec::new();
    phase2::new::<E>(r1cs, native, &mut ours, &phase2::Settings::default(), &()).unwrap();
    assert!(ours == folder.read("theirs.zkey"));

    // Whose points they are it cannot see.
    folder.snarkjs(&["powersoftau", "verify", "native.ptau"]).unwrap_err();
    let said = folder.snarkjs(&["zkey", "verify", "circuit.r1cs", "native.ptau", "native.zkey"]);
    said.unwrap_err();
}

#[test]
fn proofs_by_snarkjs_bn254() {
    proofs_by_snarkjs::<Bn254>(Curve::Bn254);
}

#[test]
fn proofs_by_snarkjs_bls12_381() {
    proofs_by_snarkjs::<Bls12381>(Curve::Bls12381);
}
