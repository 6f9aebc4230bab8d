//! A committee of trustees in one process, and the tools of a dishonest one.

use algebra::{Group, Ristretto255, Scalar};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, Key, KeyInit, Nonce};
use hkdf::Hkdf;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use sha2::Sha256;
use shuffle::{
    Ciphertext, SecretKey,
    dkg::{
        self, DkgParams, KeyShare, Outcome, Round1Board, Round1Message, Round2Board, Round2Message,
        Round3Message, TrusteeSecrets,
    },
    sigma::{EqualityProof, EqualityStatement, KnowledgeProof},
};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Digest, Encode};

pub type G = Ristretto255;
pub type S = <G as Group>::Scalar;

pub const CONTEXT: &[u8] = b"test election";
pub const POINT: usize = 32;

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The generator of one trustee's round, as a trustee would derive it from its stored seed.
pub fn round_rng(trustee: u16, round: u8) -> ChaCha20Rng {
    rng(u64::from(trustee) << 8 | u64::from(round))
}

pub struct Committee {
    pub params: DkgParams,
    pub secrets: Vec<TrusteeSecrets<G>>,
    pub round1: Vec<Round1Message<G>>,
}

impl Committee {
    pub fn new(threshold: u16, trustees: u16, context: &[u8]) -> Self {
        let params = DkgParams::new(threshold, trustees, context).unwrap();
        let commit = |i| dkg::commit(&params, i, &mut round_rng(i, 1)).unwrap();
        let (secrets, round1) = (1..=trustees).map(commit).unzip();
        Self { params, secrets, round1 }
    }

    pub fn secret(&self, trustee: u16) -> &TrusteeSecrets<G> {
        self.secrets.iter().find(|secrets| secrets.trustee() == trustee).unwrap()
    }

    pub fn board1(&self) -> Round1Board<G> {
        Round1Board::new(self.params.clone(), self.round1.clone()).unwrap()
    }

    pub fn deal(&self, board: &Round1Board<G>) -> Vec<Round2Message<G>> {
        let participants = board.participants().into_iter();
        let deal = |i| dkg::deal(board, self.secret(i), &mut round_rng(i, 2)).unwrap();
        participants.map(deal).collect()
    }

    pub fn board2(&self) -> Round2Board<G> {
        let board = self.board1();
        let messages = self.deal(&board);
        Round2Board::new(board, messages).unwrap()
    }

    pub fn respond(&self, board: &Round2Board<G>) -> Vec<Round3Message<G>> {
        let participants = board.round1().participants().into_iter();
        let respond = |i| dkg::respond(board, self.secret(i), &mut round_rng(i, 3)).unwrap();
        participants.map(respond).collect()
    }

    pub fn run(&self) -> (Outcome<G>, Vec<KeyShare<G>>) {
        let board = self.board2();
        let outcome = dkg::conclude(&board, self.respond(&board)).unwrap();
        assert_eq!(outcome.faults, []);
        let shares = self.shares(&board, &outcome);
        (outcome, shares)
    }

    pub fn shares(&self, board: &Round2Board<G>, outcome: &Outcome<G>) -> Vec<KeyShare<G>> {
        let participants = board.round1().participants().into_iter();
        let derive = |i| KeyShare::derive(&outcome.keys, board, self.secret(i)).unwrap();
        participants.map(derive).collect()
    }

    /// The transport key of a trustee, drawn again as round 1 drew it.
    pub fn transport(&self, trustee: u16) -> SecretKey<G> {
        let drawing = dkg_transcript(b"subrosa/dkg/secrets/v1", &self.params, trustee);
        let mut rng = drawing.build_rng().finalize(&mut round_rng(trustee, 1));
        S::random_many(self.params.threshold().into(), &mut rng);
        SecretKey::generate(&mut rng)
    }
}

/// `count` messages and their encryptions.
pub fn encrypt_list(outcome: &Outcome<G>, count: usize) -> (Vec<G>, Vec<Ciphertext<G>>) {
    let mut rng = rng(1000);
    let messages: Vec<G> = (0..count).map(|_| G::random(&mut rng)).collect();
    let key = outcome.keys.public_key();
    let ciphertexts = messages.iter().map(|m| key.encrypt(m, &S::random(&mut rng))).collect();
    (messages, ciphertexts)
}

/// The transcript of a DKG proof, as the documentation has it.
pub fn dkg_transcript(label: &'static [u8], params: &DkgParams, trustee: u16) -> Transcript {
    let mut transcript = Transcript::new(label);
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb_u64(b"threshold", params.threshold().into());
    transcript.absorb_u64(b"trustees", params.trustees().into());
    transcript.absorb(b"context", params.context());
    transcript.absorb_u64(b"trustee", trustee.into());
    transcript
}

/// A message of round 1 with points and secrets of the attacker's choice.
pub fn craft_round1(
    params: &DkgParams,
    trustee: u16,
    commitments: &[G],
    contribution: S,
    transport: S,
) -> Round1Message<G> {
    let mut rng = rng(99);
    let transport_key = G::mul_generator(&transport);
    let mut transcript = dkg_transcript(b"subrosa/dkg/round1/v1", params, trustee);
    transcript.absorb(b"commitments", &G::encode_all(commitments));
    transcript.absorb(b"transport key", &Group::encode(&transport_key));
    let first =
        KnowledgeProof::prove(&mut transcript, &commitments[..1], &[contribution], &mut rng);
    let second = KnowledgeProof::prove(&mut transcript, &[transport_key], &[transport], &mut rng);
    let mut bytes = trustee.to_bytes();
    (commitments.len() as u32).encode(&mut bytes);
    bytes.extend(G::encode_all(commitments));
    bytes.extend(Group::encode(&transport_key));
    first.encode(&mut bytes);
    second.encode(&mut bytes);
    Round1Message::from_bytes(&bytes).unwrap()
}

