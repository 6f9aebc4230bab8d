//! What the elements of a set are.

use super::params::LIMBS;

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
            Self::Hashed => LIMBS + 1,
            Self::Prime => LIMBS,
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
}
