//! Byte forms of other tools for points of curves, and one point to and from them.

use ark_ec::{
    AffineRepr,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field, PrimeField};

use crate::{
    PointError,
    montgomery::{self, FieldBelow, MontgomeryField},
    parallel,
    point_format::{self, Compressed},
    weierstrass::Curve,
};

/// Whose conventions a form follows where tools disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// snarkjs and ffjavascript: uncompressed infinity is all zeros; compressed points carry 0x80
    /// for the larger `y` and 0x40 for infinity, on every curve.
    Snarkjs,
    /// bellman and its descendants: uncompressed infinity is 0x40 and zeros; compressed points of
    /// BLS12-381 carry Zcash's three flags, those of BN254 the two of snarkjs.
    Bellman,
}

/// A byte form of affine points. Each has one encoding per point, and decoding accepts no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointForm {
    /// `x`, `y` little-endian in Montgomery form, all zeros for infinity: `LEM` of the iden3 files.
    Montgomery,
    /// `x`, `y` big-endian.
    Uncompressed(Dialect),
    /// `x` big-endian, with flags in its first byte.
    Compressed(Dialect),
}

impl PointForm {
    /// Bytes of a point whose coordinates have so many.
    pub(crate) fn point_len(self, coordinate: usize) -> usize {
        match self {
            Self::Montgomery | Self::Uncompressed(_) => 2 * coordinate,
            Self::Compressed(_) => coordinate,
        }
    }
}

const BAD: PointError = PointError::Encoding { index: 0 };
const CUT: PointError = PointError::Length { index: 0 };
/// Set for the neutral element in bellman's uncompressed form.
const INFINITY: u8 = 0x40;

/// Points that one thread takes at a time.
const CHUNK: usize = 256;

/// Flags in the first byte of a compressed point.
struct Flags {
    always: u8,
    infinity: u8,
    larger: u8,
}

const TWO_FLAGS: Flags = Flags { always: 0, infinity: 0x40, larger: 0x80 };
const ZCASH_FLAGS: Flags = Flags { always: 0x80, infinity: 0xc0, larger: 0xa0 };

/// Bytes of one coordinate, which is also what this project's own encoding of a point holds.
pub(crate) const fn coordinate_len<P: Curve>() -> usize {
    P::ENCODED_LEN
}

/// Appends a point.
pub(crate) fn encode<P: Curve>(point: &Affine<P>, form: PointForm, out: &mut Vec<u8>)
where
    FieldBelow<P>: MontgomeryField,
{
    let start = out.len();
    let mut flags = 0;
    // The neutral element has no coordinates, and zeros are written for them.
    let (x, y) = point.xy().unwrap_or((P::BaseField::ZERO, P::BaseField::ZERO));
    match form {
        PointForm::Montgomery => {
            write_montgomery::<P>(x, out);
            write_montgomery::<P>(y, out);
        }
        PointForm::Uncompressed(dialect) => {
            write_big_endian::<P>(x, out);
            write_big_endian::<P>(y, out);
            if dialect == Dialect::Bellman && point.is_zero() {
                flags = INFINITY;
            }
        }
        PointForm::Compressed(dialect) => {
            write_big_endian::<P>(x, out);
            let scheme = scheme::<P>(dialect);
            flags = match () {
                () if point.is_zero() => scheme.infinity,
                () if y > -y => scheme.larger,
                () => scheme.always,
            };
        }
    }
    if let Some(first) = out.get_mut(start) {
        *first |= flags;
    }
}

/// Decodes a point of the curve, in the prime-order subgroup or not.
pub(crate) fn decode<P: Curve>(bytes: &[u8], form: PointForm) -> Result<Affine<P>, PointError>
where
    FieldBelow<P>: MontgomeryField,
{
    let len = coordinate_len::<P>();
    let (x, y) = bytes.split_at_checked(len).ok_or(CUT)?;
    let expected = if matches!(form, PointForm::Compressed(_)) { 0 } else { len };
    if y.len() != expected {
        return Err(CUT);
    }
    let point = match form {
        PointForm::Montgomery if is_zero(bytes) => return Ok(Affine::identity()),
        PointForm::Montgomery => {
            Affine::new_unchecked(read_montgomery::<P>(x)?, read_montgomery::<P>(y)?)
        }
        PointForm::Uncompressed(dialect) => {
            let first = match dialect {
                Dialect::Snarkjs => 0,
                Dialect::Bellman => INFINITY,
            };
            if bytes.first() == Some(&first) && is_zero(bytes.get(1..).ok_or(CUT)?) {
                return Ok(Affine::identity());
            }
            Affine::new_unchecked(read_big_endian::<P>(x)?, read_big_endian::<P>(y)?)
        }
        PointForm::Compressed(dialect) => {
            return point_format::decompress(read_compressed::<P>(x, &scheme::<P>(dialect))?);
        }
    };
    if point.is_on_curve() { Ok(point) } else { Err(BAD) }
}

