//! One mixer's whole contribution, and the check of a chain of them.

use algebra::{Group, Pairing};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    Crs, Scheme, ShuffleProof,
    verify::{Turn, verify_turns},
};
use crate::{Column, MixContext, PublicKey, ShuffleError, decode_columns, encode_columns};

const VERSION: u8 = 1;

/// What a mixer publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingMix<E: Pairing> {
    /// The argument that the proof is of.
    pub scheme: Scheme,
    /// Digest of what is proven: context, reference string, key and inputs. The pairing equations
    /// themselves know nothing of studies and mixers; this, under the mixer's signature of the
    /// whole, keeps a mix from being filed as another one's.
    pub statement: Digest,
    /// The columns, permuted and re-encrypted.
    pub outputs: Vec<Column<E::G2>>,
    /// The proof; absent exactly if there are no rows.
    pub proof: Option<ShuffleProof<E>>,
}

/// A mix with the place that it claims in a chain.
#[derive(Clone, Copy, Debug)]
pub struct PairingClaim<'a, E: Pairing> {
    /// Whose turn it was.
    pub context: MixContext<'a>,
    /// What was published.
    pub mix: &'a PairingMix<E>,
}

/// Checks a chain of mixes, each taking what the one before published, in one product of pairings.
///
/// `rng` must be unpredictable to the mixers: the weights come from it, after everything is fixed.
///
/// # Errors
/// [`ShuffleError`] naming the first mixer, and the equation, that fails.
pub fn verify_mixes<E: Pairing>(
    crs: &Crs<E>,
    key: &PublicKey<E::G2>,
    inputs: &[Column<E::G2>],
    claims: &[PairingClaim<'_, E>],
    rng: &mut impl CryptoRng,
) -> Result<(), ShuffleError> {
    let mut turns = Vec::with_capacity(claims.len());
    let mut before = inputs;
    for PairingClaim { context, mix } in claims {
        require_shape(crs, context.mixer, mix, before)?;
        if mix.statement != statement(crs, key, before, context) {
            return Err(ShuffleError::Statement { mixer: context.mixer });
        }
        if let Some(proof) = &mix.proof {
            turns.push(Turn { mixer: context.mixer, proof, before, after: &mix.outputs });
        }
        before = &mix.outputs;
    }
    verify_turns(crs, key, &turns, rng)
}

/// Requires the scheme of the reference string, as many columns and rows as before, and a proof of
/// that shape exactly if there are rows.
fn require_shape<E: Pairing>(
    crs: &Crs<E>,
    mixer: u32,
    mix: &PairingMix<E>,
    before: &[Column<E::G2>],
) -> Result<(), ShuffleError> {
    if mix.scheme != crs.scheme {
        return Err(ShuffleError::Statement { mixer });
    }
    let (expected, got) = (before.len(), mix.outputs.len());
    if got != expected || expected == 0 {
        return Err(ShuffleError::Length { what: "columns", expected, got });
    }
    let n = before.first().map_or(0, Column::len);
    if let Some(got) = before.iter().chain(&mix.outputs).map(Column::len).find(|&got| got != n) {
        return Err(ShuffleError::Length { what: "list", expected: n, got });
    }
    crs.require(n)?;
    match &mix.proof {
        Some(proof) if n > 0 => proof.require_lengths(crs.scheme, n, before.len()),
        None if n == 0 => Ok(()),
        _ => Err(ShuffleError::Proof { mixer, rows: n > 0 }),
    }
}

/// The digest of what a mixer proves.
pub(crate) fn statement<E: Pairing>(
    crs: &Crs<E>,
    key: &PublicKey<E::G2>,
    inputs: &[Column<E::G2>],
    context: &MixContext<'_>,
) -> Digest {
    let mut transcript = Transcript::new(b"subrosa/shuffle/pairing/mix/v1");
    transcript.absorb(b"scheme", &[crs.scheme.code()]);
    transcript.absorb(b"pairing", E::NAME.as_bytes());
    transcript.absorb(b"reference string", crs.digest().as_bytes());
    transcript.absorb(b"study", context.study);
    transcript.absorb(b"mix", context.mix);
    transcript.absorb_u64(b"mixer", context.mixer.into());
    transcript.absorb_u64(b"position", context.position.into());
    transcript.absorb(b"pk", &key.point().encode());
    transcript.absorb_u64(b"n", inputs.first().map_or(0, Column::len) as u64);
    transcript.absorb_u64(b"columns", inputs.len() as u64);
    for component in inputs.iter().flat_map(Column::components) {
        transcript.absorb(b"in", component.encoding());
    }
    let mut digest = [0; 32];
    transcript.challenge_bytes(b"statement digest", &mut digest);
    Digest::from(digest)
}

/// Version, scheme, statement; rows, columns, the columns; the proof if there are rows.
impl<E: Pairing> Encode for PairingMix<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend([VERSION, self.scheme.code()]);
        self.statement.encode(out);
        encode_columns(&self.outputs, out);
        if let Some(proof) = &self.proof {
            proof.encode(out);
        }
    }
}

impl<E: Pairing> Decode for PairingMix<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if reader.u8()? != VERSION {
            return Err(DecodeError::invalid("version", "of another program version"));
        }
        let scheme = Scheme::decode(reader)?;
        let statement = Digest::decode(reader)?;
        let outputs = decode_columns(reader)?;
        let n = outputs.first().map_or(0, Column::len);
        let proof = match n {
            0 => None,
            _ => Some(ShuffleProof::decode(reader, scheme, n, outputs.len())?),
        };
        Ok(Self { scheme, statement, outputs, proof })
    }
}
