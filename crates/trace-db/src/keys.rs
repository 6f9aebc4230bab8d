//! 1.3 Keygen among processes: everything that was said, the part that is dealt, and what a server
//! derives its part from.

use std::sync::Arc;

use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::dkg::MAX_TRUSTEES;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    PaillierSetup, SealingKey, Session,
    bases::G1,
    paillier::{
        Context, KeyShare, ModulusSize, PublicKey, Scheme,
        bcp::{Contribution, Parameters},
    },
    rules::{KeyMaking, SessionRules},
    session::sealing_key,
};
use trace::{
    Sealed, TraceError,
    parts::{
        encode::{self, digest_of, require_all},
        fresh,
    },
    routed::{self, KeyTranscript, ServerSecret},
};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/dealt-key/v1";

/// A server's part of a Paillier key that the servers make, and what it publishes about it: the
/// same after a restart.
///
/// # Errors
/// [`TraceError::NotAServer`].
pub fn contribute(
    secret: &ServerSecret,
    base: &routed::Session<G1>,
    parameters: &Parameters,
) -> Result<(KeyShare, Contribution), TraceError> {
    let server = secret.number(base.rules())?;
    let context = Context { session: base.id().as_bytes(), purpose: b"key", server };
    let mut rng = fresh::repeatable(secret.bytes(), "paillier key", base.id());
    Ok(parameters.contribute(&context, &mut rng))
}

/// The Paillier key of a trusted dealer, each server's share sealed to it, signed by the dealer for
/// one ElGamal key, and so for one session.
#[derive(Clone)]
pub struct DealtKey {
    key: PublicKey,
    shares: Vec<Sealed<G1>>,
    signature: [u8; 64],
}

impl DealtKey {
    /// Seals shares, such as those of [`dealt::deal`](super::paillier::dealt::deal), to servers
    /// 1..=m. The dealer erases them afterwards.
    ///
    /// # Errors
    /// [`TraceError::Missing`] unless there is a share for each server, [`TraceError::Step`] naming
    /// a server whose sealing key is not proven, [`TraceError::Sealing`].
    pub fn seal(
        (key, shares): (PublicKey, Vec<KeyShare>),
        base: &routed::Session<G1>,
        sealing: &[SealingKey],
        dealer: &Identity,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, TraceError> {
        require_all("sealing keys", base.servers(), sealing.len())?;
        require_all("key shares", base.servers(), shares.len())?;
        let seal = |((server, recipient), share): ((u16, &SealingKey), &KeyShare)| {
            recipient.verify(base, server)?;
            let context = seal_context(base, server);
            Sealed::seal(recipient.key(), &context, &share.to_secret_bytes(), rng)
        };
        let shares = (1..).zip(sealing).zip(&shares).map(seal).collect::<Result<_, _>>()?;
        let mut dealt = Self { key, shares, signature: [0; 64] };
        dealt.signature = dealer.sign(SIGNATURE_DOMAIN, dealt.signed(base));
        Ok(dealt)
    }

    fn signed(&self, base: &routed::Session<G1>) -> Digest {
        let mut body = Vec::new();
        self.put_body(&mut body);
        digest_of(SIGNATURE_DOMAIN, &[base.id().as_bytes(), &body])
    }

    fn put_body(&self, out: &mut Vec<u8>) {
        self.key.encode(out);
        encode::put_list(&self.shares, out);
    }

    /// Whether it is this dealer's for this session, with a share for each server. Of the shares
    /// only their servers see whether they are right.
    ///
    /// # Errors
    /// [`TraceError::DealtKey`].
    pub fn verify(&self, base: &routed::Session<G1>, dealer: &AuthorId) -> Result<(), TraceError> {
        if !dealer.verify(SIGNATURE_DOMAIN, self.signed(base), &self.signature) {
            return Err(TraceError::DealtKey("the dealer did not sign it for this session"));
        }
        if self.key.scheme() != Scheme::Dealt || self.shares.len() != base.servers() {
            return Err(TraceError::DealtKey("it is not for these servers"));
        }
        Ok(())
    }

    /// A server's share, if it is one of this key.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`], [`TraceError::DealtKey`].
    pub fn open(
        &self,
        secret: &ServerSecret,
        base: &routed::Session<G1>,
    ) -> Result<KeyShare, TraceError> {
        let server = secret.number(base.rules())?;
        let sealed = self.shares.get(usize::from(server).saturating_sub(1));
        let opened = sealed.and_then(|sealed| {
            sealed.open(&sealing_key(secret, base), &seal_context(base, server))
        });
        let bytes = opened.ok_or(TraceError::DealtKey("the share of this server does not open"))?;
        let mut reader = Reader::new(&bytes);
        let share = KeyShare::decode(&mut reader, &self.key)
            .and_then(|share| reader.finish().map(|()| share));
        // Why a share does not decode is known to its dealer alone; that it is none of the key is enough.
        share
            .ok()
            .filter(|share| share.server() == server)
            .ok_or(TraceError::DealtKey("the share of this server is none of the key"))
    }

    /// Reads what a dealer says about a modulus of this size.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, size: ModulusSize) -> Result<Self, DecodeError> {
        let key = PublicKey::decode(reader, size)?;
        let shares = encode::list(reader, "sealed key shares", MAX_TRUSTEES.into())?;
        Ok(Self { key, shares, signature: reader.array()? })
    }
}

