//! Domain-tagged SHA-256.

use std::{fmt, io, str::FromStr};

use sha2::{Digest as _, Sha256};

use crate::{Decode, DecodeError, Encode, Reader};

/// The name of an object: SHA-256 over a domain tag and the object's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes` in `domain`, such as `"board/entry"`.
    pub fn of(domain: &str, bytes: &[u8]) -> Self {
        let mut writer = DigestWriter::new(domain);
        writer.update(bytes);
        writer.finish()
    }

    /// The digest of everything that `reader` yields, in constant memory.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn of_reader(domain: &str, mut reader: impl io::Read) -> io::Result<Self> {
        let mut writer = DigestWriter::new(domain);
        io::copy(&mut reader, &mut writer)?;
        Ok(writer.finish())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl Encode for Digest {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

impl Decode for Digest {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array().map(Self)
    }
}

/// Lower-case hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        let refused = || DecodeError::invalid("digest", "not 64 lower-case hexadecimal digits");
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let nibble = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        let byte = |&[high, low]: &[u8; 2]| Some(nibble(high)? << 4 | nibble(low)?);
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        let bytes = bytes.filter(|_| rest.is_empty()).ok_or_else(refused)?;
        bytes.try_into().map(Self).map_err(|_| refused())
    }
}

/// Computes a [`Digest`] while bytes stream by.
#[derive(Clone)]
pub struct DigestWriter(Sha256);

impl DigestWriter {
    /// Starts a digest in `domain`.
    pub fn new(domain: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update((domain.len() as u64).to_le_bytes());
        hash.update(domain);
        Self(hash)
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl io::Write for DigestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
