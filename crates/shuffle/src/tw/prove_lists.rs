//! Moving lists through a committed permutation, and the prover of the list proof
//! (`docs/spec/shuffle.md#the-lists`).

use algebra::{Group, Scalar, inner_product};
use rand_core::CryptoRng;
use transcript::TranscriptExt;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    CommittedPermutation, Direction, Generators, ListProof, ListResponses, ListStatement,
    PermutationContext,
    statement::{challenge_scalar, require},
};
use crate::{Column, PublicKey, ReEncryptor, ShuffleError};

/// A column as it leaves a mixer, with the randomness that its proof needs.
pub struct ShuffledColumn<G: Group> {
    /// The published list.
    pub column: Column<G>,
    /// `r_{l,i}`, indexed and signed by the roles of the proof.
    randomness: Zeroizing<Vec<G::Scalar>>,
}

/// The masks `om_k, om_1..om_n` of one list proof and the announcement `T_k` that they determine,
/// prepared before the lists exist. Used up by one proof: two proofs from the same masks give the
/// permutation away (`docs/spec/shuffle.md#security`).
///
/// One proof from them:
/// ```
/// # use algebra::Group;
/// # use rand_chacha::ChaCha20Rng;
/// # use shuffle::tw::{
/// #     CommittedPermutation, ListMasks, ListStatement, PermutationContext, ShuffledColumn, prove_lists,
/// # };
/// # fn prove<G: Group>(
/// #     committed: &CommittedPermutation<G>,
/// #     context: &PermutationContext<'_>,
/// #     statement: &ListStatement<'_, G>,
/// #     shuffled: &[&ShuffledColumn<G>],
/// #     masks: ListMasks<G>,
/// #     rng: &mut ChaCha20Rng,
/// # ) {
/// let _ = prove_lists(committed, context, statement, shuffled, masks, rng);
/// # }
/// ```
/// Not two, and no copy for another:
/// ```compile_fail,E0382
/// # use algebra::Group;
/// # use rand_chacha::ChaCha20Rng;
/// # use shuffle::tw::{
/// #     CommittedPermutation, ListMasks, ListStatement, PermutationContext, ShuffledColumn, prove_lists,
/// # };
/// # fn prove<G: Group>(
/// #     committed: &CommittedPermutation<G>,
/// #     context: &PermutationContext<'_>,
/// #     statement: &ListStatement<'_, G>,
/// #     shuffled: &[&ShuffledColumn<G>],
/// #     masks: ListMasks<G>,
/// #     rng: &mut ChaCha20Rng,
/// # ) {
/// let _ = prove_lists(committed, context, statement, shuffled, masks, rng);
/// let _ = prove_lists(committed, context, statement, shuffled, masks, rng);
/// # }
/// ```
/// ```compile_fail,E0277
/// # use algebra::Group;
/// # use rand_chacha::ChaCha20Rng;
/// # use shuffle::tw::{
/// #     CommittedPermutation, ListMasks, ListStatement, PermutationContext, ShuffledColumn, prove_lists,
/// # };
/// # fn prove<G: Group>(
/// #     committed: &CommittedPermutation<G>,
/// #     context: &PermutationContext<'_>,
/// #     statement: &ListStatement<'_, G>,
/// #     shuffled: &[&ShuffledColumn<G>],
/// #     masks: ListMasks<G>,
/// #     rng: &mut ChaCha20Rng,
/// # ) {
/// let _ = prove_lists(committed, context, statement, shuffled, ListMasks::clone(&masks), rng);
/// # }
/// ```
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct ListMasks<G: Group> {
    opening: G::Scalar,
    challenges: Vec<G::Scalar>,
    announcement: G,
}

impl<G: Group> ListMasks<G> {
    /// Draws masks for lists of length n.
    ///
    /// # Errors
    /// [`ShuffleError::Empty`] and [`ShuffleError::Generators`].
    pub fn prepare(
        n: usize,
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        generators.require(n)?;
        let opening = G::Scalar::random(rng);
        let challenges = G::Scalar::random_many(n, rng);
        let opened = G::msm(&challenges, generators.list(n));
        let announcement = generators.blinding().add_mul(opened, &opening);
        Ok(Self { opening, challenges, announcement })
    }
}

