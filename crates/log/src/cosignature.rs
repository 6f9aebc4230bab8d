//! Witnesses' cosignatures (C2SP `tlog-cosignature`, `cosignature/v1`), and how many of whom are enough.
//!
//! A cosignature says: at this time, by the witness's clock, this was the largest log that it had seen, and the log had
//! only grown. Its time tells a reader how recent a log is. It convicts nobody: only the times in the log show whether
//! a keeper was late ([`crate::Offence::Withholding`]).

use std::collections::BTreeSet;

use thiserror::Error;

use crate::{
    Identity, SignedCheckpoint,
    note::{Algorithm, KeyName, NoteSignature, VerifierKey},
};

/// C2SP: a time is at most this.
const MAX_TIME: u64 = (1 << 63) - 1;

fn cosigned(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// Cosigns the text of a checkpoint at a time, in seconds since 1970. Only a witness that checked that
/// the log grew may ([`crate::Witness`]).
pub fn cosign(text: &str, name: KeyName, witness: &Identity, time: u64) -> NoteSignature {
    let key = VerifierKey { name, algorithm: Algorithm::Cosignature, key: witness.id() };
    let time = time.min(MAX_TIME);
    let signature = witness.sign_text(&cosigned(text, time));
    let signature = [time.to_be_bytes().as_slice(), &signature].concat();
    NoteSignature { id: key.id(), name: key.name, signature }
}

/// The time at which a witness cosigned the text of a checkpoint, if the line is its cosignature.
pub fn verify_cosignature(text: &str, line: &NoteSignature, witness: &VerifierKey) -> Option<u64> {
    let (time, signature) = line.signature.split_first_chunk()?;
    let time = u64::from_be_bytes(*time);
    let signature = signature.try_into().ok()?;
    let genuine = witness.algorithm == Algorithm::Cosignature
        && line.is_of(witness)
        && time <= MAX_TIME
        && witness.key.verify_text(&cosigned(text, time), signature);
    genuine.then_some(time)
}

/// The latest time at which a witness cosigned a checkpoint, if it did.
pub fn cosigned_at(signed: &SignedCheckpoint, witness: &VerifierKey) -> Option<u64> {
    let note = signed.note();
    let times = note.signatures().iter();
    times.filter_map(|line| verify_cosignature(note.text(), line, witness)).max()
}

/// Why a checkpoint is not witnessed, or a policy is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuorumError {
    /// A key that is there twice, under whatever names, or does not cosign.
    #[error("the witnesses must have distinct keys for `cosignature/v1`")]
    Keys,
    /// More witnesses asked for than there are.
    #[error("a quorum of {threshold} out of {witnesses} witnesses is not possible")]
    Threshold {
        /// Asked for.
        threshold: usize,
        /// There are.
        witnesses: usize,
    },
    /// A witness's line that is not its cosignature.
    #[error("the cosignature of {name} is not of this checkpoint")]
    Cosignature {
        /// The witness.
        name: KeyName,
    },
    /// Too few witnesses.
    #[error("too few witnesses cosigned: {got}, but {threshold} are needed")]
    TooFew {
        /// How many did.
        got: usize,
        /// How many it takes.
        threshold: usize,
    },
}

/// The witnesses that a reader trusts, and how many of them it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quorum {
    witnesses: Vec<VerifierKey>,
    threshold: usize,
}

impl Quorum {
    /// So many of these.
    ///
    /// # Errors
    /// [`QuorumError::Keys`]: a cosignature does not say under which name its key signs, so one key
    /// under two names would count twice. [`QuorumError::Threshold`].
    pub fn new(witnesses: Vec<VerifierKey>, threshold: usize) -> Result<Self, QuorumError> {
        let cosigning = |key: &VerifierKey| key.algorithm == Algorithm::Cosignature;
        let keys: BTreeSet<_> = witnesses.iter().filter(|key| cosigning(key)).collect();
        let keys: BTreeSet<_> = keys.iter().map(|witness| witness.key).collect();
        if keys.len() != witnesses.len() {
            return Err(QuorumError::Keys);
        }
        match threshold <= witnesses.len() {
            true => Ok(Self { witnesses, threshold }),
            false => Err(QuorumError::Threshold { threshold, witnesses: witnesses.len() }),
        }
    }

    /// The witnesses.
    pub fn witnesses(&self) -> &[VerifierKey] {
        &self.witnesses
    }

    /// Checks that enough witnesses cosigned. The time that they vouch for: as many as it takes saw the
    /// log then or later; `None` if it takes none. Lines of others are ignored.
    ///
    /// # Errors
    /// [`QuorumError::Cosignature`], [`QuorumError::TooFew`].
    pub fn verify(&self, signed: &SignedCheckpoint) -> Result<Option<u64>, QuorumError> {
        let text = signed.note().text();
        let mut times = Vec::new();
        for witness in &self.witnesses {
            let lines = signed.note().signatures().iter().filter(|line| line.is_of(witness));
            let wrong = || QuorumError::Cosignature { name: witness.name.clone() };
            let seen = lines.map(|line| verify_cosignature(text, line, witness).ok_or_else(wrong));
            // A witness counts once, with its latest time.
            times.extend(seen.collect::<Result<Vec<u64>, _>>()?.into_iter().max());
        }
        let (got, threshold) = (times.len(), self.threshold);
        if got < threshold {
            return Err(QuorumError::TooFew { got, threshold });
        }
        times.sort_unstable_by(|a, b| b.cmp(a));
        Ok(threshold.checked_sub(1).and_then(|last| times.get(last).copied()))
    }
}
