//! The first message of each party, and the last word of each check.

use rand_core::CryptoRng;
use wire::{Channel, ChannelError, DecodeError, Reader};

use crate::{error::VoleError, hash::SessionId, message, params::ParameterSet};

/// The protocol and its version.
const PROTOCOL: &str = "subrosa-vole/1";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Prover,
    Verifier,
}

/// Exchanges nonces, and makes sure that both parties speak of the same. A nonce of each makes a
/// session that neither can repeat.
pub(crate) fn exchange(
    channel: &mut Channel,
    role: Role,
    set: ParameterSet,
    context: &[u8],
    rng: &mut impl CryptoRng,
) -> Result<SessionId, VoleError> {
    let own_role = [u8::from(role == Role::Verifier)];
    let description = set.description();
    let digests = [PROTOCOL.as_bytes(), description.as_bytes(), context]
        .map(|part| *blake3::hash(part).as_bytes());
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let hello = [&own_role, digests.as_flattened(), &nonce].concat();
    message::send(channel, &hello)?;

    let reply = message::receive(channel, "greeting", hello.len())?;
    let mut reader = Reader::new(&reply);
    let peer_role = reader.array::<1>().map_err(ChannelError::Decode)?;
    if peer_role != [1 - u8::from(role == Role::Verifier)] {
        return Err(VoleError::Mismatch { what: "role: one proves, the other verifies" });
    }
    for (what, own) in ["protocol version", "parameter set", "context"].into_iter().zip(digests) {
        if reader.array().map_err(ChannelError::Decode)? != own {
            return Err(VoleError::Mismatch { what });
        }
    }
    let peer_nonce = reader.array().map_err(ChannelError::Decode)?;
    let (prover, verifier) = match role {
        Role::Prover => (nonce, peer_nonce),
        Role::Verifier => (peer_nonce, nonce),
    };
    Ok(SessionId::new(&[digests.as_flattened(), &prover, &verifier]))
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
