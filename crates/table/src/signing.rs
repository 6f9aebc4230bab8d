//! Ed25519 keys of operators, witnesses and auditors.

use std::fmt;

use board::{AuthorId, Identity};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use wire::{Decode, DecodeError, Encode, Reader};

/// A public key: canonical and of large order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub AuthorId);

impl PublicKey {
    /// The key of a signer.
    pub fn of(signer: &Identity) -> Self {
        Self(signer.id())
    }
}

impl Encode for PublicKey {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }
}

impl Decode for PublicKey {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        AuthorId::decode(reader).map(Self)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(D::Error::custom)
    }
}
