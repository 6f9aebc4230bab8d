//! Who signs: keepers, witnesses, authors.

use std::{fmt, str::FromStr};

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use rand_core::CryptoRng;
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

/// An author's secret signing key. Signing is constant time; the key is wiped when dropped.
pub struct Identity(SigningKey);

/// An author's name: the Ed25519 public key, canonical and of large order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthorId([u8; 32]);

impl Identity {
    /// Draws a new key.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&seed)
    }

    /// The key of a seed, as [`Identity::to_seed`] gives it.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The 32 secret bytes, for a key file (see [`wire::write_secret`]).
    pub fn to_seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes())
    }

    /// The name that goes with the key.
    pub fn id(&self) -> AuthorId {
        AuthorId(self.0.verifying_key().to_bytes())
    }

    /// Signs a digest for a purpose: a signature made in one domain fits no other.
    pub fn sign(&self, domain: &str, digest: Digest) -> [u8; 64] {
        self.0.sign(&message(domain, digest)).to_bytes()
    }

    /// Signs text as notes are signed: the text is the message, and says itself what it is.
    pub fn sign_text(&self, text: &str) -> [u8; 64] {
        self.0.sign(text.as_bytes()).to_bytes()
    }
}

impl AuthorId {
    /// The 32 bytes of the public key.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether the holder of the key signed this digest in this domain.
    pub fn verify(&self, domain: &str, digest: Digest, signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(&message(domain, digest), &signature).is_ok())
    }

    /// Whether the holder of the key signed this text as notes are signed.
    pub fn verify_text(&self, text: &str, signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(text.as_bytes(), &signature).is_ok())
    }
}

impl TryFrom<[u8; 32]> for AuthorId {
    type Error = DecodeError;

    fn try_from(bytes: [u8; 32]) -> Result<Self, DecodeError> {
        let refused = |reason| DecodeError::not_canonical("author", reason);
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| refused("not a curve point"))?;
        // Decompression takes coordinates that are not reduced: two names for one author.
        if key.to_edwards().compress().to_bytes() != bytes {
            return Err(refused("not canonical"));
        }
        match key.is_weak() {
            true => Err(refused("a point of small order")),
            false => Ok(Self(bytes)),
        }
    }
}

impl Encode for AuthorId {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

impl Decode for AuthorId {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array()?.try_into()
    }
}

/// Lower-case hexadecimal.
impl fmt::Display for AuthorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Digest::from(self.0), f)
    }
}

impl fmt::Debug for AuthorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for AuthorId {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        let bytes: Digest = text.parse().map_err(|_| {
            DecodeError::not_canonical("author", "not 64 lower-case hexadecimal digits")
        })?;
        (*bytes.as_bytes()).try_into()
    }
}

/// What is signed: a large payload is hashed once, not twice as Ed25519 would.
fn message(domain: &str, digest: Digest) -> Vec<u8> {
    [domain.as_bytes(), digest.as_bytes()].concat()
}
