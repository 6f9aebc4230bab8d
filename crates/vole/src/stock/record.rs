//! What is known of a stock without its secrets.

use board::AuthorId;
use wire::Digest;

use crate::ParameterSet;

/// How far a stock is used: correlations over F_2 and over F_p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Over F_2.
    pub bits: u64,
    /// Over F_p.
    pub values: u64,
}

impl Position {
    /// Of so many.
    pub fn new(bits: usize, values: usize) -> Self {
        Self { bits: bits as u64, values: values as u64 }
    }

    /// The larger one of each.
    pub(super) fn max(self, other: Self) -> Self {
        Self { bits: self.bits.max(other.bits), values: self.values.max(other.values) }
    }

    pub(super) fn is_before(self, other: Self) -> bool {
        self.bits < other.bits || self.values < other.values
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let bits = self.bits.checked_add(other.bits)?;
        Some(Self { bits, values: self.values.checked_add(other.values)? })
    }
}

/// What is known of a stock without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StockRecord {
    /// The name of the session that made it: both halves have it.
    pub id: Digest,
    /// Whether this is the prover's half.
    pub proves: bool,
    /// How it was made.
    pub correlations: ParameterSet,
    /// Whose half it is.
    pub own: AuthorId,
    /// Who has the other half.
    pub peer: AuthorId,
    /// How many have been used.
    pub used: Position,
    /// How many the peer has said that it has used.
    pub used_by_peer: Position,
    /// How many are left.
    pub left: Position,
    /// Whether a check has failed, so that nothing is left.
    pub burnt: bool,
}
