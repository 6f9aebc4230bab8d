//! The permutation commitment `a_i = s_i·H + H_{pi^{-1}(i)}`
//! (`docs/spec/shuffle.md#the-permutation`).

use algebra::{Group, Scalar, inner_product};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Generators, Permutation, PermutationContext, statement};
use crate::{PointList, ShuffleError};

/// A mixer's permutation, its commitment and the commitment's openings. Secret, except for the
/// commitment; erased when dropped.
pub struct CommittedPermutation<G: Group> {
    commitment: PointList<G>,
    opening: Opening<G>,
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Opening<G: Group> {
    permutation: Permutation,
    blindings: Vec<G::Scalar>,
}

impl<G: Group> CommittedPermutation<G> {
    /// Commits to a permutation.
    ///
    /// # Errors
    /// [`ShuffleError::Empty`] for the permutation of nothing, [`ShuffleError::Generators`] if
    /// there are fewer generators than indices.
    pub fn commit(
        permutation: Permutation,
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        let n = permutation.len();
        generators.require(n)?;
        let blindings = G::Scalar::random_many(n, rng);
        // The images are blinded where they stand.
        let mut points = permutation.inverse().apply(generators.list(n));
        generators.blinding().add_mul_all(&mut points, &blindings);
        let opening = Opening { permutation, blindings };
        Ok(Self { commitment: PointList::new(points), opening })
    }

    /// Draws a permutation of n rows and commits to it. Out of the same generator it is the same
    /// again: a mixer that keeps its seed can follow its mix later.
    ///
    /// # Errors
    /// Those of [`CommittedPermutation::commit`].
    pub fn random(
        n: usize,
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        let permutation = Permutation::random(n, rng);
        Self::commit(permutation, generators, rng)
    }

    /// The public commitment `a_1..a_n`.
    pub fn commitment(&self) -> &PointList<G> {
        &self.commitment
    }

    /// The permutation.
    pub fn permutation(&self) -> &Permutation {
        &self.opening.permutation
    }

    /// `k = sum e_i·s_i`, by which `sum e_i·a_i = k·H + sum e_{pi(i)}·H_i`: for proofs that lists of
    /// other ciphertexts moved by this permutation. Secret.
    pub fn opening_at(&self, e: &[G::Scalar]) -> G::Scalar {
        inner_product(self.blindings(), e)
    }

    /// `s_1..s_n`.
    pub(super) fn blindings(&self) -> &[G::Scalar] {
        &self.opening.blindings
    }

    /// The digest of the statement that this commitment makes in `context`.
    pub(super) fn digest(&self, context: &PermutationContext<'_>) -> [u8; 64] {
        statement::permutation_digest(&statement::permutation_transcript(context, &self.commitment))
    }
}
