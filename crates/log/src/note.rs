//! Signed notes (C2SP `signed-note`): text, an empty line, and a line for every signature.

use std::{fmt, str::FromStr};

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{AuthorId, Identity};

/// Bytes of a note, and with them the number of its signatures.
pub const MAX_NOTE: usize = 1 << 20;
/// Bytes of a key's name.
pub const MAX_NAME: usize = 255;
/// How a line with a signature begins: U+2014 and a space.
const DASH: &str = "— ";

/// Why text is no note, or a note is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoteError {
    /// The form is broken.
    #[error("note: {0}")]
    Form(&'static str),
    /// The name of a key has spaces, plus or control characters, or is empty or too long.
    #[error("a key's name is 1 to {MAX_NAME} bytes without spaces, `+` and control characters")]
    Name,
    /// No signature of a key that it must have.
    #[error("there is no signature of {name}")]
    Unsigned {
        /// The key's name.
        name: KeyName,
    },
    /// A key's signature is not of this text.
    #[error("the signature of {name} is not of this text")]
    Signature {
        /// The key's name.
        name: KeyName,
    },
}

/// The name of a key: no spaces, no `+`, no control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyName(String);

impl KeyName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let refused = |c: char| c.is_whitespace() || c.is_control() || c == '+';
        let fits = (1..=MAX_NAME).contains(&text.len()) && !text.chars().any(refused);
        fits.then(|| Self(text.to_owned())).ok_or(NoteError::Name)
    }
}

/// Who has no other name is named by its key, in hexadecimal.
impl From<AuthorId> for KeyName {
    fn from(key: AuthorId) -> Self {
        Self(key.to_string())
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a key signs, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// Ed25519 over the text of a note.
    Ed25519,
    /// A witness's Ed25519 over the text of a checkpoint and a time (`cosignature/v1`).
    Cosignature,
}

impl Algorithm {
    fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 0x01,
            Self::Cosignature => 0x04,
        }
    }
}

/// A public key under its name, as whoever verifies is configured with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerifierKey {
    /// Whose it is.
    pub name: KeyName,
    /// What it signs.
    pub algorithm: Algorithm,
    /// The key.
    pub key: AuthorId,
}

impl VerifierKey {
    /// The first four bytes of the hash of name, algorithm and key.
    pub fn id(&self) -> [u8; 4] {
        let start = Sha256::new().chain_update(self.name.as_str()).chain_update(b"\n");
        let start = start.chain_update([self.algorithm.byte()]);
        let digest: [u8; 32] = start.chain_update(self.key.as_bytes()).finalize().into();
        let [a, b, c, d, ..] = digest;
        [a, b, c, d]
    }
}

/// The form in which keys are configured: `name+id+base64(algorithm ‖ key)`.
impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&[self.algorithm.byte()], self.key.as_bytes().as_slice()].concat();
        write!(f, "{}+{}+{}", self.name, HEXLOWER.encode(&self.id()), BASE64.encode(&key))
    }
}

impl FromStr for VerifierKey {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let refused = || NoteError::Form("not a verifier key `name+id+key`");
        let (name, rest) = text.split_once('+').ok_or_else(refused)?;
        let (_, encoded) = rest.split_once('+').ok_or_else(refused)?;
        let bytes = from_base64(encoded).ok_or_else(refused)?;
        let (algorithm, key) = bytes.split_first().ok_or_else(refused)?;
        let algorithm = match algorithm {
            0x01 => Algorithm::Ed25519,
            0x04 => Algorithm::Cosignature,
            _ => return Err(NoteError::Form("a verifier key of an unknown algorithm")),
        };
        let key: [u8; 32] = key.try_into().map_err(|_| refused())?;
        let key = key.try_into().map_err(|_| refused())?;
        let key = Self { name: name.parse()?, algorithm, key };
        if key.to_string() == text { Ok(key) } else { Err(refused()) }
    }
}

/// A line under a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    /// The key's name.
    pub name: KeyName,
    /// The key's identifier, [`VerifierKey::id`].
    pub id: [u8; 4],
    /// What the key's algorithm makes, one byte or more.
    pub signature: Vec<u8>,
}

impl NoteSignature {
    /// The line, with its newline.
    pub fn to_line(&self) -> String {
        let bytes = [self.id.as_slice(), &self.signature].concat();
        format!("{DASH}{} {}\n", self.name, BASE64.encode(&bytes))
    }