/// A message of round 2 whose sealed bytes and exponents are the attacker's choice:
/// `(recipient, E, e, sealed)`.
pub fn craft_round2(
    board: &Round1Board<G>,
    dealer: u16,
    shares: &[(u16, G, S, [u8; 48])],
) -> Round2Message<G> {
    let mut transcript = dkg_transcript(b"subrosa/dkg/round2/v1", board.params(), dealer);
    transcript.absorb(b"session", board.digest().as_bytes());
    let mut bytes = dealer.to_bytes();
    (shares.len() as u32).encode(&mut bytes);
    for (recipient, ephemeral, _, sealed) in shares {
        transcript.absorb_u64(b"recipient", (*recipient).into());
        transcript.absorb(b"sealed", sealed);
        recipient.encode(&mut bytes);
        bytes.extend(Group::encode(ephemeral));
        bytes.extend(sealed);
    }
    let (points, exponents): (Vec<G>, Vec<S>) = shares.iter().map(|s| (s.1, s.2)).unzip();
    KnowledgeProof::prove(&mut transcript, &points, &exponents, &mut rng(98)).encode(&mut bytes);
    Round2Message::from_bytes(&bytes).unwrap()
}

/// Seals any 32 bytes as a share from `dealer` to `recipient` under `e`, in the election whose
/// round 1 has the digest `session`.
pub fn seal(
    board: &Round1Board<G>,
    session: &Digest,
    dealer: u16,
    recipient: u16,
    e: &S,
    plain: [u8; 32],
) -> [u8; 48] {
    let transport_key = board.message(recipient).unwrap().transport_key();
    let mut data = session.as_bytes().to_vec();
    dealer.encode(&mut data);
    recipient.encode(&mut data);
    let mut info = b"subrosa/dkg/share/v1".to_vec();
    info.extend(&data);
    info.extend(Group::encode(&G::mul_generator(e)));
    info.extend(Group::encode(&transport_key));
    let mut key = [0; 32];
    let shared = Group::encode(&transport_key.mul(e));
    Hkdf::<Sha256>::new(None, &shared).expand(&info, &mut key).unwrap();
    let mut sealed = [0; 48];
    sealed[..32].copy_from_slice(&plain);
    let tag = ChaCha20Poly1305::new(&Key::from(key))
        .encrypt_inout_detached(&Nonce::default(), &data, (&mut sealed[..32]).into())
        .unwrap();
    sealed[32..].copy_from_slice(&tag);
    sealed
}

/// A message of round 2 from a dealer who sends `plain` to every other participant.
pub fn deal_plain(board: &Round1Board<G>, dealer: u16, plain: [u8; 32]) -> Round2Message<G> {
    let others = board.participants().into_iter().filter(|&j| j != dealer);
    let share = |j| {
        let e = S::from_u64(1000 + u64::from(j));
        (j, G::mul_generator(&e), e, seal(board, board.digest(), dealer, j, &e, plain))
    };
    craft_round2(board, dealer, &others.map(share).collect::<Vec<_>>())
}

/// The ephemeral key E that `dealer` used for its `position`-th share.
pub fn ephemeral(message: &Round2Message<G>, position: usize) -> G {
    let start = 2 + 4 + position * (2 + POINT + 48) + 2;
    G::decode(&message.to_bytes()[start..start + POINT]).unwrap()
}

/// A round-3 message of `accuser` with one complaint about `dealer`, whose ephemeral key was
/// `base`: the revealed key is `claimed·base`, proven with `secret`.
pub fn craft_complaint(
    board: &Round2Board<G>,
    accuser: u16,
    dealer: u16,
    base: G,
    claimed: S,
    secret: S,
) -> Round3Message<G> {
    let mut transcript = dkg_transcript(b"subrosa/dkg/round3/v1", board.round1().params(), accuser);
    transcript.absorb(b"seen", board.digest().as_bytes());
    transcript.absorb_u64(b"dealer", dealer.into());
    let image = base.mul(&claimed);
    let statement = EqualityStatement { public: G::mul_generator(&secret), base, image };
    let proof = EqualityProof::prove(&mut transcript, &statement, &secret, &mut rng(97));
    let mut bytes = accuser.to_bytes();
    board.digest().encode(&mut bytes);
    1_u32.encode(&mut bytes);
    dealer.encode(&mut bytes);
    bytes.extend(Group::encode(&image));
    proof.encode(&mut bytes);
    Round3Message::from_bytes(&bytes).unwrap()
}

/// Every encoding with one bit of one byte turned over, the lowest or the highest.
pub fn mutations(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let flips = (0..bytes.len()).flat_map(|i| [(i, 0x01), (i, 0x80)]);
    flips.map(|(i, flip)| {
        let mut mutated = bytes.to_vec();
        mutated[i] ^= flip;
        (i, mutated)
    })
}
