//! What really happened in a schedule, whatever the boards say.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use board::AuthorId;
use log::{Header, outbox::RUN};
use wire::{Digest, Encode as _};

use crate::{
    election::{Party, SignedBallot},
    preferences::Opened,
};

/// A ballot that its voter sealed and signed.
#[derive(Clone)]
pub(super) struct Sealed {
    pub(super) ballot: SignedBallot,
    /// The entry that opened the polls for which it is.
    pub(super) opening: Digest,
    pub(super) tracker: Digest,
    pub(super) vote: Opened,
}

#[derive(Default)]
pub(super) struct Truth {
    /// Trustees and mixers who are not corrupt.
    pub(super) honest: BTreeMap<AuthorId, Party>,
    said: BTreeSet<Digest>,
    slots: BTreeMap<(AuthorId, String, Vec<u8>), Digest>,
    pub(super) sealed: Vec<Sealed>,
    by_bytes: HashMap<Vec<u8>, usize>,
    /// Digests of mixes that are none.
    pub(super) lies: BTreeSet<Digest>,
}

impl Truth {
    /// Notes what an honest party signed; what is wrong with it, if anything is.
    pub(super) fn say(&mut self, header: &Header) -> Option<String> {
        self.said.insert(header.digest());
        if header.kind() == RUN {
            return None;
        }
        let slot = (header.author(), header.kind().to_owned(), header.subject().to_vec());
        let first = *self.slots.entry(slot).or_insert(header.digest());
        let is_double = first != header.digest();
        is_double.then(|| format!("an honest party signed two entries of {}", header.kind()))
    }

    pub(super) fn was_said(&self, header: &Digest) -> bool {
        self.said.contains(header)
    }

    pub(super) fn seal(&mut self, sealed: Sealed) -> usize {
        let (index, bytes) = (self.sealed.len(), sealed.ballot.to_bytes());
        self.sealed.push(sealed);
        *self.by_bytes.entry(bytes).or_insert(index)
    }

    /// What was sealed last was not the voter's doing.
    pub(super) fn forget(&mut self, index: usize) -> Sealed {
        self.by_bytes.retain(|_, known| *known != index);
        self.sealed.remove(index)
    }

    /// The ballot of these bytes, if its voter made it.
    pub(super) fn find(&self, ballot: &SignedBallot) -> Option<usize> {
        self.by_bytes.get(&ballot.to_bytes()).copied()
    }
}
