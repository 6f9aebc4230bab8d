//! The sums of the sumcheck's rounds: the prover's hot loop.
//!
//! `F(z) = eq(τ,z)·B(z)(B(z) − 1) + g·W(z)·B(z)` with `W(z) = eq(ρ,i)·2^k`. The first part is
//! `eq(τ_t, X)` times a quadratic in `X`; the second needs only `V_i = Σ_k 2^k·B(i,k)` while index
//! variables are bound. Of the quadratic `a_0 + a_1 X + a_2 X²` the ends `a_0` and `a_2` are
//! summed, and `a_1` follows from the claim.
//!
//! While at most [`PACKED`] variables are bound, an entry depends on as many bits as it was folded
//! from: sums are taken per pattern of bits and no entry is multiplied.

use rayon::prelude::*;
use zeroize::Zeroize as _;

use super::{Layout, bit_weight, equality::Split};
use crate::commitment::Scalar;

/// Variables that are bound before the matrix of folded bits is written out.
const PACKED: u32 = 3;

/// The sums of a round.
pub(super) struct Sums {
    /// `Σ eq(τ,·)·(coefficient of X⁰ in B(B − 1))`.
    pub(super) zero_check_0: Scalar,
    /// The same of `X²`.
    pub(super) zero_check_2: Scalar,
    /// `Σ W·B` over the rest, at 0 and at 1, without the round's own factor of `W`.
    pub(super) linear: [Scalar; 2],
}

/// The folded matrix.
pub(super) struct Folded<'a> {
    layout: Layout,
    values: &'a [u64],
    /// Challenges so far, the top variable's first.
    bound: Vec<Scalar>,
    /// `B` at the bound variables, once it is written out.
    entries: Option<Vec<Scalar>>,
    /// `V`, folded along.
    weighted: Vec<Scalar>,
}

impl<'a> Folded<'a> {
    pub(super) fn new(layout: Layout, values: &'a [u64]) -> Self {
        let mut weighted: Vec<Scalar> = values.par_iter().map(|v| Scalar::from(*v)).collect();
        weighted.resize(1 << layout.index_vars, Scalar::ZERO);
        Self { layout, values, bound: Vec::new(), entries: None, weighted }
    }

    /// Rounds in which the matrix is still packed.
    fn packed_rounds(&self) -> u32 {
        PACKED.min(self.layout.index_vars)
    }

    /// The sums of the round of variable `t`, the highest that is not bound.
    pub(super) fn sums(&self, t: u32, tau: &[Scalar], rho: &[Scalar]) -> Sums {
        // Here and below: `tau` and `rho` have an element for every variable that is not bound.
        let equal = Split::new(tau.get(..t as usize).unwrap_or_default());
        let [zero_check_0, zero_check_2] = match &self.entries {
            None => self.packed_sums(t, &equal),
            Some(entries) => {
                let (low, high) = entries.split_at(entries.len() / 2);
                dense_sums(low, high, &equal)
            }
        };
        let linear = match t.checked_sub(self.layout.bit_vars) {
            Some(index) => self.index_sums(rho.get(..index as usize).unwrap_or_default()),
            None => self.bit_sums(t),
        };
        Sums { zero_check_0, zero_check_2, linear }
    }

    /// `Σ_i eq(ρ, i)·V_i` over the lower index variables.
    fn index_sums(&self, rho: &[Scalar]) -> [Scalar; 2] {
        let equal = Split::new(rho);
        let (low, high) = self.weighted.split_at(self.weighted.len() / 2);
        let sum = |half: &[Scalar]| -> Scalar {
            let blocks = half.par_chunks(equal.low.len()).zip(&equal.high);
            blocks.map(|(block, high)| high * inner(block, &equal.low)).sum()
        };
        [sum(low), sum(high)]
    }

    /// `Σ_k 2^k·B` over the lower bit variables; all index variables are bound.
    fn bit_sums(&self, t: u32) -> [Scalar; 2] {
        let weights = (0..t).fold(vec![Scalar::ONE], |weights, var| {
            let scaled: Vec<_> = weights.iter().map(|weight| weight * bit_weight(var)).collect();
            [weights, scaled].concat()
        });
        // Written out before the first bit variable: index variables are bound first.
        let entries = self.entries.as_deref().unwrap_or_default();
        let (low, high) = entries.split_at(entries.len() / 2);
        [inner(low, &weights), inner(high, &weights)]
    }

    /// Binds the round's variable.
    pub(super) fn bind(&mut self, r: Scalar) {
        self.bound.push(r);
        fold(&mut self.weighted, r);
        let packed = self.packed_rounds();
        match &mut self.entries {
            Some(entries) => fold(entries, r),
            None if self.bound.len() as u32 == packed => self.write_out(),
            None => {}
        }
    }

    /// Before the first round, where there is no index variable to pack along.
    pub(super) fn start(&mut self) {
        if self.packed_rounds() == 0 {
            self.write_out();
        }
    }

    /// `B̃(z*)`, when all variables are bound.
    pub(super) fn last(&self) -> Scalar {
        // Written out as in `bit_sums`, and folded down to one.
        self.entries.as_ref().and_then(|entries| entries.first()).copied().unwrap_or_default()
    }

