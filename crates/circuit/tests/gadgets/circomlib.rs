//! What circomlib computes.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::Command,
};

use algebra::{Bn254, Scalar};
use circuit::{
    Curve,
    gadgets::{
        Poseidon,
        baby_jubjub::{CommitmentKey, JubjubPoint, JubjubScalar},
    },
    wtns::Wtns,
};

use crate::{
    fixtures,
    support::{S, bits},
};

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The directory with circomlib and the compiled circuit, made once; the first part of the name
/// changes with what is made.
fn compiled() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("circomlib-2.0.5-a");
    if !root.join("complete").exists() {
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let install = ["install", "--no-audit", "--no-fund", "--prefix", ".", "circomlib@2.0.5"];
        run(Command::new("npm").args(install).current_dir(&root));
        fs::write(root.join("known.circom"), include_str!("circomlib.circom")).unwrap();
        let circom = fixtures::path(Curve::Bn254, "../node_modules/circom2/cli.js");
        let compile = ["known.circom", "--wasm", "-o", "."];
        run(Command::new("node").arg(circom).args(compile).current_dir(&root));
        fs::write(root.join("complete"), "").unwrap();
    }
    root
}

/// The outputs for scalars given as bits.
fn outputs(v: &JubjubScalar, r: &JubjubScalar) -> Vec<S> {
    let root = compiled();
    let digits = |scalar: &JubjubScalar| {
        let bits = bits(scalar.value()).into_iter().take(251);
        bits.map(|bit| format!("\"{}\"", u8::from(bit))).collect::<Vec<_>>().join(",")
    };
    let input = format!("{{\"v\": [{}], \"r\": [{}]}}", digits(v), digits(r));
    fs::write(root.join("input.json"), input).unwrap();
    let snarkjs = fixtures::path(Curve::Bn254, "../node_modules/snarkjs/build/cli.cjs");
    let calculate = ["wtns", "calculate", "known_js/known.wasm", "input.json", "known.wtns"];
    run(Command::new("node").arg(snarkjs).args(calculate).current_dir(&root));
    let mut file = Cursor::new(fs::read(root.join("known.wtns")).unwrap());
    Wtns::<Bn254>::open(&mut file).unwrap().read(&mut file, 1, 18).unwrap()
}

fn hash<const N: usize>() -> S {
    Poseidon::<S, N>::new().hash(std::array::from_fn(|i| S::from_u64(i as u64 + 1)))
}

#[test]
fn hashes_and_commits_as_circomlib_does() {
    let [v, r] = [b"v", b"r"].map(|label| {
        let mut wide = [0; 64];
        wide[..30].copy_from_slice(&label.repeat(30));
        JubjubScalar::new(S::from_wide(&wide)).unwrap()
    });
    let theirs = outputs(&v, &r);
    let ours = [
        hash::<1>(),
        hash::<2>(),
        hash::<3>(),
        hash::<4>(),
        hash::<5>(),
        hash::<6>(),
        hash::<7>(),
        hash::<8>(),
        hash::<9>(),
        hash::<10>(),
        hash::<11>(),
        hash::<12>(),
        hash::<13>(),
        hash::<14>(),
        hash::<15>(),
        hash::<16>(),
    ];
    assert_eq!(theirs[..16], ours);
    let commitment = CommitmentKey::new().commit(&v, &r);
    assert_eq!(theirs[16..], JubjubPoint::coordinates(&[commitment])[0]);
}
