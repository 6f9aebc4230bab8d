//! ristretto255 (RFC 9496), by `curve25519-dalek`.

use curve25519_dalek::{
    constants::{RISTRETTO_BASEPOINT_COMPRESSED, RISTRETTO_BASEPOINT_POINT},
    ristretto::{CompressedRistretto, RistrettoPoint},
    traits::{Identity, IsIdentity},
};
use rayon::prelude::*;
use sha2::{Digest, Sha256, Sha512};

use crate::{
    Embed, Group, PointError, Scalar, ScalarError,
    kernels::{dalek, ristretto_msm},
};

/// A point of ristretto255, the default group of every protocol that needs no pairing.
pub type Ristretto255 = RistrettoPoint;

type Modular = curve25519_dalek::scalar::Scalar;

/// Points that share an inversion; the rest goes to other threads.
const DOUBLES_CHUNK: usize = 512;
/// Encodings that one thread decodes or makes at a time.
const ENCODINGS_CHUNK: usize = 512;
/// Fewer encodings than fill half the lanes are left to the library.
const ENCODINGS_MIN: usize = 4;
/// Points that one thread multiplies at a time.
const MULTIPLES_CHUNK: usize = 64;
/// Fewer points than these are left to the library.
const MULTIPLES_MIN: usize = 3;

/// The encodings of `2 · points_i`, at less than a tenth of the price of encoding one by one: the
/// doubling saves the square root, and the points share an inversion.
///
/// ```
/// # use algebra::{Group, Ristretto255, encode_doubles};
/// let points = [Ristretto255::generator(), Ristretto255::hash_to_group(b"docs")];
/// assert_eq!(encode_doubles(&points)[1].as_slice(), points[1].double().encode());
/// ```
pub fn encode_doubles(points: &[Ristretto255]) -> Vec<[u8; 32]> {
    let encode = |chunk: &[Ristretto255]| -> Vec<[u8; 32]> {
        let encoded = RistrettoPoint::double_and_compress_batch(chunk);
        encoded.into_iter().map(|point| point.to_bytes()).collect()
    };
    match points.len() {
        0..=DOUBLES_CHUNK => encode(points),
        _ => points.par_chunks(DOUBLES_CHUNK).flat_map_iter(encode).collect(),
    }
}

/// The points of encodings.
fn decode_chunk(encodings: &[[u8; 32]]) -> Result<Vec<Ristretto255>, PointError> {
    let eight = (encodings.len() >= ENCODINGS_MIN).then(|| dalek::decode(encodings)).flatten();
    match eight {
        Some(points) => points.map_err(|index| PointError::Encoding { index }),
        None => {
            let points = encodings.iter().enumerate();
            points.map(|(i, e)| RistrettoPoint::decode(e).map_err(|error| error.at(i))).collect()
        }
    }
}

impl Scalar for Modular {
    fn zero() -> Self {
        Self::ZERO
    }

    fn one() -> Self {
        Self::ONE
    }

    fn from_u128(value: u128) -> Self {
        value.into()
    }

    fn from_wide(bytes: &[u8; 64]) -> Self {
        Self::from_bytes_mod_order_wide(bytes)
    }

    fn invert(&self) -> Option<Self> {
        (*self != Self::ZERO).then(|| Self::invert(self))
    }

    fn encode(&self) -> [u8; 32] {
        self.to_bytes()
    }

    fn decode(bytes: &[u8; 32]) -> Result<Self, ScalarError> {
        Option::from(Self::from_canonical_bytes(*bytes)).ok_or(ScalarError { index: 0 })
    }
}

impl Group for RistrettoPoint {
    type Scalar = Modular;
    type Precomputed = Self;

    const NAME: &'static str = "ristretto255";
    const ENCODED_LEN: usize = 32;

    fn identity() -> Self {
        Identity::identity()
    }

    fn generator() -> Self {
        RISTRETTO_BASEPOINT_POINT
    }

    fn is_identity(&self) -> bool {
        IsIdentity::is_identity(self)
    }

