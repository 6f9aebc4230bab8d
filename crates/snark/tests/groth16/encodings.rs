//! Encodings of other libraries, exchanged with these libraries both ways.

use algebra::{Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Engine, Group, Pairing};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};
use circuit::Curve;
use snark::groth16::{
    Proof, VerifyingKey,
    encoding::{Encoding, EncodingError},
};
use test_support::{
    evm::{Call, execute, hex, unhex},
    gnark,
};

use super::support::{Case, outside};

fn double<G: CurveGroup>(point: &Affine<G>) -> Affine<G> {
    G::precompute(&[G::from_affine(point).double()])[0]
}

fn doubled_proof<E: Engine>(proof: &Proof<E>) -> Proof<E> {
    Proof {
        a: double::<E::G1>(&proof.a),
        b: double::<E::G2>(&proof.b),
        c: double::<E::G1>(&proof.c),
    }
}

fn doubled_key<E: Engine>(key: &VerifyingKey<E>) -> VerifyingKey<E> {
    VerifyingKey {
        alpha_g1: double::<E::G1>(&key.alpha_g1),
        beta_g2: double::<E::G2>(&key.beta_g2),
        gamma_g2: double::<E::G2>(&key.gamma_g2),
        delta_g2: double::<E::G2>(&key.delta_g2),
        ic: key.ic.iter().map(double::<E::G1>).collect(),
    }
}

/// Encodings of a curve.
fn encodings<E: Engine>() -> Vec<Encoding> {
    let proof = Case::<E>::new(1).proof;
    let fits = |encoding: &Encoding| encoding.encode_proof::<E>(&proof).is_ok();
    Encoding::ALL.into_iter().filter(fits).collect()
}

/// A key with a point at infinity, which only `IC` may have.
fn key_with_infinity<E: Engine>(case: &Case<E>) -> VerifyingKey<E> {
    let mut key = case.key.verifying_key().clone();
    key.ic.push(E::G1::affine_identity());
    key
}

fn arkworks<E: Engine>()
where
    Affine<E::G1>: CanonicalSerialize + CanonicalDeserialize,
    Affine<E::G2>: CanonicalSerialize + CanonicalDeserialize,
{
    let case = Case::<E>::new(1);
    let key = key_with_infinity(&case);
    for (encoding, compress) in
        [(Encoding::Arkworks, Compress::Yes), (Encoding::ArkworksUncompressed, Compress::No)]
    {
        // The fields of `ark_groth16::Proof` and `VerifyingKey`, in their order.
        let Proof { a, b, c } = case.proof.clone();
        let mut theirs = Vec::new();
        (a, b, c).serialize_with_mode(&mut theirs, compress).unwrap();
        assert_eq!(encoding.encode_proof(&case.proof).unwrap(), theirs);
        assert_eq!(encoding.decode_proof::<E>(&theirs).unwrap(), case.proof);
        let read = <(Affine<E::G1>, Affine<E::G2>, Affine<E::G1>)>::deserialize_with_mode(
            theirs.as_slice(),
            compress,
            Validate::Yes,
        );
        assert_eq!(read.unwrap(), (a, b, c));

        let VerifyingKey { alpha_g1, beta_g2, gamma_g2, delta_g2, ic } = key.clone();
        let mut theirs = Vec::new();
        (alpha_g1, beta_g2, gamma_g2, delta_g2, ic)
            .serialize_with_mode(&mut theirs, compress)
            .unwrap();
        assert_eq!(encoding.encode_key(&key).unwrap(), theirs);
        assert_eq!(encoding.decode_key::<E>(&theirs).unwrap(), key);
    }
}

#[test]
fn arkworks_bn254() {
    arkworks::<Bn254>();
}

#[test]
fn arkworks_bls12_381() {
    arkworks::<Bls12381>();
}

