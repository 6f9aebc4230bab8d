//! Bytes from outside.

use algebra::{Bls12381, Bn254, Engine, Group, Pairing};
use proptest::prelude::*;
use shuffle::pairing::{Crs, PairingMix, Scheme};
use wire::{Decode, Encode};

use super::support::{Election, crs, outside};

const N: usize = 3;

/// Where points stand in the encoding of a mix of N rows and one column, and whether in G1.
fn points_of_mix<E: Pairing>(scheme: Scheme) -> Vec<(usize, bool)> {
    let sent = match scheme {
        Scheme::Flsz17 => N - 1,
        Scheme::Tflsz => N,
    };
    let lists =
        [(2 * N, false), (sent, true), (sent, false), (N - 1 + N + N + 1, true), (2, false)];
    positions::<E>(2 + 32 + 8, &lists)
}

fn points_of_crs<E: Pairing>() -> Vec<(usize, bool)> {
    positions::<E>(6, &[(4 * N + 5, true), (N + 4, false)])
}

fn positions<E: Pairing>(mut at: usize, lists: &[(usize, bool)]) -> Vec<(usize, bool)> {
    let mut positions = Vec::new();
    for &(count, in_g1) in lists {
        for _ in 0..count {
            positions.push((at, in_g1));
            at += if in_g1 { E::G1::ENCODED_LEN } else { E::G2::ENCODED_LEN };
        }
    }
    positions
}

/// Every point in turn outside its subgroup, or no point at all.
fn bad_points_are_refused<E: Pairing, T: Decode>(bytes: &[u8], positions: &[(usize, bool)]) {
    assert!(T::from_bytes(bytes).is_ok());
    let (outside1, outside2) = (outside::<E::G1>(), outside::<E::G2>());
    let last = positions.last().unwrap();
    let len = |in_g1| if in_g1 { E::G1::ENCODED_LEN } else { E::G2::ENCODED_LEN };
    assert_eq!(last.0 + len(last.1), bytes.len());
    for &(at, in_g1) in positions {
        let mut changed = bytes.to_vec();
        if let Some(outside) = if in_g1 { &outside1 } else { &outside2 } {
            changed[at..at + outside.len()].copy_from_slice(outside);
            let error = T::from_bytes(&changed).err().unwrap().to_string();
            assert!(error.contains("subgroup"), "{error}");
        }
        changed[at..at + len(in_g1)].fill(0xff);
        assert!(T::from_bytes(&changed).is_err());
    }
}

fn hostile<E: Engine>(scheme: Scheme) {
    let election = Election::<E>::new(crs(scheme, N), N, 1);
    let mix = election.chain(1)[0].to_bytes();
    bad_points_are_refused::<E, PairingMix<E>>(&mix, &points_of_mix::<E>(scheme));
    let crs = election.crs.to_bytes();
    assert_eq!(Crs::<E>::from_bytes(&crs).unwrap().to_bytes(), crs);
    bad_points_are_refused::<E, Crs<E>>(&crs, &points_of_crs::<E>());

    for len in 0..mix.len() {
        assert!(PairingMix::<E>::from_bytes(&mix[..len]).is_err());
    }
    assert!(PairingMix::<E>::from_bytes(&[&mix[..], &[0]].concat()).is_err());
    for (at, value) in [(0, 0), (0, 2), (1, 0), (1, 3)] {
        let (mut mix, mut crs) = (mix.clone(), crs.clone());
        (mix[at], crs[at]) = (value, value);
        assert!(PairingMix::<E>::from_bytes(&mix).is_err());
        assert!(Crs::<E>::from_bytes(&crs).is_err());
    }
    // The other scheme has another number of points.
    let mut other = mix.clone();
    other[1] = 3 - other[1];
    assert!(PairingMix::<E>::from_bytes(&other).is_err());
    // Counts far beyond the bytes, which must not be believed.
    for at in [34, 38] {
        let mut mix = mix.clone();
        mix[at..at + 4].copy_from_slice(&0x00ff_ffff_u32.to_le_bytes());
        assert!(PairingMix::<E>::from_bytes(&mix).is_err());
    }
    for count in [0x00ff_ffff_u32, u32::MAX] {
        let mut crs = crs.clone();
        crs[2..6].copy_from_slice(&count.to_le_bytes());
        assert!(Crs::<E>::from_bytes(&crs).is_err());
    }
    // A secret factor of zero.
    for &(at, in_g1) in points_of_crs::<E>().iter().skip(4 * N) {
        let neutral = match in_g1 {
            true => E::G1::identity().encode(),
            false => E::G2::identity().encode(),
        };
        if at < points_of_crs::<E>()[4 * N + 5].0 || at >= points_of_crs::<E>()[5 * N + 5].0 {
            let mut crs = crs.clone();
            crs[at..at + neutral.len()].copy_from_slice(&neutral);
            assert!(Crs::<E>::from_bytes(&crs).is_err());
        }
    }
}

#[test]
fn points_outside_the_subgroup_are_refused_everywhere() {
    assert!(outside::<<Bls12381 as Pairing>::G1>().is_some());
    assert!(outside::<<Bls12381 as Pairing>::G2>().is_some());
    assert!(outside::<<Bn254 as Pairing>::G2>().is_some());
    hostile::<Bls12381>(Scheme::Tflsz);
    hostile::<Bls12381>(Scheme::Flsz17);
    hostile::<Bn254>(Scheme::Tflsz);
    hostile::<Bn254>(Scheme::Flsz17);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), scheme in 1_u8..3) {
        let _ = PairingMix::<Bls12381>::from_bytes(&bytes);
        let _ = Crs::<Bn254>::from_bytes(&bytes);
        let framed = [&[1, scheme], &bytes[..]].concat();
        let _ = PairingMix::<Bn254>::from_bytes(&framed);
        let _ = Crs::<Bls12381>::from_bytes(&framed);
    }
}
