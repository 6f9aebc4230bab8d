//! How a share travels to its querier: ephemeral-static Diffie-Hellman with a proof of knowledge,
//! HKDF-SHA-256, ChaCha20-Poly1305.

use algebra::Group;
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, Key, KeyInit, Nonce, Tag};
use hkdf::Hkdf;
use rand_core::CryptoRng;
use sha2::Sha256;
use shuffle::{
    PublicKey, SecretKey,
    sigma::{EqualityProof, EqualityStatement, KnowledgeProof},
};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use crate::{TraceError, parts::encode};

const TAG_LEN: usize = 16;
/// The largest sealed body: a share of as many points as a query can open.
const MAX_BODY: usize = 1 << 30;

/// A message that only the holder of a key reads, bound to a context: `E = e·G` with a proof of
/// knowledge of e, and the body under a key from `e·Q`.
///
/// The proof refuses an E that was made from another message's: who complains about a message
/// reveals its `e·Q`, and must not open somebody else's with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed<G: Group> {
    ephemeral: G,
    proof: KnowledgeProof<G>,
    body: Vec<u8>,
}

/// `K = q·E` with a proof that `log_G Q = log_E K`, by which anybody opens one message and no
/// other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revealed<G: Group> {
    shared: G,
    proof: EqualityProof<G>,
}

impl<G: Group> Sealed<G> {
    /// Seals a message to a key. `context` says what is sent, by whom and about what.
    pub fn seal(
        recipient: &PublicKey<G>,
        context: &[u8],
        message: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self, TraceError> {
        let secret = SecretKey::<G>::generate(rng);
        let ephemeral = secret.public_key().point();
        let shared = Zeroizing::new(recipient.point().mul(secret.scalar()));
        let mut body = message.to_vec();
        let tag = cipher(recipient, context, &ephemeral, &shared)?
            .encrypt_inout_detached(&Nonce::default(), context, body.as_mut_slice().into())
            .map_err(|_| TraceError::Sealing)?;
        body.extend_from_slice(&tag);
        let mut transcript = bind(recipient, context, &body);
        let proof = KnowledgeProof::prove(&mut transcript, &[ephemeral], &[*secret.scalar()], rng);
        Ok(Self { ephemeral, proof, body })
    }

    /// What the message's proof claims: that who sealed it for this recipient, in this context, knows
    /// e. `None` for the neutral element.
    pub fn claim(
        &self,
        recipient: &PublicKey<G>,
        context: &[u8],
    ) -> Option<(Transcript, G, KnowledgeProof<G>)> {
        let claim = (bind(recipient, context, &self.body), self.ephemeral, self.proof);
        (!self.ephemeral.is_identity()).then_some(claim)
    }

    /// Opens a message with the recipient's key; `None` if it was not sealed in this context.
    pub fn open(&self, secret: &SecretKey<G>, context: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let shared = Zeroizing::new(self.ephemeral.mul(secret.scalar()));
        self.open_shared(&secret.public_key(), context, &shared)
    }

    /// Opens a message with what its recipient revealed; `None` if that is not proven, or the
    /// message was not sealed in this context.
    pub fn open_revealed(
        &self,
        recipient: &PublicKey<G>,
        context: &[u8],
        revealed: &Revealed<G>,
    ) -> Option<Zeroizing<Vec<u8>>> {
        let mut transcript = bind(recipient, context, &self.body);
        let statement = self.statement(recipient, revealed.shared);
        let proven = revealed.proof.verify(&mut transcript, &statement);
        proven.then(|| self.open_shared(recipient, context, &revealed.shared)).flatten()
    }

    /// Reveals what opens this message.
    pub fn reveal(
        &self,
        secret: &SecretKey<G>,
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Revealed<G> {
        let recipient = secret.public_key();
        let shared = self.ephemeral.mul(secret.scalar());
        let mut transcript = bind(&recipient, context, &self.body);
        let statement = self.statement(&recipient, shared);
        let proof = EqualityProof::prove(&mut transcript, &statement, secret.scalar(), rng);
        Revealed { shared, proof }
    }

    fn statement(&self, recipient: &PublicKey<G>, shared: G) -> EqualityStatement<G> {
        EqualityStatement { public: recipient.point(), base: self.ephemeral, image: shared }
    }

    fn open_shared(
        &self,
        recipient: &PublicKey<G>,
        context: &[u8],
        shared: &G,
    ) -> Option<Zeroizing<Vec<u8>>> {
        let mut transcript = bind(recipient, context, &self.body);
        if self.ephemeral.is_identity() || !self.proof.verify(&mut transcript, &[self.ephemeral]) {
            return None;
        }
        let split = self.body.len().checked_sub(TAG_LEN)?;
        let (body, tag) = self.body.split_at_checked(split)?;
        let mut message = Zeroizing::new(body.to_vec());
        // Whatever the reason is, the message does not open.
        cipher(recipient, context, &self.ephemeral, shared)
            .ok()?
            .decrypt_inout_detached(
                &Nonce::default(),
                context,
                message.as_mut_slice().into(),
                &Tag::try_from(tag).ok()?,
            )
            .ok()?;
        Some(message)
    }
}

/// One key per ephemeral key, so that the nonce may stay zero.
fn cipher<G: Group>(
    recipient: &PublicKey<G>,
    context: &[u8],
    ephemeral: &G,
    shared: &G,
) -> Result<ChaCha20Poly1305, TraceError> {
    let input = Zeroizing::new(shared.encode());
    let mut key = Zeroizing::new([0; 32]);
    let (ephemeral, recipient) = (ephemeral.encode(), recipient.point().encode());
    let info: [&[u8]; 4] = [b"subrosa/trace/seal/v1", &ephemeral, &recipient, context];
    Hkdf::<Sha256>::new(None, &input)
        .expand_multi_info(&info, &mut *key)
        .map_err(|_| TraceError::Sealing)?;
    Ok(ChaCha20Poly1305::new(&Key::from(*key)))
}

fn bind<G: Group>(recipient: &PublicKey<G>, context: &[u8], body: &[u8]) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/seal/v1");
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"recipient", &recipient.point().encode());
    transcript.absorb(b"context", context);
    transcript.absorb(b"body", body);
    transcript
}

/// E, the proof, the body with its length.
impl<G: Group> Encode for Sealed<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.ephemeral.encode());
        self.proof.encode(out);
        wire::put_bytes(out, &self.body);
    }
}

impl<G: Group> Decode for Sealed<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let ephemeral = encode::point(reader, "ephemeral key")?;
        let proof = KnowledgeProof::decode(reader)?;
        Ok(Self { ephemeral, proof, body: reader.bytes("sealed body", MAX_BODY)?.to_vec() })
    }
}

/// K and its proof.
impl<G: Group> Encode for Revealed<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.shared.encode());
        self.proof.encode(out);
    }
}

impl<G: Group> Decode for Revealed<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let shared = encode::point(reader, "shared key")?;
        Ok(Self { shared, proof: EqualityProof::decode(reader)? })
    }
}
