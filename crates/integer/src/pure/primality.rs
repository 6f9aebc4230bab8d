//! Whether an integer is prime, by the test of Baillie, Pomerance, Selfridge and Wagstaff and further
//! rounds of Miller and Rabin, as GMP does it.

use crypto_bigint::BoxedUint;
use crypto_primes::Flavor;
use dashu_int::{UBig, monty::MontgomeryRepr};
use sha2::{Digest as _, Sha512};

use super::{
    Integer, Order,
    small_primes::{TRIAL_BOUND, small_factor},
};

/// Rounds that the test of Baillie, Pomerance, Selfridge and Wagstaff stands for in GMP's count.
const BPSW_ROUNDS: u32 = 24;

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
    // One less than an odd candidate above 1 is not zero.
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
