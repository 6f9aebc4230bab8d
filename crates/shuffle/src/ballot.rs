//! Ballots: ElGamal ciphertexts with one proof of plaintext knowledge, bound to election and voter.
//!
//! A ballot has L columns `(r_l·G, M_l + r_l·pk)`. The [`KnowledgeProof`] of all `r_l` stops a
//! voter from casting a copy or a re-encryption of somebody else's ballot, and an observer from
//! learning a vote by having it counted twice. It absorbs, in this order: the label
//! `subrosa/shuffle/ballot/v1`, the group's name, the context (the election), the voter, the key,
//! all second components and, as its statement, all first components.
//!
//! Encryption is the voter's side and constant time on ristretto255. Ballots carry neither voter
//! ids nor credentials; the composition that collects them does.

use std::{collections::HashMap, fmt, str::FromStr};

use algebra::{Group, PointError, Scalar};
use rand_core::CryptoRng;
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use crate::{
    elgamal::{Ciphertext, PublicKey},
    encode,
    sigma::{KnowledgeProof, encode_points, powers},
    threshold_error::ThresholdError,
};

/// The widest ballot.
pub const MAX_COLUMNS: usize = 16;

/// A voter's L ciphertexts with the proof that the voter knows what is in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedBallot<G: Group> {
    ciphertexts: Vec<Ciphertext<G>>,
    proof: KnowledgeProof<G>,
    /// The encodings of first and second component of each column and of the proof's announcement: every reader
    /// hashes them more than once, and to encode a point is a tenth of verifying a signature.
    points: Vec<u8>,
}

impl<G: Group> EncryptedBallot<G> {
    fn new(ciphertexts: Vec<Ciphertext<G>>, proof: KnowledgeProof<G>) -> Self {
        let mut points: Vec<G> = ciphertexts.iter().flat_map(|c| [c.c1, c.c2]).collect();
        points.push(proof.announcement());
        Self { ciphertexts, proof, points: encode_points(&points) }
    }

