//! Sealing what is secret at rest: XChaCha20-Poly1305 under the table's master key, with random
//! nonces, bound to the place in the store.

use chacha20poly1305::{AeadInOut, KeyInit, Tag, XChaCha20Poly1305, XNonce};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{Space, full_key};
use crate::hash::KeyedHashing;

const NONCE_LEN: usize = 24;
const TAG_LEN: usize = 16;
/// Of the key [`MasterKey::aliases`].
const ALIASES: &str = "subrosa table v1 users in the store";

/// The key that opens a table's store. It is kept apart from the store, in a file that only its
/// operator can read.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct MasterKey {
    key: [u8; 32],
    /// Under which users' names are hashed.
    aliases: [u8; 32],
}

impl MasterKey {
    /// Draws a key.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *bytes);
        Self::from_bytes(&bytes)
    }

    /// The key in its secret 32-byte form.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self { key: *bytes, aliases: blake3::derive_key(ALIASES, bytes) }
    }

    /// 32 secret bytes.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.key)
    }

    /// A user as the store names it in an epoch or a key period: whoever has the store alone learns neither who the
    /// users are nor which of them are the same.
    pub(super) fn alias(&self, space: Space, number: u32, user: &[u8]) -> [u8; 32] {
        let hashing = KeyedHashing::new(&self.aliases, "user").number(space as u64);
        hashing.number(number.into()).bytes(user).finish()
    }

    /// Nonce, tag and ciphertext; `None` for more plaintext than the cipher takes.
    pub(super) fn seal(
        &self,
        (space, key): (Space, &[u8]),
        plaintext: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        rng.fill_bytes(&mut nonce);
        let mut buffer = Zeroizing::new(plaintext.to_vec());
        let cipher = XChaCha20Poly1305::new(&self.key.into());
        let place = full_key(space, key);
        let sealed = cipher.encrypt_inout_detached(
            &XNonce::from(nonce),
            &place,
            buffer.as_mut_slice().into(),
        );
        let tag = sealed.ok()?;
        Some([&nonce[..], &tag, &buffer].concat())
    }

    /// The plaintext; `None` if it was sealed under another key or for another place.
    pub(super) fn open(
        &self,
        (space, key): (Space, &[u8]),
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let (tag, ciphertext) = rest.split_first_chunk::<TAG_LEN>()?;
        let mut buffer = Zeroizing::new(ciphertext.to_vec());
        let cipher = XChaCha20Poly1305::new(&self.key.into());
        let place = full_key(space, key);
        let opened = cipher.decrypt_inout_detached(
            &XNonce::from(*nonce),
            &place,
            buffer.as_mut_slice().into(),
            &Tag::from(*tag),
        );
        opened.is_ok().then_some(buffer)
    }
}
