//! The messages of the proof that a commitment is to a permutation
//! (`docs/spec/shuffle.md#the-permutation`).

use algebra::{Group, Scalar};
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};

use crate::{PointList, encode};

/// A proof of knowledge of a permutation and openings behind a commitment of length n.
///
/// `PK{(t, k, e', s', w)}` of the four relations that [`Announcements`] lists; e is the challenge
/// vector drawn after the commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermutationProof<G: Group> {
    /// The bridging list `B_i = s'_i·H + e'_i·B_{i−1}`, with `B_0 = G`.
    pub bridging: PointList<G>,
    /// The first messages of the sigma protocol.
    pub announcements: Announcements<G>,
    /// Its responses.
    pub responses: Responses<G>,
}

/// One announcement for each relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcements<G: Group> {
    /// `T_t`, row sums: `sum a_i − sum H_i = t·H`.
    pub row_sums: G,
    /// `T_k`, opening at e: `sum e_i·a_i = k·H + sum e'_i·H_i`.
    pub opening: G,
    /// `T_B_1..T_B_n`, bridging: `B_i = s'_i·H + e'_i·B_{i−1}`.
    pub bridging: PointList<G>,
    /// `T_w`, product: `B_n − (prod e_i)·G = w·H`.
    pub product: G,
}

/// One response `z = mask − c·secret` for each secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Responses<G: Group> {
    /// `z_t`.
    pub row_sums: G::Scalar,
    /// `z_k`.
    pub opening: G::Scalar,
    /// `z_e_1..z_e_n`, for the permuted challenges e'.
    pub challenges: Vec<G::Scalar>,
    /// `z_s_1..z_s_n`, for the bridging randomness s'.
    pub bridging: Vec<G::Scalar>,
    /// `z_w`.
    pub product: G::Scalar,
}

impl<G: Group> Announcements<G> {
    pub(super) fn absorb(&self, transcript: &mut Transcript) {
        transcript.absorb(b"T_t", &self.row_sums.encode());
        transcript.absorb(b"T_k", &self.opening.encode());
        transcript.absorb(b"T_B", self.bridging.encoding());
        transcript.absorb(b"T_w", &self.product.encode());
    }
}

impl<G: Group> Responses<G> {
    pub(super) fn absorb(&self, transcript: &mut Transcript) {
        transcript.absorb(b"z_t", &self.row_sums.encode());
        transcript.absorb(b"z_k", &self.opening.encode());
        transcript.absorb(b"z_e", &G::Scalar::encode_all(&self.challenges));
        transcript.absorb(b"z_s", &G::Scalar::encode_all(&self.bridging));
        transcript.absorb(b"z_w", &self.product.encode());
    }
}

impl<G: Group> PermutationProof<G> {
    /// Reads a proof about a commitment of length n: `(B_i), (T_B_i), T_t, T_k, T_w, (z_e_i),
    /// (z_s_i), z_t, z_k, z_w`.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, n: usize) -> Result<Self, DecodeError> {
        let bridging = encode::point_list(reader, "B", n)?;
        let announcements = Announcements {
            bridging: encode::point_list(reader, "T_B", n)?,
            row_sums: encode::point(reader, "T_t")?,
            opening: encode::point(reader, "T_k")?,
            product: encode::point(reader, "T_w")?,
        };
        let responses = Responses {
            challenges: encode::scalars::<G>(reader, "z_e", n)?,
            bridging: encode::scalars::<G>(reader, "z_s", n)?,
            row_sums: encode::scalar::<G>(reader, "z_t")?,
            opening: encode::scalar::<G>(reader, "z_k")?,
            product: encode::scalar::<G>(reader, "z_w")?,
        };
        Ok(Self { bridging, announcements, responses })
    }
}

impl<G: Group> Encode for PermutationProof<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.bridging.encoding());
        let Announcements { row_sums, opening, bridging, product } = &self.announcements;
        out.extend_from_slice(bridging.encoding());
        [row_sums, opening, product].iter().for_each(|point| out.extend(point.encode()));
        let Responses { row_sums, opening, challenges, bridging, product } = &self.responses;
        out.extend(G::Scalar::encode_all(challenges));
        out.extend(G::Scalar::encode_all(bridging));
        [row_sums, opening, product].iter().for_each(|scalar| out.extend(scalar.encode()));
    }
}
