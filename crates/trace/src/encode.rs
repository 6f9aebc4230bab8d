//! Lists and points on the wire.

use algebra::Group;
use shuffle::PointList;
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader};

use crate::TraceError;

/// Appends a 32-bit count and the items.
pub(crate) fn put_list<T: Encode>(items: &[T], out: &mut Vec<u8>) {
    (items.len() as u32).encode(out);
    items.iter().for_each(|item| item.encode(out));
}

/// Reads what [`put_list`] writes, at most `limit` items.
pub(crate) fn list<T: Decode>(
    reader: &mut Reader<'_>,
    what: &'static str,
    limit: usize,
) -> Result<Vec<T>, DecodeError> {
    let count = reader.count(what, limit)?;
    (0..count).map(|_| T::decode(reader)).collect()
}

pub(crate) fn point<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<G, DecodeError> {
    let bytes = reader.take(G::ENCODED_LEN)?;
    G::decode(bytes).map_err(|error| DecodeError::invalid(what, error))
}

pub(crate) fn point_list<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<PointList<G>, DecodeError> {
    let bytes = reader.items(n, G::ENCODED_LEN)?;
    PointList::decode(bytes).map_err(|error| DecodeError::invalid(what, error))
}

/// The digest, in one domain, of parts that each carry their length.
pub(crate) fn digest_of(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut writer = DigestWriter::new(domain);
    for part in parts {
        writer.update(&(part.len() as u64).to_le_bytes());
        writer.update(part);
    }
    writer.finish()
}

/// Requires one message of every server.
pub(crate) fn require_all(
    what: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), TraceError> {
    match got == expected {
        true => Ok(()),
        false => Err(TraceError::Missing { what, expected, got }),
    }
}
