//! The messages of the commitment-consistent proof for lists
//! (`docs/spec/shuffle.md#the-lists`).

use algebra::{Group, Scalar};
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};

use crate::encode;

/// A proof that L columns moved by one committed permutation and were re-encrypted:
/// `PK{(k, e', u_1..u_L)}` of (L0) and (L1) for a fresh challenge vector e of 128-bit integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListProof<G: Group> {
    /// `T_k`, opening: `sum e_i·a_i = k·H + sum e'_i·H_i`.
    pub opening: G,
    /// `T_l`, two components for each column:
    /// `sum e_i·in_l[i] = −u_l·(G, pk_l) + sum e'_i·out_l[i]`.
    pub columns: Vec<[G; 2]>,
    /// The responses.
    pub responses: ListResponses<G>,
}

/// One response `z = mask − c·secret` for each secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListResponses<G: Group> {
    /// `z_1..z_n`, for the permuted challenges e'.
    pub challenges: Vec<G::Scalar>,
    /// `z_k`.
    pub opening: G::Scalar,
    /// `z_u_1..z_u_L`, for the re-encryption randomness `u_l = sum r_{l,i}·e_i`.
    pub columns: Vec<G::Scalar>,
}

impl<G: Group> ListProof<G> {
    pub(super) fn absorb_announcements(&self, transcript: &mut Transcript) {
        transcript.absorb(b"T_k", &self.opening.encode());
        transcript.absorb(b"T_l", &G::encode_all(self.columns.as_flattened()));
    }

    /// Reads a proof about L columns of length n: `T_k, (T_l), (z_i), z_k, (z_u_l)`.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, n: usize, columns: usize) -> Result<Self, DecodeError> {
        let opening = encode::point(reader, "T_k")?;
        let announced = encode::point_list(reader, "T_l", columns.saturating_mul(2))?;
        let responses = ListResponses {
            challenges: encode::scalars::<G>(reader, "z_i", n)?,
            opening: encode::scalar::<G>(reader, "z_k")?,
            columns: encode::scalars::<G>(reader, "z_u", columns)?,
        };
        Ok(Self { opening, columns: announced.points().as_chunks().0.to_vec(), responses })
    }
}

impl<G: Group> ListResponses<G> {
    pub(super) fn absorb(&self, transcript: &mut Transcript) {
        transcript.absorb(b"z_k", &self.opening.encode());
        transcript.absorb(b"z_i", &G::Scalar::encode_all(&self.challenges));
        transcript.absorb(b"z_u", &G::Scalar::encode_all(&self.columns));
    }
}

impl<G: Group> Encode for ListProof<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.opening.encode());
        out.extend(G::encode_all(self.columns.as_flattened()));
        out.extend(G::Scalar::encode_all(&self.responses.challenges));
        out.extend(self.responses.opening.encode());
        out.extend(G::Scalar::encode_all(&self.responses.columns));
    }
}
