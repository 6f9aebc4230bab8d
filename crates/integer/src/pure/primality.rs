//! Whether an integer is prime, by the test of Baillie, Pomerance, Selfridge and Wagstaff and further
//! rounds of Miller and Rabin, as GMP does it.

use std::sync::LazyLock;

use crypto_bigint::BoxedUint;
use crypto_primes::Flavor;
use dashu_int::{UBig, monty::MontgomeryRepr};
use sha2::{Digest as _, Sha512};

use super::{Integer, Order};

/// Rounds that the test of Baillie, Pomerance, Selfridge and Wagstaff stands for in GMP's count.
const BPSW_ROUNDS: u32 = 24;
/// Primes up to this bound are tried as divisors first.
const TRIAL_BOUND: u32 = 1 << 11;

/// What a test for primes says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsPrime {
    /// It is not prime.
    No,
    /// No composite is known that passes.
    Probably,
    /// It is prime.
    Yes,
}

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

impl Integer {
    /// Whether it is prime, by as many rounds as GMP would count, 24 at least. Variable time.
    pub fn is_probably_prime(&self, rounds: u32) -> IsPrime {
        if *self < 2 || (!self.is_odd() && *self != 2) {
            return IsPrime::No;
        }
        let magnitude = self.magnitude();
        if let Some(prime) = small_factor(&magnitude) {
            return if *self == prime { IsPrime::Yes } else { IsPrime::No };
        }
        if *self < u64::from(TRIAL_BOUND) * u64::from(TRIAL_BOUND) {
            return IsPrime::Yes;
        }
        let passes = baillie_pomerance_selfridge_wagstaff(self)
            && miller_rabin(&magnitude, rounds.saturating_sub(BPSW_ROUNDS));
        if passes { IsPrime::Probably } else { IsPrime::No }
    }

    /// The next larger prime.
    #[must_use]
    pub fn next_prime(mut self) -> Self {
        self.next_prime_mut();
        self
    }

    /// Puts the next larger prime in its place.
    pub fn next_prime_mut(&mut self) {
        *self += 1_u32;
        while self.is_probably_prime(BPSW_ROUNDS + 1) == IsPrime::No {
            *self += 1_u32;
        }
    }
}

/// The least odd prime factor up to the bound of trial division, if there is one.
fn small_factor(value: &UBig) -> Option<u32> {
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

fn baillie_pomerance_selfridge_wagstaff(candidate: &Integer) -> bool {
    let limbs = candidate.to_digits::<u64>(Order::Lsf);
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    let candidate = BoxedUint::from_le_slice(&bytes, 64 * limbs.len() as u32);
    candidate.is_ok_and(|candidate| crypto_primes::is_prime(Flavor::Any, &candidate))
}

/// Rounds of Miller and Rabin for an odd candidate, with bases that are hashed from it: whoever looks
/// for a composite that passes cannot choose them.
fn miller_rabin(candidate: &UBig, rounds: u32) -> bool {
    let ring = MontgomeryRepr::new(candidate.clone());
    let minus_one = candidate - UBig::ONE;
    let twos = minus_one.trailing_zeros().unwrap_or_default();
    let odd = &minus_one >> twos;
    let (one, minus_one) = (ring.reduce(1_u32), ring.reduce(minus_one));
    (0..rounds).all(|round| {
        let mut power = ring.reduce(base(candidate, round)).pow(&odd);
        if power == one {
            return true;
        }
        for _ in 1..twos {
            if power == minus_one {
                return true;
            }
            power = power.sqr();
        }
        power == minus_one
    })
}

/// A base from 2 to `2^512 + 1`.
fn base(candidate: &UBig, round: u32) -> UBig {
    let hash = Sha512::new()
        .chain_update(b"subrosa/integer/miller-rabin")
        .chain_update(round.to_le_bytes())
        .chain_update(candidate.to_le_bytes());
    UBig::from_le_bytes(&hash.finalize()) + 2_u32
}

/// The primes up to a bound, 2 the first.
pub(super) fn primes(bound: u32) -> Vec<u32> {
    let mut composite = vec![false; bound as usize + 1];
    let mut primes = Vec::new();
    for candidate in 2..=bound {
        if !composite.get(candidate as usize).copied().unwrap_or(true) {
            primes.push(candidate);
            let multiples = composite.iter_mut().step_by(candidate as usize).skip(2);
            multiples.for_each(|composite| *composite = true);
        }
    }
    primes
}
