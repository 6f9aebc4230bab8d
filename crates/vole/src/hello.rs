//! Who meets whom, and the last word of each check.
//!
//! Each party's first message says what it runs, and by which key it is known. From both, and from
//! what only the two ends of the connection know, follows the session's name. With the messages of
//! the base OTs each shows that it has the same name, and signs it. Somebody who forwards messages
//! between two TLS connections, or who is not who it should be, gets no further.

use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use wire::{Channel, ChannelError, Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    error::VoleError,
    hash::SessionId,
    message,
    params::ParameterSet,
    stock::record::{Position, StockRecord},
};

/// The protocol and its version.
const PROTOCOL: &str = "subrosa-vole/3";
/// The domain of the signatures.
const DOMAIN: &str = "subrosa/vole/session";
/// Bytes that show that both have the same name for the session.
const MAC: usize = 32;
const SIGNATURE: usize = 64;
/// A key, or that there is none.
const KEY: usize = 1 + 32;
/// Two places in a stock.
const POSITIONS: usize = 2 * 16;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Prover,
    Verifier,
}

impl Role {
    fn label(self) -> &'static [u8] {
        match self {
            Self::Prover => b"prover",
            Self::Verifier => b"verifier",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Prover => Self::Verifier,
            Self::Verifier => Self::Prover,
        }
    }
}

/// What a session is about, and between whom. Bytes alone are a session between parties that do not
/// say who they are.
///
/// ```
/// use board::Identity;
/// use vole::Meeting;
/// # use rand_core::SeedableRng;
/// # let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
/// # let [own, other] = [(), ()].map(|()| Identity::generate(&mut rng));
///
/// let meeting = Meeting::about(b"an income").signed_by(&own).with(other.id());
/// ```
#[derive(Clone, Copy)]
pub struct Meeting<'a> {
    context: &'a [u8],
    identity: Option<&'a Identity>,
    peer: Option<AuthorId>,
}

impl<'a> Meeting<'a> {
    /// `context` is what the session is about, such as the statement to be proven. Both parties must
    /// give the same.
    pub fn about(context: &'a [u8]) -> Self {
        Self { context, identity: None, peer: None }
    }

    /// Shows the other party that the holder of this key takes part.
    #[must_use]
    pub fn signed_by(self, identity: &'a Identity) -> Self {
        Self { identity: Some(identity), ..self }
    }

    /// Takes part with the holder of this key and with nobody else.
    #[must_use]
    pub fn with(self, peer: AuthorId) -> Self {
        Self { peer: Some(peer), ..self }
    }

    /// The key by which this party is known.
    pub(crate) fn own(&self) -> Option<AuthorId> {
        self.identity.map(Identity::id)
    }

    pub(crate) fn context(&self) -> &'a [u8] {
        self.context
    }

    /// The same parties, about something else.
    pub(crate) fn of<'b>(self, context: &'b [u8]) -> Meeting<'b>
    where
        'a: 'b,
    {
        Meeting { context, ..self }
    }
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Meeting<'a> {
    fn from(context: &'a T) -> Self {
        Self::about(context.as_ref())
    }
}

/// What each party knows after the first messages.
pub(crate) struct Greeting {
    pub(crate) sid: SessionId,
    /// The key by which the peer says that it is known.
    pub(crate) peer: Option<AuthorId>,
    /// How far the peer has used the stock of both, and how far it says that this party has told it.
    pub(crate) positions: [Position; 2],
    role: Role,
}

/// Exchanges nonces and keys, and makes sure that both parties speak of the same. A nonce of each
/// makes a session that neither can repeat. Parties with halves of a stock also say how far it is used;
/// others say zero.
pub(crate) fn exchange(
    channel: &mut Channel,
    role: Role,
    set: ParameterSet,
    stock: Option<&StockRecord>,
    meeting: &Meeting<'_>,
    rng: &mut impl CryptoRng,
) -> Result<Greeting, VoleError> {
    let binding = channel.binding()?;
    let own_role = [u8::from(role == Role::Verifier)];
    let description = set.description();
    let id = stock.map_or([0; 32], |stock| *stock.id.as_bytes());
    let digests = [PROTOCOL.as_bytes(), description.as_bytes(), &id, meeting.context]
        .map(|part| *blake3::hash(part).as_bytes());
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let own_key = meeting.own();
    let used = stock.map_or_else(Vec::new, |stock| vec![stock.used, stock.used_by_peer]);
    let positions = encode_positions(&used);
    let hello =
        [&own_role, digests.as_flattened(), &nonce, &encode_key(own_key), &positions].concat();
    message::send(channel, &hello)?;

    let reply = message::receive(channel, "greeting", hello.len())?;
    let mut reader = Reader::new(&reply);
    let peer_role = reader.array::<1>().map_err(ChannelError::Decode)?;
    if peer_role != [1 - u8::from(role == Role::Verifier)] {
        return Err(VoleError::Mismatch { what: "role: one proves, the other verifies" });
    }
    let parts = ["protocol version", "parameter set", "stock", "context"];
    for (what, own) in parts.into_iter().zip(digests) {
        if reader.array().map_err(ChannelError::Decode)? != own {
            return Err(VoleError::Mismatch { what });
        }
    }
    let peer_nonce = reader.array::<32>().map_err(ChannelError::Decode)?;
    let peer = decode_key(&mut reader).map_err(ChannelError::Decode)?;
    if meeting.peer.is_some_and(|expected| peer != Some(expected)) {
        return Err(VoleError::Stranger { found: peer });
    }
    let mut position = || Position::decode(&mut reader).map_err(ChannelError::Decode);
    let found = [position()?, position()?];
    let of_peer = (peer_nonce, encode_key(peer), encode_positions(&found));
    let own = (nonce, encode_key(own_key), positions);
    let (prover, verifier) = match role {
        Role::Prover => (own, of_peer),
        Role::Verifier => (of_peer, own),
    };
    let parts: [&[u8]; 8] = [
        digests.as_flattened(),
        &prover.0,
        &prover.1,
        &prover.2,
        &verifier.0,
        &verifier.1,
        &verifier.2,
        binding.as_ref().map_or(&[], |binding| binding.as_slice()),
    ];
    Ok(Greeting { sid: SessionId::new(&parts), peer, positions: found, role })
}

