//! 1.5 Mix: the encrypted values' way through all servers.

use std::{borrow::Borrow, sync::Arc};

use rand_core::CryptoRng;
use shuffle::tw::{CommittedPermutation, Generators, VerifiedPermutation};
use wire::{DecodeError, Digest, Encode, Reader};

use super::{
    Inputs, Session,
    bases::G1,
    paillier::{
        Ciphertexts, Context, Elements, PaillierError, ShuffleClaim, ShuffleProof, prove_shuffle,
        shuffle_ciphertexts, verify_shuffle,
    },
};
use trace::{
    TraceError,
    parts::{
        encode::{digest_of, require_all},
        fresh,
    },
    routed::{PermutationMessage, passage::mix_purpose},
};

/// A list of Paillier ciphertexts as it leaves a server, permuted by its committed permutation and
/// re-encrypted, with the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaillierTurn {
    list: Ciphertexts,
    proof: ShuffleProof<G1>,
}

/// On which occasion Paillier ciphertexts pass the servers: always forwards.
#[derive(Clone, Copy)]
pub(super) struct PaillierOccasion<'a> {
    pub(super) session: &'a Session,
    pub(super) generators: &'a Generators<G1>,
    /// `mix`, or everything that was said before in a pass.
    pub(super) purpose: &'a [u8],
    pub(super) step: &'static str,
}

impl PaillierOccasion<'_> {
    fn context(&self, server: u16) -> Context<'_> {
        Context { session: self.session.id().as_bytes(), purpose: self.purpose, server }
    }

    fn failed(&self) -> impl Fn(PaillierError) -> TraceError {
        let step = self.step;
        move |error| TraceError::engine(step, error.culprit(), error)
    }

    /// A server's turn. Re-encryption randomness and proof masks are derived from its secret, the
    /// list that it takes and `rng` (see [`fresh`]).
    pub(super) fn pass(
        &self,
        committed: &CommittedPermutation<G1>,
        server: u16,
        before: &Ciphertexts,
        secret: &[u8; 32],
        rng: &mut impl CryptoRng,
    ) -> Result<PaillierTurn, TraceError> {
        let key = self.session.paillier();
        let statement = self.statement_digest(server, before);
        let rng = &mut fresh::hedged(secret, "re-encryption of numbers", &statement, rng);
        let shuffled = shuffle_ciphertexts(key, committed, before, rng).map_err(self.failed())?;
        let context = self.context(server);
        let proof =
            prove_shuffle(key, &context, self.generators, committed, before, &shuffled, rng)
                .map_err(self.failed())?;
        Ok(PaillierTurn { list: shuffled.list.clone(), proof })
    }

    /// Checks the turns of the first servers, of which `known` are known to hold, against their
    /// verified permutations.
    pub(super) fn verify_from<T: Borrow<PaillierTurn>>(
        &self,
        known: usize,
        permutations: &[VerifiedPermutation<G1>],
        start: &Ciphertexts,
        turns: &[T],
    ) -> Result<(), TraceError> {
        let expected = permutations.len();
        if turns.len() > expected {
            return Err(TraceError::Missing { what: "turns", expected, got: turns.len() });
        }
        let mut before = start;
        let rows = turns.iter().map(Borrow::borrow).zip(permutations).enumerate();
        for ((place, (turn, permutation)), server) in rows.zip(1..) {
            let PaillierTurn { list: after, proof } = turn;
            if place >= known {
                let context = self.context(server);
                let claim = ShuffleClaim { context, permutation, before, after, proof };
                verify_shuffle(self.session.paillier(), self.generators, &claim)
                    .map_err(|error| self.blame(server, error))?;
            }
            before = after;
        }
        Ok(())
    }

    fn statement_digest(&self, server: u16, before: &Ciphertexts) -> Digest {
        let (session, server) = (self.session.id().as_bytes(), server.to_le_bytes());
        let mut parts: Vec<&[u8]> = vec![session, self.purpose, &server];
        parts.extend(before.components().iter().map(Elements::encoding));
        digest_of("trace/db/passage", &parts)
    }

    /// A list of the wrong length is its server's doing, too.
    fn blame(&self, server: u16, error: PaillierError) -> TraceError {
        match error.culprit() {
            Some(_) => TraceError::engine(self.step, error.culprit(), error),
            None => TraceError::step(self.step, server, "its list does not fit"),
        }
    }
}

impl PaillierTurn {
    /// The list.
    pub fn list(&self) -> &Ciphertexts {
        &self.list
    }

    /// Reads a server's turn in a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        let list = Ciphertexts::decode(reader, session.paillier())?;
        let proof = ShuffleProof::decode(reader, session.paillier(), list.len())?;
        Ok(Self { list, proof })
    }
}

/// List, proof.
impl Encode for PaillierTurn {
    fn encode(&self, out: &mut Vec<u8>) {
        self.list.encode(out);
        self.proof.encode(out);
    }
}

/// Inputs that went through all servers, verified from the submissions on: every permutation
/// proof, and every turn *against these permutations*.
pub struct Mixed {
    inputs: Arc<Inputs>,
    generators: Arc<Generators<G1>>,
    messages: Vec<PermutationMessage<G1>>,
    permutations: Vec<VerifiedPermutation<G1>>,
    turns: Vec<Vec<u8>>,
    last: Ciphertexts,
    digest: Digest,
}

