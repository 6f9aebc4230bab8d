//! Compressed points: an `x` coordinate whose spare top bits say which `y` is meant.
//!
//! Written out here rather than left to arkworks, so that what decodes is exactly what encodes.

use ark_ec::{
    AffineRepr, CurveGroup,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field, PrimeField};

use crate::{PointError, parallel, weierstrass::Curve};

/// A layout of compressed points. Masks apply to the byte that holds the top bits of `x`.
#[derive(Clone, Copy)]
pub struct Format {
    /// Whether the encoding runs from the most significant byte (and coordinate) down.
    big_endian: bool,
    /// Set in every encoding.
    always: u8,
    /// Set for the neutral element, whose other bits are zero.
    infinity: u8,
    /// Set if `y > −y`.
    larger: u8,
}

impl Format {
    /// The Zcash form of BLS12-381.
    pub(crate) const ZCASH: Self =
        Self { big_endian: true, always: 0x80, infinity: 0x40, larger: 0x20 };

    /// The compressed form of arkworks.
    pub(crate) const ARKWORKS: Self =
        Self { big_endian: false, always: 0, infinity: 0x40, larger: 0x80 };
}

/// Appends the encoding of `point`.
pub(crate) fn encode<P: Curve>(point: &Affine<P>, out: &mut Vec<u8>) {
    let format = P::FORMAT;
    let start = out.len();
    let (x, flags) = match point.xy() {
        None => (P::BaseField::ZERO, format.infinity),
        Some((x, y)) if y > -y => (x, format.larger),
        Some((x, _)) => (x, 0),
    };
    for coefficient in x.to_base_prime_field_elements() {
        let limbs = coefficient.into_bigint();
        out.extend(limbs.as_ref().iter().flat_map(|limb| limb.to_le_bytes()));
    }
    if let Some(top) = out.last_mut() {
        *top |= format.always | flags;
    }
    if format.big_endian
        && let Some(encoding) = out.get_mut(start..)
    {
        encoding.reverse();
    }
}

/// What an encoding says: x, and whether the larger y is meant.
pub(crate) enum Compressed<F> {
    /// The neutral element.
    Infinity,
    /// Another.
    Point { x: F, larger: bool },
}

const BAD_ENCODING: PointError = PointError::Encoding { index: 0 };
/// Points that one thread decodes at a time.
const CHUNK: usize = 256;
/// Points that are brought to affine form with one inversion, to be encoded.
const ENCODE_CHUNK: usize = 1024;

/// The encodings of many points.
pub(crate) fn encode_all<P: Curve>(points: &[Projective<P>]) -> Vec<u8> {
    let encode_chunk = |chunk: &[Projective<P>]| {
        let mut bytes = Vec::with_capacity(chunk.len() * P::ENCODED_LEN);
        let affine = Projective::normalize_batch(chunk);
        affine.iter().for_each(|point| encode(point, &mut bytes));
        bytes
    };
    parallel::chunks(points, ENCODE_CHUNK, |_, chunk| encode_chunk(chunk)).concat()
}

/// Decodes a point of the curve, in the prime-order subgroup or not.
pub(crate) fn decode<P: Curve>(bytes: &[u8]) -> Result<Affine<P>, PointError> {
    decompress(read::<P>(bytes)?)
}

/// Decodes points one after the other, until one does not decode, and says why not.
pub(crate) fn decode_all<P: Curve>(bytes: &[u8]) -> (Vec<Affine<P>>, Option<PointError>) {
    let decoded =
        parallel::chunks(bytes, CHUNK * P::ENCODED_LEN, |_, chunk| decode_chunk::<P>(chunk));
    let mut points = Vec::with_capacity(bytes.len() / P::ENCODED_LEN);
    for point in decoded.into_iter().flatten() {
        match point {
            Ok(point) => points.push(point),
            Err(error) => {
                let error = error.at(points.len());
                return (points, Some(error));
            }
        }
    }
    (points, None)
}

