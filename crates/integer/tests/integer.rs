//! Integers modulo composites, against plain arithmetic.

use integer::{
    FixedBase, Integer, IntegerError, Modulus, SecretInteger, random_below, random_bits, safe_prime,
};
use integer::{IsPrime, Order};
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

#[test]
fn powers_modulo_rsa_2048_are_those_that_python_computes() {
    let n = Modulus::rsa_2048();
    let (base, exponent) = (Integer::from(3), (Integer::from(1) << 521) - 1_u32);
    let ends = |power: &Integer| {
        let digits = power.to_digits::<u64>(Order::Lsf);
        (digits[0], digits.last().copied().expect("a digit"))
    };
    let power = n.pow(&base, &exponent);
    assert_eq!(ends(&power), (0xba14_3fb7_47d8_9122, 0x5fd2_1c34_13c3_2892));
    assert_eq!(n.secure_pow(&base, &SecretInteger::new(exponent.clone())), power);
    assert_eq!(ends(&n.squared().pow(&base, &exponent)).0, 0x130a_e8bb_369f_4a7a);
    let inverse = n.pow(&base, &-exponent.clone());
    assert_eq!(ends(&inverse).0, 0xd5ab_97e1_b366_87d8);
    assert_eq!(n.mul(&power, &inverse), 1);
    let symbols = (2..14).map(|a| n.jacobi(&Integer::from(a)));
    assert!(symbols.eq([-1, -1, 1, -1, 1, -1, -1, 1, 1, -1, -1, -1]));
    // Bases from outside stand for their residues, and 0 has a power, too.
    for base in [-3_i32, 0, 1] {
        let outside = Integer::from(base) - n.value() * Integer::from(5);
        let inside = n.reduce(&Integer::from(base));
        let secret = SecretInteger::new(Integer::from(65537));
        assert_eq!(n.pow(&outside, secret.expose()), n.pow(&inside, secret.expose()));
        assert_eq!(n.secure_pow(&outside, &secret), n.pow(&inside, secret.expose()));
    }
}

