//! The masks of a list proof are used up by it.

use algebra::Group;
use rand_chacha::ChaCha20Rng;
use shuffle::tw::{
    CommittedPermutation, ListMasks, ListStatement, PermutationContext, ShuffledColumn, prove_lists,
};

fn two_proofs<G: Group>(
    committed: &CommittedPermutation<G>,
    context: &PermutationContext<'_>,
    statement: &ListStatement<'_, G>,
    shuffled: &[&ShuffledColumn<G>],
    masks: ListMasks<G>,
    rng: &mut ChaCha20Rng,
) {
    let _ = prove_lists(committed, context, statement, shuffled, masks, rng);
    let _ = prove_lists(committed, context, statement, shuffled, masks, rng);
}

fn main() {}
