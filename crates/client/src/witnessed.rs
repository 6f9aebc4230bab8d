//! A log of which only what witnesses cosigned is seen.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use log::{
    AccessError, AddCheckpoint, Evidence, Header, Leaf, LogAccess, Quorum, QuorumError,
    SignedCheckpoint, Standing, cosigned_at,
    merkle::{CompactRange, Hash, leaf_hash},
    note::{NoteSignature, VerifierKey},
};
use wire::{Decode as _, Digest, Encode as _};

use crate::logs::{RemoteWitness, Witnessed};

/// How often a witness is asked that cosigned another size meanwhile, and a keeper whose log grew meanwhile.
const ATTEMPTS: usize = 4;
/// Leaves that are asked for at once.
const AT_ONCE: usize = 1 << 10;

/// A witness that a party counts on.
pub struct Witness {
    /// Its key.
    pub key: VerifierKey,
    /// Where it is asked for a line that the keeper does not show; `None` if it is not.
    pub remote: Option<RemoteWitness>,
}

/// A log of which only checkpoints are seen that enough witnesses cosigned. A reader whom the keeper shows another
/// history than the others gets no such checkpoint of it, unless that many witnesses conspire with the keeper.
///
/// A witness's cosignature is a line under the checkpoint. Lines that the keeper does not show are asked of the
/// witnesses, who cosign any log that has only grown since they cosigned it last, whoever asks. So a log can have
/// witnesses though its keeper asks none, such as one in a directory.
pub struct WitnessedLog<L> {
    log: L,
    quorum: Quorum,
    witnesses: Vec<Asked>,
    shown: Mutex<Option<SignedCheckpoint>>,
}

/// A witness, and how far it is known to have cosigned.
struct Asked {
    witness: Witness,
    /// The size that it cosigned last, as far as is known.
    seen: AtomicU64,
}

/// What came of asking a witness for its line.
enum Outcome {
    /// Its cosignature.
    Line(NoteSignature),
    /// It saw a log of more leaves than the keeper shows.
    Ahead(u64),
    /// No line, for this reason.
    Nothing(String),
}

impl<L: LogAccess> WitnessedLog<L> {
    /// A log of which so many of these witnesses must have cosigned what is seen.
    ///
    /// # Errors
    /// [`QuorumError`].
    pub fn new(log: L, witnesses: Vec<Witness>, threshold: usize) -> Result<Self, QuorumError> {
        let keys = witnesses.iter().map(|witness| witness.key.clone()).collect();
        let quorum = Quorum::new(keys, threshold)?;
        let asked = |witness| Asked { witness, seen: AtomicU64::new(0) };
        let witnesses = witnesses.into_iter().map(asked).collect();
        Ok(Self { log, quorum, witnesses, shown: Mutex::new(None) })
    }

    /// Asks the witnesses whose lines are missing; says what is in the way of those who do not cosign.
    fn gather(&self, signed: &mut SignedCheckpoint) -> Result<Vec<String>, AccessError> {
        let mut obstacles = Vec::new();
        for asked in &self.witnesses {
            let Witness { key, remote } = &asked.witness;
            if cosigned_at(signed, key).is_some() {
                continue;
            }
            let obstacle = match remote {
                None => "the keeper shows no line of it".to_owned(),
                Some(remote) => match self.ask(asked, remote, signed)? {
                    Outcome::Line(line) => {
                        signed.add(line);
                        continue;
                    }
                    Outcome::Ahead(seen) => format!("it saw a log of {seen} leaves"),
                    Outcome::Nothing(reason) => reason,
                },
            };
            obstacles.push(format!("{}: {obstacle}", key.name));
        }
        Ok(obstacles)
    }

    /// Asks a witness for its line under a checkpoint.
    fn ask(
        &self,
        Asked { witness, seen }: &Asked,
        remote: &RemoteWitness,
        signed: &SignedCheckpoint,
    ) -> Result<Outcome, AccessError> {
        let size = signed.checkpoint().size;
        let mut old = seen.load(SeqCst).min(size);
        for _ in 0..ATTEMPTS {
            let proof = match old == 0 || old == size {
                true => Vec::new(),
                false => self.log.consistency(old, size)?,
            };
            let request = AddCheckpoint { old, proof, checkpoint: signed.clone() };
            match remote.add_checkpoint(&request) {
                Ok(Witnessed::Cosigned(lines)) => {
                    seen.fetch_max(size, SeqCst);
                    return Ok(own_line(signed, &lines, &witness.key));
                }
                Ok(Witnessed::Conflict(latest)) if latest > size => {
                    return Ok(Outcome::Ahead(latest));
                }
                // It was asked from the very size that it cosigned last: so what differs is the root of that size.
                Ok(Witnessed::Conflict(latest)) if latest == old => {
                    let reason = "it saw another log of this size";
                    return self.judge(remote, (signed, old), reason);
                }
                Ok(Witnessed::Conflict(latest)) => old = latest,
                Ok(Witnessed::Refused(refusal)) if refusal.is_inconsistent() => {
                    return self.judge(remote, (signed, old), &refusal.reason);
                }
                Ok(Witnessed::Refused(refusal)) => return Ok(Outcome::Nothing(refusal.reason)),
                Err(error) => return Ok(Outcome::Nothing(error.to_string())),
            }
        }
        Ok(Outcome::Nothing("it says another size every time".to_owned()))
    }

