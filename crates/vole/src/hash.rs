//! Keyed BLAKE3 with domain separation: everything that a run derives depends on its session.

use blake3::{Hasher, OutputReader};
use wire::Digest;
use zeroize::Zeroize;

/// The key of everything that a session derives: both parties' nonces and keys, the protocol, its
/// parameters, what it is about, and over TLS the connection.
#[derive(Clone, Copy)]
pub(crate) struct SessionId([u8; 32]);

impl SessionId {
    pub(crate) fn new(parts: &[&[u8]]) -> Self {
        let mut hasher = Hasher::new_derive_key("subrosa vole v1 session");
        parts.iter().for_each(|part| absorb(&mut hasher, part));
        Self(hasher.finalize().into())
    }

    /// What the session is called where anybody may read it.
    pub(crate) fn name(&self) -> Digest {
        Digest::from(self.derive_array("name", &[]))
    }

    /// An unbounded stream of bytes from a label and the parts.
    pub(crate) fn derive(&self, label: &str, parts: &[&[u8]]) -> OutputReader {
        let mut hasher = Hasher::new_keyed(&self.0);
        absorb(&mut hasher, label.as_bytes());
        parts.iter().for_each(|part| absorb(&mut hasher, part));
        let output = hasher.finalize_xof();
        hasher.zeroize();
        output
    }

    /// As [`SessionId::derive`], one array.
    pub(crate) fn derive_array<const N: usize>(&self, label: &str, parts: &[&[u8]]) -> [u8; N] {
        let mut array = [0; N];
        let mut output = self.derive(label, parts);
        output.fill(&mut array);
        output.zeroize();
        array
    }

    /// As [`SessionId::derive`], the key of a generator or a cipher.
    pub(crate) fn derive_key(&self, label: &str, parts: &[&[u8]]) -> u128 {
        u128::from_le_bytes(self.derive_array(label, parts))
    }
}

fn absorb(hasher: &mut Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}
