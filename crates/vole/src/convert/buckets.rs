//! How many random numbers stand beside each number ([`super::edabits`]), and what they cost.

use super::seed::{self, Rows, SeedProof};
use crate::{field::Fp, params::Generator};

/// Carries are proven as the default generator's seeds are.
pub(super) fn rows() -> Rows {
    Rows::of(Generator::default(), SeedProof::V1)
}

/// B, which is C too: the least from 3 on with `binom(nB + B, B) >= 2^60`.
///
/// Numbers and random numbers are fixed when the permutation is drawn. Beside a number that is more
/// than its bits by e, a random number passes only if it is less by e; beside an honest one, or
/// opened, only if it is honest. So a prover with j false numbers passes only if its wrong random
/// numbers fall on the jB places beside these and nowhere else: with probability
/// `1 / binom(nB + B, jB)` at most, and that is largest for j = 1.
pub fn buckets(count: usize) -> usize {
    let count = count.max(1);
    let log = |x: usize| (x as f64).log2();
    let choices = |b: usize| (1..=b).map(|i| log(count * b + i) - log(i)).sum::<f64>();
    // The choices grow without bound, so that some b is found.
    (3..).find(|&b| choices(b) >= 60.0).unwrap_or(usize::MAX)
}

/// Bits that a number takes from the prover to the verifier, one of so many of its width: its own, and
/// for each random number of its bucket a value, a sum and a carry.
pub(super) fn bits_sent(width: usize, count: usize) -> usize {
    width + buckets(count) * (8 * Fp::BYTES + width + 1)
}

/// Correlations that numbers take, over F_2 and over F_p: how many of each width there are, all in one
/// check. The masks of the proof over F_2 are counted, and the bits of the numbers are not.
pub(super) fn demand(groups: impl IntoIterator<Item = (usize, usize)>) -> (usize, usize) {
    let (mut bits, mut values, mut carries) = (0, 0, 0);
    for (width, count) in groups.into_iter().filter(|(width, count)| width * count > 0) {
        let bucket = buckets(count);
        let used = count * bucket;
        bits += (used + bucket) * width;
        values += used + bucket;
        carries += used;
    }
    if carries == 0 {
        return (0, 0);
    }
    let (of_carries, _) = seed::demand(rows(), carries);
    let masks = of_carries - carries;
    (bits + of_carries + 64, values + masks)
}
