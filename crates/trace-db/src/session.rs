//! 1.3: who runs a session, with which keys.

use std::sync::Arc;

use algebra::Group;
use shuffle::{PublicKey, SecretKey, dkg::KeySet, sigma::KnowledgeProof};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    bases::G1,
    paillier::{
        self, PaillierError,
        bcp::{Contribution, Parameters},
    },
};
use trace::{
    ModulusSummary, TraceError,
    parts::{
        encode::{digest_of, require_all},
        fresh,
    },
    routed::{self, Rules, ServerSecret},
};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/sealing/v1";

/// The key to which senders seal a server's shares, with a proof of knowledge, signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealingKey {
    key: PublicKey<G1>,
    proof: KnowledgeProof<G1>,
    signature: [u8; 64],
}

impl SealingKey {
    /// The sealing key of a server, the same after a restart.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`].
    pub fn new(secret: &ServerSecret, base: &routed::Session<G1>) -> Result<Self, TraceError> {
        let server = secret.number(base.rules())?;
        let secret_key = sealing_key(secret, base);
        let key = secret_key.public_key();
        let mut rng = fresh::repeatable(secret.bytes(), "sealing key proof", base.id());
        let mut transcript = transcript(base, server);
        let scalar = *secret_key.scalar();
        let proof = KnowledgeProof::prove(&mut transcript, &[key.point()], &[scalar], &mut rng);
        let mut message = Self { key, proof, signature: [0; 64] };
        message.signature = secret.identity().sign(SIGNATURE_DOMAIN, message.signed(base));
        Ok(message)
    }

    /// The key.
    pub fn key(&self) -> &PublicKey<G1> {
        &self.key
    }

    /// Whether it is this server's, which knows its secret part.
    ///
    /// # Errors
    /// [`TraceError::Step`] naming the server.
    pub(super) fn verify(&self, base: &routed::Session<G1>, server: u16) -> Result<(), TraceError> {
        let author = base.rules().servers().get(usize::from(server).saturating_sub(1));
        let proven = self.proof.verify(&mut transcript(base, server), &[self.key.point()]);
        let signed = author.is_some_and(|author| {
            author.verify(SIGNATURE_DOMAIN, self.signed(base), &self.signature)
        });
        match proven && signed {
            true => Ok(()),
            false => Err(TraceError::step("key generation", server, "false sealing key")),
        }
    }

    fn signed(&self, base: &routed::Session<G1>) -> Digest {
        let mut body = self.key.point().encode();
        self.proof.encode(&mut body);
        digest_of(SIGNATURE_DOMAIN, &[base.id().as_bytes(), &body])
    }
}

/// The key that opens what is sealed to a server, derived from its secret.
pub(super) fn sealing_key(secret: &ServerSecret, base: &routed::Session<G1>) -> SecretKey<G1> {
    SecretKey::generate(&mut fresh::repeatable(secret.bytes(), "sealing key", base.id()))
}

fn transcript(base: &routed::Session<G1>, server: u16) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/db/sealing/v1");
    transcript.absorb(b"session", base.id().as_bytes());
    transcript.absorb_u64(b"server", server.into());
    transcript
}

/// How the threshold Paillier key came about.
#[derive(Clone)]
pub enum PaillierSetup {
    /// From a trusted dealer, as in the paper's reference code.
    Dealt(Box<paillier::PublicKey>),
    /// From the servers, over a modulus whose factors nobody knows.
    Bcp {
        /// The modulus.
        parameters: Box<Parameters>,
        /// What servers 1..=m published, for the session of the ElGamal key.
        contributions: Vec<Contribution>,
    },
}

/// A session: threshold ElGamal in G1, threshold Paillier, a sealing key of each server. All m
/// servers decrypt and answer: the shares of v and r are additive.
pub struct Session {
    base: Arc<routed::Session<G1>>,
    paillier: paillier::PublicKey,
    sealing: Vec<PublicKey<G1>>,
    id: Digest,
}

impl Session {
    /// Verifies all keys. `base` is the key generation in G1, of which the rules ask for all
    /// servers, one block and one submission a sender.
    ///
    /// # Errors
    /// [`TraceError::Rules`], [`TraceError::Missing`], [`TraceError::Step`] naming the server whose
    /// sealing key is not proven, [`TraceError::Engine`].
    pub fn establish(
        base: Arc<routed::Session<G1>>,
        sealing: &[SealingKey],
        setup: PaillierSetup,
    ) -> Result<Self, TraceError> {
        let (rules, servers) = (base.rules(), base.servers());
        if usize::from(rules.threshold()) != servers {
            return Err(TraceError::Rules("this engine needs all servers to decrypt"));
        }
        if (rules.blocks(), rules.ballots()) != (1, 1) {
            return Err(TraceError::Rules("a sender submits one value, once"));
        }
        require_all("sealing keys", servers, sealing.len())?;
        for (server, message) in (1..).zip(sealing) {
            message.verify(&base, server)?;
        }
        let failed =
            |error: PaillierError| TraceError::engine("key generation", error.culprit(), error);
        let paillier = match setup {
            PaillierSetup::Dealt(key) if key.scheme() == paillier::Scheme::Dealt => *key,
            // Its servers have not proven that they know their parts.
            PaillierSetup::Dealt(_) => {
                return Err(TraceError::Rules("the Paillier key is not one that a dealer makes"));
            }
            PaillierSetup::Bcp { parameters, contributions } => {
                parameters.assemble(base.id().as_bytes(), &contributions).map_err(failed)?
            }
        };
        let parties = paillier.parties();
        let all = paillier::Parties::all(servers as u16);
        if parties != all {
            return Err(TraceError::Rules("the Paillier key is for other servers"));
        }
        let sealing: Vec<PublicKey<G1>> = sealing.iter().map(|message| message.key).collect();
        let points: Vec<G1> = sealing.iter().map(PublicKey::point).collect();
        let paillier_digest = paillier.digest();
        let parts: [&[u8]; 3] =
            [base.id().as_bytes(), &G1::encode_all(&points), paillier_digest.as_bytes()];
        let id = digest_of("trace/db/session", &parts);
        Ok(Self { base, paillier: paillier.with_tables(), sealing, id })
    }

    /// The session's name: the digest of rules and all keys.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        self.base.rules()
    }

    /// The number m of servers.
    pub fn servers(&self) -> usize {
        self.base.servers()
    }

    /// The threshold ElGamal key.
    pub fn keys(&self) -> &KeySet<G1> {
        self.base.keys()
    }

    /// The threshold Paillier key, with tables: variable time, for servers.
    pub fn paillier(&self) -> &paillier::PublicKey {
        &self.paillier
    }

    /// The Paillier modulus, for people.
    pub fn modulus(&self) -> ModulusSummary {
        ModulusSummary {
            bits: self.paillier.plain().bits(),
            digest: self.paillier.modulus_digest(),
            origin: self.paillier.modulus_origin(),
        }
    }

    /// The sealing keys of servers 1..=m.
    pub fn sealing(&self) -> &[PublicKey<G1>] {
        &self.sealing
    }

    /// The session of the ElGamal key.
    pub fn base(&self) -> &routed::Session<G1> {
        &self.base
    }
}

/// Key, proof, signature.
impl Encode for SealingKey {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.key.point().encode());
        self.proof.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for SealingKey {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let key = PublicKey::new(shuffle::encode::point(reader, "sealing key")?)
            .ok_or_else(|| DecodeError::not_canonical("sealing key", "the neutral element"))?;
        Ok(Self { key, proof: KnowledgeProof::decode(reader)?, signature: reader.array()? })
    }
}
