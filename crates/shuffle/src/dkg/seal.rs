//! How a share travels: ephemeral-static Diffie-Hellman, HKDF-SHA-256, ChaCha20-Poly1305.

use algebra::{Group, Scalar};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, Key, KeyInit, Nonce, Tag};
use hkdf::Hkdf;
use sha2::Sha256;
use wire::Digest;
use zeroize::Zeroizing;

const SHARE_LEN: usize = 32;
const TAG_LEN: usize = 16;

/// Bytes of a sealed share.
pub(super) const SEALED_LEN: usize = SHARE_LEN + TAG_LEN;

/// Between whom, and in which key generation, a share travels.
pub(super) struct Route<'a, G: Group> {
    pub(super) session: &'a Digest,
    pub(super) dealer: u16,
    pub(super) recipient: u16,
    pub(super) ephemeral: G,
    pub(super) transport_key: G,
}

impl<G: Group> Route<'_, G> {
    /// Seals `f_i(j)` under `K = e·T_j`.
    pub(super) fn seal(&self, shared: &G, share: &G::Scalar) -> Option<[u8; SEALED_LEN]> {
        // Neither 32 bytes to encrypt nor 32 to derive are too many.
        let mut buffer = Zeroizing::new(share.encode());
        let tag = self
            .cipher(shared)?
            .encrypt_inout_detached(
                &Nonce::default(),
                &self.associated_data(),
                buffer.as_mut_slice().into(),
            )
            .ok()?;
        let mut sealed = [0; SEALED_LEN];
        let (body, end) = sealed.split_at_mut(SHARE_LEN);
        body.copy_from_slice(buffer.as_ref());
        end.copy_from_slice(&tag);
        Some(sealed)
    }

    /// Opens a sealed share; `None` if it does not decrypt or is not a canonical scalar.
    pub(super) fn open(
        &self,
        shared: &G,
        sealed: &[u8; SEALED_LEN],
    ) -> Option<Zeroizing<G::Scalar>> {
        let (body, tag) = sealed.split_first_chunk::<SHARE_LEN>()?;
        let mut buffer = Zeroizing::new(*body);
        self.cipher(shared)?
            .decrypt_inout_detached(
                &Nonce::default(),
                &self.associated_data(),
                buffer.as_mut_slice().into(),
                &Tag::try_from(tag).ok()?,
            )
            .ok()?;
        G::Scalar::decode(&buffer).ok().map(Zeroizing::new)
    }

    /// One key per route, so that the nonce may stay zero.
    fn cipher(&self, shared: &G) -> Option<ChaCha20Poly1305> {
        let input = Zeroizing::new(shared.encode());
        let mut info = b"subrosa/dkg/share/v1".to_vec();
        info.extend_from_slice(&self.associated_data());
        info.extend_from_slice(&self.ephemeral.encode());
        info.extend_from_slice(&self.transport_key.encode());
        let mut key = Zeroizing::new([0; 32]);
        Hkdf::<Sha256>::new(None, &input).expand(&info, key.as_mut()).ok()?;
        Some(ChaCha20Poly1305::new(&Key::from(*key)))
    }

    /// The session's digest, which covers the context, then i and j.
    fn associated_data(&self) -> [u8; 36] {
        let mut data = [0; 36];
        let (session, route) = data.split_at_mut(32);
        let (dealer, recipient) = route.split_at_mut(2);
        session.copy_from_slice(self.session.as_bytes());
        dealer.copy_from_slice(&self.dealer.to_le_bytes());
        recipient.copy_from_slice(&self.recipient.to_le_bytes());
        data
    }
}
