//! The circuit key: commitments to the permutations, which stand for the circuit.

use algebra::{Engine, Pairing, Scalar, ScalarOf};
use transcript::{Transcript, TranscriptExt};
use wire::{Digest, Encode};

use super::{
    super::{error::Error, key::absorb_inputs},
    permutation::Permutation,
    rewrite::DEGREE,
    srs::{BoundedSrs, Srs},
    system::{PermutedSystem, from_power_1},
};
use crate::file::key_digest;

/// The verifying key of a circuit: anybody makes it from the circuit and the reference string. A
/// verifier who has not made it itself trusts whoever did that it is the circuit's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<E: Engine> {
    pub(super) srs: BoundedSrs<E>,
    /// `n`.
    pub(super) gates: u32,
    pub(super) public: u32,
    pub(super) circuit: Digest,
    /// Of each permutation.
    pub(super) permutations: [PermutationKey<E>; DEGREE],
}

/// Commitments to a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PermutationKey<E: Engine> {
    /// `P_2 = [α Σ ψ_i x^i]₁`.
    pub factors: E::G1,
    /// `P_4 = [α Σ σ(i) x^i]₁`.
    pub rows: E::G1,
}

impl<E: Engine> VerifyingKey<E> {
    /// The key of a circuit under a reference string: six multi-scalar multiplications of `3n + 1`
    /// terms.
    ///
    /// # Errors
    /// [`Error::Circuit`] if that part of the reference string is for circuits of another size.
    pub fn new(srs: &Srs<E>, system: &PermutedSystem<ScalarOf<E>>) -> Result<Self, Error> {
        if srs.gates() != system.gates() {
            return Err(Error::Circuit);
        }
        let commit = |permutation: &Permutation<_>| -> Result<_, Error> {
            let factors = from_power_1(permutation.factors.iter().copied());
            let rows = from_power_1(exponents(permutation));
            let commit = |f| srs.base().commit(f);
            Ok(PermutationKey { factors: commit(&factors)?, rows: commit(&rows)? })
        };
        let [one, two, three] = system.permutations().each_ref().map(commit);
        let count = |count| u32::try_from(count).map_err(|_| Error::CircuitSize);
        Ok(Self {
            srs: srs.verifier().clone(),
            gates: count(system.gates())?,
            public: count(system.public())?,
            circuit: system.digest(),
            permutations: [one?, two?, three?],
        })
    }

    /// The digest of the circuit.
    pub fn circuit(&self) -> Digest {
        self.circuit
    }

    /// The digest of the key: of every byte of it, which is all that a verifier goes by. Equal digests
    /// are equal keys; those of [`circuit`](Self::circuit) and [`srs`](Self::srs) leave points out that
    /// whoever made the key could have chosen.
    pub fn digest(&self) -> Digest {
        key_digest::<E>("snark/sonic-unhelped/key/v1", self)
    }

    /// The digest of the reference string: of its degree and its points `[x]₂`, `[αx]₂`, `[α]₂`, which
    /// determine one that is verified.
    pub fn srs(&self) -> Digest {
        self.srs.base.digest()
    }

    /// The degree `d` of the reference string.
    pub fn degree(&self) -> u64 {
        self.srs.base.degree
    }

    /// Public inputs of the circuit.
    pub fn public(&self) -> usize {
        self.public as usize
    }

    /// `N`.
    pub(super) fn size(&self) -> i64 {
        3 * i64::from(self.gates) + 1
    }

    /// Requires that this is the key of a circuit under a reference string.
    ///
    /// # Errors
    /// [`Error::Circuit`].
    pub(super) fn check(
        &self,
        srs: &Srs<E>,
        system: &PermutedSystem<ScalarOf<E>>,
    ) -> Result<(), Error> {
        let same = self.circuit == system.digest() && self.srs == *srs.verifier();
        match same && srs.gates() == system.gates() {
            true => Ok(()),
            false => Err(Error::Circuit),
        }
    }

    /// The transcript of a proof, up to its first message: reference string, circuit and the public
    /// inputs.
    pub(super) fn statement(&self, inputs: &[ScalarOf<E>]) -> Transcript {
        let mut transcript = Transcript::new(b"subrosa/sonic-unhelped/v1");
        transcript.absorb(b"pairing", <E as Pairing>::NAME.as_bytes());
        transcript.absorb(b"srs", self.srs().as_bytes());
        transcript.absorb(b"key", &self.to_bytes());
        absorb_inputs::<E>(&mut transcript, inputs);
        transcript
    }
}

/// `σ(i)`, counted from 1 as the powers of `Y` are.
pub(super) fn exponents<S: Scalar>(permutation: &Permutation<S>) -> impl Iterator<Item = S> {
    permutation.rows.iter().map(|&row| S::from_u64(u64::from(row) + 1))
}
