use super::{
    MAX_LOCALITY,
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
        for (i, a) in xor.iter().enumerate().take(XORS + 1) {
            for (sum, b) in sums.iter_mut().take(XORS + MAJ).skip(i).zip(&majority) {
                *sum += product(*a, *b);
            }
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

/// The coefficients of `c1 W + c3 W^3 + c5 W^5 + c7 W^7` at `W = s X + a`, in constant time.
#[inline(always)]
fn sign_of_sum(s: i64, a: Fp, constants: &Constants) -> [Fp; 8] {
    let [c1, c3, c5, c7] = constants.sign;
    let small = |n: u64, c: Fp| Fp::from(n) * c;
    let a2 = a * a;
    let (a3, a4) = (a2 * a, a2 * a2);
    let (a5, a6) = (a4 * a, a4 * a2);
    let a7 = a6 * a;
    let sum = |terms: &[(Fp, Fp)]| {
        Fp::from_u128(terms.iter().map(|(x, y)| product(*x, *y)).sum())
    };
    let one = Fp::from(1);
    // Binomial coefficients, and s to the power of X.
    let unscaled = [
        sum(&[(c1, a), (c3, a3), (c5, a5), (c7, a7)]),
        sum(&[(c1, one), (small(3, c3), a2), (small(5, c5), a4), (small(7, c7), a6)]),
        sum(&[(small(3, c3), a), (small(10, c5), a3), (small(21, c7), a5)]),
        sum(&[(c3, one), (small(10, c5), a2), (small(35, c7), a4)]),
        sum(&[(small(5, c5), a), (small(35, c7), a3)]),
        sum(&[(c5, one), (small(21, c7), a2)]),
        small(7, c7) * a,
        c7,
    ];
    let mut power = 1;
    unscaled.map(|coefficient| {
        let scaled = coefficient * Fp::from_signed(power);
        power *= s;
        scaled
    })
}

#[inline(always)]
fn pair(e: &[[u64; 4]; 5], k: usize) -> [[u64; 4]; 2] {
    [k - 1, k].map(|k| e.get(k).copied().unwrap_or_default())
}

#[inline(always)]
fn at(words: &[u64], place: usize) -> u64 {
    words.get(place).copied().unwrap_or_default()
}

/// Adds over F_2, or puts: what is there is zero or to be added to.
#[inline(always)]
fn put(words: &mut [u64], place: usize, word: u64) {
    if let Some(place) = words.get_mut(place) {
        *place ^= word;
    }
}
