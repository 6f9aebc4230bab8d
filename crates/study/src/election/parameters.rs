//! The parameters of the shuffle tFLSZ as an election publishes them: with everything that shows who
//! made them, so that a bundle is verified from the first contribution on.

use std::io::Cursor;

use algebra::Bls12381;
use ceremony::{phase1, tflsz};
use circuit::native::TflszPoints;
use rand_core::CryptoRng;
use thiserror::Error;
use wire::{Decode, DecodeError, Digest, Encode, FileHeader, Reader, put_bytes};

const HEADER: FileHeader = FileHeader::new("tflszpar", 1);
/// The most bytes of either part.
const MAX_PART: usize = 1 << 30;
/// Beacons of more hashings would keep everybody from verifying the election.
const MAX_ITERATIONS_EXP: u8 = 24;

/// Why parameters were refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// Not a file of parameters.
    #[error("parameters: {0}")]
    Format(#[from] DecodeError),
    /// The phase 1 is wrong.
    #[error("parameters, phase 1: {0}")]
    Phase1(#[source] ceremony::Error),
    /// The ceremony of the reference string is wrong.
    #[error("parameters, tFLSZ ceremony: {0}")]
    Ceremony(#[source] ceremony::Error),
    /// A round without contributions: everybody knows a secret.
    #[error("parameters: nobody contributed to {0}")]
    Unfinished(&'static str),
}

/// The files of the two ceremonies, over BLS12-381: a phase 1 and what was made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TflszParameters {
    /// The `.ptau` file.
    pub phase1: Vec<u8>,
    /// The last file of `subrosa ceremony tflsz`.
    pub ceremony: Vec<u8>,
}

/// Parameters that passed every check.
pub struct VerifiedParameters {
    /// The reference string.
    pub points: TflszPoints<Bls12381>,
    /// Who contributed, to which ceremony. Whose the names are, nobody can tell.
    pub contributors: Vec<String>,
}

impl TflszParameters {
    /// Checks every contribution to both ceremonies, and every point.
    ///
    /// # Errors
    /// [`ParametersError`], naming ceremony, contribution or point.
    pub fn verify(&self, rng: &mut impl CryptoRng) -> Result<VerifiedParameters, ParametersError> {
        let mut settings = phase1::Settings::default();
        settings.max_iterations_exp = MAX_ITERATIONS_EXP;
        let mut ptau = Cursor::new(&self.phase1);
        let powers = phase1::verify::<Bls12381>(&mut ptau, &settings, rng, &())
            .map_err(ParametersError::Phase1)?;
        if powers.contributions.is_empty() {
            return Err(ParametersError::Unfinished("phase 1"));
        }
        let mut file = Cursor::new(&self.ceremony);
        let verified = tflsz::verify::<Bls12381>(&mut file, &mut ptau, rng, &())
            .map_err(ParametersError::Ceremony)?;
        if !verified.is_complete() {
            return Err(ParametersError::Unfinished("a round of the tFLSZ ceremony"));
        }
        let mut finished = Vec::new();
        let points = tflsz::finish::<Bls12381>(&mut file, &mut finished)
            .and_then(|()| Ok(TflszPoints::read(&mut Cursor::new(finished))?))
            .map_err(ParametersError::Ceremony)?;

        let from_powers = powers.contributions.into_iter().map(|one| one.attribution.name);
        let from_ceremony = verified.info.first.into_iter().chain(verified.info.second);
        let named = |ceremony, name: Option<String>| {
            format!("{ceremony}: {}", name.as_deref().unwrap_or("without a name"))
        };
        let contributors = from_powers.map(|name| named("phase 1", name));
        let contributors =
            contributors.chain(from_ceremony.map(|one| named("tFLSZ ceremony", one.name)));
        Ok(VerifiedParameters { points, contributors: contributors.collect() })
    }

    /// The name of the parameters, which the description of an election gives.
    pub fn digest(&self) -> Digest {
        digest_of(&self.to_bytes())
    }
}

/// The digest of a file of parameters.
pub(super) fn digest_of(file: &[u8]) -> Digest {
    Digest::of("subrosa/election/parameters/v1", file)
}

/// Header; phase 1 and ceremony, each behind its length.
impl Encode for TflszParameters {
    fn encode(&self, out: &mut Vec<u8>) {
        HEADER.encode(out);
        put_bytes(out, &self.phase1);
        put_bytes(out, &self.ceremony);
    }
}

impl Decode for TflszParameters {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        HEADER.expect(reader)?;
        let phase1 = reader.bytes("phase 1", MAX_PART)?.to_vec();
        Ok(Self { phase1, ceremony: reader.bytes("tFLSZ ceremony", MAX_PART)?.to_vec() })
    }
}
