//! Which integers stand for values.

use algebra::Scalar;
use blake2::{Blake2s256, Digest};
use integer::{Integer, IsPrime, Order};

use super::{
    ElementKind, Error,
    params::{INDEX_BITS, PRIME_BITS, Value, integer_of},
};

/// Rounds of the test for primes, in which Baillie's, Pomerance's, Selfridge's and Wagstaff's comes first.
const PRIME_TEST_ROUNDS: u32 = 40;

impl ElementKind {
    /// The prime that stands for a value in accumulators.
    ///
    /// # Errors
    /// [`Error::NoPrime`], [`Error::NotPrime`].
    pub fn prime(self, value: &Value) -> Result<Integer, Error> {
        match self {
            Self::Hashed => Ok(hash_to_prime(value)?.0),
            Self::Prime => {
                let integer = integer_of(value);
                match is_long(&integer) && is_prime(&integer) {
                    true => Ok(integer),
                    false => Err(Error::NotPrime),
                }
            }
        }
    }
}

/// Whether the integer has exactly 252 bits, as the circuits require.
pub(super) fn is_long(integer: &Integer) -> bool {
    integer.significant_bits() == PRIME_BITS
}

fn is_prime(integer: &Integer) -> bool {
    integer.is_probably_prime(PRIME_TEST_ROUNDS) != IsPrime::No
}

/// The first prime among the candidates of a value, and its index.
pub(super) fn hash_to_prime(value: &Value) -> Result<(Integer, u16), Error> {
    debug_assert_eq!(INDEX_BITS, u16::BITS);
    let candidates = (0..=u16::MAX).map(|index| (candidate(value, index), index));
    candidates.into_iter().find(|(candidate, _)| is_prime(candidate)).ok_or(Error::NoPrime)
}

/// 252 bits of `BLAKE2s(index ‖ value)`, everything little-endian, the top bit set to one.
pub(super) fn candidate(value: &Value, index: u16) -> Integer {
    let hash = Blake2s256::new().chain_update(index.to_le_bytes()).chain_update(value.encode());
    let mut integer = Integer::from_digits(hash.finalize().as_slice(), Order::Lsf);
    integer.keep_bits_mut(PRIME_BITS);
    integer.set_bit(PRIME_BITS - 1, true);
    integer
}
