//! Points as arrays of decimal coordinates: `x`, `y` and a `z` that is one, or zero at infinity.

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm};
use wire::DecodeError;

use super::decimal::{from_decimal, to_decimal};

/// Coordinates come and go by this form.
const FORM: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);

/// A point of G1.
pub(super) type Point = [String; 3];
/// A point of G2, whose coordinates are pairs, the constant coefficient first.
pub(super) type TwistPoint = [[String; 2]; 3];

pub(super) fn g1_to_strings<E: Engine>(point: &Affine<E::G1>) -> Point {
    let [zero, one] = ["0", "1"].map(str::to_owned);
    if E::G1::is_affine_identity(point) {
        return [zero.clone(), one, zero];
    }
    let mut coordinates = decimals::<E::G1>(point, E::BASE_LEN).into_iter();
    // A point of G1 has two coordinates.
    let mut next = || coordinates.next().unwrap_or_default();
    [next(), next(), one]
}

pub(super) fn g2_to_strings<E: Engine>(point: &Affine<E::G2>) -> TwistPoint {
    let [zero, one] = ["0", "1"].map(str::to_owned);
    let (zero, one) = ([zero.clone(), zero.clone()], [one, zero]);
    if E::G2::is_affine_identity(point) {
        return [zero.clone(), one, zero];
    }
    let mut coordinates = decimals::<E::G2>(point, E::BASE_LEN).into_iter();
    // A point of G2 has two coordinates, each of two numbers.
    let mut pair = || {
        let (high, low) = (coordinates.next(), coordinates.next());
        [low.unwrap_or_default(), high.unwrap_or_default()]
    };
    [pair(), pair(), one]
}

fn decimals<G: CurveGroup>(point: &Affine<G>, len: usize) -> Vec<String> {
    let mut bytes = Vec::new();
    G::write_form(std::slice::from_ref(point), FORM, &mut bytes);
    bytes.chunks(len).map(to_decimal).collect()
}

/// A point of G1, the subgroup included; the neutral element too.
pub(super) fn g1_from_strings<E: Engine>(
    point: &Point,
    what: &'static str,
) -> Result<Affine<E::G1>, DecodeError> {
    require_subgroup::<E::G1>(g1_on_curve::<E>(point, what)?, what)
}

/// A point of G2, the subgroup included; the neutral element too.
pub(super) fn g2_from_strings<E: Engine>(
    point: &TwistPoint,
    what: &'static str,
) -> Result<Affine<E::G2>, DecodeError> {
    require_subgroup::<E::G2>(g2_on_curve::<E>(point, what)?, what)
}

/// A point of the curve.
pub(super) fn require_subgroup<G: CurveGroup>(
    point: Affine<G>,
    what: &'static str,
) -> Result<Affine<G>, DecodeError> {
    let outside = |_| DecodeError::invalid(what, "outside the prime-order subgroup");
    G::check_subgroup(std::slice::from_ref(&point)).map_err(outside)?;
    Ok(point)
}

/// A point of the curve of G1; the neutral element too.
pub(super) fn g1_on_curve<E: Engine>(
    point: &Point,
    what: &'static str,
) -> Result<Affine<E::G1>, DecodeError> {
    let [x, y, z] = point;
    match (x.as_str(), y.as_str(), z.as_str()) {
        ("0", "1", "0") => Ok(E::G1::affine_identity()),
        (_, _, "1") => from_decimals::<E, E::G1>(&[x, y], what),
        _ => Err(DecodeError::not_canonical(what, "the third coordinate is not 1")),
    }
}

/// A point of the curve of G2; the neutral element too.
pub(super) fn g2_on_curve<E: Engine>(
    point: &TwistPoint,
    what: &'static str,
) -> Result<Affine<E::G2>, DecodeError> {
    let [[x0, x1], [y0, y1], [z0, z1]] = point;
    match [x0, x1, y0, y1, z0, z1].map(String::as_str) {
        ["0", "0", "1", "0", "0", "0"] => Ok(E::G2::affine_identity()),
        [_, _, _, _, "1", "0"] => from_decimals::<E, E::G2>(&[x1, x0, y1, y0], what),
        _ => Err(DecodeError::not_canonical(what, "the third coordinate is not 1")),
    }
}

fn from_decimals<E: Engine, G: CurveGroup>(
    coordinates: &[&String],
    what: &'static str,
) -> Result<Affine<G>, DecodeError> {
    let mut bytes = Vec::new();
    for digits in coordinates {
        let coordinate = from_decimal(digits, E::BASE_LEN);
        let bad = || DecodeError::not_canonical(what, "a coordinate is not a decimal integer");
        bytes.extend(coordinate.ok_or_else(bad)?);
    }
    let bad =
        || DecodeError::not_canonical(what, "not a point of the curve with reduced coordinates");
    let points = G::read_form(&bytes, FORM).map_err(|_| bad())?;
    // All zeros are this form's infinity, which has an array of its own here.
    points.into_iter().find(|point| !G::is_affine_identity(point)).ok_or_else(bad)
}