    /// Encrypts one message per column for the election `context` and the voter `voter`.
    ///
    /// # Errors
    /// [`ThresholdError::BallotColumns`] for no columns or more than [`MAX_COLUMNS`].
    pub fn encrypt(
        columns: &[G],
        key: &PublicKey<G>,
        context: &[u8],
        voter: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ThresholdError> {
        require_columns(columns.len(), columns.len().clamp(1, MAX_COLUMNS))?;
        let randomness = Zeroizing::new(G::Scalar::random_many(columns.len(), rng));
        let ciphertexts = encrypt_columns(columns, key, &randomness);
        let [first, second] = components(&ciphertexts);
        let mut transcript =
            bind::<G>(&encode_points(&second), &key.point().encode(), context, voter);
        let proof = KnowledgeProof::prove(&mut transcript, &first, &randomness, rng);
        Ok(Self::new(ciphertexts, proof))
    }

    /// The same from given secrets, so that whoever knows them computes the same ballot: one scalar per column,
    /// and the mask of the proof. The mask must be a function of everything else that is passed, or uniform: two
    /// ballots with one mask give their randomness away.
    ///
    /// # Errors
    /// [`ThresholdError::BallotColumns`] as for [`EncryptedBallot::encrypt`], and if there are not as many
    /// scalars as columns.
    pub fn encrypt_from(
        columns: &[G],
        key: &PublicKey<G>,
        context: &[u8],
        voter: &[u8],
        (randomness, mask): (&[G::Scalar], &G::Scalar),
    ) -> Result<Self, ThresholdError> {
        require_columns(columns.len(), randomness.len().clamp(1, MAX_COLUMNS))?;
        let ciphertexts = encrypt_columns(columns, key, randomness);
        let [first, second] = components(&ciphertexts);
        let mut transcript =
            bind::<G>(&encode_points(&second), &key.point().encode(), context, voter);
        let proof = KnowledgeProof::prove_masked(&mut transcript, &first, randomness, mask);
        Ok(Self::new(ciphertexts, proof))
    }

    /// Verifies the ballot of `voter` in the election `context`, whose ballots have `columns`
    /// columns: no first component is the neutral element, and the proof holds.
    ///
    /// # Errors
    /// [`ThresholdError::BallotColumns`], [`ThresholdError::BallotIdentity`] or
    /// [`ThresholdError::BallotProof`], for ballot 0.
    pub fn verify(
        &self,
        columns: usize,
        key: &PublicKey<G>,
        context: &[u8],
        voter: &[u8],
    ) -> Result<(), ThresholdError> {
        self.check_shape(0, columns)?;
        let second = self.encodings(1);
        let mut transcript = bind::<G>(&second, &key.point().encode(), context, voter);
        let [first, _] = components(&self.ciphertexts);
        let holds = self.proof.verify(&mut transcript, &first);
        holds.then_some(()).ok_or(ThresholdError::BallotProof { ballot: 0 })
    }

    /// The ciphertexts, one per column.
    pub fn ciphertexts(&self) -> &[Ciphertext<G>] {
        &self.ciphertexts
    }

    /// The code by which a voter finds this ballot on the board.
    pub fn tracking_code(&self) -> TrackingCode {
        TrackingCode::of(&self.to_bytes())
    }

    /// The encodings of all first components (0), or of all second ones (1).
    fn encodings(&self, component: usize) -> Vec<u8> {
        let pairs = self.points.chunks(G::ENCODED_LEN).take(2 * self.ciphertexts.len());
        pairs.skip(component).step_by(2).flatten().copied().collect()
    }

    /// The encoding of the proof's announcement, which is the last point.
    fn encoded_announcement(&self) -> &[u8] {
        // A ballot's points end with the announcement, whether it was made or read.
        self.points.rchunks(G::ENCODED_LEN).next().unwrap_or_default()
    }

    fn check_shape(&self, ballot: usize, columns: usize) -> Result<(), ThresholdError> {
        let got = self.ciphertexts.len();
        if got != columns {
            return Err(ThresholdError::BallotColumns { ballot, expected: columns, got });
        }
        let identity = self.ciphertexts.iter().position(|c| c.c1.is_identity());
        identity.map_or(Ok(()), |column| Err(ThresholdError::BallotIdentity { ballot, column }))
    }
}

/// Verifies many `(voter, ballot)` pairs with one multi-scalar multiplication:
/// `sum_i w_i·(z_i·G + sum_l c_i^l·X_{i,l} − T_i) = 0` with 128-bit weights `w_i` from a hash of
/// all the proofs. If it fails, the ballots are verified one by one.
///
/// # Errors
/// Those of [`EncryptedBallot::verify`], for the first ballot of the wrong shape or, if there is
/// none, the first with a false proof.
pub fn verify_all<G: Group>(
    ballots: &[(&[u8], &EncryptedBallot<G>)],
    columns: usize,
    key: &PublicKey<G>,
    context: &[u8],
) -> Result<(), ThresholdError> {
    let shapes = ballots.iter().enumerate();
    shapes.clone().try_for_each(|(i, (_, ballot))| ballot.check_shape(i, columns))?;
    if merged_equation_holds(ballots, key, context) {
        return Ok(());
    }
    let bad = ballots
        .par_iter()
        .position_first(|(voter, ballot)| ballot.verify(columns, key, context, voter).is_err());
    bad.map_or(Ok(()), |ballot| Err(ThresholdError::BallotProof { ballot }))
}

fn merged_equation_holds<G: Group>(
    ballots: &[(&[u8], &EncryptedBallot<G>)],
    key: &PublicKey<G>,
    context: &[u8],
) -> bool {
    let key = key.point().encode();
    let challenge = |(voter, ballot): &(&[u8], &EncryptedBallot<G>)| {
        let mut transcript = bind::<G>(&ballot.encodings(1), &key, context, voter);
        let announcement = ballot.encoded_announcement();
        KnowledgeProof::<G>::challenge_of(&mut transcript, &ballot.encodings(0), announcement)
    };
    let challenges: Vec<G::Scalar> = ballots.par_iter().map(challenge).collect();

    // A challenge is a hash of its whole statement and announcement, so that challenges and
    // responses determine every proof.
    let mut transcript = Transcript::new(b"subrosa/shuffle/ballot/batch/v1");
    transcript.absorb_u64(b"n", ballots.len() as u64);
    for (challenge, (_, ballot)) in challenges.iter().zip(ballots) {
        transcript.absorb(b"challenge", &challenge.encode());
        transcript.absorb(b"response", &ballot.proof.response().encode());
    }
    let weights = transcript.challenge_shorts(b"weights", ballots.len());

    let (mut scalars, mut points) = (Vec::new(), Vec::new());
    let mut generator = G::Scalar::zero();
    for ((&c, &weight), (_, ballot)) in challenges.iter().zip(&weights).zip(ballots) {
        let weight = G::Scalar::from_u128(weight);
        generator += weight * ballot.proof.response();
        scalars.extend(powers(c, ballot.ciphertexts.len()).into_iter().map(|p| weight * p));
        points.extend(ballot.ciphertexts.iter().map(|ciphertext| ciphertext.c1));
    }
    scalars.push(generator);
    points.push(G::generator());
    let announcements: Vec<G> = ballots.iter().map(|(_, b)| b.proof.announcement()).collect();
    G::msm(&scalars, &points) == G::msm_short(&weights, &announcements)
}

fn require_columns(got: usize, expected: usize) -> Result<(), ThresholdError> {
    let holds = got == expected;
    holds.then_some(()).ok_or(ThresholdError::BallotColumns { ballot: 0, expected, got })
}

fn encrypt_columns<G: Group>(
    columns: &[G],
    key: &PublicKey<G>,
    randomness: &[G::Scalar],
) -> Vec<Ciphertext<G>> {
    columns.iter().zip(randomness).map(|(message, r)| key.encrypt(message, r)).collect()
}

/// What a proof is bound to; the key and the second components are encoded.
fn bind<G: Group>(second: &[u8], key: &[u8], context: &[u8], voter: &[u8]) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/shuffle/ballot/v1");
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"context", context);
    transcript.absorb(b"voter", voter);
    transcript.absorb(b"key", key);
    transcript.absorb(b"second components", second);
    transcript
}

