//! The rounds over channels, one to each of the other parties.

use algebra::{Engine, ScalarOf};
use circuit::synthesis::ConstraintSystem;
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Channel, DecodeError, Encode as _};

use super::{Error, FirstMessage, Prover, Seat, SecondMessage, TripleShare, WitnessShare};
use crate::groth16::{Proof, ProvingKey};

const LABEL: &[u8] = b"subrosa/snark/collaborative/v1";
/// Bytes of the digest of what is proven.
const DIGEST_LEN: usize = 64;

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
/// Those of [`Prover`]; [`Error::Channel`], [`Error::Message`] and [`Error::Session`], naming the peer.
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
    let limit = FirstMessage::<E>::encoded_len(rows);
    peers.iter_mut().for_each(|peer| peer.channel.set_limit(limit));

    // Everybody proves the same, with triples of one dealing.
    let hello = hello(key, share, &triples);
    let own = [&seat.party.to_le_bytes()[..], &hello].concat();
    let check = |party: u16, bytes: &[u8]| match bytes.split_at_checked(2) {
        Some((number, _)) if *number != party.to_le_bytes() => {
            Err(Error::Session { party, reason: "it is another party than it should be" })
        }
        Some((_, digest)) if digest == hello => Ok(()),
        _ => Err(Error::Session {
            party,
            reason: "its key, public inputs or triples are not the same",
        }),
    };
    exchange(seat, peers, &own, (), check)?;

    let (prover, first) = Prover::start(key, system, share, &triples, rng)?;
    drop(triples);
    let bytes = first.to_bytes();
    let read = |_, bytes: &[u8]| FirstMessage::decode(bytes, rows);
    let messages = exchange(seat, peers, &bytes, first, named(read))?;
    let (finishing, second) = prover.second(&messages)?;
    let bytes = second.to_bytes();
    let read = |_, bytes: &[u8]| SecondMessage::decode(bytes);
    finishing.finish(&exchange(seat, peers, &bytes, second, named(read))?)
}

/// Sends a message to all peers and receives one from each; all in the order of the parties, the own
/// one included. Of two parties the one with the lower number sends first, and everybody takes the
/// others in their order, so that nobody waits in a circle.
fn exchange<T>(
    seat: Seat,
    peers: &mut [Peer],
    bytes: &[u8],
    own: T,
    read: impl Fn(u16, &[u8]) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let (mut messages, mut own) = (Vec::with_capacity(seat.parties.into()), Some(own));
    for Peer { party, channel } in peers {
        let party = *party;
        let failed = |source| Error::Channel { party, source };
        if party > seat.party {
            messages.extend(own.take());
            channel.send(bytes).map_err(failed)?;
        }
        let received = channel.receive().map_err(failed)?;
        if party < seat.party {
            channel.send(bytes).map_err(failed)?;
        }
        messages.push(read(party, &received)?);
    }
    messages.extend(own);
    Ok(messages)
}

/// Errors of decoding with the name of the party.
fn named<T>(
    read: impl Fn(u16, &[u8]) -> Result<T, DecodeError>,
) -> impl Fn(u16, &[u8]) -> Result<T, Error> {
    move |party, bytes| read(party, bytes).map_err(|source| Error::Message { party, source })
}

/// A digest of everything that the parties must agree on.
fn hello<E: Engine>(
    key: &ProvingKey<E>,
    share: &WitnessShare<E>,
    triples: &TripleShare<E>,
) -> [u8; DIGEST_LEN] {
    let mut transcript = Transcript::new(LABEL);
    transcript.absorb_u64(b"parties", share.seat().parties.into());
    transcript.absorb(b"dealing", &triples.dealing);
    transcript.absorb_u64(b"rows", key.domain_size() as u64);
    transcript.absorb(b"key", &key.verifying_key_bytes());
    let public = <ScalarOf<E> as algebra::Scalar>::encode_all(&share.public);
    transcript.absorb(b"public", &public);
    transcript.challenge_wide(b"hello")
}
