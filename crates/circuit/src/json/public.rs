//! `public.json`: the public outputs and inputs in the order of the wires.

use algebra::Scalar;

use super::{
    decimal::{from_decimal, to_decimal},
    text::to_json,
};
use crate::Error;

const PLACE: &str = "public.json";

/// The text that snarkjs writes.
///
/// # Errors
/// None that scalars can cause.
pub fn public_to_json<S: Scalar>(values: &[S]) -> Result<String, Error> {
    let decimal = |value: &S| {
        let mut bytes = value.encode();
        bytes.reverse();
        to_decimal(&bytes)
    };
    to_json(PLACE, &values.iter().map(decimal).collect::<Vec<_>>())
}

/// Reads such a text; every value is reduced.
///
/// # Errors
/// [`Error::Json`]; [`Error::Scalar`] with the position.
pub fn public_from_json<S: Scalar>(json: &str) -> Result<Vec<S>, Error> {
    let bad_json = |reason| Error::Json { place: PLACE, reason };
    let values: Vec<String> = serde_json::from_str(json).map_err(bad_json)?;
    let parse = |digits: &str| {
        let mut bytes: [u8; 32] = from_decimal(digits, 32)?.try_into().ok()?;
        bytes.reverse();
        S::decode(&bytes).ok()
    };
    let bad = |index: usize| Error::Scalar { place: PLACE, index: index as u64 };
    let values = values.iter().enumerate();
    values.map(|(index, digits)| parse(digits).ok_or_else(|| bad(index))).collect()
}
