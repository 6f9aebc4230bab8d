//! Honest mixers and the passages of lists through their permutations.

use algebra::Group;
use rand_core::CryptoRng;
use shuffle::{
    Column, PublicKey, ShuffleError,
    tw::{
        CommittedPermutation, Direction, Generators, ListClaim, ListContext, ListMasks, ListProof,
        ListStatement, Passage, Permutation, PermutationContext, PermutationProof,
        VerifiedPermutation, prove_lists, prove_permutation, shuffle_column, verify_chain,
        verify_lists, verify_permutation,
    },
};

/// A mixer whose committed permutation everybody accepted.
pub(crate) struct Mixer<G: Group> {
    pub(crate) context: PermutationContext<'static>,
    pub(crate) committed: CommittedPermutation<G>,
    pub(crate) proof: PermutationProof<G>,
    pub(crate) verified: VerifiedPermutation<G>,
}

/// Lists before and after a mixer, each under its key, and the mixer's proof.
#[derive(Clone)]
pub(crate) struct Passed<G: Group> {
    pub(crate) context: ListContext<'static>,
    pub(crate) direction: Direction,
    pub(crate) keys: Vec<PublicKey<G>>,
    pub(crate) before: Vec<Column<G>>,
    pub(crate) after: Vec<Column<G>>,
    pub(crate) proof: ListProof<G>,
}

impl<G: Group> Mixer<G> {
    pub(crate) fn new(
        mixer: u32,
        permutation: Permutation,
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Self {
        let context = PermutationContext { study: b"study", mix: b"mix", mixer };
        let committed = CommittedPermutation::commit(permutation, generators, rng).unwrap();
        let proof = prove_permutation(&committed, generators, &context, rng).unwrap();
        let commitment = committed.commitment().clone();
        let verified = verify_permutation(commitment, &proof, generators, &context).unwrap();
        Self { context, committed, proof, verified }
    }

    pub(crate) fn random(
        mixer: u32,
        n: usize,
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Self {
        Self::new(mixer, Permutation::random(n, rng), generators, rng)
    }

    pub(crate) fn list_context(
        &self,
        purpose: &'static [u8],
        position: u32,
    ) -> ListContext<'static> {
        let PermutationContext { study, mix, mixer } = self.context;
        ListContext { study, mix, purpose, mixer, position }
    }

    /// Moves columns honestly and proves it.
    pub(crate) fn pass(
        &self,
        context: ListContext<'static>,
        direction: Direction,
        lists: &[(PublicKey<G>, Column<G>)],
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Passed<G> {
        let masks = ListMasks::prepare(self.verified.commitment().len(), generators, rng).unwrap();
        self.pass_tampering(context, direction, lists, masks, rng, |_| {})
    }

    /// As [`Mixer::pass`], except that the prover changes the published lists before proving.
    pub(crate) fn pass_tampering(
        &self,
        context: ListContext<'static>,
        direction: Direction,
        lists: &[(PublicKey<G>, Column<G>)],
        masks: ListMasks<G>,
        rng: &mut impl CryptoRng,
        tamper: impl FnOnce(&mut [Column<G>]),
    ) -> Passed<G> {
        let (keys, before): (Vec<_>, Vec<_>) = lists.iter().cloned().unzip();
        let mut shuffle =
            |(key, column)| shuffle_column(&self.committed, direction, key, column, rng).unwrap();
        let shuffled: Vec<_> = keys.iter().zip(&before).map(&mut shuffle).collect();
        let mut after: Vec<_> = shuffled.iter().map(|moved| moved.column.clone()).collect();
        tamper(&mut after);
        let passages = passages(&keys, &before, &after);
        let statement = ListStatement { context, direction, passages: &passages };
        let moved: Vec<_> = shuffled.iter().collect();
        let proof =
            prove_lists(&self.committed, &self.context, &statement, &moved, masks, rng).unwrap();
        drop(passages);
        Passed { context, direction, keys, before, after, proof }
    }
}

pub(crate) fn passages<'a, G: Group>(
    keys: &[PublicKey<G>],
    before: &'a [Column<G>],
    after: &'a [Column<G>],
) -> Vec<Passage<'a, G>> {
    let lists = keys.iter().zip(before).zip(after);
    lists.map(|((&key, before), after)| Passage { key, before, after }).collect()
}

impl<G: Group> Passed<G> {
    pub(crate) fn passages(&self) -> Vec<Passage<'_, G>> {
        passages(&self.keys, &self.before, &self.after)
    }

    pub(crate) fn statement<'a>(&self, passages: &'a [Passage<'a, G>]) -> ListStatement<'a, G> {
        ListStatement { context: self.context, direction: self.direction, passages }
    }

    pub(crate) fn verify(
        &self,
        permutation: &VerifiedPermutation<G>,
        generators: &Generators<G>,
    ) -> Result<(), ShuffleError> {
        let passages = self.passages();
        let statement = self.statement(&passages);
        verify_lists(&ListClaim { permutation, statement, proof: &self.proof }, generators)
    }

    /// The published lists with their keys, for the next mixer.
    pub(crate) fn published(&self) -> Vec<(PublicKey<G>, Column<G>)> {
        self.keys.iter().copied().zip(self.after.iter().cloned()).collect()
    }
}

/// Checks passages in one multi-scalar multiplication.
pub(crate) fn verify_passed_chain<G: Group>(
    chain: &[(&VerifiedPermutation<G>, &Passed<G>)],
    generators: &Generators<G>,
) -> Result<(), ShuffleError> {
    let passages: Vec<_> = chain.iter().map(|(_, passed)| passed.passages()).collect();
    let claims: Vec<_> = chain
        .iter()
        .zip(&passages)
        .map(|(&(permutation, passed), passages)| ListClaim {
            permutation,
            statement: passed.statement(passages),
            proof: &passed.proof,
        })
        .collect();
    verify_chain(&claims, generators)
}
