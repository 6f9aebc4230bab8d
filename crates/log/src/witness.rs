//! A witness (C2SP `tlog-witness`): it cosigns a log after checking that the log only grew since what it
//! cosigned before. No sockets, no clock: request in, answer out, time passed in.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use thiserror::Error;

use crate::{
    Evidence, Identity, Origin, SignedCheckpoint,
    checkpoint::log_key,
    cosignature::cosign,
    merkle::{Hash, empty_root, verify_consistency},
    note::{Algorithm, KeyName, MAX_NOTE, NoteError, VerifierKey, from_base64},
    tile::decimal,
};

/// C2SP: the most hashes of a consistency proof in a request.
const MAX_PROOF: usize = 63;
/// The largest request: `old `, a size below 2^63 (19 digits) and two newlines, 25 bytes; a line of 44
/// characters of base64 for each hash; a note.
pub const MAX_REQUEST: usize = MAX_NOTE + 25 + 45 * MAX_PROOF;

/// The body of `POST <prefix>/add-checkpoint`: the size that the witness saw last, a proof that the log
/// of the checkpoint continues that one, and the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size that the proof starts from.
    pub old: u64,
    /// The proof, at most 63 hashes.
    pub proof: Vec<Hash>,
    /// The log now.
    pub checkpoint: SignedCheckpoint,
}

impl AddCheckpoint {
    /// The body of the request.
    pub fn to_text(&self) -> String {
        let hash = |hash: &Hash| BASE64.encode(hash.as_bytes()) + "\n";
        let proof: String = self.proof.iter().map(hash).collect();
        format!("old {}\n{proof}\n{}", self.old, self.checkpoint.to_text())
    }

    /// Reads the body of a request.
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn parse(body: &[u8]) -> Result<Self, NoteError> {
        let refused = |reason| NoteError::Form(reason);
        if body.len() > MAX_REQUEST {
            return Err(refused("too long"));
        }
        let body = str::from_utf8(body).map_err(|_| refused("not UTF-8"))?;
        let (head, note) = body.split_once("\n\n").ok_or_else(|| refused("no checkpoint"))?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| decimal(line.strip_prefix("old ")?));
        let old = old.ok_or_else(|| refused("the first line is not `old` and a size"))?;
        let hash = |line: &str| {
            let bytes = from_base64(line)?;
            // Other lengths make no hash, and the request is refused below.
            <[u8; 32]>::try_from(bytes).ok().map(Hash::from)
        };
        let proof: Option<Vec<Hash>> = lines.map(hash).collect();
        let proof = proof.filter(|proof| proof.len() <= MAX_PROOF);
        let proof = proof.ok_or_else(|| refused("not a proof of at most 63 hashes"))?;
        Ok(Self { old, proof, checkpoint: SignedCheckpoint::parse(note.as_bytes())? })
    }
}

/// What a witness remembers: of every log the checkpoint that it cosigned last.
pub trait WitnessMemory {
    /// Why the memory does not answer.
    type Error;

    /// The checkpoint that was cosigned last.
    ///
    /// # Errors
    /// Those of the store.
    fn latest(&self, origin: &Origin) -> Result<Option<SignedCheckpoint>, Self::Error>;

    /// Replaces the checkpoint that was cosigned last, atomically and durably, provided that it is still of
    /// size `old` (`None`: that there is none yet). Returns whether it did.
    ///
    /// # Errors
    /// Those of the store; then nothing is cosigned.
    fn advance(&mut self, old: Option<u64>, new: &SignedCheckpoint) -> Result<bool, Self::Error>;
}

/// A memory that ends with the process.
#[derive(Clone, Debug, Default)]
pub struct MemoryWitness(BTreeMap<Origin, SignedCheckpoint>);

impl WitnessMemory for MemoryWitness {
    type Error = std::convert::Infallible;

    fn latest(&self, origin: &Origin) -> Result<Option<SignedCheckpoint>, Self::Error> {
        Ok(self.0.get(origin).cloned())
    }

    fn advance(&mut self, old: Option<u64>, new: &SignedCheckpoint) -> Result<bool, Self::Error> {
        let origin = &new.checkpoint().origin;
        let same = self.0.get(origin).map(|signed| signed.checkpoint().size) == old;
        if same {
            self.0.insert(origin.clone(), new.clone());
        }
        Ok(same)
    }
}

/// Why a witness does not cosign.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal<E> {
    /// The body is no request.
    #[error(transparent)]
    Malformed(NoteError),
    /// The old size is over that of the checkpoint.
    #[error("the old size {old} is over the size {new} of the checkpoint")]
    Sizes {
        /// The old size.
        old: u64,
        /// The size of the checkpoint.
        new: u64,
    },
    /// The witness does not know the log.
    #[error("the log `{0}` is not one of those that this witness cosigns")]
    Unknown(Origin),
    /// No key of the log signed.
    #[error("no key of the log signed the checkpoint")]
    Unsigned,
    /// The witness saw another size last.
    #[error("the checkpoint cosigned last is of size {latest}")]
    Conflict {
        /// That size.
        latest: u64,
    },
    /// The log does not continue the one seen last, or the request does not show it.
    #[error("the proof does not show that the log continues the one of size {latest}")]
    Inconsistent {
        /// The size of the log seen last.
        latest: u64,
        /// What convicts the keeper, where the request does.
        evidence: Option<Box<Evidence>>,
    },
    /// Another root for the size seen last.
    #[error("the log of size {latest} had another root")]
    TwoRoots {
        /// The size of both.
        latest: u64,
        /// What convicts the keeper.
        evidence: Option<Box<Evidence>>,
    },
    /// The memory does not answer.
    #[error("the witness cannot store what it saw")]
    Memory(E),
}

