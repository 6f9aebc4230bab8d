//! Opening sums without showing their blindings: `D_j − 2V_j·G` is a multiple of `H`, for several
//! sums under one challenge.

use algebra::{Group as _, Scalar as _};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt as _};
use wire::{DecodeError, Reader};
use zeroize::Zeroizing;

use crate::{
    Fault,
    commitment::{BASES, Encoded, Point, Scalar, decode, encode, mask},
    sum_tree::encodings,
};

/// Schnorr proofs, one a sum: 64 bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    /// `R = k·H`.
    pub(crate) commitments: Vec<Encoded>,
    /// `s = k + c·x`, where the multiple is `x`.
    pub(crate) responses: Vec<Scalar>,
}

impl Openings {
    /// Proves that the prover knows `x_i` with `D_i − 2V_i·G = x_i·H`.
    pub(crate) fn prove(
        transcript: &mut Transcript,
        multiples: &[Scalar],
        rng: &mut impl CryptoRng,
    ) -> Self {
        let masks = Zeroizing::new(Scalar::random_many(multiples.len(), rng));
        let commitments: Vec<_> = masks.iter().map(|k| encode(&mask(k))).collect();
        let challenge = challenge(transcript, &commitments);
        let respond = |(k, x): (&Scalar, &Scalar)| k + challenge * x;
        Self { commitments, responses: masks.iter().zip(multiples).map(respond).collect() }
    }

    /// Checks that doubled sums open to `values`.
    pub(crate) fn verify(
        &self,
        transcript: &mut Transcript,
        doubles: &[Point],
        values: &[Scalar],
    ) -> Result<(), Fault> {
        let (got, expected) = (self.commitments.len() as u64, values.len() as u64);
        if got != expected || doubles.len() != values.len() || self.responses.len() != values.len()
        {
            return Err(Fault::Number { what: "openings of sums", got, expected });
        }
        let challenge = challenge(transcript, &self.commitments);
        let sums = doubles.iter().zip(values);
        let proofs = self.commitments.iter().zip(&self.responses);
        for ((double, value), (commitment, response)) in sums.zip(proofs) {
            // s·H + 2cV·G − c·D = R, where 2V is the factor that a doubled point needs.
            let doubled = challenge * (value + value);
            let scalars = [*response, doubled, -challenge];
            let found = Point::msm(&scalars, &[BASES.blinding, BASES.value, *double]);
            if found != decode("opening of a sum", commitment)? {
                return Err(Fault::Equation { what: "opening of a sum" });
            }
        }
        Ok(())
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        self.commitments.iter().for_each(|commitment| out.extend_from_slice(commitment));
        out.extend_from_slice(&Scalar::encode_all(&self.responses));
    }

    pub(crate) fn decode(reader: &mut Reader<'_>, count: usize) -> Result<Self, DecodeError> {
        let commitments = encodings(reader, count)?;
        Ok(Self { commitments, responses: scalars(reader, count)? })
    }
}

/// Reads canonical scalars.
pub(crate) fn scalars(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Scalar>, DecodeError> {
    let decoded = Scalar::decode_all(reader.items(count, 32)?);
    decoded.map_err(|error| DecodeError::not_canonical("scalar", error))
}

fn challenge(transcript: &mut Transcript, commitments: &[Encoded]) -> Scalar {
    transcript.absorb(b"R", commitments.as_flattened());
    Scalar::from_wide(&transcript.challenge_wide(b"c"))
}
