//! Integers modulo composites, against plain arithmetic.
#![cfg(feature = "gmp")]

use algebra::integer::{
    FixedBase, Integer, IntegerError, Modulus, SecretInteger, random_below, random_bits, safe_prime,
};
use algebra::integer::{IsPrime, Order};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// 61- and 89-bit Mersenne primes: nothing secret.
fn modulus() -> Modulus {
    let (p, q) = ((Integer::from(1) << 61) - 1_u32, (Integer::from(1) << 89) - 1_u32);
    Modulus::new(p * q).expect("odd").squared()
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([5; 32])
}

fn naive(modulus: &Modulus, bases: &[Integer], exponents: &[Integer]) -> Integer {
    let powers = bases.iter().zip(exponents).map(|(base, e)| modulus.pow(base, e));
    powers.fold(Integer::from(1), |product, power| modulus.mul(&product, &power))
}

#[test]
fn products_of_powers_are_products_of_powers() {
    let (m, mut rng) = (modulus(), rng());
    for count in [0, 1, 2, 3, 33, 200] {
        let bases: Vec<Integer> =
            (0..count).map(|i: u32| m.hash_to_unit(b"base", &i.to_le_bytes())).collect();
        for bits in [1, 63, 64, 65, 128, 397] {
            let draw = |i| {
                let drawn = random_bits(bits, &mut rng).expose().clone();
                if i % 3 == 2 { -drawn } else { drawn }
            };
            let exponents: Vec<Integer> = (0..count).map(draw).collect();
            assert_eq!(m.multi_exp(&bases, &exponents), naive(&m, &bases, &exponents));
        }
        let short: Vec<u128> = (0..count).map(|i| u128::MAX / (1 + u128::from(i))).collect();
        let exponents: Vec<Integer> = short.iter().map(|&e| Integer::from(e)).collect();
        assert_eq!(m.multi_exp_short(&bases, &short), naive(&m, &bases, &exponents));
    }
}

#[test]
fn all_ways_to_a_power_agree() {
    let (m, mut rng) = (modulus(), rng());
    let base = m.hash_to_unit(b"base", b"");
    let table = FixedBase::new(&m, &base, 100);
    for bits in [0, 1, 8, 99, 100, 104, 105, 300] {
        let exponent = random_bits(bits, &mut rng);
        let power = m.pow(&base, exponent.expose());
        assert_eq!(table.pow(exponent.expose()), power);
        assert_eq!(m.secure_pow(&base, &exponent), power);
        let negative = -exponent.expose().clone();
        assert_eq!(table.pow(&negative), m.pow(&base, &negative));
        assert_eq!(m.mul(&power, &m.pow(&base, &negative)), 1);
    }
    assert_eq!(m.pow(&Integer::new(), &Integer::from(-1)), 0);
}

#[test]
fn one_inversion_inverts_all_or_names_the_culprit() {
    let m = modulus();
    let elements: Vec<Integer> = (1..20).map(Integer::from).collect();
    let mut inverses = elements.clone();
    m.batch_invert(&mut inverses).expect("units");
    assert!(elements.iter().zip(&inverses).all(|(e, i)| m.mul(e, i) == 1));
    assert_eq!(m.batch_invert(&mut []), Ok(()));

    let factor: Integer = (Integer::from(1) << 61) - 1_u32;
    let mut broken = elements.clone();
    broken[7] = factor;
    let before = broken.clone();
    assert_eq!(m.batch_invert(&mut broken), Err(IntegerError::NotUnit { index: 7 }));
    assert_eq!(broken, before);
}

#[test]
fn only_canonical_units_decode() {
    let m = modulus();
    let elements: Vec<Integer> = vec![1.into(), 2.into(), m.value() - Integer::from(1)];
    let bytes = m.encode_all(&elements);
    assert_eq!(bytes.len(), 3 * m.encoded_len());
    assert_eq!(m.decode_units(&bytes), Ok(elements.clone()));
    assert_eq!(m.decode_units(&[]), Ok(vec![]));
    assert_eq!(m.decode_units(&bytes[1..]), Err(IntegerError::Length { index: 2 }));

    // The encoding of modulus + 1 has room in the last byte, and means 1.
    let mut alias = (m.value() + Integer::from(1)).to_digits::<u8>(Order::Lsf);
    alias.resize(m.encoded_len(), 0);
    let with = |bytes: &[u8]| [&m.encode(&elements[0]), bytes].concat();
    assert_eq!(m.decode_units(&with(&alias)), Err(IntegerError::Range { index: 1 }));
    let factor: Integer = (Integer::from(1) << 61) - 1_u32;
    for bad in [Integer::new(), factor.clone(), factor * 7_u32] {
        let refused = Err(IntegerError::NotUnit { index: 1 });
        assert_eq!(m.decode_units(&with(&m.encode(&bad))), refused);
        assert!(!m.is_unit(&bad));
    }
}