/// All first and all second components.
fn components<G: Group>(ciphertexts: &[Ciphertext<G>]) -> [Vec<G>; 2] {
    let (first, second) =
        ciphertexts.iter().map(|ciphertext| (ciphertext.c1, ciphertext.c2)).unzip();
    [first, second]
}

/// A 32-bit count of columns, first and second component of each column, the proof.
impl<G: Group> Encode for EncryptedBallot<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.ciphertexts.len() as u32).encode(out);
        out.extend_from_slice(&self.points);
        out.extend_from_slice(&self.proof.response().encode());
    }
}

impl<G: Group> Decode for EncryptedBallot<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let undecoded = UndecodedBallot::<G>::read(reader)?;
        let points: Result<Vec<G>, _> =
            undecoded.points.chunks(G::ENCODED_LEN).map(G::decode).collect();
        undecoded.with_points(&points.map_err(not_a_point)?)
    }
}

/// A ballot whose points are read and not decoded: lists of points are decoded in a fraction of the time
/// ([`decode_all`]).
#[derive(Clone, Copy, Debug)]
pub struct UndecodedBallot<'a, G: Group> {
    points: &'a [u8],
    response: G::Scalar,
}

impl<'a, G: Group> UndecodedBallot<'a, G> {
    /// Reads the bytes of a ballot.
    ///
    /// # Errors
    /// [`DecodeError`] if they are too few, or the number of columns or the response is none.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let columns = reader.count("columns of a ballot", MAX_COLUMNS)?;
        if columns == 0 {
            return Err(DecodeError::out_of_bounds("columns of a ballot", "there are none"));
        }
        let points = reader.items(2 * columns + 1, G::ENCODED_LEN)?;
        Ok(Self { points, response: encode::scalar::<G>(reader, "response of a ballot's proof")? })
    }

    /// How many points there are.
    fn len(&self) -> usize {
        self.points.len() / G::ENCODED_LEN
    }

    /// The ballot, whose decoded points these are.
    fn with_points(&self, points: &[G]) -> Result<EncryptedBallot<G>, DecodeError> {
        let missing = || DecodeError::invalid("ballot", "it has no points");
        let (&announcement, pairs) = points.split_last().ok_or_else(missing)?;
        let pairs = pairs.as_chunks().0.iter();
        let ciphertexts = pairs.map(|&[c1, c2]| Ciphertext { c1, c2 }).collect();
        let proof = KnowledgeProof::new(announcement, self.response);
        Ok(EncryptedBallot { ciphertexts, proof, points: self.points.to_vec() })
    }
}

/// Decodes the points of many ballots together.
///
/// # Errors
/// [`DecodeError`] if one is not the canonical encoding of a point.
pub fn decode_all<G: Group>(
    ballots: &[UndecodedBallot<'_, G>],
) -> Result<Vec<EncryptedBallot<G>>, DecodeError> {
    let bytes: Vec<u8> = ballots.iter().flat_map(|ballot| ballot.points).copied().collect();
    let points = G::decode_all(&bytes).map_err(not_a_point)?;
    let mut rest = points.as_slice();
    let decode = |ballot: &UndecodedBallot<'_, G>| {
        let (own, others) = rest.split_at(ballot.len());
        rest = others;
        ballot.with_points(own)
    };
    ballots.iter().map(decode).collect()
}