/// Permutes and re-encrypts one column: `after[j] = before[pi(j)] + E(0; ·)`, or with `pi^{-1}`
/// going backwards.
///
/// # Errors
/// [`ShuffleError::Length`] unless the column has the permutation's length.
pub fn shuffle_column<G: Group>(
    committed: &CommittedPermutation<G>,
    direction: Direction,
    key: &PublicKey<G>,
    before: &Column<G>,
    rng: &mut impl CryptoRng,
) -> Result<ShuffledColumn<G>, ShuffleError> {
    let n = committed.permutation().len();
    require("list", n, before.len())?;
    let inverse = committed.permutation().inverse();
    let mover = match direction {
        Direction::Forward => committed.permutation(),
        Direction::Backward => &inverse,
    };
    let fresh = Zeroizing::new(G::Scalar::random_many(n, rng));
    let mut after = mover.apply(&before.ciphertexts());
    ReEncryptor::for_rows(key, n).re_encrypt_all(&mut after, &fresh);
    let randomness = match direction {
        // r is indexed by the input position: r[pi(j)] went into output j.
        Direction::Forward => inverse.apply(&fresh),
        // The published list is the input of the proof, and subtracts what was added.
        Direction::Backward => fresh.iter().map(|&t| -t).collect(),
    };
    Ok(ShuffledColumn { column: Column::new(&after), randomness: Zeroizing::new(randomness) })
}

/// Proves that every passage went through the committed permutation, with one proof for all.
///
/// Costs `2·L` points of multi-scalar multiplication per row, `2·L + 1` with the preparation of
/// the masks. `shuffled` holds what [`shuffle_column`] returned for the passages, in their order.
///
/// # Errors
/// [`ShuffleError::Length`] unless all lists, masks and columns match.
pub fn prove_lists<G: Group>(
    committed: &CommittedPermutation<G>,
    permutation_context: &PermutationContext<'_>,
    statement: &ListStatement<'_, G>,
    shuffled: &[&ShuffledColumn<G>],
    masks: ListMasks<G>,
    rng: &mut impl CryptoRng,
) -> Result<ListProof<G>, ShuffleError> {
    let n = committed.permutation().len();
    statement.require_length(n)?;
    require("columns", statement.passages.len(), shuffled.len())?;
    require("masks", n, masks.challenges.len())?;
    shuffled.iter().try_for_each(|column| require("randomness", n, column.randomness.len()))?;

    let mut transcript = statement.transcript(&committed.digest(permutation_context));
    let challenges: Vec<G::Scalar> =
        transcript.challenge_shorts(b"e", n).into_iter().map(G::Scalar::from_u128).collect();
    let permuted = Zeroizing::new(committed.permutation().apply(&challenges));

    let column_masks = Zeroizing::new(G::Scalar::random_many(shuffled.len(), rng));
    let outputs = statement.roles().map(|(_, output)| output.components());
    let keys = statement.passages.iter().map(|passage| passage.key.point());
    let columns = outputs.zip(keys).zip(column_masks.iter()).map(|(([c1, c2], key), mask)| {
        [
            G::msm(&masks.challenges, c1.points()) - G::mul_generator(mask),
            G::msm(&masks.challenges, c2.points()) - key.mul(mask),
        ]
    });
    let mut proof = ListProof {
        opening: masks.announcement,
        columns: columns.collect(),
        responses: ListResponses { challenges: vec![], opening: masks.opening, columns: vec![] },
    };
    proof.absorb_announcements(&mut transcript);
    let c = challenge_scalar::<G>(&mut transcript);

    let respond = |(&mask, &secret): (&G::Scalar, &G::Scalar)| mask - c * secret;
    proof.responses.challenges =
        masks.challenges.iter().zip(permuted.iter()).map(respond).collect();
    proof.responses.opening -= c * committed.opening_at(&challenges);
    let rerandomizers =
        shuffled.iter().map(|column| inner_product(&column.randomness, &challenges));
    proof.responses.columns =
        column_masks.iter().zip(rerandomizers).map(|(&mask, u)| mask - c * u).collect();
    Ok(proof)
}
