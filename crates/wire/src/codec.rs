//! Canonical encoding and bounded decoding.

use crate::DecodeError;

/// A value with exactly one binary form.
pub trait Encode {
    /// Appends the encoding.
    fn encode(&self, out: &mut Vec<u8>);

    /// The encoding on its own.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode(&mut out);
        out
    }
}

/// The inverse of [`Encode`]: accepts exactly what `encode` makes.
pub trait Decode: Sized {
    /// Reads one value.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// Reads one value that fills `bytes` entirely.
    ///
    /// # Errors
    /// [`DecodeError`], also for bytes that follow the value.
    fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        read_all(Reader::new(bytes))
    }

    /// [`Decode::from_bytes`] that may check the items of a list together: see
    /// [`Reader::with_seed`].
    ///
    /// # Errors
    /// Those of [`Decode::from_bytes`].
    fn from_bytes_seeded(bytes: &[u8], seed: [u8; 32]) -> Result<Self, DecodeError> {
        read_all(Reader::with_seed(bytes, seed))
    }
}

fn read_all<T: Decode>(mut reader: Reader<'_>) -> Result<T, DecodeError> {
    let value = T::decode(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

impl Encode for u8 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
}

impl Encode for u16 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

impl Encode for u32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

/// Appends a 32-bit length and the bytes; [`Reader::bytes`] reads them back.
///
/// # Panics
/// If there are 4 GiB or more.
#[expect(clippy::expect_used, reason = "a message of 4 GiB is a defect of the caller")]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    u32::try_from(bytes.len()).expect("below 4 GiB").encode(out);
    out.extend_from_slice(bytes);
}

/// A cursor over untrusted bytes. Integers are little-endian.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    seed: Option<[u8; 32]>,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, seed: None }
    }

    /// A reader whose decoders may check the items of a list together, by random sums, where that
    /// takes less time. Draw the seed from the system after the bytes are fixed: whoever knows it
    /// beforehand can write items that are not what they are checked to be.
    pub fn with_seed(bytes: &'a [u8], seed: [u8; 32]) -> Self {
        Self { rest: bytes, seed: Some(seed) }
    }

    /// The seed of [`Reader::with_seed`]. All lists of a value are checked with the same: they are
    /// all older than it.
    pub fn seed(&self) -> Option<[u8; 32]> {
        self.seed
    }

    /// Bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Everything not yet read.
    pub fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        let truncated = DecodeError::Truncated { needed: len, left: self.rest.len() };
        let (head, rest) = self.rest.split_at_checked(len).ok_or(truncated)?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `count` items of `width` bytes each, as one slice.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`], also if the product overflows.
    pub fn items(&mut self, count: usize, width: usize) -> Result<&'a [u8], DecodeError> {
        self.take(count.saturating_mul(width))
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// One byte.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array().map(u8::from_le_bytes)
    }

    /// A 16-bit integer.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }

    /// A 32-bit integer.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    /// A 64-bit integer.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    /// A 32-bit count of at most `limit`. It is the peer's word: reserve memory for what
    /// [`Reader::remaining`] can hold, not for the count.
    ///
    /// # Errors
    /// [`DecodeError::TooLong`] over the limit.
    pub fn count(&mut self, what: &'static str, limit: usize) -> Result<usize, DecodeError> {
        let got = self.u32()?;
        let count = usize::try_from(got).ok().filter(|count| *count <= limit);
        count.ok_or(DecodeError::TooLong { what, got: got.into(), limit: limit as u64 })
    }

    /// Bytes with a 32-bit length of at most `limit`, as [`put_bytes`] writes them.
    ///
    /// # Errors
    /// [`DecodeError::TooLong`] over the limit.
    pub fn bytes(&mut self, what: &'static str, limit: usize) -> Result<&'a [u8], DecodeError> {
        let len = self.count(what, limit)?;
        self.take(len)
    }

    /// UTF-8 text with a 32-bit length of at most `limit` bytes.
    ///
    /// # Errors
    /// [`DecodeError::TooLong`] over the limit, [`DecodeError::Invalid`] if it is not UTF-8.
    pub fn text(&mut self, what: &'static str, limit: usize) -> Result<&'a str, DecodeError> {
        let bytes = self.bytes(what, limit)?;
        std::str::from_utf8(bytes).map_err(|error| DecodeError::not_text(what, error))
    }

    /// Requires that everything was read.
    ///
    /// # Errors
    /// [`DecodeError::Trailing`].
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.rest.len() {
            0 => Ok(()),
            extra => Err(DecodeError::Trailing(extra)),
        }
    }
}
