//! What a verifier holds, and the transcripts that begin with it.

use std::io::{Read, Seek};

use algebra::{Engine, Pairing, Scalar, ScalarOf};
use transcript::{Transcript, TranscriptExt};
use wire::{Digest, Encode as _};

use super::{
    error::Error,
    field::Point,
    srs::{PieceSrs, Srs},
    system::GateSystem,
};
use crate::file::key_digest;

/// The verifying key of a circuit: anybody makes it from the circuit and the reference string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<E: Engine> {
    pub(crate) srs: PieceSrs<E>,
    pub(crate) circuit: Digest,
    pub(crate) public: u32,
}

impl<E: Engine> VerifyingKey<E> {
    /// The key of a circuit under a reference string.
    ///
    /// # Errors
    /// [`Error::Circuit`] if that part of the reference string is for circuits of another shape.
    pub fn new(srs: &Srs<E>, system: &GateSystem<ScalarOf<E>>) -> Result<Self, Error> {
        if srs.shape() != system.shape() {
            return Err(Error::Circuit);
        }
        Self::of(srs.verifier().clone(), system)
    }

    /// The key of a circuit under the reference string of a file, of which a few points are read.
    /// They are checked for the subgroup; that the file is a ceremony's, `ceremony` has verified.
    ///
    /// # Errors
    /// [`Error::Degree`], [`Error::Srs`].
    pub fn read(
        file: &mut (impl Read + Seek),
        system: &GateSystem<ScalarOf<E>>,
    ) -> Result<Self, Error> {
        Self::of(PieceSrs::read(system.shape(), file)?, system)
    }

    fn of(srs: PieceSrs<E>, system: &GateSystem<ScalarOf<E>>) -> Result<Self, Error> {
        // As many as a header counts.
        let public = u32::try_from(system.public()).map_err(|_| Error::CircuitSize)?;
        Ok(Self { srs, circuit: system.digest(), public })
    }

    /// The digest of the circuit.
    pub fn circuit(&self) -> Digest {
        self.circuit
    }

    /// The digest of the key: of every byte of it, which is all that a verifier goes by. Equal digests
    /// are equal keys; those of [`circuit`](Self::circuit) and [`srs`](Self::srs) leave points out that
    /// whoever made the key could have chosen.
    pub fn digest(&self) -> Digest {
        key_digest::<E>("snark/sonic/key/v1", self)
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

    /// Requires that this is the key of a circuit.
    ///
    /// # Errors
    /// [`Error::Circuit`].
    pub fn check_circuit(&self, system: &GateSystem<ScalarOf<E>>) -> Result<(), Error> {
        match self.circuit == system.digest() && self.public() == system.public() {
            true => Ok(()),
            false => Err(Error::Circuit),
        }
    }

    /// The transcript of a proof, up to its first message: everything that the statement is made
    /// of. A proof whose challenges do not depend on the inputs proves nothing about them, because
    /// `k(Y)` is linear in them and can be solved for them afterwards.
    pub(crate) fn statement(&self, inputs: &[ScalarOf<E>]) -> Transcript {
        let mut transcript = self.start(b"subrosa/sonic/v1");
        absorb_inputs::<E>(&mut transcript, inputs);
        transcript
    }

    /// A transcript about the circuit under the reference string.
    pub(crate) fn start(&self, protocol: &'static [u8]) -> Transcript {
        let mut transcript = Transcript::new(protocol);
        transcript.absorb(b"pairing", <E as Pairing>::NAME.as_bytes());
        transcript.absorb(b"srs", self.srs().as_bytes());
        transcript.absorb(b"pieces", &self.srs.to_bytes());
        transcript.absorb(b"circuit", self.circuit.as_bytes());
        transcript
    }
}

/// Absorbs public inputs and their number.
pub(crate) fn absorb_inputs<E: Engine>(transcript: &mut Transcript, inputs: &[ScalarOf<E>]) {
    transcript.absorb_u64(b"public inputs", inputs.len() as u64);
    transcript.absorb(b"inputs", &ScalarOf::<E>::encode_all(inputs));
}

/// A challenge that is not zero.
pub(crate) fn challenge<S: Scalar>(
    transcript: &mut Transcript,
    label: &'static [u8],
) -> Result<Point<S>, Error> {
    Point::new(S::from_wide(&transcript.challenge_wide(label))).ok_or(Error::Challenge)
}