fn not_a_point(error: PointError) -> DecodeError {
    DecodeError::not_canonical("point of a ballot", error)
}

/// The alphabet of tracking codes: digits and capitals without I, L, O and U (Crockford).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_SYMBOLS: u32 = 20;

/// The first 100 bits of a ballot's digest, such as `7ZK2-QD0V-M4XA-9HTB-C3W6`.
///
/// A device that shows two voters the same code needs two ballots with equal codes, which takes
/// 2^50 encryptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackingCode(u128);

impl TrackingCode {
    /// The code of an encoded ballot.
    pub fn of(ballot: &[u8]) -> Self {
        Self::of_digest(&Digest::of("shuffle/ballot", ballot))
    }

    /// The first 100 bits of a digest.
    pub fn of_digest(digest: &Digest) -> Self {
        // A digest has 32 bytes.
        let (head, _) = digest.as_bytes().split_first_chunk().unwrap_or((&[0; 16], &[]));
        Self(u128::from_be_bytes(*head) >> (128 - 5 * CODE_SYMBOLS))
    }
}

/// Five groups of four symbols.
impl fmt::Display for TrackingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..CODE_SYMBOLS).try_for_each(|i| {
            let dash = if i > 0 && i % 4 == 0 { "-" } else { "" };
            let value = (self.0 >> (5 * (CODE_SYMBOLS - 1 - i))) as usize % ALPHABET.len();
            // The remainder is a place in the alphabet.
            let symbol = ALPHABET.get(value).copied().unwrap_or_default();
            write!(f, "{dash}{}", char::from(symbol))
        })
    }
}

/// Reads what a person types: either case, with or without dashes and spaces, O for 0, I or L for
/// 1.
impl FromStr for TrackingCode {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        let refused = || DecodeError::invalid("tracking code", "not 20 letters and digits");
        let (mut code, mut symbols) = (0, 0);
        for byte in text.bytes().filter(|byte| !matches!(byte, b'-' | b' ')) {
            let symbol = match byte.to_ascii_uppercase() {
                b'O' => b'0',
                b'I' | b'L' => b'1',
                other => other,
            };
            let value = ALPHABET.iter().position(|&s| s == symbol).ok_or_else(refused)?;
            symbols += 1;
            if symbols > CODE_SYMBOLS {
                return Err(refused());
            }
            code = code << 5 | value as u128;
        }
        (symbols == CODE_SYMBOLS).then_some(Self(code)).ok_or_else(refused)
    }
}

/// Every first component and voter seen so far: refuses copied and replayed ciphertexts, also
/// within one ballot, and second ballots.
#[derive(Clone, Debug, Default)]
pub struct SeenCiphertexts {
    components: HashMap<Vec<u8>, usize>,
    voters: HashMap<Vec<u8>, usize>,
}

impl SeenCiphertexts {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records ballot `index` of `voter`. A refused ballot leaves no trace.
    ///
    /// # Errors
    /// [`ThresholdError::RepeatedVoter`] or [`ThresholdError::RepeatedCiphertext`], naming the
    /// earlier ballot.
    pub fn admit<G: Group>(
        &mut self,
        index: usize,
        voter: &[u8],
        ballot: &EncryptedBallot<G>,
    ) -> Result<(), ThresholdError> {
        if let Some(&earlier) = self.voters.get(voter) {
            return Err(ThresholdError::RepeatedVoter { ballot: index, earlier });
        }
        self.admit_again(index, ballot)?;
        self.voters.insert(voter.to_vec(), index);
        Ok(())
    }

    /// Records ballot `index` of a voter who may have others. A refused ballot leaves no trace.
    ///
    /// # Errors
    /// [`ThresholdError::RepeatedCiphertext`], naming the earlier ballot.
    pub fn admit_again<G: Group>(
        &mut self,
        index: usize,
        ballot: &EncryptedBallot<G>,
    ) -> Result<(), ThresholdError> {
        let mut fresh = HashMap::with_capacity(ballot.ciphertexts.len());
        for (column, component) in ballot.encodings(0).chunks(G::ENCODED_LEN).enumerate() {
            let component = component.to_vec();
            let earlier = self.components.get(&component).copied();
            if let Some(earlier) = earlier.or_else(|| fresh.insert(component, index)) {
                return Err(ThresholdError::RepeatedCiphertext { ballot: index, column, earlier });
            }
        }
        self.components.extend(fresh);
        Ok(())
    }
}
