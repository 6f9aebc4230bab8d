//! The coordinates of `curve25519-dalek`'s points, which it hides.
//!
//! # Safety
//! In the release that the workspace's manifest names exactly, a `RistrettoPoint` is four field elements, each made of
//! integers: five of 64 bits, or ten of 32 bits in the 32-bit backends. So it has 160 bytes without padding, owns
//! nothing, and every pattern of bits is a value of its type. Therefore copies of 160 bytes in either direction are
//! sound, whatever the order of fields and the size of limbs. Whether these are the expected coordinates is a question
//! of results and not of safety: [`agrees`] compares results before anything else uses the module.
#![allow(
    unsafe_code,
    reason = "coordinates of a library's points, behind a check of size and results"
)]

use std::{mem::transmute_copy, sync::OnceLock};

use curve25519_dalek::{
    constants::RISTRETTO_BASEPOINT_POINT,
    ristretto::{CompressedRistretto, RistrettoPoint},
    scalar::Scalar,
    traits::Identity as _,
};
use zeroize::Zeroizing;

use super::lanes::{self, Addend, Coordinates, NEGATIVE, WINDOWS};

const _: () = assert!(
    size_of::<RistrettoPoint>() == size_of::<Coordinates>(),
    "curve25519-dalek's points are not what its release of this name has"
);

fn read(point: &RistrettoPoint) -> Coordinates {
    // SAFETY: the sizes are equal, and neither type has padding or invalid values.
    unsafe { transmute_copy(point) }
}

fn write(coordinates: &Coordinates) -> RistrettoPoint {
    // SAFETY: likewise.
    unsafe { transmute_copy(coordinates) }
}

/// The points of encodings, or the index of the first that is none; `None` where the vector kernels do
/// not run.
pub(crate) fn decode(encodings: &[[u8; 32]]) -> Option<Result<Vec<RistrettoPoint>, usize>> {
    if agrees() { decode_unchecked(encodings) } else { None }
}

/// The encodings of points; `None` where the vector kernels do not run.
pub(crate) fn encode(points: &[RistrettoPoint]) -> Option<Vec<[u8; 32]>> {
    if agrees() { encode_unchecked(points) } else { None }
}

/// What is added of points; `None` where the vector kernels do not run.
pub(crate) fn addends(points: &[RistrettoPoint]) -> Option<Vec<Addend>> {
    if agrees() { addends_unchecked(points) } else { None }
}

/// `Σ_i digit_{i, w} · point_i` for the windows w from `first` on; `None` where the vector kernels do not run.
pub(crate) fn window_sums(
    addends: &[Addend],
    scalars: &[[u64; 4]],
    first: usize,
    width: usize,
) -> Option<[RistrettoPoint; WINDOWS]> {
    let sums = lanes::window_sums(addends, scalars, first, width)?;
    Some(sums.map(|sum| write(&sum)))
}

/// The sums of lists of points, with terms and starts as in [`Group::sum_precomputed`](crate::Group::sum_precomputed);
/// `None` where the vector kernels do not run.
pub(crate) fn list_sums(
    points: &[RistrettoPoint],
    terms: &[u32],
    starts: &[u32],
) -> Option<Vec<RistrettoPoint>> {
    if agrees() { list_sums_unchecked(points, terms, starts) } else { None }
}

/// The multiples of points by a scalar, in constant time; `None` where the vector kernels do not run.
pub(crate) fn multiples(points: &[RistrettoPoint], scalar: &Scalar) -> Option<Vec<RistrettoPoint>> {
    if agrees() { multiples_unchecked(points, scalar) } else { None }
}

fn multiples_unchecked(points: &[RistrettoPoint], scalar: &Scalar) -> Option<Vec<RistrettoPoint>> {
    let digits = Zeroizing::new(lanes::digits(scalar.as_bytes()));
    let points: Vec<_> = points.iter().map(read).collect();
    let multiples = Zeroizing::new(lanes::multiples(&points, &digits)?);
    Some(multiples.iter().map(write).collect())
}

fn list_sums_unchecked(
    points: &[RistrettoPoint],
    terms: &[u32],
    starts: &[u32],
) -> Option<Vec<RistrettoPoint>> {
    let sums = Zeroizing::new(lanes::list_sums(&addends_unchecked(points)?, terms, starts)?);
    Some(sums.iter().map(write).collect())
}

fn addends_unchecked(points: &[RistrettoPoint]) -> Option<Vec<Addend>> {
    lanes::addends(&points.iter().map(read).collect::<Vec<_>>())
}

fn decode_unchecked(encodings: &[[u8; 32]]) -> Option<Result<Vec<RistrettoPoint>, usize>> {
    Some(lanes::decode_ristretto(encodings)?.map(|points| points.iter().map(write).collect()))
}

fn encode_unchecked(points: &[RistrettoPoint]) -> Option<Vec<[u8; 32]>> {
    lanes::encode_ristretto(&points.iter().map(read).collect::<Vec<_>>())
}

/// Whether kernels run and their results are the library's. Asked once.
pub(crate) fn agrees() -> bool {
    static AGREES: OnceLock<bool> = OnceLock::new();
    // Kernels that do not answer are not used.
    lanes::available() && *AGREES.get_or_init(|| known_answers().unwrap_or(false))
}

/// Decodes and encodes multiples of the generator, and computes with what was decoded, so that every
/// coordinate counts. Points that encodings were not made of have a Z other than 1.
fn known_answers() -> Option<bool> {
    let mut points = vec![RISTRETTO_BASEPOINT_POINT];
    for _ in 0..20 {
        points.push(points[points.len() - 1] + points[points.len() / 2]);
    }
    let encodings: Vec<[u8; 32]> = points.iter().map(|point| point.compress().0).collect();
    // These are encodings of points: kernels that refuse one are wrong, and are not used.
    let decoded = decode_unchecked(&encodings)?.ok()?;
    let fourth = decoded[3];
    let sums = decoded.iter().zip(&points).all(|(decoded, point)| {
        let expected = (point + points[3]).compress();
        (decoded + decoded).compress() == (point + point).compress()
            && (decoded + fourth).compress() == expected
    });
    let refused = matches!(decode_unchecked(&[[0xff; 32]])?, Err(0))
        && CompressedRistretto([0xff; 32]).decompress().is_none();
    // In windows of three bits, 0o171 has the digits 1, −1 and 2.
    let addends = addends_unchecked(&points[..2])?;
    let windows = window_sums(&addends, &[[0o171, 0, 0, 0], [1, 0, 0, 0]], 0, 3)?;
    let summed = windows[0] == points[0] + points[1]
        && windows[1] == -points[0]
        && windows[2] == points[0] + points[0];
    let listed = list_sums_unchecked(&points[..3], &[0, 1, 2 | NEGATIVE], &[0, 3, 3])?;
    let summed =
        summed && listed == [points[0] + points[1] - points[2], RistrettoPoint::identity()];
    // All digits from −8 to 7.
    let scalar = Scalar::from(0xfedc_ba98_7654_3210_u64);
    let multiplied =
        multiples_unchecked(&points[..2], &scalar)? == [points[0] * scalar, points[1] * scalar];
    Some(
        sums && refused
            && summed
            && multiplied
            && decoded == points
            && encode_unchecked(&points)? == encodings,
    )
}
