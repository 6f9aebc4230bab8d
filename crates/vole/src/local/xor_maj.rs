//! Predicates that add the XOR of some places to the majority of seven others.

use super::{
    graph::MAX_LOCALITY,
    predicate::{BitSums, Constants, Predicate, ValueSums, mask, mul, negate_if, product},
};
use crate::{field::Fp, kernel::clmul::Clmul};

/// The XOR of the first places, and the majority of seven: over F_2, where the majority is the
/// fourth elementary symmetric polynomial, a sum; in signs, a product.
pub(super) struct XorMaj<const XORS: usize>;

/// Inputs of the majority.
const MAJ: usize = 7;

impl<const XORS: usize> Predicate for XorMaj<XORS> {
    const LOCALITY: usize = XORS + MAJ;
    const DEGREES: [usize; 2] = [4, XORS + MAJ];
    const TERMS: usize = XORS + 1;

    #[inline(always)]
    fn output(bits: &[u8; MAX_LOCALITY]) -> u8 {
        let xor = bits.iter().take(XORS).fold(0, |sum, bit| sum ^ bit);
        let ones: u8 = bits.iter().skip(XORS).take(MAJ).sum();
        xor ^ (ones >> 2)
    }

    #[inline(always)]
    fn prove_bit<C: Clmul>(clmul: C, macs: &[u64; MAX_LOCALITY], chi: u64, sums: &mut BitSums) {
        // e_k of the inputs so far: bit k of `tops`, and the coefficients below it.
        let mut e = [[0u64; 4]; 5];
        let mut tops = [1u64, 0, 0, 0, 0];
        for &mac in macs.iter().skip(XORS).take(MAJ) {
            let bit = mask(mac);
            for k in (1..5).rev() {
                let [lower, upper] = pair(&e, k);
                let top = mask(at(&tops, k - 1));
                let mut sum = upper;
                for j in 0..k {
                    // e_k += (bit X + mac) e_{k-1}; the coefficient of X^{k-1} in e_{k-1} is a bit.
                    let by_mac = match j + 1 == k {
                        true => mac & top,
                        false => mul(clmul, mac, at(&lower, j)),
                    };
                    let by_bit = if j > 0 { at(&lower, j - 1) & bit } else { 0 };
                    put(&mut sum, j, by_mac ^ by_bit);
                }
                if let Some(place) = e.get_mut(k) {
                    *place = sum;
                }
                put(&mut tops, k, top & bit & 1);
            }
        }
        let [_, _, _, _, mut majority] = e;
        // The XOR has degree 1: times X^3.
        put(&mut majority, 3, macs.iter().take(XORS).fold(0, |sum, mac| sum ^ mac));
        for (sum, coefficient) in sums.iter_mut().zip(majority) {
            *sum ^= clmul.clmul(coefficient, chi);
        }
    }

    #[inline(always)]
    fn verify_bit<C: Clmul>(clmul: C, keys: &[u64; MAX_LOCALITY], delta: u64) -> u64 {
        let mut e = [0u64; 5];
        for (seen, &key) in (1..).zip(keys.iter().skip(XORS).take(MAJ)) {
            for k in (2..5).rev() {
                if k <= seen {
                    let product = mul(clmul, key, at(&e, k - 1));
                    put(&mut e, k, product);
                }
            }
            put(&mut e, 1, key);
        }
        let xor = keys.iter().take(XORS).fold(0, |sum, key| sum ^ key);
        let cube = mul(clmul, mul(clmul, delta, delta), delta);
        at(&e, 4) ^ mul(clmul, xor, cube)
    }

