//! Dishonest provers who know everything, the factors of N included. Tests only.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::sync::OnceLock;

use integer::{Integer, SecretInteger, random_bits, safe_prime};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

use super::*;
use crate::paillier::exponent_proof::ExponentStatement;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

fn primes() -> &'static [SecretInteger; 2] {
    static PRIMES: OnceLock<[SecretInteger; 2]> = OnceLock::new();
    PRIMES.get_or_init(|| [1, 2].map(|seed| safe_prime(512, &mut rng(seed))))
}

/// `2·μ`, which every element of ⟨g⟩ has for an order.
fn residue_order() -> Integer {
    let [p, q] = primes().each_ref().map(|prime| Integer::from(prime.expose() >> 1));
    p * q * 2_u32
}

fn context(server: u16) -> Context<'static> {
    Context { session: b"test", purpose: b"open", server }
}

fn bcp_key(servers: u16) -> (PublicKey, Vec<KeyShare>) {
    let parameters = bcp::Parameters::from_primes(primes(), ModulusSize::InsecureTest).unwrap();
    let (shares, contributions): (Vec<_>, Vec<_>) =
        (1..=servers).map(|k| parameters.contribute(&context(k), &mut rng(k.into()))).unzip();
    (parameters.assemble(b"test", &contributions).unwrap(), shares)
}

fn encrypt(key: &PublicKey, plaintexts: &[u64]) -> (Ciphertexts, Openings) {
    let plaintexts = plaintexts.iter().map(|&m| SecretInteger::new(m.into())).collect();
    key.encrypt(plaintexts, &mut rng(3)).unwrap()
}

/// B15. Server 1 knows the randomness of all ciphertexts and the order of ⟨g⟩, changes every share
/// at will, and finds an exponent that fits the one equation into which everything is folded. The
/// two equations have none.
#[test]
fn an_exponent_for_the_folded_equation_is_none_for_the_two() {
    let (key, shares) = bcp_key(1);
    let (list, openings) = encrypt(&key, &[1, 2]);
    let (cipher, order, x) = (key.cipher(), residue_order(), shares[0].exponent().expose().clone());
    let g = key.verification_base().clone();
    // The base of a share is the square of the first component.
    let doubled = |r: &SecretInteger| Integer::from(r.expose() * 2_u32);
    let randomness: Vec<_> = openings.randomness.iter().map(doubled).collect();

    // Even shifts t_i, so that everything happens in the squares; tried until the inverse exists.
    let forged = (1_u32..).find_map(|attempt| {
        let shifts = [2 * attempt, 4];
        let shifted = randomness.iter().zip(shifts).map(|(r, t)| Integer::from(&x * r) + t);
        let elements = shifted.map(|exponent| cipher.pow(&g, &exponent)).collect();
        let false_shares = Elements::new(cipher, elements);
        let (_, base, image) = key.batch(&context(1), &list, &false_shares);
        let (_, weights) = key.weights(&context(1), &list, &false_shares);
        // x·δ_0 + sum δ_i·(x·r_i + t_i) = y·(δ_0 + sum δ_i·r_i) modulo the order, with δ_0 = 1.
        let dot = |values: Vec<Integer>| -> Integer {
            values.iter().zip(&weights).map(|(value, &w)| Integer::from(value * w)).sum()
        };
        let denominator = dot(randomness.clone()) + 1_u32;
        let error = dot(shifts.map(Integer::from).to_vec());
        let y = x.clone() + error * Integer::from(denominator.invert_ref(&order)?);
        let y = SecretInteger::new(y.modulo(&order));
        Some((false_shares, base, image, y))
    });
    let (false_shares, base, image, y) = forged.unwrap();
    let folded_base = cipher.mul(&g, &base);
    let folded_image = cipher.mul(key.verification_key(1).unwrap(), &image);
    assert_eq!(cipher.pow(&folded_base, y.expose()), folded_image);

    let folded = ExponentStatement {
        modulus: cipher,
        bases: vec![&folded_base],
        images: vec![&folded_image],
        bits: residue_order().significant_bits(),
    };
    let transcript = || key.batch(&context(1), &list, &false_shares).0;
    let proof = ExponentProof::prove(&mut transcript(), &folded, &y, &mut rng(4));
    assert!(proof.verify(&mut transcript(), &folded));
    for exponent in [&y, shares[0].exponent()] {
        let statement = key.share_statement(1, &base, &image).unwrap();
        let proof = ExponentProof::prove(&mut transcript(), &statement, exponent, &mut rng(4));
        let partial = PartialDecryption::from_parts(1, false_shares.clone(), proof);
        let refused = Err(PaillierError::FalseShares { server: 1 });
        assert_eq!(partial.verify(&key, &context(1), &list), refused);
    }
}

/// Shares of the opposite sign are proven like true ones, and open the same plaintexts.
#[test]
fn negated_shares_open_the_same_plaintexts() {
    let (key, shares) = bcp_key(2);
    let (list, _) = encrypt(&key, &[5, 6, 7]);
    let mut partials: Vec<_> = shares
        .iter()
        .map(|share| share.decrypt(&key, &context(share.server()), &list, &mut rng(5)).unwrap())
        .collect();
    let negate = |share| key.cipher().neg(share);
    let negated = partials[0].shares().values().iter().map(negate).collect();
    let negated = Elements::new(key.cipher(), negated);
    let (mut transcript, base, image) = key.batch(&context(1), &list, &negated);
    let statement = key.share_statement(1, &base, &image).unwrap();
    let exponent = shares[0].exponent();
    let proof = ExponentProof::prove(&mut transcript, &statement, exponent, &mut rng(6));
    partials[0] = PartialDecryption::from_parts(1, negated, proof);
    let opened = key.open(b"test", b"open", &list, &partials).unwrap();
    assert_eq!(opened, [5, 6, 7].map(Integer::from));
}

