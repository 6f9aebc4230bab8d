//! The keeper of a log: it promises, appends and signs, and stores each result before anybody sees it. It has no
//! sockets and no clock. If it is killed in any step, it goes on from its stores and signs nothing twice.

use thiserror::Error;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    AuthorId, Checkpoint, EntryError, Header, Identity, Leaf, Origin, Promise, SignedCheckpoint,
    TileStore, Tree, TreeError,
    admission::Delivered,
    merkle::{Hash, empty_root, root_of},
    note::{NoteError, VerifierKey},
};

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It will be in the log.
    Promised(Promise),
    /// It is in the log, at this place.
    Logged(u64),
}

/// A tag (1 byte), and the promise (0) or the place (1, 8 bytes).
impl Encode for Standing {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Promised(promise) => {
                out.push(0);
                promise.encode(out);
            }
            Self::Logged(place) => {
                out.push(1);
                place.encode(out);
            }
        }
    }
}

impl Decode for Standing {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            0 => Promise::decode(reader).map(Self::Promised),
            1 => reader.u64().map(Self::Logged),
            _ => Err(DecodeError::invalid("standing", "unknown kind")),
        }
    }
}

/// What a keeper stores. Every step is for good when it returns, and whole or not done.
pub trait KeeperStore {
    /// Why the store does not answer.
    type Error;

    /// The checkpoint that was signed last.
    ///
    /// # Errors
    /// Those of the store.
    fn signed(&self) -> Result<Option<SignedCheckpoint>, Self::Error>;

    /// A leaf.
    ///
    /// # Errors
    /// Those of the store.
    fn leaf(&self, index: u64) -> Result<Option<Leaf>, Self::Error>;

    /// The payload that a header names, if it was ever promised.
    ///
    /// # Errors
    /// Those of the store.
    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Where an entry stands, if it was ever promised.
    ///
    /// # Errors
    /// Those of the store.
    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, Self::Error>;

    /// The first entries that are promised and not in the log, in the order of their promises.
    ///
    /// # Errors
    /// Those of the store.
    fn promised(&self, limit: usize) -> Result<Vec<Header>, Self::Error>;

    /// Keeps an entry with its payload and promise.
    ///
    /// # Errors
    /// Those of the store; then nothing is promised.
    fn promise(
        &mut self,
        header: &Header,
        payload: &[u8],
        promise: &Promise,
    ) -> Result<(), Self::Error>;

    /// Keeps leaves, from the size of the checkpoint that was signed last on, and the checkpoint that
    /// takes its place; their entries are in the log now.
    ///
    /// # Errors
    /// Those of the store; then nothing is appended.
    fn append(&mut self, leaves: &[Leaf], signed: &SignedCheckpoint) -> Result<(), Self::Error>;
}

/// Why a keeper does not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeeperError<E, T> {
    /// The store of entries does not answer.
    #[error("the store of entries does not answer")]
    Store(E),
    /// The tiles are not there, or are not those of the log.
    #[error("the tiles of the log cannot be read")]
    Tiles(TreeError<T>),
    /// The store's checkpoint is not signed with this key, or the origin is no name of a key.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The heartbeat cannot be made.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The store failed while something was being signed: open the log again.
    #[error("the store failed while something was being signed: open the log again")]
    Unsettled,
    /// A witness remembers what the store does not have.
    #[error(
        "a witness saw a log of size {seen}, but this copy of the store has only {stored}: this \
         copy must not sign"
    )]
    RolledBack {
        /// The size that the witness saw.
        seen: u64,
        /// The size of the store's log.
        stored: u64,
    },
    /// The store lacks a leaf of the log that it signed.
    #[error("leaf {0} is missing: restore the store")]
    Leaf(u64),
}

type Outcome<V, S, T> = Result<V, KeeperError<<S as KeeperStore>::Error, <T as TileStore>::Error>>;

/// A log with the key that signs it.
pub struct Keeper<S, T> {
    identity: Identity,
    key: VerifierKey,
    origin: Origin,
    store: S,
    tree: Tree<T>,
    /// The time of the last leaf.
    time: u64,
    /// Whether the store failed to say that it kept what was signed.
    unsettled: bool,
}

impl<S: KeeperStore, T: TileStore> Keeper<S, T> {
    /// Goes on with a log where its checkpoint ends, or begins one.
    ///
    /// # Errors
    /// [`KeeperError`].
    pub fn open(identity: Identity, origin: Origin, store: S, tiles: T) -> Outcome<Self, S, T> {
        let key = crate::log_key(&origin, identity.id())?;
        let (tree, time) = match store.signed().map_err(KeeperError::Store)? {
            None => (Tree::new(tiles), 0),
            Some(signed) => {
                signed.verify(&key)?;
                let Checkpoint { size, root, .. } = signed.checkpoint();
                let tree = Tree::open(tiles, *size, root).map_err(KeeperError::Tiles)?;
                let last = size.saturating_sub(1);
                let leaf = store.leaf(last).map_err(KeeperError::Store)?;
                (tree, leaf.ok_or(KeeperError::Leaf(last))?.time)
            }
        };
        Ok(Self { identity, key, origin, store, tree, time, unsettled: false })
    }

    /// The key by which the log is known.
    pub fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Whose it is.
    pub fn id(&self) -> AuthorId {
        self.identity.id()
    }

