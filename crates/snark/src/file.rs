//! Files of this project's own: a header, the pairing's name, one object.

use algebra::{Engine, Group, Pairing, Scalar};
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, FileHeader, Reader, put_bytes};

const NAME_LIMIT: usize = 32;
/// What all of them begin with.
const MAGIC: &[u8] = b"SUBROSA\0";

/// Objects that files hold: a header, the pairing's name, the object.
pub trait FileFormat<E: Engine>: Encode + Decode {
    /// Kind and version.
    const HEADER: FileHeader;

    /// The file.
    fn to_file(&self) -> Vec<u8> {
        let mut out = Self::HEADER.to_bytes();
        put_bytes(&mut out, <E as Pairing>::NAME.as_bytes());
        self.encode(&mut out);
        out
    }

    /// Reads a file: canonical, every point in its subgroup, every scalar reduced.
    ///
    /// # Errors
    /// [`DecodeError`].
    fn from_file(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        Self::HEADER.expect(&mut reader)?;
        let name = reader.text("pairing", NAME_LIMIT)?;
        if name != <E as Pairing>::NAME {
            let reason = format!("is {name}, not {}", <E as Pairing>::NAME);
            return Err(DecodeError::invalid("pairing", reason));
        }
        let value = Self::decode(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }
}

/// The name of the pairing in a file of this project's own that begins with these bytes, whatever its
/// kind: [`Pairing::NAME`] of the engine to read it with.
///
/// # Errors
/// [`DecodeError`] if there is none.
pub fn pairing_of(bytes: &[u8]) -> Result<&str, DecodeError> {
    const KIND_AND_VERSION: usize = 8 + 2;
    let mut reader = Reader::new(bytes);
    if reader.take(MAGIC.len())? != MAGIC {
        return Err(DecodeError::invalid("file", "not one of this program"));
    }
    reader.take(KIND_AND_VERSION)?;
    reader.text("pairing", NAME_LIMIT)
}

/// The digest of a key: of the pairing's name and every byte of the key, in a domain of its kind.
pub(crate) fn key_digest<E: Engine>(domain: &'static str, key: &impl FileFormat<E>) -> Digest {
    let mut digest = DigestWriter::new(domain);
    digest.update(<E as Pairing>::NAME.as_bytes());
    digest.update(&key.to_bytes());
    digest.finish()
}

pub(crate) fn put_points<G: Group>(out: &mut Vec<u8>, points: &[G]) {
    points.iter().for_each(|point| out.extend(point.encode()));
}

pub(crate) fn point<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<G, DecodeError> {
    let bytes = reader.take(G::ENCODED_LEN)?;
    G::decode(bytes).map_err(|error| DecodeError::not_canonical(what, error))
}

/// A point that is not neutral: keys hold powers of secrets that are not zero.
pub(crate) fn key_point<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<G, DecodeError> {
    let point: G = point(reader, what)?;
    match point.is_identity() {
        true => Err(DecodeError::not_canonical(what, "is the point at infinity")),
        false => Ok(point),
    }
}

pub(crate) fn scalar<S: Scalar>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<S, DecodeError> {
    S::decode(&reader.array()?).map_err(|error| DecodeError::not_canonical(what, error))
}
