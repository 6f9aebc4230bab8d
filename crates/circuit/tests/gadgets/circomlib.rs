//! What circomlib computes.

use std::{fs, io::Cursor};

use algebra::{Bn254, Scalar};
use circuit::{
    gadgets::{
        Poseidon,
        baby_jubjub::{CommitmentKey, JubjubPoint, JubjubScalar},
    },
    wtns::Wtns,
};

use super::{
    compiler::{calculate_witness, compiled},
    support::{S, bits},
};

/// The outputs for scalars given as bits.
fn outputs(v: &JubjubScalar, r: &JubjubScalar) -> Vec<S> {
    let root = compiled("circomlib-known-a", include_str!("circomlib.circom"));
    let digits = |scalar: &JubjubScalar| {
        let bits = bits(scalar.value()).into_iter().take(251);
        bits.map(|bit| format!("\"{}\"", u8::from(bit))).collect::<Vec<_>>().join(",")
    };
    let input = format!("{{\"v\": [{}], \"r\": [{}]}}", digits(v), digits(r));
    calculate_witness(&root, &input);
    let mut file = Cursor::new(fs::read(root.join("circuit.wtns")).unwrap());
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
