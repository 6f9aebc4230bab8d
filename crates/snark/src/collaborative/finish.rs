//! The last message, and the proof.

use algebra::{Affine, Engine, Group, ScalarOf};
use wire::{DecodeError, Encode, Reader};

use super::Error;
use crate::{
    file::point,
    groth16::{PreparedVerifyingKey, Proof, to_affine},
};

/// A party before it has the others' shares of C.
pub struct Finishing<E: Engine> {
    pub(super) verifier: PreparedVerifyingKey<E>,
    pub(super) public: Vec<ScalarOf<E>>,
    pub(super) a: Affine<E::G1>,
    pub(super) b: Affine<E::G2>,
}

/// A party's last message, after the [check](super::check).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondMessage<E: Engine> {
    /// Shares of C.
    pub c: E::G1,
}

impl<E: Engine> Finishing<E> {
    /// The proof, after all parties' second messages in their order. It is verified first.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`].
    pub fn finish(self, messages: &[SecondMessage<E>]) -> Result<Proof<E>, Error> {
        let c: E::G1 = messages.iter().map(|message| message.c).sum();
        let proof = Proof { a: self.a, b: self.b, c: to_affine(&c) };
        match self.verifier.verify(&self.public, &proof) {
            Ok(()) => Ok(proof),
            Err(_) => Err(Error::Unsatisfied),
        }
    }
}

impl<E: Engine> Encode for SecondMessage<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.c.encode());
    }
}

impl<E: Engine> SecondMessage<E> {
    /// Reads a message.
    ///
    /// # Errors
    /// [`DecodeError`], naming the field.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let message = Self { c: point(&mut reader, "C")? };
        reader.finish()?;
        Ok(message)
    }
}