fn decode_chunk<P: Curve>(bytes: &[u8]) -> Vec<Result<Affine<P>, PointError>> {
    decompress_all(bytes.chunks(P::ENCODED_LEN).map(read::<P>).collect())
}

/// Points of the curve.
pub(crate) fn decompress_all<P: Curve>(
    compressed: Vec<Result<Compressed<P::BaseField>, PointError>>,
) -> Vec<Result<Affine<P>, PointError>> {
    let squares = compressed.iter().map(|compressed| match compressed {
        Ok(Compressed::Point { x, .. }) => x.square() * x + P::COEFF_B,
        _ => P::BaseField::ZERO,
    });
    let squares: Vec<_> = squares.collect();
    let roots = P::roots(&squares).unwrap_or_default();
    let roots = roots.into_iter().map(Some).chain(std::iter::repeat(None));
    let point = |((compressed, square), root): ((Result<_, _>, _), Option<P::BaseField>)| {
        let compressed = compressed?;
        match (&compressed, root) {
            (Compressed::Point { x, larger }, Some(y)) if y.square() == square => {
                Ok(Affine::new_unchecked(*x, if (y > -y) == *larger { y } else { -y }))
            }
            // There is no root, or the vector kernels know none or do not run.
            _ => decompress(compressed),
        }
    };
    compressed.into_iter().zip(squares).zip(roots).map(point).collect()
}

/// A point of the curve.
pub(crate) fn decompress<P: Curve>(
    compressed: Compressed<P::BaseField>,
) -> Result<Affine<P>, PointError> {
    let Compressed::Point { x, larger } = compressed else { return Ok(Affine::identity()) };
    // No curve here has a point of even order, hence `y` is never zero and the roots differ.
    let (y_smaller, y_larger) = P::ys_from_x(x).ok_or(BAD_ENCODING)?;
    Ok(Affine::new_unchecked(x, if larger { y_larger } else { y_smaller }))
}

fn read<P: Curve>(bytes: &[u8]) -> Result<Compressed<P::BaseField>, PointError> {
    let format = P::FORMAT;
    let mut bytes = bytes.to_vec();
    if format.big_endian {
        bytes.reverse();
    }
    let len = bytes.len();
    let Some(top) = bytes.last_mut().filter(|_| len == P::ENCODED_LEN) else {
        return Err(PointError::Length { index: 0 });
    };
    let flags = *top & (format.always | format.infinity | format.larger);
    *top ^= flags;

    let (infinity, larger) = (format.always | format.infinity, format.always | format.larger);
    if flags == infinity && bytes.iter().all(|&byte| byte == 0) {
        return Ok(Compressed::Infinity);
    }
    if flags != format.always && flags != larger {
        return Err(BAD_ENCODING);
    }
    let x = coordinate::<P>(&bytes).ok_or(BAD_ENCODING)?;
    Ok(Compressed::Point { x, larger: flags == larger })
}

/// An element of the field that the curve is over; `None` if a coefficient is not reduced.
fn coordinate<P: SWCurveConfig>(bytes: &[u8]) -> Option<P::BaseField> {
    let degree = P::BaseField::extension_degree() as usize;
    let coefficients = bytes.chunks(bytes.len() / degree).map(field_from_le_bytes);
    let coefficients: Option<Vec<_>> = coefficients.collect();
    P::BaseField::from_base_prime_field_elems(coefficients?)
}

/// An element of a prime field from all of its bytes, little-endian; `None` if not reduced.
pub(crate) fn field_from_le_bytes<F: PrimeField>(bytes: &[u8]) -> Option<F> {
    let mut integer = F::BigInt::default();
    let (words, _) = bytes.as_chunks::<8>();
    for (limb, word) in integer.as_mut().iter_mut().zip(words) {
        *limb = u64::from_le_bytes(*word);
    }
    F::from_bigint(integer)
}
