//! Which integers stand for values.

use algebra::Scalar;
use blake2::{Blake2s256, Digest};
use integer::{Integer, IsPrime, Order};

use super::{
    Error,
    params::{INDEX_BITS, PRIME_BITS, Value, integer_of},
};

/// Rounds of the test for primes, in which Baillie's, Pomerance's, Selfridge's and Wagstaff's comes first.
const PRIME_TEST_ROUNDS: u32 = 40;

/// What the elements of a set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// Any values; the accumulator has the prime that each hashes to.
    Hashed,
    /// Values that are primes of 252 bits, such as serial numbers that were drawn so.
    Prime,
}

impl ElementKind {
    /// The name that files and people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashed => "hashed",
            Self::Prime => "prime",
        }
    }

    /// Public wires of its circuit.
    pub fn public(self) -> usize {
        match self {
            Self::Hashed => super::params::LIMBS + 1,
            Self::Prime => super::params::LIMBS,
        }
    }

    /// The byte in files and transcripts.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Hashed => 0,
            Self::Prime => 1,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        [Self::Hashed, Self::Prime].into_iter().find(|kind| kind.code() == code)
    }

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
