//! Messages as small exponents, for groups into which no byte string embeds: a random curve point of
//! G2 is almost never in the subgroup.

use std::{collections::HashMap, sync::LazyLock};

use crate::{Bls12381G2, Embed, Group, PointError, Scalar};

/// The encoding of `m·H` for every message `m`. Takes a fraction of a second to make, once.
static LOGARITHMS: LazyLock<HashMap<Box<[u8]>, u16>> = LazyLock::new(|| {
    let generator = Bls12381G2::generator();
    let multiples = std::iter::successors(Some(Bls12381G2::identity()), |m| Some(*m + generator));
    let multiples: Vec<_> = multiples.take(1 << u16::BITS).collect();
    let encoded = Bls12381G2::encode_all(&multiples);
    encoded.chunks(Bls12381G2::ENCODED_LEN).map(Box::from).zip(0..=u16::MAX).collect()
});

/// The message is the logarithm, little-endian. Unlike in ristretto255, embedding takes variable
/// time.
impl Embed for Bls12381G2 {
    const CAPACITY: usize = 2;

    fn embed(message: &[u8]) -> Result<Self, PointError> {
        let mut padded = [0; 2];
        let head = padded.get_mut(..message.len()).ok_or(PointError::Length { index: 0 })?;
        head.copy_from_slice(message);
        let exponent = u16::from_le_bytes(padded);
        Ok(Self::mul_generator(&Scalar::from_u64(exponent.into())))
    }

    fn extract(&self) -> Option<Vec<u8>> {
        let exponent = LOGARITHMS.get(self.encode().as_slice())?;
        Some(exponent.to_le_bytes().to_vec())
    }
}
