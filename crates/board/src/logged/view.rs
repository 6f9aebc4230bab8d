//! A log as far as it was read and verified.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use log::{
    AuthorId, Checkpoint, Evidence, Leaf, LogAccess, Offence, Origin, SignedCheckpoint, Stretch,
    merkle::{CompactRange, Hash},
    note::VerifierKey,
};
use wire::Digest;

use super::Contradiction;
use crate::{BoardError, Entry};

/// A board's log has less leaves than this, heartbeats included: one each ten seconds for five years.
pub const MAX_LEAVES: u64 = 1 << 24;
/// Leaves that are asked for at once.
const STEP: usize = 1 << 10;

/// What of a log was verified, to go on from.
#[derive(Clone, Debug)]
pub struct View {
    key: VerifierKey,
    origin: Origin,
    range: CompactRange,
    signed: Option<SignedCheckpoint>,
    /// What this party saw in a former life: the log must contain it.
    seen: Option<SignedCheckpoint>,
    /// The time of the last leaf.
    time: u64,
    /// Leaves under a checkpoint, whose payloads are still to be fetched, with their places.
    awaiting: VecDeque<(u64, Leaf)>,
    entries: Vec<Entry>,
    names: BTreeSet<Digest>,
    slots: BTreeMap<Slot, usize>,
    contradictions: Vec<Contradiction>,
}

type Slot = (AuthorId, String, Vec<u8>);

impl View {
    /// Nothing yet of a log, of which a checkpoint was seen before.
    ///
    /// # Errors
    /// [`BoardError::Note`] if the key has no name that a log can have, or did not sign what was seen.
    pub fn new(key: VerifierKey, seen: Option<SignedCheckpoint>) -> Result<Self, BoardError> {
        let origin = key.name.as_str().parse()?;
        seen.as_ref().map_or(Ok(()), |seen| seen.verify(&key))?;
        Ok(Self {
            key,
            origin,
            range: CompactRange::new(),
            signed: None,
            seen,
            time: 0,
            awaiting: VecDeque::new(),
            entries: Vec::new(),
            names: BTreeSet::new(),
            slots: BTreeMap::new(),
            contradictions: Vec::new(),
        })
    }

    /// Reads what the log has beyond this: the leaves that lead to the root of a checkpoint, then their
    /// payloads.
    pub(crate) fn catch_up(&mut self, log: &impl LogAccess) -> Result<(), BoardError> {
        self.fetch_payloads(log)?;
        let latest = log.latest()?;
        let Some(signed) = latest else {
            return match self.signed.as_ref().or(self.seen.as_ref()) {
                Some(known) => Err(self.rolled_back(known.checkpoint().size, 0)),
                None => Ok(()),
            };
        };
        signed.verify(&self.key)?;
        let Checkpoint { size, root, .. } = *signed.checkpoint();
        if size < self.range.size() {
            // Perhaps an older answer than the last; whether it is another log, evidence shows.
            return self.convict_fork(&signed, log);
        }
        if size > MAX_LEAVES {
            return Err(BoardError::TooLong { size });
        }
        let mut range = self.range.clone();
        let leaves = self.fetch_leaves(log, &mut range, (size, &root), &signed)?;
        for (place, leaf) in &leaves {
            let sequence = *place;
            let signature = |_| BoardError::Signature { sequence, author: leaf.header.author() };
            leaf.header.verify(&self.origin).map_err(signature)?;
            if leaf.header.kind().starts_with("log/") && !leaf.is_tick(&self.key.key) {
                return Err(BoardError::Reserved { sequence, author: leaf.header.author() });
            }
        }
        self.time = leaves.last().map_or(self.time, |(_, leaf)| leaf.time);
        (self.range, self.signed) = (range, Some(signed));
        self.awaiting.extend(leaves);
        self.fetch_payloads(log)
    }

    /// The leaves between what is known and a checkpoint, which they lead to.
    fn fetch_leaves(
        &self,
        log: &impl LogAccess,
        range: &mut CompactRange,
        (size, root): (u64, &Hash),
        signed: &SignedCheckpoint,
    ) -> Result<Vec<(u64, Leaf)>, BoardError> {
        let mut leaves: Vec<(u64, Leaf)> = Vec::new();
        let mut time = self.time;
        while range.size() < size {
            let missing = usize::try_from(size - range.size()).unwrap_or(usize::MAX);
            let step = log.leaves(range.size(), missing.min(STEP))?;
            if step.is_empty() || step.len() > missing.min(STEP) {
                return Err(BoardError::Missing { sequence: range.size() });
            }
            for leaf in step {
                let place = range.size();
                if leaf.time < time {
                    return Err(self.backwards(signed, &leaves, (place, leaf)));
                }
                time = leaf.time;
                range.push(leaf.hash());
                leaves.push((place, leaf));
                self.compare_with_seen(range, signed, log)?;
            }
        }
        match range.root() == *root {
            true => {
                let seen = self.seen.as_ref().map_or(0, |seen| seen.checkpoint().size);
                if size < seen { Err(self.rolled_back(seen, size)) } else { Ok(leaves) }
            }
            // These leaves are not the log's, or the log is another than before.
            false => {
                self.convict_fork(signed, log)?;
                Err(BoardError::Root { size })
            }
        }
    }