fn gnark_crypto<E: Engine>(curve: Curve) {
    let case = Case::<E>::new(1);
    let key = key_with_infinity(&case);
    for (encoding, is_raw) in [(Encoding::Gnark, false), (Encoding::GnarkUncompressed, true)] {
        let digits = |bytes: Vec<u8>| hex(&bytes)[2..].to_owned();
        let proof = digits(encoding.encode_proof(&case.proof).unwrap());
        let key_digits = digits(encoding.encode_key(&key).unwrap());
        let Some(said) = gnark::encodings(curve, is_raw, &proof, &key_digits) else { return };
        let bytes = |line: &str| unhex(&format!("0x{line}"));
        let [same_proof, twice_proof, same_key, twice_key, infinity] = &said[..] else {
            panic!("{said:?}")
        };
        assert_eq!((same_proof, same_key), (&proof, &key_digits));
        let twice = encoding.decode_proof::<E>(&bytes(twice_proof)).unwrap();
        assert_eq!(twice, doubled_proof(&case.proof));
        assert_eq!(encoding.decode_key::<E>(&bytes(twice_key)).unwrap(), doubled_key(&key));
        let refused = encoding.decode_proof::<E>(&bytes(infinity)).unwrap_err();
        assert!(refused.to_string().contains("A: is the point at infinity"), "{refused}");
    }
}

#[test]
fn gnark_crypto_bn254() {
    gnark_crypto::<Bn254>(Curve::Bn254);
}

#[test]
fn gnark_crypto_bls12_381() {
    gnark_crypto::<Bls12381>(Curve::Bls12381);
}

/// The precompiles take our points, and we take theirs.
#[test]
fn precompiles() {
    let (bn254, bls12_381) = (Case::<Bn254>::new(1), Case::<Bls12381>::new(1));
    let small = Encoding::Eip197.encode_proof(&bn254.proof).unwrap();
    let large = Encoding::Eip2537.encode_proof(&bls12_381.proof).unwrap();
    let pairing = |bytes: &[u8], minus: &[u8], g1: usize, g2: usize| {
        [&bytes[..g1 + g2], &minus[..g1], &bytes[g1..g1 + g2]].concat()
    };
    fn minus<E: Engine>(proof: &Proof<E>) -> Proof<E> {
        let a = E::G1::precompute(&[-E::G1::from_affine(&proof.a)])[0];
        Proof { a, ..proof.clone() }
    }
    let small_minus = Encoding::Eip197.encode_proof(&minus(&bn254.proof)).unwrap();
    let large_minus = Encoding::Eip2537.encode_proof(&minus(&bls12_381.proof)).unwrap();
    let twice = |bytes: &[u8]| [bytes, bytes].concat();
    let (_, small_b) = (&small[..64], &small[64..192]);
    let (large_a, large_b, large_c) = (&large[..128], &large[128..384], &large[384..]);
    let calls = [
        Call::precompile(6, twice(&small[..64])),
        Call::precompile(6, twice(&small[192..])),
        // e(A, B) · e(−A, B) = 1, and e(A, B)² is not.
        Call::precompile(8, pairing(&small, &small_minus, 64, 128)),
        Call::precompile(8, twice(&small[..192])),
        Call::precompile(0x0b, twice(large_a)),
        Call::precompile(0x0d, twice(large_b)),
        Call::precompile(0x0b, twice(large_c)),
        Call::precompile(0x0f, pairing(&large, &large_minus, 128, 256)),
        Call::precompile(0x0f, twice(&large[..384])),
    ];
    let (called, _) = execute(&[], &calls);
    for called in &called {
        assert_eq!(called.error, None);
    }
    let returned = |index: usize| called[index].returned.as_slice();
    let twice = doubled_proof(&bn254.proof);
    let theirs = [returned(0), small_b, returned(1)].concat();
    let theirs = Encoding::Eip197.decode_proof::<Bn254>(&theirs).unwrap();
    assert_eq!(theirs, Proof { b: bn254.proof.b, ..twice });
    let theirs = [returned(4), returned(5), returned(6)].concat();
    let theirs = Encoding::Eip2537.decode_proof::<Bls12381>(&theirs).unwrap();
    assert_eq!(theirs, doubled_proof(&bls12_381.proof));
    for (index, bit) in [(2, 1), (3, 0), (7, 1), (8, 0)] {
        let mut word = [0; 32];
        word[31] = bit;
        assert_eq!(returned(index), word);
    }
}

