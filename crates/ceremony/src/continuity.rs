//! Whether a later file of a ceremony continues an earlier one.
//!
//! A ceremony's file shows that everybody in it contributed. It does not show that everybody who contributed is in it:
//! if a coordinator drops a contribution and continues with the file before it, the new file verifies. Whoever has the
//! earlier file can see that.

use crate::Error;

/// The contributions of a ceremony, byte by byte as one of its files holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// The hash of what the ceremony began with.
    start: [u8; 64],
    contributions: Vec<Vec<u8>>,
}

impl Records {
    pub(crate) fn new(start: [u8; 64], contributions: Vec<Vec<u8>>) -> Self {
        Self { start, contributions }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.contributions.len()
    }

    /// Requires that all contributions of an earlier file are at the beginning of this one, and
    /// exactly `adds` more behind them. The file itself should have been verified besides.
    ///
    /// # Errors
    /// [`Error::OtherCeremony`]; [`Error::Replaced`] or [`Error::Dropped`] with the first contribution
    /// that is another or missing; [`Error::Added`].
    pub fn require_continues(&self, earlier: &Self, adds: usize) -> Result<(), Error> {
        if self.start != earlier.start {
            return Err(Error::OtherCeremony);
        }
        let mut pairs = self.contributions.iter().zip(&earlier.contributions);
        if let Some(index) = pairs.position(|(here, there)| here != there) {
            return Err(Error::Replaced { index });
        }
        let added = self.count().checked_sub(earlier.count());
        match added.ok_or(Error::Dropped { index: self.count() })? {
            got if got != adds => Err(Error::Added { expected: adds, got }),
            _ => Ok(()),
        }
    }
}