/// What both libraries must agree on: quotients go towards 0, residues and bits are those of two's
/// complement.
#[test]
fn signs_shifts_and_digits() {
    let integers = |values: &[i64]| values.iter().map(|&v| Integer::from(v)).collect::<Vec<_>>();
    let (seven, minus) = (Integer::from(7), Integer::from(-7));
    assert_eq!(integers(&[-7]), std::slice::from_ref(&minus));
    assert_eq!(Integer::from(&minus % &Integer::from(3)), -1);
    assert_eq!(minus.clone().modulo(&Integer::from(3)), 2);
    assert_eq!((minus.mod_u(3), seven.mod_u(3)), (2, 1));
    assert_eq!(minus.clone().div_rem(Integer::from(2)), ((-3).into(), (-1).into()));
    assert_eq!(Integer::from(-6).div_exact(&Integer::from(3)), -2);
    assert_eq!((minus.clone() >> 1, minus.clone() << 1), ((-4).into(), (-14).into()));
    assert_eq!(Integer::from(minus.keep_bits_ref(4)), 9);
    assert_eq!(Integer::from(minus.abs_ref()), 7);
    assert_eq!((minus.significant_bits(), Integer::new().significant_bits()), (3, 0));
    assert!(minus.get_bit(0) && !minus.get_bit(1) && minus.get_bit(200));
    assert!(minus.is_negative() && !Integer::new().is_negative() && minus < 0 && seven > 6);
    assert_eq!(Integer::from(minus.gcd_ref(&Integer::from(21))), 7);
    assert_eq!(Integer::new().gcd(&Integer::new()), 0);
    assert_eq!(Integer::new().gcd(&minus), 7);
    assert_eq!(seven.invert_ref(&Integer::from(10)).map(Integer::from), Some(3.into()));
    assert_eq!(minus.invert_ref(&Integer::from(10)).map(Integer::from), Some(7.into()));
    assert!(Integer::from(6).invert_ref(&Integer::from(10)).is_none());
    assert_eq!(Integer::from(3).pow_mod(&minus, &Integer::from(10)), Ok(3.into()));
    assert_eq!(Integer::from(2).pow_mod(&minus, &Integer::from(10)), Err(2.into()));
    assert_eq!((minus.to_u32(), seven.to_u32()), (None, Some(7)));
    let sum: Integer = integers(&[1, -2, 30]).iter().sum();
    let product: Integer = integers(&[2, -3, 5]).iter().product();
    assert_eq!((sum, product), (29.into(), (-30).into()));
    assert_eq!((10_u32 - seven.clone(), Integer::from(3_u32 - &seven)), (3.into(), (-4).into()));

    let long: Integer = (Integer::from(0xabcd) << 64) + 0x12_u32;
    assert_eq!(long.to_digits::<u64>(Order::Lsf), [0x12, 0xabcd]);
    assert_eq!(long.to_digits::<u64>(Order::Msf), [0xabcd, 0x12]);
    assert_eq!(Integer::from_digits(&[0xabcd_u64, 0x12], Order::Msf), long);
    assert_eq!(Integer::from_digits(&long.to_digits::<u8>(Order::Lsf), Order::Lsf), long);
    assert_eq!(long.to_digits::<u8>(Order::Lsf).len(), 10);
    assert!(Integer::new().to_digits::<u8>(Order::Lsf).is_empty());
    assert_eq!(minus.to_digits::<u8>(Order::Lsf), [7]);
    let mut digits = [9_u8; 4];
    Integer::from(0x0102).write_digits(&mut digits, Order::Lsf);
    assert_eq!(digits, [2, 1, 0, 0]);
    let mut bits = Integer::from(5);
    bits.set_bit(1, true).set_bit(0, false);
    assert_eq!(bits, 6);

    assert_eq!(
        "-123456789012345678901234567890".parse::<Integer>().map(|x| x.to_string()).as_deref(),
        Ok("-123456789012345678901234567890")
    );
    assert!(["", "-", "1x", "0x10"].iter().all(|text| text.parse::<Integer>().is_err()));
    assert_eq!(Integer::from(Integer::factorial(20)), 2_432_902_008_176_640_000_u64);
    assert_eq!(Integer::from(Integer::primorial(13)), 30030);
    let powers = [1, 4, 8, 27, 32, 36, -8, -27, 1 << 40];
    assert!(integers(&powers).iter().all(Integer::is_perfect_power));
    assert!(!integers(&[2, 3, 6, -4, -2, 12, 37]).iter().any(Integer::is_perfect_power));
    // Of numbers with small factors and without.
    for base in [3 * 31 * 2039, 2053, (1_u64 << 61) - 1].map(Integer::from) {
        for k in [2, 3, 5, 7, 11, 13, 17, 31] {
            let power: Integer = (0..k).fold(Integer::from(1), |power, _| power * &base);
            assert!(power.is_perfect_power(), "{base}^{k}");
            assert!(!(power.clone() + 2_u32).is_perfect_power(), "{base}^{k} + 2");
            assert!(!(power * 2_u32).is_perfect_power(), "2·{base}^{k}");
        }
    }
}

#[test]
fn composites_that_pass_simple_tests_are_no_primes() {
    let is_prime = |value: &Integer| value.is_probably_prime(40) != IsPrime::No;
    // Carmichael numbers, pseudoprimes to base 2, and strong ones; Lucas pseudoprimes.
    for composite in [561, 1105, 341, 2047, 3277, 5459, 5777, 10877, 3_215_031_751_u64] {
        assert!(!is_prime(&Integer::from(composite)), "{composite}");
    }
    // Strong to every prime base below 307 (Arnault 1995).
    let factor = "29674495668685510550154174642905332730771991799853043350995075531276838753171770\
                  199594238596428121188033664754218345562493168782883";
    let factor: Integer = factor.parse().expect("digits");
    assert!(is_prime(&factor));
    let beside = |k: u32| Integer::from(&factor - 1_u32) * k + 1_u32;
    assert!(!is_prime(&(beside(313) * beside(353) * &factor)));
    // Products of two primes, beyond the reach of trial division.
    let (p, q) = ((Integer::from(1) << 61) - 1_u32, (Integer::from(1) << 89) - 1_u32);
    assert!(
        is_prime(&p) && is_prime(&q) && !is_prime(&(p.clone() * q)) && !is_prime(&(p.clone() * &p))
    );
    assert!(![0, 1, 4, 2053 * 2063].iter().any(|&value| is_prime(&Integer::from(value))));
    assert!([2, 3, 2039, 2053, 4_194_301].iter().all(|&value| is_prime(&Integer::from(value))));
    assert_eq!(Integer::from(1 << 20).next_prime(), (1 << 20) + 7);
}
