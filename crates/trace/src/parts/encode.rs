//! Lists and points on the wire.

pub use shuffle::encode::{point, point_list};
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader};

use crate::TraceError;

/// Appends a 32-bit count and the items.
pub fn put_list<T: Encode>(items: &[T], out: &mut Vec<u8>) {
    (items.len() as u32).encode(out);
    items.iter().for_each(|item| item.encode(out));
}

/// Reads what [`put_list`] writes, at most `limit` items.
pub fn list<T: Decode>(
    reader: &mut Reader<'_>,
    what: &'static str,
    limit: usize,
) -> Result<Vec<T>, DecodeError> {
    let count = reader.count(what, limit)?;
    (0..count).map(|_| T::decode(reader)).collect()
}

/// The digest, in one domain, of parts that each carry their length.
pub fn digest_of(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut writer = DigestWriter::new(domain);
    for part in parts {
        writer.update(&(part.len() as u64).to_le_bytes());
        writer.update(part);
    }
    writer.finish()
}

/// Requires one message of every server.
pub fn require_all(what: &'static str, expected: usize, got: usize) -> Result<(), TraceError> {
    match got == expected {
        true => Ok(()),
        false => Err(TraceError::Missing { what, expected, got }),
    }
}