/// Decodes points on all threads, all in one form.
pub(crate) fn read<P: Curve>(bytes: &[u8], form: PointForm) -> Result<Vec<Affine<P>>, PointError>
where
    FieldBelow<P>: MontgomeryField,
{
    let len = form.point_len(coordinate_len::<P>());
    let decode_chunk = |chunk: usize, bytes: &[u8]| {
        let decoded = decode_all::<P>(bytes, form).into_iter().enumerate();
        let numbered = decoded.map(|(index, point): (usize, Result<_, PointError>)| {
            point.map_err(|error| error.at(chunk * CHUNK + index))
        });
        numbered.collect::<Vec<_>>()
    };
    parallel::chunks(bytes, len * CHUNK, decode_chunk).into_iter().flatten().collect()
}

/// Decodes points one after the other, all in one form.
fn decode_all<P: Curve>(bytes: &[u8], form: PointForm) -> Vec<Result<Affine<P>, PointError>>
where
    FieldBelow<P>: MontgomeryField,
{
    let len = coordinate_len::<P>();
    match form {
        PointForm::Compressed(dialect) => {
            let scheme = scheme::<P>(dialect);
            let read = |bytes: &[u8]| match bytes.len() == len {
                true => read_compressed::<P>(bytes, &scheme),
                false => Err(CUT),
            };
            point_format::decompress_all(bytes.chunks(len).map(read).collect())
        }
        _ => bytes.chunks(2 * len).map(|bytes| decode::<P>(bytes, form)).collect(),
    }
}

fn read_compressed<P: Curve>(
    bytes: &[u8],
    scheme: &Flags,
) -> Result<Compressed<P::BaseField>, PointError>
where
    FieldBelow<P>: MontgomeryField,
{
    let mut bytes = bytes.to_vec();
    let first = bytes.first_mut().ok_or(CUT)?;
    let flags = *first & (scheme.always | scheme.infinity | scheme.larger);
    *first ^= flags;
    if flags == scheme.infinity && is_zero(&bytes) {
        return Ok(Compressed::Infinity);
    }
    if flags != scheme.always && flags != scheme.larger {
        return Err(BAD);
    }
    let x = read_big_endian::<P>(&bytes)?;
    Ok(Compressed::Point { x, larger: flags == scheme.larger })
}

/// Three flags only fit where the modulus leaves three bits: on BLS12-381.
fn scheme<P: Curve>(dialect: Dialect) -> Flags
where
    FieldBelow<P>: MontgomeryField,
{
    let spare_bits = 8 * FieldBelow::<P>::LEN as u32 - FieldBelow::<P>::MODULUS_BIT_SIZE;
    match dialect {
        Dialect::Bellman if spare_bits >= 3 => ZCASH_FLAGS,
        Dialect::Bellman | Dialect::Snarkjs => TWO_FLAGS,
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

fn write_montgomery<P: SWCurveConfig>(coordinate: P::BaseField, out: &mut Vec<u8>)
where
    FieldBelow<P>: MontgomeryField,
{
    for coefficient in coordinate.to_base_prime_field_elements() {
        montgomery::write_le(&coefficient.representation(), out);
    }
}

/// Coefficients from the highest down.
fn write_big_endian<P: SWCurveConfig>(coordinate: P::BaseField, out: &mut Vec<u8>) {
    let start = out.len();
    for coefficient in coordinate.to_base_prime_field_elements() {
        montgomery::write_le(&coefficient.into_bigint(), out);
    }
    if let Some(written) = out.get_mut(start..) {
        written.reverse();
    }
}

fn read_montgomery<P: SWCurveConfig>(bytes: &[u8]) -> Result<P::BaseField, PointError>
where
    FieldBelow<P>: MontgomeryField,
{
    let chunks = bytes.chunks(FieldBelow::<P>::LEN).map(montgomery::read_le);
    let elements = chunks.map(|integer| FieldBelow::<P>::from_representation(integer).ok_or(BAD));
    collect::<P>(elements)
}

fn read_big_endian<P: SWCurveConfig>(bytes: &[u8]) -> Result<P::BaseField, PointError>
where
    FieldBelow<P>: MontgomeryField,
{
    let chunks = bytes.rchunks(FieldBelow::<P>::LEN).map(montgomery::read_be);
    collect::<P>(chunks.map(|integer| FieldBelow::<P>::from_bigint(integer).ok_or(BAD)))
}

/// A coordinate from its coefficients; none here has more than two.
fn collect<P: SWCurveConfig>(
    mut elements: impl Iterator<Item = Result<FieldBelow<P>, PointError>>,
) -> Result<P::BaseField, PointError> {
    let first = elements.next().ok_or(CUT)??;
    let second = elements.next().transpose()?;
    P::BaseField::from_base_prime_field_elems([first].into_iter().chain(second)).ok_or(CUT)
}