    #[inline(always)]
    fn prove_value(
        bits: &[u64; MAX_LOCALITY],
        signs: &[Fp; MAX_LOCALITY],
        gamma: Fp,
        constants: &Constants,
        sums: &mut ValueSums,
    ) {
        // The XOR: a product of X + a', times the sign of all.
        let mut xor = [Fp::default(); 9];
        let mut flips = 0;
        for (count, (&bit, &a)) in bits.iter().zip(signs).take(XORS).enumerate() {
            flips ^= bit;
            let a = negate_if(a, bit);
            let mut shifted = Fp::default();
            for (j, place) in xor.iter_mut().enumerate().take(count + 1) {
                let own = if j == count { Fp::from(1) } else { *place };
                *place = shifted + if j == count { a } else { own * a };
                shifted = own;
            }
        }
        let gamma = negate_if(gamma, flips);
        for place in xor.iter_mut().take(XORS) {
            *place = *place * gamma;
        }
        if let Some(leading) = xor.get_mut(XORS) {
            *leading = gamma;
        }
        let ones: u64 = bits.iter().skip(XORS).take(MAJ).map(|bit| bit & 1).sum();
        let constant: Fp = signs.iter().skip(XORS).take(MAJ).copied().sum();
        let majority = sign_of_sum(MAJ as i64 - 2 * ones as i64, constant, constants);
        // The highest coefficient of the majority is its sign; that of the whole is left out.
        let sign = negate_if(Fp::from(1), ones >> 2);
        for (i, a) in xor.iter().enumerate().take(XORS + 1) {
            for (sum, b) in sums.iter_mut().skip(i).zip(&majority) {
                *sum += product(*a, *b);
            }
        }
        for (sum, a) in sums.iter_mut().skip(MAJ).zip(xor.iter().take(XORS)) {
            *sum += product(*a, sign);
        }
    }

    #[inline(always)]
    fn verify_value(signs: &[Fp; MAX_LOCALITY], constants: &Constants) -> Fp {
        let xor = signs.iter().take(XORS).fold(Fp::from(1), |product, w| product * *w);
        let sum: Fp = signs.iter().skip(XORS).take(MAJ).copied().sum();
        let square = sum * sum;
        let [c1, c3, c5, c7] = constants.sign;
        xor * sum * (((c7 * square + c5) * square + c3) * square + c1)
    }
}

/// The coefficients, but for the highest, of `c1 W X^6 + c3 W^3 X^4 + c5 W^5 X^2 + c7 W^7` at
/// `W = s X + a`: that of X^(7-r) is `a^r Σ_k binom(k, r) c_k s^(k-r)`. Constant time.
#[inline(always)]
fn sign_of_sum(s: i64, a: Fp, constants: &Constants) -> [Fp; MAJ] {
    let s2 = (s * s) as u64;
    let powers = [1, s2, s2 * s2, s2 * s2 * s2];
    // Powers of s are below 2^17, so that sums of four products are below 2^80.
    let polynomial = |row: &[Fp; 4]| {
        let terms = row.iter().zip(powers);
        Fp::from_u128(terms.map(|(c, power)| u128::from(c.to_u64()) * u128::from(power)).sum())
    };
    let signed = Fp::from_signed(s);
    let mut power = Fp::from(1);
    let mut coefficients = [Fp::default(); MAJ];
    for ((row, odd), coefficient) in constants
        .rows
        .iter()
        .zip([false, true].into_iter().cycle())
        .zip(coefficients.iter_mut().rev())
    {
        power = power * a;
        *coefficient = power * polynomial(row);
        if odd {
            *coefficient = *coefficient * signed;
        }
    }
    coefficients
}

#[inline(always)]
fn pair(e: &[[u64; 4]; 5], k: usize) -> [[u64; 4]; 2] {
    // `k` is from 1 to 4.
    [k - 1, k].map(|k| e.get(k).copied().unwrap_or_default())
}

#[inline(always)]
fn at(words: &[u64], place: usize) -> u64 {
    // All places that are asked for are below the length of their list.
    words.get(place).copied().unwrap_or_default()
}

/// Adds over F_2, or puts: what is there is zero or to be added to.
#[inline(always)]
fn put(words: &mut [u64], place: usize, word: u64) {
    if let Some(place) = words.get_mut(place) {
        *place ^= word;
    }
}
