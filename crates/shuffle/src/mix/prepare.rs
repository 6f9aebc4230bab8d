//! The mixer's part.

use algebra::Group;
use rand_core::CryptoRng;

use super::{Mix, MixContext, MixProof};
use crate::{
    Column, PublicKey, ShuffleError,
    tw::{
        CommittedPermutation, Direction, Generators, ListMasks, ListStatement, Passage,
        PermutationProof, prove_lists, prove_permutation, shuffle_column,
    },
};

/// Everything that a mixer can compute before the ballots exist: about two thirds of its work.
pub struct PreparedMix<G: Group> {
    committed: CommittedPermutation<G>,
    proof: PermutationProof<G>,
    masks: ListMasks<G>,
}

impl<G: Group> PreparedMix<G> {
    /// Draws a permutation of n rows, commits to it and proves it.
    ///
    /// # Errors
    /// [`ShuffleError::Empty`] and [`ShuffleError::Generators`].
    pub fn prepare(
        n: usize,
        generators: &Generators<G>,
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        let committed = CommittedPermutation::random(n, generators, rng)?;
        let proof = prove_permutation(&committed, generators, &context.permutation(), rng)?;
        let masks = ListMasks::prepare(n, generators, rng)?;
        Ok(Self { committed, proof, masks })
    }

    /// Moves the columns and proves it. `context` is the one of [`PreparedMix::prepare`].
    ///
    /// # Errors
    /// [`ShuffleError::Length`] unless every column has n rows, [`ShuffleError::Empty`] without
    /// columns.
    pub fn mix(
        self,
        key: &PublicKey<G>,
        inputs: &[Column<G>],
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Mix<G>, ShuffleError> {
        let forward = Direction::Forward;
        let shuffled: Vec<_> = inputs
            .iter()
            .map(|column| shuffle_column(&self.committed, forward, key, column, rng))
            .collect::<Result<_, _>>()?;
        let passages: Vec<_> = inputs
            .iter()
            .zip(&shuffled)
            .map(|(before, shuffled)| Passage { key: *key, before, after: &shuffled.column })
            .collect();
        let statement =
            ListStatement { context: context.lists(), direction: forward, passages: &passages };
        let permutation_context = context.permutation();
        let columns: Vec<_> = shuffled.iter().collect();
        let lists = prove_lists(
            &self.committed,
            &permutation_context,
            &statement,
            &columns,
            self.masks,
            rng,
        )?;
        let commitment = self.committed.commitment().clone();
        let proof = Some(MixProof { commitment, permutation: self.proof, lists });
        Ok(Mix { outputs: shuffled.into_iter().map(|shuffled| shuffled.column).collect(), proof })
    }
}

impl<G: Group> Mix<G> {
    /// Mixes columns that all have the same number of rows, possibly none.
    ///
    /// # Errors
    /// [`ShuffleError`] if the columns do not match or there are fewer generators than rows.
    pub fn new(
        key: &PublicKey<G>,
        inputs: &[Column<G>],
        generators: &Generators<G>,
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        match inputs.first().map(Column::len) {
            None => Err(ShuffleError::Empty),
            Some(0) if inputs.iter().all(Column::is_empty) => {
                Ok(Self { outputs: inputs.to_vec(), proof: None })
            }
            Some(n) => {
                PreparedMix::prepare(n, generators, context, rng)?.mix(key, inputs, context, rng)
            }
        }
    }
}