/// How submissions pass.
pub(super) fn occasion<'a>(
    session: &'a Session,
    generators: &'a Generators<G1>,
    purpose: &'a Digest,
) -> PaillierOccasion<'a> {
    PaillierOccasion { session, generators, purpose: purpose.as_bytes(), step: "mix" }
}

/// What all proofs of the mix are bound to.
pub(super) fn purpose(
    inputs: &Inputs,
    messages: &[PermutationMessage<G1>],
) -> Result<Digest, TraceError> {
    mix_purpose(inputs.session().servers(), inputs.digest(), messages)
}

/// Verifies the permutations of the first servers, except what was verified before.
fn verify_permutations(
    inputs: &Inputs,
    messages: &[PermutationMessage<G1>],
    generators: &Generators<G1>,
) -> Result<Vec<VerifiedPermutation<G1>>, TraceError> {
    let name = inputs.session().base().mix_name();
    let verify = |(server, message): (u16, &PermutationMessage<G1>)| {
        let verify = || message.verify(name, server, inputs.rows(), generators);
        inputs.verified_permutations().get(server, message, verify)
    };
    (1..).zip(messages).map(verify).collect()
}

/// Verifies the turns of the first servers, except what was verified before. The permutations of all
/// servers are there once there is a turn.
pub(super) fn verify_turns(
    inputs: &Inputs,
    messages: &[PermutationMessage<G1>],
    turns: &[PaillierTurn],
    generators: &Generators<G1>,
) -> Result<(), TraceError> {
    if turns.is_empty() {
        return Ok(());
    }
    // If there are more turns than messages, the turns are refused for that below.
    let first = messages.get(..turns.len()).unwrap_or(messages);
    let permutations = verify_permutations(inputs, first, generators)?;
    check_turns(inputs, messages, &permutations, turns, generators)
}

fn check_turns(
    inputs: &Inputs,
    messages: &[PermutationMessage<G1>],
    permutations: &[VerifiedPermutation<G1>],
    turns: &[PaillierTurn],
    generators: &Generators<G1>,
) -> Result<(), TraceError> {
    let purpose = purpose(inputs, messages)?;
    inputs.verified_turns().check(&purpose, turns, |known| {
        let occasion = occasion(inputs.session(), generators, &purpose);
        occasion.verify_from(known, permutations, inputs.values(), turns)
    })
}

impl Mixed {
    /// Verifies permutations and turns of the first servers, as they come; what was verified before is
    /// not verified again.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::Shuffle`], [`TraceError::Engine`] or
    /// [`TraceError::Step`] naming the first server that fails.
    pub fn check(
        inputs: &Inputs,
        messages: &[PermutationMessage<G1>],
        turns: &[PaillierTurn],
        generators: &Generators<G1>,
    ) -> Result<(), TraceError> {
        verify_permutations(inputs, messages, generators)?;
        verify_turns(inputs, messages, turns, generators)
    }

    /// Verifies the permutations and turns of servers 1..=m, in order.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::Shuffle`], [`TraceError::Engine`] or
    /// [`TraceError::Step`] naming the first server that fails.
    pub fn verify(
        inputs: Arc<Inputs>,
        messages: Vec<PermutationMessage<G1>>,
        turns: &[PaillierTurn],
        generators: Arc<Generators<G1>>,
    ) -> Result<Self, TraceError> {
        let session = inputs.session();
        require_all("permutations", session.servers(), messages.len())?;
        let permutations = verify_permutations(&inputs, &messages, &generators)?;
        require_all("turns", session.servers(), turns.len())?;
        check_turns(&inputs, &messages, &permutations, turns, &generators)?;
        let last = turns.last().map_or(inputs.values(), PaillierTurn::list).clone();
        let encoded: Vec<Vec<u8>> = messages.iter().map(Encode::to_bytes).collect();
        let turns: Vec<Vec<u8>> = turns.iter().map(Encode::to_bytes).collect();
        let mut parts: Vec<&[u8]> = vec![inputs.digest().as_bytes()];
        parts.extend(encoded.iter().chain(&turns).map(Vec::as_slice));
        let digest = digest_of("trace/db/mix", &parts);
        Ok(Self { inputs, generators, messages, permutations, turns, last, digest })
    }

    /// The inputs.
    pub fn inputs(&self) -> &Arc<Inputs> {
        &self.inputs
    }

    /// The permutation messages of servers 1..=m.
    pub fn messages(&self) -> &[PermutationMessage<G1>] {
        &self.messages
    }

    /// The encoded turns of servers 1..=m, for records.
    pub(super) fn turns(&self) -> &[Vec<u8>] {
        &self.turns
    }

    /// The generators that all proofs of the session are over.
    pub fn generators(&self) -> &Generators<G1> {
        &self.generators
    }

    /// What all servers sign before any of them decrypts: session, inputs, permutations, mix.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(super) fn permutations(&self) -> &[VerifiedPermutation<G1>] {
        &self.permutations
    }

    /// What the last server put out.
    pub(super) fn last(&self) -> &Ciphertexts {
        &self.last
    }
}
