//! The rounds over channels, one to each of the other parties.

use std::borrow::Cow;

use algebra::{Engine, ScalarOf};
use circuit::synthesis::ConstraintSystem;
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Channel, Decode as _, DecodeError, Digest, Encode, Reader};

use super::{
    CheckShare, Error, FirstMessage, MaskedShare, Prover, Revealed, Seat, SecondMessage,
    TripleShare, WitnessShare,
};
use crate::groth16::{Proof, ProvingKey};

const LABEL: &[u8] = b"subrosa/snark/collaborative/v3";

/// A channel to another party.
pub struct Peer {
    /// Its number.
    pub party: u16,
    /// The channel. That nobody else listens or speaks on it is for the caller to see to.
    pub channel: Channel,
}

/// Proves together with the others. All parties call this at the same time; `peers` are all others,
/// in any order.
///
/// # Errors
/// Those of [`Prover`]; [`Error::Channel`], [`Error::Message`] and [`Error::Session`], naming the peer;
/// [`Error::Told`] with one of these, or with that of the [check](super::check), if a party may have learnt
/// something: then refuse to repeat it.
pub fn prove_with_peers<E: Engine>(
    key: &ProvingKey<E>,
    system: &ConstraintSystem<ScalarOf<E>>,
    share: &WitnessShare<E>,
    triples: TripleShare<E>,
    peers: &mut [Peer],
    rng: &mut impl CryptoRng,
) -> Result<Proof<E>, Error> {
    let (seat, rows) = (share.seat(), key.domain_size());
    peers.sort_by_key(|peer| peer.party);
    let others = (1..=seat.parties).filter(|party| *party != seat.party);
    if !others.eq(peers.iter().map(|peer| peer.party)) {
        let (expected, got) = (seat.parties.into(), peers.len() + 1);
        return Err(Error::Messages { expected, got });
    }
    // Of a circuit with few rows, the share of the check is the longest.
    let limit = FirstMessage::<E>::encoded_len(rows).max(CheckShare::<E>::encoded_len());
    peers.iter_mut().for_each(|peer| peer.channel.set_limit(limit));

    // Everybody proves the same, with triples of one dealing.
    let agreed = agreed(key, share, &triples);
    let check = |party: u16, bytes: &[u8]| match bytes.split_at_checked(2) {
        Some((number, _)) if *number != party.to_le_bytes() => {
            Err(Error::Session { party, reason: "it is another party than it should be" })
        }
        _ if bytes == hello(&agreed, party, seat.party) => Ok(()),
        _ => Err(Error::Session {
            party,
            reason: "its key, public inputs or triples are not the same",
        }),
    };
    let own = |party| Cow::Owned(hello(&agreed, seat.party, party));
    exchange(seat, peers, own, (), check)?;

    let (prover, first) = Prover::start(key, system, share, &triples, rng)?;
    drop(triples);
    let messages = swap(seat, peers, first, |bytes| FirstMessage::decode(bytes, rows))?;
    let (checking, masked) = prover.mask(&messages)?;
    let messages = swap(seat, peers, masked, MaskedShare::decode)?;
    let (committed, commitment) = checking.commit(&messages, rng)?;
    let commitments = swap(seat, peers, commitment, read_digest)?;
    let (revealed, share) = committed.reveal(&commitments)?;
    after_commitments(seat, peers, revealed, share).map_err(|error| Error::Told(Box::new(error)))
}

/// The rounds in which a party that deviated learns whether its guess is right.
fn after_commitments<E: Engine>(
    seat: Seat,
    peers: &mut [Peer],
    revealed: Revealed<E>,
    share: CheckShare<E>,
) -> Result<Proof<E>, Error> {
    let shares = swap(seat, peers, share, CheckShare::decode)?;
    let (finishing, second) = revealed.second(&shares)?;
    let messages = swap(seat, peers, second, SecondMessage::decode)?;
    finishing.finish(&messages)
}

fn read_digest(bytes: &[u8]) -> Result<Digest, DecodeError> {
    let mut reader = Reader::new(bytes);
    let digest = Digest::decode(&mut reader)?;
    reader.finish()?;
    Ok(digest)
}

/// Sends the same message to each peer, and receives one from it.
fn swap<T: Encode>(
    seat: Seat,
    peers: &mut [Peer],
    own: T,
    read: impl Fn(&[u8]) -> Result<T, DecodeError>,
) -> Result<Vec<T>, Error> {
    let bytes = own.to_bytes();
    let read = |party, bytes: &[u8]| read(bytes).map_err(|source| Error::Message { party, source });
    exchange(seat, peers, |_| Cow::Borrowed(&bytes[..]), own, read)
}

/// Sends a message to each peer and receives one from it; all in the order of the parties, the own
/// one included. Of two parties the one with the lower number sends first, and everybody takes the
/// others in their order, so that nobody waits in a circle.
fn exchange<'a, T>(
    seat: Seat,
    peers: &mut [Peer],
    bytes: impl Fn(u16) -> Cow<'a, [u8]>,
    own: T,
    read: impl Fn(u16, &[u8]) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let (mut messages, mut own) = (Vec::with_capacity(seat.parties.into()), Some(own));
    for Peer { party, channel } in peers {
        let party = *party;
        let failed = |source| Error::Channel { party, source };
        if party > seat.party {
            messages.extend(own.take());
            channel.send(&bytes(party)).map_err(failed)?;
        }
        let received = channel.receive().map_err(failed)?;
        if party < seat.party {
            channel.send(&bytes(party)).map_err(failed)?;
        }
        messages.push(read(party, &received)?);
    }
    messages.extend(own);
    Ok(messages)
}

/// Everything that the parties must agree on. The dealing, which nobody else knows, is a part of it.
pub(super) fn agreed<E: Engine>(
    key: &ProvingKey<E>,
    share: &WitnessShare<E>,
    triples: &TripleShare<E>,
) -> Transcript {
    let mut transcript = Transcript::new(LABEL);
    transcript.absorb_u64(b"parties", share.seat().parties.into());
    transcript.absorb(b"dealing", &triples.dealing);
    transcript.absorb_u64(b"rows", key.domain_size() as u64);
    transcript.absorb(b"key", &key.verifying_key_bytes());
    let public = <ScalarOf<E> as algebra::Scalar>::encode_all(&share.public);
    transcript.absorb(b"public", &public);
    transcript
}

/// What `sender` says to `receiver` first: its number, and a digest of what is agreed and of the
/// direction. Nobody can make it from what was said in another direction, such as by the receiver itself.
pub(super) fn hello(agreed: &Transcript, sender: u16, receiver: u16) -> Vec<u8> {
    let mut transcript = agreed.clone();
    transcript.absorb_u64(b"sender", sender.into());
    transcript.absorb_u64(b"receiver", receiver.into());
    [&sender.to_le_bytes()[..], &transcript.challenge_wide(b"hello")].concat()
}
