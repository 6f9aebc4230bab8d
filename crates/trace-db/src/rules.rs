//! What is fixed before any key is made: who runs a session, and who is trusted with what.

use board::AuthorId;
use shuffle::dkg::MAX_TRUSTEES;
use wire::{Decode, DecodeError, Encode, Reader};

use super::paillier::{ModulusSize, bcp::Parameters};
use trace::{
    TraceError,
    parts::encode::{self, digest_of},
    routed::{self, MAX_CONTEXT},
};

/// Who makes the threshold Paillier key.
#[derive(Clone)]
pub enum KeyMaking {
    /// The servers, over a modulus whose factors nobody keeps: no single party decrypts.
    Servers(Box<Parameters>),
    /// The session's dealer, as in the paper's reference code: it can decrypt everything.
    Dealer(ModulusSize),
}

impl KeyMaking {
    /// The length of the modulus.
    pub fn size(&self) -> Option<ModulusSize> {
        match self {
            Self::Servers(parameters) => size_of(parameters.modulus().significant_bits()),
            Self::Dealer(size) => Some(*size),
        }
    }
}

/// The rules of a session. Servers make their ElGamal key for the digest of all of them, and every
/// later message names that key: who the dealer is cannot be changed afterwards.
#[derive(Clone)]
pub struct SessionRules {
    context: Vec<u8>,
    keys: KeyMaking,
    dealer: Option<AuthorId>,
    base: routed::Rules,
}

impl SessionRules {
    /// `context` names the study and its run, such as a board's id, and serves one session only;
    /// `servers` are the signing keys of servers 1..=m, all of whom decrypt. The dealer is who
    /// deals the blindings of queries that go out, and the Paillier key if `keys` says so; without
    /// one, queries go in only.
    ///
    /// # Errors
    /// [`TraceError::Rules`].
    pub fn new(
        context: &[u8],
        servers: Vec<AuthorId>,
        keys: KeyMaking,
        dealer: Option<AuthorId>,
    ) -> Result<Self, TraceError> {
        if context.is_empty() || context.len() > MAX_CONTEXT {
            return Err(TraceError::Rules("the study's name has 1 to 256 bytes"));
        }
        if !matches!(keys.size(), Some(ModulusSize::Bits2048 | ModulusSize::Bits3072)) {
            return Err(TraceError::Rules("a Paillier modulus has 2048 or 3072 bits"));
        }
        if matches!(keys, KeyMaking::Dealer(_)) && dealer.is_none() {
            return Err(TraceError::Rules("a dealer makes the Paillier key, and none is named"));
        }
        if dealer.is_some_and(|dealer| servers.contains(&dealer)) {
            return Err(TraceError::Rules("the dealer is one of the servers"));
        }
        let mut bytes = Vec::new();
        put(context, &servers, &keys, dealer.as_ref(), &mut bytes);
        let digest = digest_of("trace/db/rules", &[&bytes]);
        // More servers than that are refused by the rules beneath.
        let threshold = servers.len().try_into().unwrap_or(u16::MAX);
        let base = routed::Rules::new(digest.as_bytes(), servers, threshold, 1, 1)?;
        Ok(Self { context: context.to_vec(), keys, dealer, base })
    }

    /// The study and its run, such as a board's id.
    pub fn context(&self) -> &[u8] {
        &self.context
    }

    /// What the servers make their ElGamal key for.
    pub fn base(&self) -> &routed::Rules {
        &self.base
    }

    /// The signing keys of servers 1..=m.
    pub fn servers(&self) -> &[AuthorId] {
        self.base.servers()
    }

    /// Who makes the Paillier key.
    pub fn keys(&self) -> &KeyMaking {
        &self.keys
    }

    /// Who deals, if there is somebody.
    pub fn dealer(&self) -> Option<&AuthorId> {
        self.dealer.as_ref()
    }
}

fn put(
    context: &[u8],
    servers: &[AuthorId],
    keys: &KeyMaking,
    dealer: Option<&AuthorId>,
    out: &mut Vec<u8>,
) {
    wire::put_bytes(out, context);
    encode::put_list(servers, out);
    keys.encode(out);
    u8::from(dealer.is_some()).encode(out);
    if let Some(dealer) = dealer {
        dealer.encode(out);
    }
}

/// The sizes that a session may have; the one for tests is none of them.
fn size_of(bits: u32) -> Option<ModulusSize> {
    let sizes = [ModulusSize::Bits2048, ModulusSize::Bits3072];
    sizes.into_iter().find(|size| size.bits() == bits)
}

/// 1 and N with its roots, or 2 and nothing; before it the bits of N (16 bits).
impl Encode for KeyMaking {
    fn encode(&self, out: &mut Vec<u8>) {
        let bits = match self {
            Self::Servers(parameters) => parameters.modulus().significant_bits(),
            Self::Dealer(size) => size.bits(),
        };
        (bits as u16).encode(out);
        match self {
            Self::Servers(parameters) => {
                1_u8.encode(out);
                parameters.encode(out);
            }
            Self::Dealer(_) => 2_u8.encode(out),
        }
    }
}

impl Decode for KeyMaking {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let invalid = |reason: String| DecodeError::invalid("Paillier key", reason);
        let bits = reader.u16()?;
        let size = size_of(bits.into()).ok_or_else(|| invalid(format!("{bits} bits")))?;
        match reader.u8()? {
            1 => Ok(Self::Servers(Box::new(Parameters::decode(reader, size)?))),
            2 => Ok(Self::Dealer(size)),
            other => Err(invalid(format!("{other} is neither 1 nor 2"))),
        }
    }
}

/// Context, counted servers, who makes the Paillier key, whether there is a dealer, the dealer.
impl Encode for SessionRules {
    fn encode(&self, out: &mut Vec<u8>) {
        put(&self.context, self.servers(), &self.keys, self.dealer.as_ref(), out);
    }
}

impl Decode for SessionRules {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let context = reader.bytes("context", MAX_CONTEXT)?.to_vec();
        let servers = encode::list(reader, "servers", MAX_TRUSTEES.into())?;
        let keys = KeyMaking::decode(reader)?;
        let dealer = decode_dealer(reader)?;
        Self::new(&context, servers, keys, dealer)
            .map_err(|error| DecodeError::invalid("rules", error))
    }
}

/// Whether there is a dealer, and who.
pub fn decode_dealer(reader: &mut Reader<'_>) -> Result<Option<AuthorId>, DecodeError> {
    match reader.u8()? {
        0 => Ok(None),
        1 => AuthorId::decode(reader).map(Some),
        other => Err(DecodeError::invalid("dealer", format!("{other} is neither 0 nor 1"))),
    }
}
