//! The bits on an edge.

use wire::{DecodeError, Encode, Reader};

use super::{MAX_KEY_BITS, bit};

/// Bits from one node to the next, most significant first; the last byte is padded with zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    len: u16,
    bytes: Vec<u8>,
}

impl Label {
    /// Bits `start..end` of a key.
    pub(crate) fn of(key: &[u8], start: u16, end: u16) -> Self {
        let len = end.saturating_sub(start);
        let (first, shift) = (usize::from(start / 8), u32::from(start % 8));
        // One byte behind the key may be asked for, of which no bit is in the label.
        let byte = |index: usize| u16::from(key.get(index).copied().unwrap_or_default());
        let shifted = |index: usize| {
            let pair = byte(first + index) << 8 | byte(first + index + 1);
            (pair >> (8 - shift)) as u8
        };
        let mut bytes: Vec<u8> = (0..usize::from(len.div_ceil(8))).map(shifted).collect();
        if let Some(last) = bytes.last_mut() {
            *last &= 0xff << ((8 - len % 8) % 8);
        }
        Self { len, bytes }
    }

    /// Bits.
    #[expect(clippy::len_without_is_empty, reason = "labels of a trie have at least one bit")]
    pub fn len(&self) -> u16 {
        self.len
    }

    /// The bits, padded.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first bit, which says on which side of its parent the edge is.
    pub(crate) fn side(&self) -> bool {
        bit(&self.bytes, 0)
    }

    /// How many bits agree with a key's from `start` on.
    pub(crate) fn agreement(&self, key: &[u8], start: u16) -> u16 {
        let agrees =
            |index: &u16| bit(&self.bytes, *index) == bit(key, start.saturating_add(*index));
        (0..self.len).take_while(agrees).count() as u16
    }

    /// Writes the bits into a key from `start` on.
    pub(crate) fn write_to(&self, key: &mut [u8], start: u16) {
        for index in 0..self.len {
            let at = start.saturating_add(index);
            if let Some(byte) = key.get_mut(usize::from(at / 8)) {
                let mask = 1 << (7 - at % 8);
                *byte = if bit(&self.bytes, index) { *byte | mask } else { *byte & !mask };
            }
        }
    }

    /// Appends length and bits.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.len.encode(out);
        out.extend_from_slice(&self.bytes);
    }

    /// Reads a label of 1 to `limit` bits whose padding is zero.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(reader: &mut Reader<'_>, limit: u16) -> Result<Self, DecodeError> {
        let len = reader.u16()?;
        if len == 0 || len > limit.min(MAX_KEY_BITS) {
            return Err(DecodeError::out_of_bounds("label", "empty, or longer than the key"));
        }
        let bytes = reader.take(usize::from(len.div_ceil(8)))?.to_vec();
        let padding = (8 - len % 8) % 8;
        match bytes.last().is_some_and(|last| last.trailing_zeros() >= u32::from(padding)) {
            true => Ok(Self { len, bytes }),
            false => Err(DecodeError::invalid("label", "the padding is not zero")),
        }
    }
}

/// Builds labels that decoding refuses, to attack the verifier with.
#[cfg(test)]
impl Label {
    pub(super) fn raw(len: u16, bytes: &[u8]) -> Self {
        Self { len, bytes: bytes.to_vec() }
    }
}
