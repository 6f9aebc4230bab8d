//! The proof of knowledge of native ceremonies, which is gnark's: `[x]₁`, and `x·R` for a point `R` of
//! G2 that is hashed from it.
//!
//! `R` is hashed by RFC 9380, so nobody knows its logarithm, and only somebody who knows `x` can multiply it by `x`.
//! The challenge binds the proof to its place in the chain. The proof publishes `[x]₁`. So never use it for a secret
//! whose `[x]₁` nobody may have, such as the `α` of Sonic; [`step`](crate::step) is for these.

use algebra::{Affine, AffineGroup, Engine, Group, ScalarOf};
use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    kernels::{times, to_affine},
    step::point,
};

/// Tells the secrets of a contribution apart.
pub(crate) type Tag = [u8; 32];

pub(crate) const TAU: Tag = *b"subrosa/ceremony/v1/tau\0\0\0\0\0\0\0\0\0";
pub(crate) const ALPHA: Tag = *b"subrosa/ceremony/v1/alpha\0\0\0\0\0\0\0";
pub(crate) const BETA: Tag = *b"subrosa/ceremony/v1/beta\0\0\0\0\0\0\0\0";
pub(crate) const DELTA: Tag = *b"subrosa/ceremony/v1/delta\0\0\0\0\0\0\0";

/// `[x]₁` and `π = x·R`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Knowledge<E: Engine> {
    pub commitment: Affine<E::G1>,
    proof: Affine<E::G2>,
}

impl<E: Engine> Knowledge<E> {
    /// Proves knowledge of a secret to a challenge.
    pub fn prove(tag: &Tag, challenge: &[u8; 64], secret: &ScalarOf<E>) -> Self {
        let commitment = to_affine(E::G1::mul_generator(secret));
        let proof = times::<E::G2>(base::<E>(tag, challenge, &commitment), secret);
        Self { commitment, proof }
    }

    /// `R` and `π`, which have the ratio of `G` and `[x]₁` if the proof is right, and then that of any
    /// two points of G1 of which the second is `x` times the first.
    pub fn ratio(&self, tag: &Tag, challenge: &[u8; 64]) -> [Affine<E::G2>; 2] {
        [base::<E>(tag, challenge, &self.commitment), self.proof]
    }
}

/// `R`.
fn base<E: Engine>(tag: &Tag, challenge: &[u8; 64], commitment: &Affine<E::G1>) -> Affine<E::G2> {
    let commitment = E::G1::from_affine(commitment).encode();
    to_affine(E::G2::hash_to_group(&[&tag[..], &commitment, challenge].concat()))
}

impl<E: Engine> Encode for Knowledge<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(E::G1::from_affine(&self.commitment).encode());
        out.extend(E::G2::from_affine(&self.proof).encode());
    }
}

impl<E: Engine> Decode for Knowledge<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let commitment = point::<E::G1>(reader, "commitment")?;
        Ok(Self { commitment, proof: point::<E::G2>(reader, "proof")? })
    }
}
