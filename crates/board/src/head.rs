//! The beginning of a log.

use log::merkle::Hash;
use wire::{Decode, DecodeError, Encode, Reader};

/// The first leaves of a log: who signs this signs all that stands there, heartbeats and all, and what it says is
/// out of place on any log that begins otherwise.
///
/// Encoded as size (8 bytes, little-endian) and root (32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    /// How many they are.
    pub size: u64,
    /// The root of their tree.
    pub root: Hash,
}

impl Encode for Head {
    fn encode(&self, out: &mut Vec<u8>) {
        self.size.encode(out);
        self.root.encode(out);
    }
}

impl Decode for Head {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { size: reader.u64()?, root: Hash::decode(reader)? })
    }
}
