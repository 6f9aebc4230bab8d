//! What all these files have in common.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::Error;

/// `protocol` in every file.
pub(super) const GROTH16: &str = "groth16";

/// JSON as snarkjs writes it: an element a line, one space deeper each level, no newline at the end.
pub(super) fn to_json(place: &'static str, value: &impl Serialize) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b" ");
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    value.serialize(&mut serializer).map_err(|reason| Error::Json { place, reason })?;
    let not_utf8 = Error::Unwritable { place, reason: "not UTF-8" };
    String::from_utf8(bytes).map_err(|_| not_utf8)
}
