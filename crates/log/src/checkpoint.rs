//! Checkpoints (C2SP `tlog-checkpoint`): a log at a size, signed by its keeper.

use std::{fmt, str::FromStr};

use data_encoding::BASE64;

use crate::{
    Identity,
    merkle::{Hash, MAX_SIZE},
    note::{Algorithm, MAX_NAME, Note, NoteError, NoteSignature, VerifierKey, from_base64},
    tile::decimal,
};

/// The name of a log, the first line of its checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(String);

impl Origin {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Origin {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let fits = (1..=MAX_NAME).contains(&text.len()) && !text.chars().any(char::is_control);
        let refused = NoteError::Form("an origin is 1 to 255 bytes without control characters");
        fits.then(|| Self(text.to_owned())).ok_or(refused)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A log at a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log.
    pub origin: Origin,
    /// Its leaves, less than `2^63`.
    pub size: u64,
    /// The root over them.
    pub root: Hash,
    /// Lines after these three, which logs of other programs may have: opaque.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// A checkpoint of three lines.
    pub fn new(origin: Origin, size: u64, root: Hash) -> Self {
        Self { origin, size, root, extensions: Vec::new() }
    }

    /// The text of the note: origin, size and root, a line each, and the extensions.
    pub fn to_text(&self) -> String {
        let root = BASE64.encode(self.root.as_bytes());
        let mut text = format!("{}\n{}\n{root}\n", self.origin, self.size);
        self.extensions.iter().for_each(|line| text.extend([line, "\n"]));
        text
    }

    /// Reads the text of a note.
    ///
    /// # Errors
    /// [`NoteError::Form`] for anything but what [`Checkpoint::to_text`] writes.
    pub fn from_text(text: &str) -> Result<Self, NoteError> {
        let refused = || NoteError::Form("not origin, size and root");
        let mut lines = text.strip_suffix('\n').ok_or_else(refused)?.split('\n');
        let mut next = || lines.next().ok_or_else(refused);
        let origin = next()?.parse()?;
        let size = decimal(next()?).filter(|size| *size <= MAX_SIZE).ok_or_else(refused)?;
        let root = from_base64(next()?).ok_or_else(refused)?;
        let root = <[u8; 32]>::try_from(root).map_err(|_| refused())?.into();
        let extensions: Vec<String> = lines.map(str::to_owned).collect();
        match extensions.iter().any(String::is_empty) {
            true => Err(NoteError::Form("an extension line is empty")),
            false => Ok(Self { origin, size, root, extensions }),
        }
    }

    /// Signs as the log's keeper, whose key has the log's name. Of one size a keeper signs one root, and it stores
    /// the checkpoint before it shows it to anybody: two roots are evidence for ever.
    ///
    /// # Errors
    /// [`NoteError::Name`] for an origin that is no name of a key.
    pub fn sign(self, keeper: &Identity) -> Result<SignedCheckpoint, NoteError> {
        let mut note = Note::new(self.to_text())?;
        note.sign(self.origin.as_str().parse()?, keeper);
        Ok(SignedCheckpoint { checkpoint: self, note })
    }
}

/// The key that a keeper signs the checkpoints of a log with.
///
/// # Errors
/// [`NoteError::Name`] for an origin that is no name of a key.
pub fn log_key(origin: &Origin, keeper: crate::AuthorId) -> Result<VerifierKey, NoteError> {
    let name = origin.as_str().parse()?;
    Ok(VerifierKey { name, algorithm: Algorithm::Ed25519, key: keeper })
}

/// A checkpoint with signatures: the keeper's and those of witnesses, none of them checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    checkpoint: Checkpoint,
    note: Note,
}

impl SignedCheckpoint {
    /// Reads a note; [`SignedCheckpoint::to_text`] gives the same bytes.
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn parse(note: &[u8]) -> Result<Self, NoteError> {
        let note = Note::parse(note)?;
        Ok(Self { checkpoint: Checkpoint::from_text(note.text())?, note })
    }

    /// What is signed.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The note.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// Puts a witness's line under the note.
    pub fn add(&mut self, signature: NoteSignature) {
        self.note.add(signature);
    }

    /// Checks that a key of the log's keeper signed.
    ///
    /// # Errors
    /// [`NoteError::Unsigned`], [`NoteError::Signature`]; [`NoteError::Form`] for a key of another log.
    pub fn verify(&self, log: &VerifierKey) -> Result<(), NoteError> {
        match log.name.as_str() == self.checkpoint.origin.as_str() {
            true => self.note.verify(log),
            false => Err(NoteError::Form("the checkpoint is of another log")),
        }
    }

    /// The checkpoint with the line of one key alone: all that is worth remembering of a note under which
    /// anybody may have put lines.
    pub(crate) fn under(&self, log: &VerifierKey) -> Self {
        Self { checkpoint: self.checkpoint.clone(), note: self.note.under(log) }
    }

    /// The note as it is stored and sent.
    pub fn to_text(&self) -> String {
        self.note.to_text()
    }
}
