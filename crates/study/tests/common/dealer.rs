//! Messages of dishonest trustees that no honest code makes.

use std::collections::BTreeMap;

use algebra::{Group, Ristretto255 as G, Scalar};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{
    SecretKey,
    dkg::{DkgParams, Round1Board, Round2Board},
    sigma::{EqualityProof, EqualityStatement, KnowledgeProof},
};
use study::{
    election::{Message, Session},
    secrets::RunSecrets,
};
use transcript::{Transcript, TranscriptExt};
use wire::{Digest, Encode};

use super::{Said, World};

type S = <G as Group>::Scalar;

/// A trustee's message of round 2 with shares that nobody can open, and a true proof.
pub fn bad_shares(world: &World, session: &Session, said: &Said) -> Said {
    let (params, board) = round1(world, session);
    let dealer = said.by.number;
    let (mut transcript, mut rng) = start(&params, b"subrosa/dkg/round2/v1", dealer);
    transcript.absorb(b"session", board.digest().as_bytes());
    let others: Vec<u16> = board.participants().into_iter().filter(|&j| j != dealer).collect();
    let mut bytes = dealer.to_bytes();
    (others.len() as u32).encode(&mut bytes);
    let exponents = S::random_many(others.len(), &mut rng);
    let points: Vec<G> = exponents.iter().map(G::mul_generator).collect();
    for (recipient, ephemeral) in others.iter().zip(&points) {
        let sealed = [7; 48];
        transcript.absorb_u64(b"recipient", (*recipient).into());
        transcript.absorb(b"sealed", &sealed);
        recipient.encode(&mut bytes);
        bytes.extend(Group::encode(ephemeral));
        bytes.extend(sealed);
    }
    KnowledgeProof::prove(&mut transcript, &points, &exponents, &mut rng).encode(&mut bytes);
    Said { payload: bytes, ..said.clone() }
}

/// A trustee's message of round 3 that complains, with a true proof, about the good share of
/// `dealer`.
pub fn false_accusation(world: &World, session: &Session, said: &Said, dealer: u16) -> Said {
    let (params, board) = round2(world, session);
    let accuser = said.by.number;
    let secret = transport_key(&params, &world.secrets(said.by, session.id()), accuser);
    let messages = messages(world, session);
    let dealt = messages.iter().find_map(|message| match message {
        Message::KeyRound2(message) if message.dealer() == dealer => Some(message.to_bytes()),
        _ => None,
    });
    // A share is 82 bytes: recipient, ephemeral key, sealed share.
    let dealt = dealt.unwrap();
    let mut shares = dealt[6..].chunks(82);
    let share = shares.find(|share| share[..2] == accuser.to_le_bytes()).unwrap();
    let base = G::decode(&share[2..34]).unwrap();

    let (mut transcript, mut rng) = start(&params, b"subrosa/dkg/round3/v1", accuser);
    transcript.absorb(b"seen", board.digest().as_bytes());
    transcript.absorb_u64(b"dealer", dealer.into());
    let secret = *secret.scalar();
    let image = base.mul(&secret);
    let statement = EqualityStatement { public: G::mul_generator(&secret), base, image };
    let proof = EqualityProof::prove(&mut transcript, &statement, &secret, &mut rng);
    let mut bytes = accuser.to_bytes();
    board.digest().encode(&mut bytes);
    1_u32.encode(&mut bytes);
    dealer.encode(&mut bytes);
    bytes.extend(Group::encode(&image));
    proof.encode(&mut bytes);
    Said { payload: bytes, ..said.clone() }
}

/// Round 1 as it is on the board.
fn round1(world: &World, session: &Session) -> (DkgParams, Round1Board<G>) {
    let description = &world.description;
    let context = context(world, session);
    let params =
        DkgParams::new(description.threshold, description.trustees, context.as_bytes()).unwrap();
    let first = messages(world, session).into_iter().filter_map(|message| match message {
        Message::KeyRound1(message) => Some(message),
        _ => None,
    });
    (params.clone(), Round1Board::new(params, first.collect()).unwrap())
}

/// What the key generation is bound to: the board, or in version 2 what every party drew.
fn context(world: &World, session: &Session) -> Digest {
    let id = session.election().id();
    let mut drawn = BTreeMap::new();
    for said in world.script(session.entries()) {
        if let Message::Ready(ready) = said.message() {
            drawn.insert(said.by.to_bytes(), ready.nonce);
        }
    }
    if drawn.is_empty() {
        return id;
    }
    let drawn = drawn.into_iter().flat_map(|(party, nonce)| [party, nonce.to_vec()].concat());
    let parts = [id.as_bytes().to_vec(), drawn.collect()].concat();
    Digest::of("subrosa/election/session/v2", &parts)
}

/// Round 2 as it is on the board.
fn round2(world: &World, session: &Session) -> (DkgParams, Round2Board<G>) {
    let (params, first) = round1(world, session);
    let second = messages(world, session).into_iter().filter_map(|message| match message {
        Message::KeyRound2(message) => Some(message),
        _ => None,
    });
    (params, Round2Board::new(first, second.collect()).unwrap())
}

fn messages(world: &World, session: &Session) -> Vec<Message> {
    world.script(session.entries()).iter().map(Said::message).collect()
}

fn start(params: &DkgParams, label: &'static [u8], trustee: u16) -> (Transcript, ChaCha20Rng) {
    let mut transcript = Transcript::new(label);
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb_u64(b"threshold", params.threshold().into());
    transcript.absorb_u64(b"trustees", params.trustees().into());
    transcript.absorb(b"context", params.context());
    transcript.absorb_u64(b"trustee", trustee.into());
    (transcript, ChaCha20Rng::seed_from_u64(trustee.into()))
}

/// The trustee's transport key, drawn again as round 1 drew it.
fn transport_key(params: &DkgParams, secrets: &RunSecrets, trustee: u16) -> SecretKey<G> {
    let (drawing, _) = start(params, b"subrosa/dkg/secrets/v1", trustee);
    let mut seed = secrets.rng("key/commitments", params.context()).unwrap();
    let mut drawn = drawing.build_rng().finalize(&mut seed);
    S::random_many(params.threshold().into(), &mut drawn);
    SecretKey::generate(&mut drawn)
}