    /// The words of the bits that fold into one entry each: of index `i`, all `i + j·stride`.
    fn words(&self, index: usize, stride: usize, count: usize) -> impl Iterator<Item = u64> {
        // Behind the last statement all bits are 0, up to a power of two.
        (0..count).map(move |j| self.values.get(index + j * stride).copied().unwrap_or_default())
    }

    /// What each pattern of bits folds to: `Σ_j bit_j·eq(bound, j)`.
    fn folded_patterns(&self) -> Vec<Scalar> {
        let variables: Vec<_> = self.bound.iter().rev().copied().collect();
        let weights = super::equality::table(&variables);
        weights.iter().fold(vec![Scalar::ZERO], |sums, weight| {
            let with: Vec<_> = sums.iter().map(|sum| sum + weight).collect();
            [sums, with].concat()
        })
    }

    fn write_out(&mut self) {
        let patterns = self.folded_patterns();
        let (bits, count) = (self.layout.bits(), 1 << self.bound.len());
        let stride = (1 << self.layout.index_vars) / count;
        // A pattern has a bit for each word, and `patterns` has all of them.
        let entry = |index: usize| {
            let words: Vec<u64> = self.words(index, stride, count).collect();
            let patterns = &patterns;
            (0..bits)
                .map(move |bit| patterns.get(pattern(&words, bit)).copied().unwrap_or_default())
        };
        self.entries = Some((0..stride).into_par_iter().flat_map_iter(entry).collect());
    }

    /// The sums of a round while bits are packed: `eq` is added up per pattern.
    fn packed_sums(&self, t: u32, equal: &Split) -> [Scalar; 2] {
        // An entry at 0 folds from `half` bits, that at 1 from as many more.
        let half = 1 << self.bound.len();
        let stride = (1 << self.layout.index_vars) / (2 * half);
        let (bits, lows) = (self.layout.bits(), equal.low.len());
        debug_assert_eq!(1_usize << t, stride * bits);
        let chunk = |(block, high): (usize, &Scalar)| {
            let mut sums = vec![Scalar::ZERO; 1 << (2 * half)];
            let mut words = Vec::with_capacity(2 * half);
            for (offset, low) in equal.low.iter().enumerate() {
                let z = block * lows + offset;
                if offset == 0 || z % bits == 0 {
                    words.clear();
                    // First the bits of the entry at 0, then those of the entry at 1.
                    words.extend(self.words(z / bits, 2 * stride, half));
                    words.extend(self.words(z / bits + stride, 2 * stride, half));
                }
                match pattern(&words, z % bits) {
                    0 => {}
                    pattern => {
                        if let Some(sum) = sums.get_mut(pattern) {
                            *sum += low;
                        }
                    }
                }
            }
            sums.iter_mut().for_each(|sum| *sum *= high);
            sums
        };
        let merge = |mut left: Vec<Scalar>, right: Vec<Scalar>| {
            left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
            left
        };
        let zeros = || vec![Scalar::ZERO; 1 << (2 * half)];
        let sums = equal.high.par_iter().enumerate().map(chunk).reduce(zeros, merge);
        let folded = self.folded_patterns();
        let mut totals = [Scalar::ZERO; 2];
        let [zero, two] = &mut totals;
        for (pattern, sum) in sums.iter().enumerate() {
            // Either half of a pattern has `half` bits, and `folded` has all of these.
            let at = |pattern: usize| folded.get(pattern).copied().unwrap_or_default();
            let (low, high) = (at(pattern % (1 << half)), at(pattern >> half));
            let step = high - low;
            *zero += sum * (low * low - low);
            *two += sum * (step * step);
        }
        totals
    }
}

impl Drop for Folded<'_> {
    fn drop(&mut self) {
        self.weighted.zeroize();
        self.entries.zeroize();
    }
}

/// Bit `bit` of every word.
fn pattern(words: &[u64], bit: usize) -> usize {
    words.iter().rev().fold(0, |pattern, word| pattern << 1 | (word >> bit & 1) as usize)
}

fn inner(left: &[Scalar], right: &[Scalar]) -> Scalar {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn fold(entries: &mut Vec<Scalar>, r: Scalar) {
    let half = entries.len() / 2;
    let (low, high) = entries.split_at_mut(half);
    low.par_iter_mut()
        .with_min_len(64)
        .zip(high)
        .for_each(|(low, high)| *low += r * (*high - *low));
    entries.truncate(half);
}

fn dense_sums(low: &[Scalar], high: &[Scalar], equal: &Split) -> [Scalar; 2] {
    let width = equal.low.len();
    let blocks = low.par_chunks(width).zip(high.par_chunks(width)).zip(&equal.high);
    let sum = |((low, high), outer): ((&[Scalar], &[Scalar]), &Scalar)| {
        let mut sums = [Scalar::ZERO; 2];
        let [zero, two] = &mut sums;
        for ((low, high), weight) in low.iter().zip(high).zip(&equal.low) {
            let step = high - low;
            *zero += weight * (low * low - low);
            *two += weight * (step * step);
        }
        sums.map(|sum| sum * outer)
    };
    let add = |[a, b]: [Scalar; 2], [c, d]: [Scalar; 2]| [a + c, b + d];
    blocks.map(sum).reduce(|| [Scalar::ZERO; 2], add)
}