impl<E> Refusal<E> {
    /// The HTTP status that C2SP prescribes.
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) | Self::Sizes { .. } => 400,
            Self::Unsigned => 403,
            Self::Unknown(_) => 404,
            Self::Conflict { .. } | Self::TwoRoots { .. } => 409,
            Self::Inconsistent { .. } => 422,
            Self::Memory(_) => 500,
        }
    }

    /// The body that C2SP prescribes, of type `text/x.tlog.size`: for 409, the size seen last.
    pub fn size_body(&self) -> Option<String> {
        match self {
            Self::Conflict { latest } | Self::TwoRoots { latest, .. } => {
                Some(format!("{latest}\n"))
            }
            _ => None,
        }
    }

    /// What convicts the keeper, where the refused request does.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Inconsistent { evidence, .. } | Self::TwoRoots { evidence, .. } => {
                evidence.as_deref()
            }
            _ => None,
        }
    }
}

/// A witness: its name and key, and the keys of the logs that it witnesses.
pub struct Witness {
    name: KeyName,
    identity: Identity,
    logs: BTreeMap<Origin, Vec<VerifierKey>>,
}

impl Witness {
    /// A witness without logs.
    pub fn new(name: KeyName, identity: Identity) -> Self {
        Self { name, identity, logs: BTreeMap::new() }
    }

    /// The key by which readers know the witness.
    pub fn key(&self) -> VerifierKey {
        let (name, key) = (self.name.clone(), self.identity.id());
        VerifierKey { name, algorithm: Algorithm::Cosignature, key }
    }

    /// Takes a log under a key of its keeper; a log may have several.
    ///
    /// # Errors
    /// [`NoteError::Name`] for an origin that is no name of a key.
    pub fn follow(&mut self, origin: Origin, keeper: crate::AuthorId) -> Result<(), NoteError> {
        let key = log_key(&origin, keeper)?;
        let keys = self.logs.entry(origin).or_default();
        if !keys.contains(&key) {
            keys.push(key);
        }
        Ok(())
    }

    /// Answers `add-checkpoint` with the line of a cosignature at a time, in seconds since 1970 by the
    /// witness's clock. The checkpoint is remembered before it is cosigned.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn add_checkpoint<M: WitnessMemory>(
        &self,
        memory: &mut M,
        body: &[u8],
        time: u64,
    ) -> Result<String, Refusal<M::Error>> {
        let request = AddCheckpoint::parse(body).map_err(Refusal::Malformed)?;
        let AddCheckpoint { old, checkpoint: signed, .. } = &request;
        let new = signed.checkpoint();
        let keys = self.logs.get(&new.origin);
        let keys = keys.ok_or_else(|| Refusal::Unknown(new.origin.clone()))?;
        let key = keys.iter().find(|key| signed.verify(key).is_ok()).ok_or(Refusal::Unsigned)?;
        if *old > new.size {
            return Err(Refusal::Sizes { old: *old, new: new.size });
        }
        let seen = memory.latest(&new.origin).map_err(Refusal::Memory)?;
        let latest = seen.as_ref().map_or(0, |seen| seen.checkpoint().size);
        if *old != latest {
            return Err(Refusal::Conflict { latest });
        }
        continues(&request, key, seen.as_ref())?;
        let expected = seen.map(|seen| seen.checkpoint().size);
        // Only the log's own line is remembered: anybody may have put others under the note.
        if !memory.advance(expected, &signed.under(key)).map_err(Refusal::Memory)? {
            // Somebody else was first: what was checked is not what is remembered now.
            let seen = memory.latest(&new.origin).map_err(Refusal::Memory)?;
            let latest = seen.map_or(0, |seen| seen.checkpoint().size);
            return Err(Refusal::Conflict { latest });
        }
        Ok(cosign(signed.note().text(), self.name.clone(), &self.identity, time).to_line())
    }
}

/// Checks that the log of a request continues the one that was seen, or the empty one if none was. Two roots of
/// one size convict the keeper, and so does a proof that fits the new root but gives the old size another root than the
/// one seen. Any other wrong proof shows nothing about the keeper.
fn continues<E>(
    request: &AddCheckpoint,
    key: &VerifierKey,
    seen: Option<&SignedCheckpoint>,
) -> Result<(), Refusal<E>> {
    let AddCheckpoint { proof, checkpoint: signed, .. } = request;
    let new = signed.checkpoint();
    let empty = empty_root();
    let (latest, root) = match seen.map(SignedCheckpoint::checkpoint) {
        Some(seen) => (seen.size, &seen.root),
        None => (0, &empty),
    };
    if latest == new.size && *root != new.root {
        let evidence = seen.and_then(|seen| Evidence::two_roots(key, seen, signed));
        return Err(Refusal::TwoRoots { latest, evidence: evidence.map(Box::new) });
    }
    verify_consistency((latest, root), (new.size, &new.root), proof).map_err(|_| {
        let evidence = seen.and_then(|seen| Evidence::fork(key, seen, signed, proof.clone()));
        Refusal::Inconsistent { latest, evidence: evidence.map(Box::new) }
    })
}