fn seal_context(base: &routed::Session<G1>, server: u16) -> Vec<u8> {
    [b"trace/db/key-share".as_slice(), base.id().as_bytes(), &server.to_le_bytes()].concat()
}

/// What makes the Paillier key.
#[derive(Clone)]
pub enum PaillierMessages {
    /// The contributions of servers 1..=m.
    Servers(Vec<Contribution>),
    /// The dealer's.
    Dealer(Box<DealtKey>),
}

/// Everything that was said in the key generation.
#[derive(Clone)]
pub struct KeyRecord {
    /// The rules.
    pub rules: SessionRules,
    /// The ElGamal key.
    pub key: KeyTranscript<G1>,
    /// The sealing keys of servers 1..=m.
    pub sealing: Vec<SealingKey>,
    /// The Paillier key.
    pub paillier: PaillierMessages,
}

impl KeyRecord {
    /// Verifies everything.
    ///
    /// # Errors
    /// Those of [`routed::Session::establish`] and [`KeyRecord::establish_on`].
    pub fn establish(&self) -> Result<Session, TraceError> {
        let base = routed::Session::establish(self.rules.base().clone(), self.key.clone())?;
        self.establish_on(Arc::new(base))
    }

    /// Verifies everything but the ElGamal key, which is that of a verified `base`.
    ///
    /// # Errors
    /// [`TraceError::DealtKey`], and those of [`Session::establish`].
    pub fn establish_on(&self, base: Arc<routed::Session<G1>>) -> Result<Session, TraceError> {
        let setup = match (&self.paillier, self.rules.keys()) {
            (PaillierMessages::Servers(contributions), KeyMaking::Servers(parameters)) => {
                let contributions = contributions.clone();
                PaillierSetup::Bcp { parameters: parameters.clone(), contributions }
            }
            (PaillierMessages::Dealer(dealt), KeyMaking::Dealer(_)) => {
                let dealer = self.rules.dealer().ok_or(TraceError::Rules("nobody deals"))?;
                dealt.verify(&base, dealer)?;
                PaillierSetup::Dealt(Box::new(dealt.key.clone()))
            }
            _ => return Err(TraceError::Rules("the Paillier key was made in another way")),
        };
        Session::establish(base, &self.sealing, setup)
    }
}

/// Key, counted sealed shares, signature.
impl Encode for DealtKey {
    fn encode(&self, out: &mut Vec<u8>) {
        self.put_body(out);
        out.extend_from_slice(&self.signature);
    }
}

/// Rules, ElGamal key, counted sealing keys, then the counted contributions or the dealer's
/// message, as the rules have it.
impl Encode for KeyRecord {
    fn encode(&self, out: &mut Vec<u8>) {
        self.rules.encode(out);
        self.key.encode(out);
        encode::put_list(&self.sealing, out);
        match &self.paillier {
            PaillierMessages::Servers(contributions) => encode::put_list(contributions, out),
            PaillierMessages::Dealer(dealt) => dealt.encode(out),
        }
    }
}

impl Decode for KeyRecord {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rules = SessionRules::decode(reader)?;
        let key = KeyTranscript::decode(reader)?;
        let sealing = encode::list(reader, "sealing keys", MAX_TRUSTEES.into())?;
        let paillier = match rules.keys() {
            KeyMaking::Servers(parameters) => {
                let count = reader.count("contributions", MAX_TRUSTEES.into())?;
                let read = |_| parameters.decode_contribution(reader);
                PaillierMessages::Servers((0..count).map(read).collect::<Result<_, _>>()?)
            }
            KeyMaking::Dealer(size) => {
                PaillierMessages::Dealer(Box::new(DealtKey::decode(reader, *size)?))
            }
        };
        Ok(Self { rules, key, sealing, paillier })
    }
}
