//! Compressed points as `0x` and lower-case hexadecimal.

use std::marker::PhantomData;

use algebra::{Affine, Bls12381, CurveGroup, Dialect, Pairing, PointForm};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::Error;

pub(super) type G1 = <Bls12381 as Pairing>::G1;
pub(super) type G2 = <Bls12381 as Pairing>::G2;

const FORM: PointForm = PointForm::Compressed(Dialect::Bellman);

/// A point's bytes, of the right number and not looked at yet.
pub(super) struct Point<G> {
    bytes: Vec<u8>,
    group: PhantomData<fn() -> G>,
}

impl<G: CurveGroup> Point<G> {
    pub fn of(point: &Affine<G>) -> Self {
        let mut bytes = Vec::new();
        G::write_form(std::slice::from_ref(point), FORM, &mut bytes);
        Self { bytes, group: PhantomData }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("0x")?.as_bytes();
        let (pairs, rest) = digits.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() != G::form_len(FORM) {
            return None;
        }
        let byte = |&[high, low]: &[u8; 2]| Some(nibble(high)? << 4 | nibble(low)?);
        Some(Self { bytes: pairs.iter().map(byte).collect::<Option<_>>()?, group: PhantomData })
    }

    fn text(&self) -> String {
        self.bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl<G: CurveGroup> Serialize for Point<G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de, G: CurveGroup> Deserialize<'de> for Point<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bad = || D::Error::custom("not 0x and the hexadecimal digits of a compressed point");
        Self::parse(&text).ok_or_else(bad)
    }
}

/// Points of the subgroup, none of them the neutral element.
pub(super) fn decode<G: CurveGroup>(
    place: &'static str,
    points: &[Point<G>],
) -> Result<Vec<Affine<G>>, Error> {
    let bytes: Vec<u8> = points.iter().flat_map(Point::bytes).copied().collect();
    let bad = |reason: algebra::PointError| {
        let index = reason.index() as u64;
        Error::Point { place, index, reason }
    };
    let points = G::read_form(&bytes, FORM).map_err(bad)?;
    G::check_subgroup(&points).map_err(bad)?;
    match points.iter().position(G::is_affine_identity) {
        Some(index) => Err(Error::Infinity { place, index: index as u64 }),
        None => Ok(points),
    }
}

/// A point of G1, or an empty text.
#[derive(Default)]
pub(super) struct OptionalPoint(Option<Point<G1>>);

impl OptionalPoint {
    pub fn of(point: Option<&Affine<G1>>) -> Self {
        Self(point.map(Point::of))
    }

    /// The point, if there is one; `index` is for the error.
    pub fn decode(&self, place: &'static str, index: u64) -> Result<Option<Affine<G1>>, Error> {
        let Some(point) = &self.0 else { return Ok(None) };
        let points = decode(place, std::slice::from_ref(point)).map_err(|error| match error {
            Error::Point { place, reason, .. } => Error::Point { place, index, reason },
            Error::Infinity { place, .. } => Error::Infinity { place, index },
            error => error,
        })?;
        Ok(points.into_iter().next())
    }
}

impl Serialize for OptionalPoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.as_ref().map(Point::text).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for OptionalPoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bad = || D::Error::custom("neither empty nor a compressed point");
        match text.as_str() {
            "" => Ok(Self(None)),
            text => Point::parse(text).map(|point| Self(Some(point))).ok_or_else(bad),
        }
    }
}