/// B8: adding multiples of the order changes no equation, only the range.
#[test]
fn responses_beyond_their_range_are_refused_whatever_the_equations_say() {
    let (key, shares) = bcp_key(1);
    let (list, openings) = encrypt(&key, &[5, 6]);
    let order = residue_order();
    let beyond = Integer::from(&order << 700);

    let honest = shares[0].decrypt(&key, &context(1), &list, &mut rng(5)).unwrap();
    for change in [beyond.clone(), -beyond.clone()] {
        let mut proof = honest.proof().clone();
        proof.shift_response(&change);
        let forged = PartialDecryption::from_parts(1, honest.shares().clone(), proof);
        let refused = Err(PaillierError::FalseShares { server: 1 });
        assert_eq!(forged.verify(&key, &context(1), &list), refused);
    }

    let sender = context(0);
    let proofs = PlaintextProofs::prove(&key, &sender, &list, &openings, 64, &mut rng(6)).unwrap();
    let verify = |proofs: &PlaintextProofs| {
        let claim = PlaintextClaim { context: sender, ciphertexts: &list, bits: 64, proofs };
        verify_plaintexts(&key, &[claim])
    };
    assert_eq!(verify(&proofs), Ok(()));
    let multiples = [key.plain().value().clone(), beyond];
    for (which, multiple) in multiples.iter().enumerate() {
        for sign in [1, -1] {
            let mut forged = proofs.clone();
            forged.shift_response(1, which, &Integer::from(multiple * sign));
            let refused = Err(PaillierError::PlaintextProof { claim: 0, index: 1 });
            assert_eq!(verify(&forged), refused);
        }
    }
}

/// Plaintexts longer than claimed are refused by the prover, and by a verifier who claims less.
#[test]
fn plaintexts_longer_than_claimed_are_refused() {
    let (key, _) = bcp_key(1);
    let plaintext = random_bits(500, &mut rng(1));
    let (list, openings) = key.encrypt(vec![plaintext], &mut rng(2)).unwrap();
    let prove =
        |bits| PlaintextProofs::prove(&key, &context(0), &list, &openings, bits, &mut rng(3));
    assert_eq!(prove(128), Err(PaillierError::Plaintext { index: 0 }));
    let proofs = prove(500).unwrap();
    let claim =
        |bits| PlaintextClaim { context: context(0), ciphertexts: &list, bits, proofs: &proofs };
    assert_eq!(verify_plaintexts(&key, &[claim(500)]), Ok(()));
    let refused = Err(PaillierError::PlaintextProof { claim: 0, index: 0 });
    assert_eq!(verify_plaintexts(&key, &[claim(128)]), refused);
    assert_eq!(verify_plaintexts(&key, &[claim(499)]), refused);
}

/// A seed that is used again for another statement gives another mask, so that two responses do
/// not give the key share away.
#[test]
fn masks_are_not_repeated_with_the_seed() {
    let (key, shares) = bcp_key(1);
    let (list, _) = encrypt(&key, &[5]);
    let announced = |purpose: &'static [u8]| {
        let context = Context { purpose, ..context(1) };
        let partial = shares[0].decrypt(&key, &context, &list, &mut rng(5)).unwrap();
        wire::Encode::to_bytes(partial.proof())[..key.cipher().encoded_len()].to_vec()
    };
    assert_eq!(announced(b"a"), announced(b"a"));
    assert_ne!(announced(b"a"), announced(b"b"));
}

/// `x^N` is public and its square is `−h^N`: with symbol −1 it is no mask, and a server could mark a
/// row by it under an honest proof. With symbol +1 it is a power of `h^N`.
#[test]
fn the_root_of_the_mask_base_is_a_mask() {
    let [p, q] = primes().each_ref().map(SecretInteger::expose);
    let plain = integer::Modulus::new(Integer::from(p * q)).unwrap();
    let cipher = plain.squared();
    let domains: Vec<Vec<u8>> = (0..16).map(|domain| vec![domain]).collect();
    for modulus in [&plain, &cipher] {
        let root = |domain: &Vec<u8>| encode::hash_to_symbol_one(&plain, modulus, domain);
        assert!(domains.iter().map(root).all(|x| plain.jacobi(&x) == 1));
    }
    let x = encode::hash_to_symbol_one(&plain, &plain, b"subrosa/db/paillier/dealt");
    let (root, base) = (cipher.pow(&x, plain.value()), bases::mask_base(&plain, &cipher));
    assert_eq!(cipher.neg(&cipher.mul(&root, &root)), base);
    // −1 = (h^N)^μ for odd μ, so ±x^N = (h^N)^k with 2k = 1 + μ modulo 2μ: one of them is found.
    let mu = residue_order() >> 1;
    let k: Integer = Integer::from(&mu + 1_u32) >> 1;
    let powers = [k.clone(), k + &mu].map(|k| cipher.pow(&base, &k));
    assert!(powers.contains(&root));
}
