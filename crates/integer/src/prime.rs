//! Safe primes.

use rand_core::CryptoRng;
use rayon::prelude::*;

use super::{Complete as _, Integer, IsPrime, SecretInteger, random_bits};

/// Candidates that are sieved at a time.
const CANDIDATES: u32 = 1 << 17;
/// Primes up to this bound are sieved with: they leave about one candidate in 200.
const SIEVE_BOUND: u32 = 1 << 17;
/// Miller-Rabin rounds, after the test of Baillie, Pomerance, Selfridge and Wagstaff.
const ROUNDS: u32 = 40;

/// A random safe prime `P = 2·P' + 1` of exactly `bits` bits whose two top bits are set, so that the
/// product of two has exactly twice the length. P is 3 modulo 4.
///
/// `P'` is the first suitable one after a random start, found among candidates that are sieved
/// for `P'` and P at once: some 3000 exponentiations for 1536 bits.
///
/// # Panics
/// If there are fewer than 32 bits, where the sieve would strike out the primes themselves.
pub fn safe_prime(bits: u32, rng: &mut impl CryptoRng) -> SecretInteger {
    assert!(bits >= 32, "safe primes of {bits} bits are no secret");
    let sieve: Vec<u32> = odd_primes(SIEVE_BOUND);
    loop {
        let mut start = random_bits(bits - 1, rng).expose().clone();
        for (bit, value) in [(0, true), (bits - 2, true), (bits - 3, true)] {
            start.set_bit(bit, value);
        }
        let survivors = survivors(&start, &sieve);
        let found = survivors.par_iter().find_map_first(|&step| {
            let half = (&start + 2 * step).complete();
            let prime = (&half * 2_u32).complete() + 1_u32;
            let passes = prime.significant_bits() == bits
                && fermat(&half)
                && fermat(&prime)
                && half.is_probably_prime(ROUNDS) != IsPrime::No
                && prime.is_probably_prime(ROUNDS) != IsPrime::No;
            passes.then(|| SecretInteger::new(prime))
        });
        drop(SecretInteger::new(start));
        if let Some(prime) = found {
            return prime;
        }
    }
}

/// The steps k for which neither `start + 2·k` nor `2·(start + 2·k) + 1` has a sieved factor.
fn survivors(start: &Integer, sieve: &[u32]) -> Vec<u32> {
    let mut struck = vec![false; CANDIDATES as usize];
    for &prime in sieve {
        let residue = u64::from(start.mod_u(prime));
        let (p, half) = (u64::from(prime), u64::from(prime).div_ceil(2));
        // start + 2k = 0 for the first, start + 2k = (p − 1)/2 for the second, modulo p.
        for target in [0, (p - 1) / 2] {
            let first = (target + p - residue) % p * half % p;
            struck.iter_mut().skip(first as usize).step_by(prime as usize).for_each(|s| *s = true);
        }
    }
    (0..).zip(struck).filter(|(_, struck)| !struck).map(|(step, _)| step).collect()
}

/// Whether `2^(candidate − 1) = 1`: sorts out nearly every composite at the price of one power.
fn fermat(candidate: &Integer) -> bool {
    let exponent = (candidate - 1_u32).complete();
    Integer::from(2).pow_mod(&exponent, candidate).is_ok_and(|power| power == 1)
}

fn odd_primes(bound: u32) -> Vec<u32> {
    let mut composite = vec![false; bound as usize];
    let mut primes = Vec::new();
    for candidate in (3..bound).step_by(2) {
        // Candidates are below the bound.
        if !composite.get(candidate as usize).copied().unwrap_or(true) {
            primes.push(candidate);
            let multiples = composite.iter_mut().step_by(candidate as usize).skip(2);
            multiples.for_each(|composite| *composite = true);
        }
    }
    primes
}