/// Whatever byte is changed, dropped or added, it is refused or is another proof, which does not verify.
fn alterations<E: Engine>() {
    let case = Case::<E>::new(1);
    for encoding in encodings::<E>() {
        let bytes = encoding.encode_proof(&case.proof).unwrap();
        assert_eq!(encoding.decode_proof::<E>(&bytes).unwrap(), case.proof);
        for at in 0..bytes.len() {
            for bit in [0x01, 0x20, 0x40, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= bit;
                let Ok(other) = encoding.decode_proof::<E>(&changed) else { continue };
                assert_ne!(other, case.proof, "{encoding:?}, {at}");
                assert!(case.verifier.verify(&case.public, &other).is_err());
            }
            assert!(encoding.decode_proof::<E>(&bytes[..at]).is_err());
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(encoding.decode_proof::<E>(&longer).is_err());

        let key = key_with_infinity(&case);
        let bytes = encoding.encode_key(&key).unwrap();
        assert_eq!(encoding.decode_key::<E>(&bytes).unwrap(), key);
        for len in (0..bytes.len()).filter(|len| len % 16 != 0) {
            assert!(encoding.decode_key::<E>(&bytes[..len]).is_err(), "{encoding:?}, {len}");
        }
    }
}

#[test]
fn alterations_bn254() {
    alterations::<Bn254>();
}

#[test]
fn alterations_bls12_381() {
    alterations::<Bls12381>();
}

/// A list that says it has 2^64 − 1 points, and none.
#[test]
fn lists_that_lie() {
    let case = Case::<Bn254>::new(1);
    for (encoding, width) in [(Encoding::Arkworks, 8), (Encoding::GnarkUncompressed, 4)] {
        let bytes = encoding.encode_key(case.key.verifying_key()).unwrap();
        let points = if encoding == Encoding::Arkworks { 32 * 7 } else { 64 * 7 };
        for length in [vec![0xff; width], vec![0; width]] {
            let lying = [&bytes[..points], &length, &bytes[points + width..]].concat();
            let refused = encoding.decode_key::<Bn254>(&lying).unwrap_err();
            assert!(refused.to_string().contains("IC: has no point, or not as many"), "{refused}");
        }
    }
    let encoded = Encoding::Eip197.encode_key(case.key.verifying_key()).unwrap();
    assert!(Encoding::Eip197.decode_key::<Bn254>(&encoded[..64 * 7]).is_err());
}

/// Points of the curve outside the subgroup, and coordinates that are not reduced.
#[test]
fn hostile_points() {
    fn refused<E: Engine>(proof: &Proof<E>) {
        for encoding in encodings::<E>() {
            let bytes = encoding.encode_proof(proof).unwrap();
            let refused = encoding.decode_proof::<E>(&bytes).unwrap_err();
            assert!(refused.to_string().contains("outside"), "{encoding:?}: {refused}");
        }
    }
    let proof = Case::<Bn254>::new(1).proof;
    refused(&Proof { b: outside::<<Bn254 as Pairing>::G2>(), ..proof.clone() });
    let large = Case::<Bls12381>::new(1).proof;
    refused(&Proof { a: outside::<<Bls12381 as Pairing>::G1>(), ..large.clone() });
    refused(&Proof { b: outside::<<Bls12381 as Pairing>::G2>(), ..large.clone() });

    // y + p fits into the word.
    let mut bytes = Encoding::Eip197.encode_proof(&proof).unwrap();
    let mut carry = 0;
    let modulus = Bn254::base_modulus();
    for (byte, modulus) in bytes[32..64].iter_mut().rev().zip(modulus) {
        let sum = u16::from(*byte) + u16::from(modulus) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert_eq!(carry, 0);
    assert!(Encoding::Eip197.decode_proof::<Bn254>(&bytes).is_err());
    // Padding that is not zero.
    let mut bytes = Encoding::Eip2537.encode_proof(&large).unwrap();
    bytes[0] = 1;
    assert!(Encoding::Eip2537.decode_proof::<Bls12381>(&bytes).is_err());
    // Encodings of one curve only.
    let of_other = Encoding::Eip197.encode_proof(&large).unwrap_err();
    assert!(matches!(of_other, EncodingError::Curve { encoding: "eip197", .. }));
    assert!(Encoding::Eip2537.decode_key::<Bn254>(&[]).is_err());
}
