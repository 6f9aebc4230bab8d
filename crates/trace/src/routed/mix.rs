//! The mix: every server's permutation, and the ballots' way through all of them.

use std::sync::Arc;

use algebra::Group;
use shuffle::{
    Ciphertext, Column,
    tw::{Direction, Generators, VerifiedPermutation},
};
use wire::{Digest, Encode};

use super::{
    Inputs, PermutationMessage, Turn,
    passage::{Occasion, mix_purpose},
};
use crate::{
    TraceError,
    parts::encode::{digest_of, require_all},
};

/// Inputs that went through all servers, verified from the ballots on: every permutation proof,
/// and every list proof *against these permutations*.
#[derive(Clone)]
pub struct Mixed<G: Group> {
    inputs: Arc<Inputs<G>>,
    generators: Arc<Generators<G>>,
    messages: Vec<PermutationMessage<G>>,
    permutations: Vec<VerifiedPermutation<G>>,
    turns: Vec<Turn<G>>,
    digest: Digest,
}

/// How ballots pass.
pub(super) fn occasion<'a, G: Group>(
    inputs: &'a Inputs<G>,
    generators: &'a Generators<G>,
    purpose: &'a Digest,
) -> Occasion<'a, G> {
    Occasion {
        session: inputs.session().id(),
        name: inputs.session().mix_name(),
        stage: "mix",
        purpose: purpose.as_bytes(),
        direction: Direction::Forward,
        key: *inputs.session().keys().public_key(),
        generators,
    }
}

pub(super) fn purpose<G: Group>(
    inputs: &Inputs<G>,
    messages: &[PermutationMessage<G>],
) -> Result<Digest, TraceError> {
    mix_purpose(inputs.session().servers(), inputs.digest(), messages)
}

impl<G: Group> Mixed<G> {
    /// Verifies the permutations and turns of servers 1..=m, in order. `generators` has at least
    /// as many as there are rows.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Shuffle`] naming the first server that fails.
    pub fn verify(
        inputs: Arc<Inputs<G>>,
        messages: Vec<PermutationMessage<G>>,
        turns: Vec<Turn<G>>,
        generators: Arc<Generators<G>>,
    ) -> Result<Self, TraceError> {
        let permutations = verify_permutations(&inputs, &messages, &generators)?;
        let purpose = purpose(&inputs, &messages)?;
        occasion(&inputs, &generators, &purpose).verify(&permutations, inputs.columns(), &turns)?;
        let mut parts = vec![inputs.digest().as_bytes().to_vec()];
        parts.extend(messages.iter().map(Encode::to_bytes));
        parts.extend(turns.iter().map(Encode::to_bytes));
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/mix", &parts);
        Ok(Self { inputs, generators, messages, permutations, turns, digest })
    }

    /// The inputs.
    pub fn inputs(&self) -> &Arc<Inputs<G>> {
        &self.inputs
    }

    /// The permutation messages of servers 1..=m.
    pub fn messages(&self) -> &[PermutationMessage<G>] {
        &self.messages
    }

    /// The turns of servers 1..=m.
    pub fn turns(&self) -> &[Turn<G>] {
        &self.turns
    }

    /// What all servers sign before any of them decrypts: session, inputs, permutations, mix.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The generators that all proofs of the session are over.
    pub fn generators(&self) -> &Generators<G> {
        &self.generators
    }

    pub(super) fn shared_generators(&self) -> Arc<Generators<G>> {
        self.generators.clone()
    }

    pub(super) fn permutations(&self) -> &[VerifiedPermutation<G>] {
        &self.permutations
    }

    /// What the last server put out, block after block.
    pub(super) fn ciphertexts(&self) -> Vec<Ciphertext<G>> {
        let last = self.turns.last().map_or(self.inputs.columns(), |turn| &turn.columns);
        last.iter().flat_map(Column::ciphertexts).collect()
    }

    /// What the decryption of the outputs is bound to.
    pub(super) fn decryption_context(&self) -> Vec<u8> {
        [b"trace/outputs".as_slice(), self.digest.as_bytes()].concat()
    }
}

/// Checks that every server committed to a permutation of the inputs.
pub(super) fn verify_permutations<G: Group>(
    inputs: &Inputs<G>,
    messages: &[PermutationMessage<G>],
    generators: &Generators<G>,
) -> Result<Vec<VerifiedPermutation<G>>, TraceError> {
    let session = inputs.session();
    require_all("permutations", session.servers(), messages.len())?;
    let verify = |(server, message): (u16, &PermutationMessage<G>)| {
        message.verify(session.mix_name(), server, inputs.rows(), generators)
    };
    (1..).zip(messages).map(verify).collect()
}