    /// Reads a line without its newline.
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn from_line(line: &str) -> Result<Self, NoteError> {
        let refused = || NoteError::Form("not the line of a signature");
        let (name, encoded) =
            line.strip_prefix(DASH).and_then(|rest| rest.split_once(' ')).ok_or_else(refused)?;
        let bytes = from_base64(encoded).ok_or_else(refused)?;
        let (id, signature) = bytes.split_first_chunk().ok_or_else(refused)?;
        match signature {
            [] => Err(refused()),
            _ => Ok(Self { name: name.parse()?, id: *id, signature: signature.to_vec() }),
        }
    }

    /// Whether the line says that it is of this key.
    pub fn is_of(&self, key: &VerifierKey) -> bool {
        self.name == key.name && self.id == key.id()
    }
}

/// Text with signatures, none of them checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

impl Note {
    /// Text that nobody signed yet.
    ///
    /// # Errors
    /// [`NoteError::Form`] for text without a newline at its end, or with control characters.
    pub fn new(text: String) -> Result<Self, NoteError> {
        check_text(&text)?;
        Ok(Self { text, signatures: Vec::new() })
    }

    /// Reads a note; [`Note::to_text`] gives the same bytes.
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn parse(note: &[u8]) -> Result<Self, NoteError> {
        if note.len() > MAX_NOTE {
            return Err(NoteError::Form("too long"));
        }
        let note = str::from_utf8(note).map_err(|_| NoteError::Form("not UTF-8"))?;
        let end = note.rfind("\n\n").ok_or(NoteError::Form("no signature"))?;
        let (text, lines) = (note.get(..=end), note.get(end + 2..));
        let text = text.ok_or(NoteError::Form("no text"))?;
        check_text(text)?;
        // The two newlines stand there, so that there is something behind them or the end.
        let lines = lines.unwrap_or_default();
        let lines =
            lines.strip_suffix('\n').ok_or(NoteError::Form("the last line does not end"))?;
        let signatures = lines.split('\n').map(NoteSignature::from_line);
        let signatures = signatures.collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), signatures })
    }

    /// The text, with the newline at its end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines under it.
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Puts a line under the note.
    pub fn add(&mut self, signature: NoteSignature) {
        self.signatures.push(signature);
    }

    /// Signs the text.
    pub fn sign(&mut self, name: KeyName, signer: &Identity) {
        let key = VerifierKey { name, algorithm: Algorithm::Ed25519, key: signer.id() };
        let signature = signer.sign_text(&self.text).to_vec();
        self.add(NoteSignature { id: key.id(), name: key.name, signature });
    }

    /// The note with the first line of one key alone.
    pub(crate) fn under(&self, key: &VerifierKey) -> Self {
        let own = self.signatures.iter().find(|line| line.is_of(key));
        Self { text: self.text.clone(), signatures: own.into_iter().cloned().collect() }
    }

    /// Checks that a key signed the text. Lines of other keys are ignored; of this key every line must
    /// be right.
    ///
    /// # Errors
    /// [`NoteError::Unsigned`], [`NoteError::Signature`].
    pub fn verify(&self, key: &VerifierKey) -> Result<(), NoteError> {
        let wrong = || NoteError::Signature { name: key.name.clone() };
        let mut own = self.signatures.iter().filter(|line| line.is_of(key)).peekable();
        if own.peek().is_none() {
            return Err(NoteError::Unsigned { name: key.name.clone() });
        }
        own.try_for_each(|line| {
            let signature = line.signature.as_slice().try_into().map_err(|_| wrong())?;
            let genuine =
                key.algorithm == Algorithm::Ed25519 && key.key.verify_text(&self.text, signature);
            genuine.then_some(()).ok_or_else(wrong)
        })
    }

    /// The note as it is stored and sent.
    pub fn to_text(&self) -> String {
        let lines = self.signatures.iter().map(NoteSignature::to_line);
        [self.text.clone(), "\n".to_owned()].into_iter().chain(lines).collect()
    }
}

/// Bytes in base64 with its padding, in their only spelling: the library also takes padded pieces one after the other.
pub(crate) fn from_base64(encoded: &str) -> Option<Vec<u8>> {
    let bytes = BASE64.decode(encoded.as_bytes()).ok()?;
    (BASE64.encode(&bytes) == encoded).then_some(bytes)
}

fn check_text(text: &str) -> Result<(), NoteError> {
    let control = |byte: u8| byte < 0x20 && byte != b'\n';
    match text {
        _ if !text.ends_with('\n') => Err(NoteError::Form("the text does not end with a newline")),
        _ if text.bytes().any(control) => Err(NoteError::Form("control characters")),
        _ => Ok(()),
    }
}
