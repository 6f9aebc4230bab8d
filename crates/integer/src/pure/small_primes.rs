//! The small primes, and which of them divides.

use std::sync::LazyLock;

use dashu_int::UBig;

/// Primes up to this bound are tried as divisors first.
pub(super) const TRIAL_BOUND: u32 = 1 << 11;

/// Products of odd primes, each below 2^64, with the primes.
static TRIALS: LazyLock<Vec<(u64, Vec<u32>)>> = LazyLock::new(|| {
    let mut groups: Vec<(u64, Vec<u32>)> = Vec::new();
    for prime in primes(TRIAL_BOUND).into_iter().skip(1) {
        match groups.last_mut() {
            Some((product, primes)) if product.checked_mul(prime.into()).is_some() => {
                *product *= u64::from(prime);
                primes.push(prime);
            }
            _ => groups.push((prime.into(), vec![prime])),
        }
    }
    groups
});

/// The least odd prime factor up to the bound of trial division, if there is one.
pub(super) fn small_factor(value: &UBig) -> Option<u32> {
    TRIALS.iter().find_map(|(product, primes)| {
        let residue = value % *product;
        primes.iter().copied().find(|prime| residue.is_multiple_of(u64::from(*prime)))
    })
}

/// Bits that every factor above 1 has at least, less one.
pub(super) fn bits_of_least_factor(value: &UBig) -> u32 {
    let is_even = value.trailing_zeros() != Some(0);
    if is_even || small_factor(value).is_some() { 1 } else { TRIAL_BOUND.ilog2() }
}

/// The primes up to a bound, 2 the first.
pub(super) fn primes(bound: u32) -> Vec<u32> {
    let mut composite = vec![false; bound as usize + 1];
    let mut primes = Vec::new();
    for candidate in 2..=bound {
        // Candidates are at most the bound.
        if !composite.get(candidate as usize).copied().unwrap_or(true) {
            primes.push(candidate);
            let multiples = composite.iter_mut().step_by(candidate as usize).skip(2);
            multiples.for_each(|composite| *composite = true);
        }
    }
    primes
}