/// How far a stock is used, by this party and as the peer has said.
fn encode_positions(positions: &[Position]) -> [u8; POSITIONS] {
    let mut bytes = [0; POSITIONS];
    let mut encoded = Vec::with_capacity(POSITIONS);
    positions.iter().for_each(|position| position.encode(&mut encoded));
    bytes.iter_mut().zip(encoded).for_each(|(to, from)| *to = from);
    bytes
}

fn encode_key(key: Option<AuthorId>) -> [u8; KEY] {
    let mut bytes = [0; KEY];
    if let (Some(key), [tag, rest @ ..]) = (key, &mut bytes) {
        *tag = 1;
        rest.copy_from_slice(key.as_bytes());
    }
    bytes
}

fn decode_key(reader: &mut Reader<'_>) -> Result<Option<AuthorId>, DecodeError> {
    match reader.array::<1>()? {
        [1] => AuthorId::decode(reader).map(Some),
        [0] => match reader.array::<32>()? == [0; 32] {
            true => Ok(None),
            false => Err(DecodeError::invalid("key", "there is none, and its place is not zero")),
        },
        _ => Err(DecodeError::invalid("key", "neither there nor not there")),
    }
}

impl Greeting {
    /// Shows that this party has the name of the session, and that it has its key.
    pub(crate) fn confirmation(&self, meeting: &Meeting<'_>) -> Vec<u8> {
        let mut shown = self.mac(self.role).to_vec();
        if let Some(identity) = meeting.identity {
            shown.extend(identity.sign(DOMAIN, self.signed(self.role)));
        }
        shown
    }

    /// Bytes of the peer's confirmation.
    pub(crate) fn confirmation_len(&self) -> usize {
        if self.peer.is_some() { MAC + SIGNATURE } else { MAC }
    }

    /// Splits the peer's confirmation off a message, and checks it.
    pub(crate) fn confirm<'m>(&self, message: &'m [u8]) -> Result<&'m [u8], VoleError> {
        let mut reader = Reader::new(message);
        let mac = reader.array::<MAC>().map_err(ChannelError::Decode)?;
        if !bool::from(mac.ct_eq(&self.mac(self.role.other()))) {
            return Err(VoleError::Relayed);
        }
        if let Some(peer) = self.peer {
            let signature = reader.array::<SIGNATURE>().map_err(ChannelError::Decode)?;
            if !peer.verify(DOMAIN, self.signed(self.role.other()), &signature) {
                return Err(VoleError::Stranger { found: None });
            }
        }
        // What comes after was read up to here, so that the rest is there, and may be empty.
        Ok(message.get(self.confirmation_len()..).unwrap_or_default())
    }

    fn mac(&self, role: Role) -> [u8; MAC] {
        self.sid.derive_array("confirmation", &[role.label()])
    }

    fn signed(&self, role: Role) -> Digest {
        let mut name = self.sid.name().to_bytes();
        name.extend_from_slice(role.label());
        Digest::of(DOMAIN, &name)
    }
}

/// Tells the prover how a check went, and ends the run if it failed.
pub(crate) fn send_verdict(
    channel: &mut Channel,
    accepted: bool,
    check: &'static str,
) -> Result<(), VoleError> {
    let sent = channel.send(&[u8::from(accepted)]);
    if !accepted {
        // The prover's answer is what matters, not whether it still listens.
        return Err(VoleError::Cheating { check });
    }
    Ok(sent?)
}

/// The verifier's word on a check.
pub(crate) fn receive_verdict(channel: &mut Channel) -> Result<(), VoleError> {
    match message::receive_array(channel, "verdict")? {
        [1] => Ok(()),
        [0] => Err(VoleError::Refused),
        _ => Err(ChannelError::Decode(DecodeError::invalid("verdict", "neither 0 nor 1")).into()),
    }
}