#[test]
fn moduli_that_are_broken_at_sight_are_refused() {
    for value in [0, 1, 2, 4, -3] {
        assert_eq!(Modulus::new(Integer::from(value)), Err(IntegerError::Modulus));
    }
    let prime: Integer = (Integer::from(1) << 89) - 1_u32;
    for value in [prime.clone(), prime.clone() * 65521_u32, Integer::from(prime.square_ref())] {
        let weak = Modulus::new(value).expect("odd");
        assert_eq!(weak.require_composite(), Err(IntegerError::Weak));
    }
    let other = (Integer::from(1) << 107) - 1_u32;
    assert_eq!(Modulus::new(prime * other).expect("odd").require_composite(), Ok(()));
}

#[test]
fn samples_stay_in_range_and_reach_its_ends() {
    let mut rng = rng();
    for bits in [0, 1, 7, 8, 9, 64, 130] {
        let drawn: Vec<_> = (0..200).map(|_| random_bits(bits, &mut rng)).collect();
        let longest = drawn.iter().map(|value| value.expose().significant_bits()).max();
        assert_eq!(longest, Some(bits));
    }
    let below = |bound: u32, rng: &mut ChaCha20Rng| {
        random_below(&Integer::from(bound), rng).expose().to_u32().expect("small")
    };
    let mut seen = [false; 5];
    (0..200).for_each(|_| seen[below(5, &mut rng) as usize] = true);
    assert_eq!(seen, [true; 5]);
    assert_eq!(below(1, &mut rng), 0);
    assert_eq!(below(0, &mut rng), 0);
}

#[test]
fn hashes_are_units_bound_to_domain_and_label() {
    let m = modulus();
    let h = m.hash_to_unit(b"domain", b"label");
    assert!(m.is_unit(&h) && h.significant_bits() > m.bits() - 64);
    assert_eq!(h, m.hash_to_unit(b"domain", b"label"));
    assert_ne!(h, m.hash_to_unit(b"domainl", b"abel"));
    assert_ne!(h, m.hash_to_unit(b"domain", b"labe"));
}

#[test]
fn safe_primes_are_safe() {
    let mut rng = rng();
    for bits in [32, 64, 129, 256] {
        let prime = safe_prime(bits, &mut rng);
        let value = prime.expose();
        let half = Integer::from(value >> 1);
        assert_eq!((value.significant_bits(), value.mod_u(4)), (bits, 3));
        assert!(value.get_bit(bits - 2));
        assert!([value, &half].iter().all(|p| p.is_probably_prime(40) != IsPrime::No));
        assert_ne!(value, safe_prime(bits, &mut rng).expose());
    }
}

#[test]
#[ignore = "some seconds: a prime of a 3072-bit modulus"]
fn safe_primes_of_1536_bits_take_seconds() {
    assert_eq!(safe_prime(1536, &mut rng()).expose().significant_bits(), 1536);
}

#[test]
fn jacobi_symbols_tell_products_of_squares() {
    let n = Modulus::new(Integer::from(7 * 11)).expect("odd");
    assert_eq!(n.jacobi(&Integer::from(4)), 1);
    // 2 is a square modulo 7 and not modulo 11.
    assert_eq!(n.jacobi(&Integer::from(2)), -1);
    assert_eq!(n.jacobi(&Integer::from(7)), 0);
}

#[test]
fn signs_are_all_that_equality_overlooks() {
    let m = modulus();
    let one = Integer::from(1);
    assert!(m.equal_up_to_sign(&one, &one) && m.equal_up_to_sign(&one, &m.neg(&one)));
    assert!(!m.equal_up_to_sign(&one, &Integer::from(2)));
    assert_eq!(m.neg(&Integer::new()), 0);
}

#[test]
fn secrets_are_overwritten() {
    use zeroize::Zeroize;
    let mut secret = SecretInteger::new(Integer::from(u128::MAX) << 500);
    secret.zeroize();
    assert_eq!(*secret.expose(), 0);
}