    /// The log that was seen in a former life is the beginning of this one.
    fn compare_with_seen(
        &self,
        range: &CompactRange,
        signed: &SignedCheckpoint,
        log: &impl LogAccess,
    ) -> Result<(), BoardError> {
        let Some(seen) = self.seen.as_ref() else { return Ok(()) };
        let Checkpoint { size, root, .. } = seen.checkpoint();
        if range.size() != *size || range.root() == *root {
            return Ok(());
        }
        self.convicted_by(seen, signed, log)?;
        Err(BoardError::Root { size: *size })
    }

    fn convict_fork(
        &self,
        signed: &SignedCheckpoint,
        log: &impl LogAccess,
    ) -> Result<(), BoardError> {
        let Some(known) = self.signed.as_ref() else { return Ok(()) };
        self.convicted_by(known, signed, log)
    }

    /// An error with evidence, if two checkpoints of this key and what the keeper says of them have any.
    fn convicted_by(
        &self,
        known: &SignedCheckpoint,
        signed: &SignedCheckpoint,
        log: &impl LogAccess,
    ) -> Result<(), BoardError> {
        let [old, new] = match known.checkpoint().size <= signed.checkpoint().size {
            true => [known, signed],
            false => [signed, known],
        };
        let evidence = Evidence::two_roots(&self.key, old, new).or_else(|| {
            let sizes = (old.checkpoint().size, new.checkpoint().size);
            let proof = log.consistency(sizes.0, sizes.1).ok()?;
            // Of a size that is a power of two, the proof lacks the root that the forked log has there.
            Evidence::fork(&self.key, old, new, proof)
        });
        match evidence {
            Some(evidence) => Err(BoardError::Convicted { evidence: Box::new(evidence) }),
            None => Ok(()),
        }
    }

    /// Times that decrease, with evidence if the leaves are the log's.
    fn backwards(
        &self,
        signed: &SignedCheckpoint,
        before: &[(u64, Leaf)],
        (sequence, leaf): (u64, Leaf),
    ) -> BoardError {
        // Without the nodes beside them two leaves prove nothing; who keeps all of them makes evidence.
        let leaves = before.last().map(|(_, before)| vec![before.clone(), leaf]);
        let stretch = leaves.map(|leaves| Stretch {
            first: sequence.saturating_sub(1),
            leaves,
            proof: vec![],
        });
        let evidence = stretch.and_then(|leaves| {
            let offence = Offence::Backwards { log: signed.clone(), leaves };
            Evidence { log: self.key.clone(), offence }.checked()
        });
        match evidence {
            Some(evidence) => BoardError::Convicted { evidence: Box::new(evidence) },
            None => BoardError::Backwards { sequence },
        }
    }

    fn rolled_back(&self, known: u64, got: u64) -> BoardError {
        BoardError::RolledBack { known, got }
    }

    /// Takes leaves that are in the log, in order, each with its payload.
    fn fetch_payloads(&mut self, log: &impl LogAccess) -> Result<(), BoardError> {
        while let Some((place, leaf)) = self.awaiting.front() {
            let sequence = *place;
            if !leaf.is_tick(&self.key.key) && !self.names.contains(&leaf.header.digest()) {
                let payload = log.payload(&leaf.header)?.ok_or(BoardError::Missing { sequence })?;
                let malformed = |_| BoardError::OtherPayload { sequence };
                leaf.header.verify_payload(&payload).map_err(malformed)?;
                let (leaf, payload) = (leaf.clone(), payload.into());
                self.take(sequence, leaf, payload);
            }
            self.awaiting.pop_front();
        }
        Ok(())
    }

    /// Takes the next entry: the first of its author's in the slot, or one that contradicts it.
    fn take(&mut self, sequence: u64, leaf: Leaf, payload: std::sync::Arc<[u8]>) {
        let header = &leaf.header;
        let slot = (header.author(), header.kind().to_owned(), header.subject().to_vec());
        let first = self.slots.get(&slot).and_then(|index| self.entries.get(*index));
        let contradicts = first.map(Entry::sequence);
        if let Some(first) = first.and_then(Entry::leaf) {
            let (one, other) = (first.header.clone(), header.clone());
            self.contradictions.push(Contradiction { log: self.origin.clone(), one, other });
        } else {
            self.slots.insert(slot, self.entries.len());
        }
        self.names.insert(header.digest());
        self.entries.push(Entry::logged(sequence, leaf, payload, contradicts));
    }

    /// The log's key.
    pub fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// The log's name.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Leaves that were read.
    pub fn size(&self) -> u64 {
        self.range.size()
    }

    /// The time of the last leaf, by the keeper's clock, in seconds since 1970.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The checkpoint up to which the log was read.
    pub fn signed(&self) -> Option<&SignedCheckpoint> {
        self.signed.as_ref()
    }

    /// The entries, without heartbeats.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether an entry was read, by its name.
    pub fn has(&self, entry: &Digest) -> bool {
        self.names.contains(entry)
    }

    /// What convicts authors of two entries in one slot.
    pub fn contradictions(&self) -> &[Contradiction] {
        &self.contradictions
    }
}