    fn mul(&self, scalar: &Modular) -> Self {
        self * scalar
    }

    fn mul_generator(scalar: &Modular) -> Self {
        Self::mul_base(scalar)
    }

    fn mul_all(points: &[Self], scalar: &Modular) -> Vec<Self> {
        let multiply = |points: &[Self]| {
            let eight = (points.len() >= MULTIPLES_MIN).then(|| dalek::multiples(points, scalar));
            let one_by_one = || points.iter().map(|point| point * scalar).collect();
            eight.flatten().unwrap_or_else(one_by_one)
        };
        points.par_chunks(MULTIPLES_CHUNK).flat_map_iter(multiply).collect()
    }

    fn msm(scalars: &[Modular], points: &[Self]) -> Self {
        ristretto_msm::msm(scalars, points)
    }

    fn msm_short(scalars: &[u128], points: &[Self]) -> Self {
        ristretto_msm::msm_short(scalars, points)
    }

    fn hash_to_group(label: &[u8]) -> Self {
        Self::from_uniform_bytes(&Sha512::digest(label).into())
    }

    fn encode(&self) -> Vec<u8> {
        self.compress().to_bytes().to_vec()
    }

    fn encoded_generator() -> Vec<u8> {
        RISTRETTO_BASEPOINT_COMPRESSED.to_bytes().to_vec()
    }

    fn decode(bytes: &[u8]) -> Result<Self, PointError> {
        let compressed =
            CompressedRistretto::from_slice(bytes).map_err(|_| PointError::Length { index: 0 })?;
        compressed.decompress().ok_or(PointError::Encoding { index: 0 })
    }

    fn encode_all(points: &[Self]) -> Vec<u8> {
        let encode = |points: &[Self]| -> Vec<u8> {
            let eight = (points.len() >= ENCODINGS_MIN).then(|| dalek::encode(points)).flatten();
            match eight {
                Some(encodings) => encodings.into_flattened(),
                None => points.iter().flat_map(|point| point.compress().to_bytes()).collect(),
            }
        };
        points.par_chunks(ENCODINGS_CHUNK).flat_map_iter(encode).collect()
    }

    fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, PointError> {
        let (encodings, rest) = bytes.as_chunks();
        let decode = |(chunk, encodings): (usize, &[[u8; 32]])| {
            let points = decode_chunk(encodings);
            points.map_err(|error| error.at(chunk * ENCODINGS_CHUNK + error.index()))
        };
        let chunks: Vec<_> =
            encodings.par_chunks(ENCODINGS_CHUNK).enumerate().map(decode).collect();
        let mut points = Vec::with_capacity(encodings.len());
        for chunk in chunks {
            points.append(&mut chunk?);
        }
        if rest.is_empty() { Ok(points) } else { Err(PointError::Length { index: points.len() }) }
    }

    fn precompute(points: &[Self]) -> Vec<Self> {
        points.to_vec()
    }

    fn add_precomputed(&self, point: &Self) -> Self {
        self + point
    }

    fn sub_precomputed(&self, point: &Self) -> Self {
        self - point
    }

    fn sums_in_lanes() -> bool {
        dalek::agrees()
    }

    fn sum_precomputed(points: &[Self], terms: &[u32], starts: &[u32]) -> Option<Vec<Self>> {
        dalek::list_sums(points, terms, starts)
    }
}

/// Lizard: 16 bytes to a point and back, injective and constant time.
impl Embed for RistrettoPoint {
    const CAPACITY: usize = 16;

    fn embed(message: &[u8]) -> Result<Self, PointError> {
        let mut padded = [0; 16];
        let head = padded.get_mut(..message.len()).ok_or(PointError::Length { index: 0 })?;
        head.copy_from_slice(message);
        Ok(Self::lizard_encode::<Sha256>(&padded))
    }

    fn extract(&self) -> Option<Vec<u8>> {
        self.lizard_decode::<Sha256>().map(|message| message.to_vec())
    }
}
