//! Text as the values that the engine mixes.

use algebra::Scalar as _;
use trace_db::F;

/// The bytes that a value carries.
pub const TEXT_BYTES: usize = 31;

/// The value of a text: its bytes, little-endian; `None` if it is too long or ends in a zero.
pub fn value_of(text: &str) -> Option<F> {
    let bytes = text.as_bytes();
    let mut padded = [0; 32];
    if bytes.len() > TEXT_BYTES || bytes.last() == Some(&0) {
        return None;
    }
    padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
    F::decode(&padded).ok()
}

/// The text of a value; `None` if it is none that people can read.
pub fn text_of(value: &F) -> Option<String> {
    let bytes = value.encode();
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let readable = end <= TEXT_BYTES && !text.contains(char::is_control);
    readable.then(|| text.to_owned())
}