    /// A witness saw another history. Evidence of that, the witness's or our own, is the error
    /// [`AccessError::Convicted`], whatever other witnesses say; without any, this witness gives no line.
    fn judge(
        &self,
        remote: &RemoteWitness,
        (signed, old): (&SignedCheckpoint, u64),
        reason: &str,
    ) -> Result<Outcome, AccessError> {
        let name = Digest::of("subrosa/log/origin/v1", self.key().name.as_str().as_bytes());
        // A witness that does not answer, or shows what is no evidence, convicts nobody.
        let kept = remote.evidence(&name).ok().flatten();
        let kept = kept.and_then(|bytes| Evidence::from_bytes(&bytes).ok());
        let kept = kept.filter(|evidence| evidence.log == *self.key());
        let evidence = match kept.and_then(Evidence::checked) {
            None => self.contradict(remote, &name, (signed, old))?,
            kept => kept,
        };
        match evidence {
            Some(evidence) => Err(AccessError::Convicted(Box::new(evidence))),
            None => Ok(Outcome::Nothing(reason.to_owned())),
        }
    }

    /// Makes evidence of a fork from the leaves. A consistency proof from an old size that is a power of two leaves out
    /// the root of that size (RFC 6962), so that a witness for whom it does not fit cannot show which root the log has
    /// there. Whoever has the leaves computes it and puts it before the proof.
    fn contradict(
        &self,
        remote: &RemoteWitness,
        name: &Digest,
        (signed, old): (&SignedCheckpoint, u64),
    ) -> Result<Option<Evidence>, AccessError> {
        let size = signed.checkpoint().size;
        // A witness that does not answer, or shows another size, convicts nobody here either.
        let seen = remote.checkpoint(name).ok().flatten();
        let seen = seen.filter(|seen| seen.checkpoint().size == old);
        // Of two roots of one size, and of other old sizes, the witness has the evidence itself.
        let Some(seen) = seen.filter(|_| old.is_power_of_two() && old < size) else {
            return Ok(None);
        };
        // Of however many leaves no more is kept than some of them and the hashes of complete subtrees.
        let mut known = CompactRange::new();
        while known.size() < old {
            // What does not fit in a `usize` is more than is asked for at once.
            let left = usize::try_from(old - known.size()).unwrap_or(AT_ONCE).min(AT_ONCE);
            let part = self.log.leaves(known.size(), left)?;
            if part.is_empty() || part.len() > left {
                return Ok(None);
            }
            part.iter().for_each(|leaf| known.push(leaf_hash(&leaf.to_bytes())));
        }
        let proof = [vec![known.root()], self.log.consistency(old, size)?].concat();
        Ok(Evidence::fork(self.key(), &seen, signed, proof))
    }

    /// A poisoned lock is as good as another: nothing under it can panic half-way.
    fn shown(&self) -> MutexGuard<'_, Option<SignedCheckpoint>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The line of a witness among what it answered.
fn own_line(signed: &SignedCheckpoint, lines: &str, key: &VerifierKey) -> Outcome {
    let text = signed.note().text();
    // A line that is no signature is none of this witness's.
    let lines = lines.lines().filter_map(|line| NoteSignature::from_line(line).ok());
    let mut own = lines.filter(|line| log::verify_cosignature(text, line, key).is_some());
    let nothing = || Outcome::Nothing("its line is not its cosignature".to_owned());
    own.next().map_or_else(nothing, Outcome::Line)
}

impl<L: LogAccess> LogAccess for WitnessedLog<L> {
    fn key(&self) -> &VerifierKey {
        self.log.key()
    }

    fn witnesses(&self) -> &[VerifierKey] {
        self.quorum.witnesses()
    }

    /// What the keeper shows, if enough witnesses cosigned it; [`AccessError::Unreachable`] until they did, and
    /// [`AccessError::Convicted`] if one of them has what convicts the keeper.
    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        for _ in 0..ATTEMPTS {
            let Some(mut signed) = self.log.latest()? else { return Ok(None) };
            let malformed = |error: log::note::NoteError| AccessError::Malformed(error.to_string());
            signed.verify(self.key()).map_err(malformed)?;
            if let Some(known) = &*self.shown()
                && known.note().text() == signed.note().text()
            {
                return Ok(Some(known.clone()));
            }
            let obstacles = self.gather(&mut signed)?;
            let Err(error) = self.quorum.verify(&signed) else {
                *self.shown() = Some(signed.clone());
                return Ok(Some(signed));
            };
            // Witnesses may have cosigned a longer log for somebody else: by now the keeper shows that one, too.
            let is_old = self
                .log
                .latest()?
                .is_some_and(|now| now.checkpoint().size > signed.checkpoint().size);
            if !is_old {
                let place = self.key().name.as_str().to_owned();
                let reason = format!("{error} ({})", obstacles.join("; "));
                return Err(AccessError::Unreachable { place, reason });
            }
        }
        let place = self.key().name.as_str().to_owned();
        let reason = "it grows faster than its witnesses cosign".to_owned();
        Err(AccessError::Unreachable { place, reason })
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        self.log.wait_beyond(size, timeout)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        self.log.leaves(from, limit)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        self.log.payload(header)
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        self.log.submit(header, payload)
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.log.standing(entry)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        self.log.consistency(from, to)
    }
}
