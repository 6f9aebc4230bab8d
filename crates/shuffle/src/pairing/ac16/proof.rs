//! What a mixer publishes.

use algebra::{Group, Pairing};
use wire::{Decode, DecodeError, Encode, Reader};

use super::{Ciphertext, Column};
use crate::{PointList, ShuffleError, encode};

const VERSION: u8 = 1;

/// Outputs and proof of a shuffle of at least one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix<E: Pairing> {
    /// The ciphertexts, permuted and re-encrypted.
    pub outputs: Column<E>,
    /// Why they hold the same messages.
    pub proof: Proof<E>,
}

/// The proof of a shuffle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<E: Pairing> {
    /// `A_i1`: unit vectors, committed to in G1; the last is left out.
    pub a1: PointList<E::G1>,
    /// `A_i2`: the same in G2.
    pub a2: PointList<E::G2>,
    /// `π_i`: that each is a unit vector.
    pub pi: PointList<E::G1>,
    /// `c_{1,1}` and `c_{1,2}`: commitments to the re-encryption randomness.
    pub c1: [E::G2; 2],
    /// `C_2`: the inputs, weighted by the randomness of the `A_i`, and re-encrypted.
    pub c2: Ciphertext<E>,
}

impl<E: Pairing> Proof<E> {
    pub(crate) fn require_lengths(&self, n: usize) -> Result<(), ShuffleError> {
        let sent = n.saturating_sub(1);
        let lengths = [
            ("A in G1", self.a1.len(), sent),
            ("A in G2", self.a2.len(), sent),
            ("pi", self.pi.len(), n),
        ];
        match lengths.into_iter().find(|(_, got, expected)| got != expected) {
            Some((what, got, expected)) => Err(ShuffleError::Length { what, expected, got }),
            None => Ok(()),
        }
    }
}

/// Version, the outputs, and the proof in the order of its fields.
impl<E: Pairing> Encode for Mix<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        self.outputs.encode(out);
        let Proof { a1, a2, pi, c1, c2 } = &self.proof;
        out.extend_from_slice(a1.encoding());
        out.extend_from_slice(a2.encoding());
        out.extend_from_slice(pi.encoding());
        out.extend(E::G2::encode_all(c1));
        out.extend(E::G1::encode_all(&c2.g1));
        out.extend(E::G2::encode_all(&c2.g2));
    }
}

impl<E: Pairing> Decode for Mix<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if reader.u8()? != VERSION {
            return Err(DecodeError::invalid("version", "of another program version"));
        }
        let outputs = Column::decode(reader)?;
        let n = outputs.len();
        if n == 0 {
            return Err(DecodeError::invalid("rows", "there must be at least one"));
        }
        let a1 = encode::point_list(reader, "A in G1", n - 1)?;
        let a2 = encode::point_list(reader, "A in G2", n - 1)?;
        let pi = encode::point_list(reader, "pi", n)?;
        let mut g2 = |what| encode::point::<E::G2>(reader, what);
        let c1 = [g2("c_1")?, g2("c_1")?];
        let mut g1 = || encode::point::<E::G1>(reader, "C_2 in G1");
        let first = [g1()?, g1()?, g1()?];
        let mut g2 = || encode::point::<E::G2>(reader, "C_2 in G2");
        let c2 = Ciphertext { g1: first, g2: [g2()?, g2()?, g2()?] };
        Ok(Self { outputs, proof: Proof { a1, a2, pi, c1, c2 } })
    }
}
