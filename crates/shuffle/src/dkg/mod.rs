//! Distributed key generation: Pedersen's joint Feldman protocol, t of n, publicly verifiable.
//!
//! Trustees 1..=n talk over a board that shows everybody the same messages, each attributed to its
//! author (the board's signatures see to that). The key is `x = sum_i f_i(0)` over the qualified
//! dealers i, shared as `x_j = sum_i f_i(j)`; any t trustees decrypt, fewer learn nothing.
//!
//! | round | trustee i posts |
//! |---|---|
//! | 1 ([`Round1Message`]) | `C_{i,k} = a_{i,k}·G` for `f_i = sum_k a_{i,k}·X^k` of degree t − 1, a transport key `T_i`, a proof of knowledge for each of `C_{i,0}` and `T_i` |
//! | 2 ([`Round2Message`]) | for every other participant j: `E = e·G` and `f_i(j)` sealed under `K = e·T_j`; one proof of knowledge of all e |
//! | 3 ([`Round3Message`]) | a digest of rounds 1 and 2 and, against every dealer whose share is bad, a complaint: `K` with a proof that `log_G T_j = log_E K` |
//!
//! A complaint lets everybody open that one share. A dealer of a bad share is disqualified. A trustee who complains
//! about a good share is named, and the complaint is ignored. [`conclude`] computes keys only from the commitments of
//! the qualified dealers, so everybody computes the same keys.
//!
//! The proofs of round 1 stop rogue keys: nobody can contribute a value made from the others' values. The proof of
//! round 2 stops a dealer who copies another dealer's E so that a complaint reveals its K. As in every joint Feldman
//! protocol, a dealer can choose to be disqualified after seeing the others' commitments, and so shift the public key a
//! little. This does not help against ElGamal (Gennaro, Jarecki, Krawczyk, Rabin).
//!
//! # Restarting
//! Every round is a function of the messages so far and of `rng`. A trustee keeps one 32-byte seed, derives one
//! `ChaCha20Rng` for each round from it, and after a crash posts the same messages again. Secrets also depend on the
//! parameters, proof masks on what is proven (see [`crate::sigma`]) and sealing keys on the board. So a seed that is
//! used again in another context or for another board shares no secret, mask or key with its first use.
//!
//! ```
//! use algebra::Ristretto255 as G;
//! use shuffle::dkg::{self, DkgParams, KeyShare, Round1Board, Round2Board};
//! # use rand_core::SeedableRng;
//! # fn main() -> Result<(), shuffle::threshold_error::ThresholdError> {
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let params = DkgParams::new(2, 3, b"docs")?;
//! let mut secrets = Vec::new();
//! let mut messages = Vec::new();
//! for trustee in 1..=3 {
//!     let (secret, message) = dkg::commit::<G>(&params, trustee, &mut rng)?;
//!     secrets.push(secret);
//!     messages.push(message);
//! }
//! let board = Round1Board::new(params, messages)?;
//! let messages = secrets.iter().map(|s| dkg::deal(&board, s, &mut rng)).collect::<Result<_, _>>()?;
//! let board = Round2Board::new(board, messages)?;
//! let messages = secrets.iter().map(|s| dkg::respond(&board, s, &mut rng)).collect::<Result<_, _>>()?;
//! let outcome = dkg::conclude(&board, messages)?;
//! assert_eq!(outcome.keys.qualified(), [1, 2, 3]);
//! let shares: Vec<KeyShare<G>> =
//!     secrets.iter().map(|s| KeyShare::derive(&outcome.keys, &board, s)).collect::<Result<_, _>>()?;
//! # assert_eq!(shares.len(), 3);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;

use algebra::Group;
use transcript::{Transcript, TranscriptExt};
use wire::Encode;

use crate::threshold_error::ThresholdError;

mod keys;
mod round1;
mod round2;
mod round3;
mod seal;

pub use keys::{KeySet, KeyShare};
pub use round1::{Round1Board, Round1Message, TrusteeSecrets, commit};
pub use round2::{EncryptedShare, Round2Board, Round2Message, deal};
pub use round3::{Complaint, Outcome, Round3Message, conclude, respond};

/// The largest number of trustees.
pub const MAX_TRUSTEES: u16 = 255;

/// Who generates a key and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DkgParams {
    threshold: u16,
    trustees: u16,
    context: Vec<u8>,
}

