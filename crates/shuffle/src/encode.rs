//! Points and scalars on the wire.

use algebra::{Group, Scalar};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use wire::{DecodeError, Reader};

use crate::{Column, PointList};

/// Reads a point.
///
/// # Errors
/// [`DecodeError`] on anything but a canonical encoding.
pub fn point<G: Group>(reader: &mut Reader<'_>, what: &'static str) -> Result<G, DecodeError> {
    let bytes = reader.take(G::ENCODED_LEN)?;
    G::decode(bytes).map_err(|error| DecodeError::not_canonical(what, error))
}

/// Reads n points; a reader with a seed checks their subgroup together.
///
/// # Errors
/// [`DecodeError`] on anything but canonical encodings.
pub fn point_list<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<PointList<G>, DecodeError> {
    let bytes = reader.items(n, G::ENCODED_LEN)?;
    let points = match reader.seed() {
        None => PointList::decode(bytes),
        Some(seed) => PointList::decode_batch(bytes, &mut ChaCha20Rng::from_seed(seed)),
    };
    points.map_err(|error| DecodeError::not_canonical(what, error))
}

/// Reads a column of n ciphertexts: first components, then second components.
///
/// # Errors
/// [`DecodeError`] on anything but canonical encodings.
pub fn column<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<Column<G>, DecodeError> {
    let points = point_list(reader, what, n.saturating_mul(2))?;
    Column::from_components(&points).map_err(|error| DecodeError::not_canonical(what, error))
}

/// Reads a scalar.
///
/// # Errors
/// [`DecodeError`] if it is not reduced.
pub fn scalar<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<G::Scalar, DecodeError> {
    G::Scalar::decode(&reader.array()?).map_err(|error| DecodeError::not_canonical(what, error))
}

/// Reads n scalars.
///
/// # Errors
/// [`DecodeError`] if one is not reduced.
pub fn scalars<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<Vec<G::Scalar>, DecodeError> {
    let bytes = reader.items(n, G::Scalar::ENCODED_LEN)?;
    G::Scalar::decode_all(bytes).map_err(|error| DecodeError::not_canonical(what, error))
}
