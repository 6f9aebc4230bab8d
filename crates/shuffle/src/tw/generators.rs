//! The generators `H, H_1, …, H_N` (`docs/spec/shuffle.md#generators`).

use std::sync::Arc;

use algebra::{FixedBaseTable, Group};
use rayon::prelude::*;

use crate::ShuffleError;

const COMMITMENT_LABEL: &[u8] = b"subrosa/tw/H";
const LIST_LABEL: &[u8] = b"subrosa/tw/H_i";

/// Independent generators, hashed from fixed labels and never read from outside: soundness is lost
/// if anyone knows a linear relation among them.
///
/// A shorter list is a prefix of a longer one, so one value serves every size up to its own. Clones share the tables.
#[derive(Clone)]
pub struct Generators<G: Group> {
    basepoint: Arc<FixedBaseTable<G>>,
    blinding: Arc<FixedBaseTable<G>>,
    list: Vec<G>,
}

impl<G: Group> Generators<G> {
    /// What transcripts absorb to name this derivation.
    pub const LABEL: &'static [u8] = COMMITMENT_LABEL;

    /// Derives `H` and `H_1..H_n`.
    pub fn derive(n: usize) -> Self {
        let blinding = Arc::new(FixedBaseTable::new(&G::hash_to_group(COMMITMENT_LABEL)));
        let basepoint = Arc::new(FixedBaseTable::new(&G::generator()));
        let mut generators = Self { basepoint, blinding, list: Vec::new() };
        generators.extend_to(n);
        generators
    }

    /// Extends the list to `n` generators; a list that is longer stays as it is.
    pub fn extend_to(&mut self, n: usize) {
        let missing = self.list.len() as u64 + 1..=n as u64;
        self.list.par_extend(missing.into_par_iter().map(|i| {
            let label = [LIST_LABEL, &i.to_le_bytes()].concat();
            G::hash_to_group(&label)
        }));
    }

    /// The number of list generators.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no list generators.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Multiplies `G`.
    pub fn basepoint(&self) -> &FixedBaseTable<G> {
        &self.basepoint
    }

    /// Multiplies `H`.
    pub fn blinding(&self) -> &FixedBaseTable<G> {
        &self.blinding
    }

    /// Requires a list of at least n generators for n > 0 rows.
    pub(super) fn require(&self, n: usize) -> Result<(), ShuffleError> {
        match self.list.len() {
            _ if n == 0 => Err(ShuffleError::Empty),
            available if available < n => Err(ShuffleError::Generators { available, needed: n }),
            _ => Ok(()),
        }
    }

    /// `H_1..H_n`; fewer if fewer were derived.
    pub fn list(&self, n: usize) -> &[G] {
        // In this crate whoever calls has asked for as many (`require`).
        self.list.get(..n).unwrap_or(&self.list)
    }
}