impl DkgParams {
    /// `threshold` of `trustees` for the key named by `context`, which no other run may use.
    ///
    /// # Errors
    /// [`ThresholdError::Parameters`] unless 1 <= threshold <= trustees <= [`MAX_TRUSTEES`].
    pub fn new(threshold: u16, trustees: u16, context: &[u8]) -> Result<Self, ThresholdError> {
        if threshold < 1 || threshold > trustees || trustees > MAX_TRUSTEES {
            return Err(ThresholdError::Parameters { threshold, trustees });
        }
        Ok(Self { threshold, trustees, context: context.to_vec() })
    }

    /// The number t of trustees that decrypt.
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// The number n of trustees.
    pub fn trustees(&self) -> u16 {
        self.trustees
    }

    /// What the key is for.
    pub fn context(&self) -> &[u8] {
        &self.context
    }

    fn check_trustee(&self, trustee: u16) -> Result<(), ThresholdError> {
        let known = (1..=self.trustees).contains(&trustee);
        known.then_some(()).ok_or(ThresholdError::UnknownTrustee { trustee })
    }

    /// A transcript that is bound to the group, these parameters and the acting trustee.
    fn transcript<G: Group>(&self, label: &'static [u8], trustee: u16) -> Transcript {
        let mut transcript = Transcript::new(label);
        transcript.absorb(b"group", G::NAME.as_bytes());
        transcript.absorb_u64(b"threshold", self.threshold.into());
        transcript.absorb_u64(b"trustees", self.trustees.into());
        transcript.absorb(b"context", &self.context);
        transcript.absorb_u64(b"trustee", trustee.into());
        transcript
    }
}

impl Encode for DkgParams {
    fn encode(&self, out: &mut Vec<u8>) {
        self.threshold.encode(out);
        self.trustees.encode(out);
        wire::put_bytes(out, &self.context);
    }
}

/// A message of one trustee in one round.
trait RoundMessage: PartialEq {
    const ROUND: u8;

    fn author(&self) -> u16;
}

/// Sorts messages by author. A repetition counts once; authors that are not `expected`, that
/// contradict themselves or that are missing become faults.
fn sort_by_author<M: RoundMessage>(
    messages: Vec<M>,
    expected: &[u16],
    faults: &mut Vec<ThresholdError>,
) -> BTreeMap<u16, M> {
    let mut posted: BTreeMap<u16, Vec<M>> = BTreeMap::new();
    for message in messages {
        let same_author = posted.entry(message.author()).or_default();
        if !same_author.contains(&message) {
            same_author.push(message);
        }
    }
    let mut sorted = BTreeMap::new();
    for &trustee in expected {
        // Who posted nothing is missing, below.
        let mut own = posted.remove(&trustee).unwrap_or_default();
        match (own.pop(), own.is_empty()) {
            (Some(message), true) => _ = sorted.insert(trustee, message),
            (Some(_), false) => {
                faults.push(ThresholdError::Contradiction { trustee, round: M::ROUND });
            }
            (None, _) => faults.push(ThresholdError::Absent { trustee, round: M::ROUND }),
        }
    }
    faults.extend(posted.into_keys().map(|trustee| ThresholdError::UnknownTrustee { trustee }));
    sorted
}

/// Keeps the messages that `verify` accepts; the others become faults.
fn keep_valid<M>(
    messages: BTreeMap<u16, M>,
    verify: impl Fn(&M) -> Result<(), ThresholdError> + Sync,
    faults: &mut Vec<ThresholdError>,
) -> BTreeMap<u16, M>
where
    M: Send + Sync,
{
    use rayon::prelude::*;

    let messages: Vec<(u16, M)> = messages.into_iter().collect();
    let verdicts: Vec<Result<(), ThresholdError>> =
        messages.par_iter().map(|(_, message)| verify(message)).collect();
    let judged = messages.into_iter().zip(verdicts);
    judged
        .filter_map(|(message, verdict)| {
            // The error is not lost: it is among the faults.
            verdict.map(|()| message).map_err(|fault| faults.push(fault)).ok()
        })
        .collect()
}

fn enough_dealers(params: &DkgParams, got: usize) -> Result<(), ThresholdError> {
    let needed = usize::from(params.threshold);
    (got >= needed).then_some(()).ok_or(ThresholdError::TooFewDealers { needed, got })
}
