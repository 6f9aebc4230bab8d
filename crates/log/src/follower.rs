//! A reader of a log, which checks everything and remembers what it saw.

use thiserror::Error;

use crate::{
    AccessError, EntryError, Evidence, Leaf, LogAccess, MemoryTiles, Offence, Origin, Promise,
    Quorum, QuorumError, SignedCheckpoint, Stretch, Tree,
    merkle::{self, Hash},
    note::{NoteError, VerifierKey},
};

/// Leaves that are asked for at once.
const AT_ONCE: usize = 1 << 12;

/// Why a reader does not go on with a log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FollowError {
    /// The log does not answer.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The keeper did not sign the checkpoint, or it is of another log.
    #[error("the checkpoint of the log: {0}")]
    Note(#[from] NoteError),
    /// Too few witnesses cosigned.
    #[error("the checkpoint of the log: {0}")]
    Quorum(#[from] QuorumError),
    /// An entry's author did not sign it.
    #[error("entry {index} of the log: {error}")]
    Entry {
        /// Its place.
        index: u64,
        /// What is wrong.
        error: EntryError,
    },
    /// A log that is smaller than the one that was seen: the keeper shows an old state.
    #[error("the log shows {shown} entries, but {seen} were seen before")]
    Stale {
        /// Leaves that it shows.
        shown: u64,
        /// Leaves that were seen.
        seen: u64,
    },
    /// The leaves are not those of the checkpoint: the keeper answers wrongly, and convicts itself of
    /// nothing by that.
    #[error("the leaves that the keeper shows are not those that it signed")]
    Leaves,
    /// The keeper did what it must not: what convicts it.
    #[error("the keeper of {} is convicted: {}", .0.log.name.as_str(), .0.name())]
    Convicted(Box<Evidence>),
}

/// A reader that has all leaves of a log up to the checkpoint that it accepted last.
pub struct Follower {
    key: VerifierKey,
    origin: Origin,
    quorum: Option<Quorum>,
    leaves: Vec<Leaf>,
    tree: Tree<MemoryTiles>,
    signed: Option<SignedCheckpoint>,
}

impl Follower {
    /// A reader that saw nothing yet, of the log with this key, cosigned by enough of these witnesses.
    ///
    /// # Errors
    /// [`FollowError::Note`] for a key that is no keeper's.
    pub fn new(key: VerifierKey, quorum: Option<Quorum>) -> Result<Self, FollowError> {
        let origin = key.name.as_str().parse()?;
        let tree = Tree::new(MemoryTiles::default());
        Ok(Self { key, origin, quorum, leaves: Vec::new(), tree, signed: None })
    }

    /// The name of the log.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The leaves that were accepted.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The checkpoint that was accepted last.
    pub fn signed(&self) -> Option<&SignedCheckpoint> {
        self.signed.as_ref()
    }

    /// Takes what is new in the log, if all of it is right: the leaves are signed by their authors and
    /// by the keeper, continue those that were seen, and their times do not decrease. How many are new.
    ///
    /// # Errors
    /// [`FollowError`]; then nothing was taken.
    pub fn follow(&mut self, log: &(impl LogAccess + ?Sized)) -> Result<usize, FollowError> {
        let Some(shown) = log.latest()? else {
            return match self.leaves.len() as u64 {
                0 => Ok(0),
                seen => Err(FollowError::Stale { shown: 0, seen }),
            };
        };
        shown.verify(&self.key)?;
        self.quorum.as_ref().map_or(Ok(None), |quorum| quorum.verify(&shown))?;
        self.same_history(&shown)?;
        let (old, size) = (self.leaves.len() as u64, shown.checkpoint().size);
        let new = self.fetch(log, size)?;
        let mut tree = self.tree.clone();
        let hashes: Vec<Hash> = new.iter().map(Leaf::hash).collect();
        let Ok(root) = tree.append(&hashes).and_then(|()| tree.root()) else {
            return Err(FollowError::Leaves);
        };
        if root != shown.checkpoint().root {
            return Err(self.other_history(log, shown));
        }
        for (index, leaf) in (old..).zip(&new) {
            let verified = leaf.header.verify(&self.origin);
            verified.map_err(|error| FollowError::Entry { index, error })?;
        }
        self.require_time(&tree, &new, &shown)?;
        let count = new.len();
        self.leaves.extend(new);
        (self.tree, self.signed) = (tree, Some(shown));
        Ok(count)
    }

    /// The first `count` leaves, with the proof that the last accepted checkpoint has them; `None` if it has fewer.
    pub fn beginning(&self, count: u64) -> Option<Stretch> {
        let leaves = self.leaves.get(..usize::try_from(count).ok()?)?.to_vec();
        // The tree has all accepted leaves, of which these are some, so that it has the proof.
        let proof = merkle::range_proof(&self.tree, &(0..count), self.tree.size()).ok()?;
        Some(Stretch { first: 0, leaves, proof })
    }

    /// What convicts the keeper of not having kept a promise, if the leaves that were accepted show it:
    /// there is a heartbeat after the deadline, and the entry is not before it.
    pub fn withheld(&self, promise: &Promise) -> Option<Evidence> {
        let log = self.signed.clone()?;
        let late = |leaf: &Leaf| leaf.is_tick(&self.key.key) && leaf.time > promise.deadline;
        let first = usize::try_from(promise.size).ok()?;
        let count = self.leaves.get(first..)?.iter().position(late)? + 1;
        let leaves = self.leaves.get(first..first + count)?.to_vec();
        let range = promise.size..promise.size + count as u64;
        // As in `beginning`.
        let proof = merkle::range_proof(&self.tree, &range, self.tree.size()).ok()?;
        let leaves = Stretch { first: promise.size, leaves, proof };
        let offence = Offence::Withholding { promise: promise.clone(), log, leaves };
        Evidence { log: self.key.clone(), offence }.checked()
    }

    /// A log of a size that was seen has the root that was seen.
    fn same_history(&self, shown: &SignedCheckpoint) -> Result<(), FollowError> {
        let (seen, new) = (self.tree.size(), shown.checkpoint());
        if new.size > seen {
            return Ok(());
        }
        let Ok(root) = merkle::root_of(&self.tree, new.size) else {
            return Err(FollowError::Leaves);
        };
        if root == new.root {
            let stale = FollowError::Stale { shown: new.size, seen };
            return if new.size == seen { Ok(()) } else { Err(stale) };
        }
        let signed = self.signed.as_ref().ok_or(FollowError::Leaves)?;
        let evidence = match new.size == seen {
            true => Evidence::two_roots(&self.key, signed, shown),
            false => Evidence::fork(&self.key, shown, signed, self.contradiction(new.size)),
        };
        Err(evidence.map_or(FollowError::Leaves, |one| FollowError::Convicted(Box::new(one))))
    }

    /// Shows which root the log that was seen has at an older size.
    fn contradiction(&self, old: u64) -> Vec<Hash> {
        contradiction(&self.tree, old, self.tree.size())
    }

    /// The leaves do not continue those that were seen: either they are not those of the checkpoint, or
    /// the keeper signed another history, and all leaves of it show that.
    fn other_history(
        &self,
        log: &(impl LogAccess + ?Sized),
        shown: SignedCheckpoint,
    ) -> FollowError {
        let Some(signed) = &self.signed else { return FollowError::Leaves };
        let mut other = match Self::new(self.key.clone(), None) {
            Ok(other) => other,
            Err(error) => return error,
        };
        let size = shown.checkpoint().size;
        let leaves = match other.fetch(log, size) {
            Ok(leaves) => leaves,
            Err(error) => return error,
        };
        let hashes: Vec<Hash> = leaves.iter().map(Leaf::hash).collect();
        let root = other.tree.append(&hashes).and_then(|()| other.tree.root());
        // A tree that has no root has not the one that was shown.
        if root.as_ref().ok() != Some(&shown.checkpoint().root) {
            return FollowError::Leaves;
        }
        let proof = contradiction(&other.tree, self.tree.size(), size);
        let evidence = Evidence::fork(&self.key, signed, &shown, proof);
        evidence.map_or(FollowError::Leaves, |one| FollowError::Convicted(Box::new(one)))
    }

    /// Leaves from those that were seen to a size.
    fn fetch(&self, log: &(impl LogAccess + ?Sized), size: u64) -> Result<Vec<Leaf>, FollowError> {
        let mut new = Vec::new();
        loop {
            let from = self.tree.size() + new.len() as u64;
            let left = size.saturating_sub(from);
            if left == 0 {
                return Ok(new);
            }
            // The rest of more leaves than memory has is fetched in steps, too.
            let limit = usize::try_from(left).unwrap_or(AT_ONCE).min(AT_ONCE);
            let leaves = log.leaves(from, limit)?;
            if leaves.is_empty() || leaves.len() > limit {
                return Err(FollowError::Leaves);
            }
            new.extend(leaves);
        }
    }

    /// Times do not decrease, from the last leaf that was seen on.
    fn require_time(
        &self,
        tree: &Tree<MemoryTiles>,
        new: &[Leaf],
        shown: &SignedCheckpoint,
    ) -> Result<(), FollowError> {
        let all: Vec<&Leaf> = self.leaves.last().into_iter().chain(new).collect();
        let back = all.windows(2).position(|pair| match pair {
            [before, after] => after.time < before.time,
            _ => false,
        });
        let Some(at) = back else { return Ok(()) };
        let first = (tree.size() - all.len() as u64) + at as u64;
        let leaves = all.iter().skip(at).take(2).map(|leaf| (*leaf).clone()).collect();
        let Ok(proof) = merkle::range_proof(tree, &(first..first + 2), tree.size()) else {
            return Err(FollowError::Leaves);
        };
        let leaves = Stretch { first, leaves, proof };
        let offence = Offence::Backwards { log: shown.clone(), leaves };
        let evidence = Evidence { log: self.key.clone(), offence }.checked();
        Err(evidence.map_or(FollowError::Leaves, |one| FollowError::Convicted(Box::new(one))))
    }
}

/// The proof by which a newer log shows that it does not continue an older one ([`merkle::contradicts`]).
fn contradiction(tree: &Tree<MemoryTiles>, old: u64, new: u64) -> Vec<Hash> {
    let start = match old.is_power_of_two() {
        true => merkle::root_of(tree, old).ok(),
        false => None,
    };
    // Where there is no proof there is no evidence: one that is empty convicts nobody.
    let rest = merkle::consistency_proof(tree, old, new).unwrap_or_default();
    start.into_iter().chain(rest).collect()
}