    /// The time of the last leaf, in seconds since 1970; 0 without leaves.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The name of the log.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The checkpoint that was signed last.
    ///
    /// # Errors
    /// [`KeeperError::Store`].
    pub fn signed(&self) -> Outcome<Option<SignedCheckpoint>, S, T> {
        self.store.signed().map_err(KeeperError::Store)
    }

    /// A leaf of the log.
    ///
    /// # Errors
    /// [`KeeperError::Store`]; [`KeeperError::Leaf`] if there is none.
    pub fn leaf(&self, index: u64) -> Outcome<Leaf, S, T> {
        self.store.leaf(index).map_err(KeeperError::Store)?.ok_or(KeeperError::Leaf(index))
    }

    /// The payload that a header names, if it was ever promised.
    ///
    /// # Errors
    /// [`KeeperError::Store`].
    pub fn payload(&self, header: &Header) -> Outcome<Option<Vec<u8>>, S, T> {
        self.store.payload(header).map_err(KeeperError::Store)
    }

    /// The tree, for proofs.
    pub fn tree(&self) -> &Tree<T> {
        &self.tree
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Where an entry stands: asked before its payload is let in.
    ///
    /// # Errors
    /// [`KeeperError::Store`].
    pub fn standing(&self, entry: &Digest) -> Outcome<Option<Standing>, S, T> {
        self.store.standing(entry).map_err(KeeperError::Store)
    }

    /// Promises an entry within so many seconds, or says where it stands. The promise is stored before it
    /// is returned.
    ///
    /// # Errors
    /// [`KeeperError::Store`], [`KeeperError::Unsettled`].
    pub fn promise(
        &mut self,
        entry: &Delivered<'_>,
        now: u64,
        within: u64,
    ) -> Outcome<Standing, S, T> {
        let header = entry.header();
        if let Some(standing) = self.standing(&header.digest())? {
            return Ok(standing);
        }
        self.require_settled()?;
        let deadline = now.max(self.time).saturating_add(within);
        let due = (self.tree.size(), deadline);
        let promise = Promise::sign(&self.identity, &self.origin, header, due);
        self.store.promise(header, entry.payload(), &promise).map_err(KeeperError::Store)?;
        Ok(Standing::Promised(promise))
    }

    /// Appends up to `limit` promised entries, and after the last of them a heartbeat if it is wanted:
    /// never before them, since a heartbeat after a deadline tells that the promise was not kept. The
    /// new checkpoint; `None` if there was nothing to append.
    ///
    /// # Errors
    /// [`KeeperError`]. If the store fails while something is being signed, this and every other step is
    /// [`KeeperError::Unsettled`] until the log is opened again, which finds out what was kept.
    pub fn append(
        &mut self,
        now: u64,
        limit: usize,
        heartbeat: bool,
    ) -> Outcome<Option<SignedCheckpoint>, S, T> {
        self.require_settled()?;
        let time = now.max(self.time);
        let mut headers = self.store.promised(limit).map_err(KeeperError::Store)?;
        if heartbeat && headers.len() < limit {
            headers.push(Header::tick(&self.identity, &self.origin, time)?);
        }
        if headers.is_empty() {
            return Ok(None);
        }
        let leaves: Vec<Leaf> = headers.into_iter().map(|header| Leaf { time, header }).collect();
        let hashes: Vec<Hash> = leaves.iter().map(Leaf::hash).collect();
        self.tree.append(&hashes).map_err(KeeperError::Tiles)?;
        // Until all of it is stored nothing is known: the store may have kept what it failed to confirm,
        // and another checkpoint of this size would be a second one.
        self.unsettled = true;
        let root = self.tree.root().map_err(KeeperError::Tiles)?;
        let checkpoint = Checkpoint::new(self.origin.clone(), self.tree.size(), root);
        let signed = checkpoint.sign(&self.identity)?;
        self.store.append(&leaves, &signed).map_err(KeeperError::Store)?;
        (self.unsettled, self.time) = (false, time);
        Ok(Some(signed))
    }

    /// The tree may be ahead of the store: a promise would begin beyond the log.
    fn require_settled(&self) -> Outcome<(), S, T> {
        if self.unsettled { Err(KeeperError::Unsettled) } else { Ok(()) }
    }

    /// Signs the log without entries, of which there is one: a witness that saw more says so.
    ///
    /// # Errors
    /// None for the origin of a keeper; the type is that of [`Checkpoint::sign`].
    pub fn sign_empty(&self) -> Result<SignedCheckpoint, NoteError> {
        Checkpoint::new(self.origin.clone(), 0, empty_root()).sign(&self.identity)
    }

    /// Compares with a checkpoint that a witness remembers, before anything is signed: a store that was
    /// restored from an older copy would sign a second history.
    ///
    /// # Errors
    /// [`KeeperError::RolledBack`]; [`KeeperError::Note`] for a checkpoint that this key did not sign.
    pub fn compare(&self, seen: &SignedCheckpoint) -> Outcome<(), S, T> {
        seen.verify(&self.key)?;
        let Checkpoint { size, root, .. } = seen.checkpoint();
        let known = *size <= self.tree.size()
            && root_of(&self.tree, *size).map_err(KeeperError::Tiles)? == *root;
        let rolled_back = KeeperError::RolledBack { seen: *size, stored: self.tree.size() };
        known.then_some(()).ok_or(rolled_back)
    }
}
