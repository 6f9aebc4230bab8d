//! What authors write: a header that says everything by which an entry is admitted, and a payload that
//! the header names by its digest.

use thiserror::Error;
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader, put_bytes};

use crate::{AuthorId, Identity, Origin};

/// The longest kind, in characters.
pub const MAX_KIND: usize = 64;
/// The longest subject, in bytes.
pub const MAX_SUBJECT: usize = 128;
/// The largest payload, in bytes: 256 MiB.
pub const MAX_PAYLOAD: u64 = 256 << 20;
/// The largest encoded header, in bytes.
pub const MAX_HEADER: usize = 1 + (4 + MAX_KIND) + (4 + MAX_SUBJECT) + 32 + 8 + 32 + 8 + 64;
/// The kind of a keeper's heartbeat. Kinds that begin with `log/` are the keeper's.
pub const TICK: &str = "log/tick";

const VERSION: u8 = 1;
const SIGNING_DOMAIN: &str = "subrosa/log/entry/v1";
const HEADER_DOMAIN: &str = "subrosa/log/header/v1";
const PAYLOAD_DOMAIN: &str = "subrosa/log/payload/v1";

/// Why an entry cannot be made, or is not what its header says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The kind has other characters, or too many.
    #[error("a kind is 1 to {MAX_KIND} characters of a-z, 0-9, `.`, `/` and `-`")]
    Kind,
    /// The subject is too long.
    #[error("a subject of {got} bytes is over the limit of {MAX_SUBJECT}")]
    Subject {
        /// Its bytes.
        got: usize,
    },
    /// The payload is too large.
    #[error("a payload of {got} bytes is over the limit of {MAX_PAYLOAD}")]
    Payload {
        /// Its bytes.
        got: u64,
    },
    /// The author did not sign the header for this log.
    #[error("the signature is not that of {author} for this log")]
    Signature {
        /// Whose it would be.
        author: AuthorId,
    },
    /// The payload is not the one that the header names.
    #[error("the payload is not the one that the header names")]
    OtherPayload,
}

/// What an author signs: at most [`MAX_HEADER`] bytes, whatever the payload.
///
/// Encoded as version (1 byte), kind and subject (each a length of 4, then bytes), author (32), time
/// (8), digest of the payload (32), bytes of the payload (8), signature (64); integers are little-endian.
///
/// The signed message is the text `subrosa/log/entry/v1` and then the [`Digest`] in that domain of the
/// log's origin (its length in 4 bytes before it) and the encoding without its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    kind: String,
    subject: Vec<u8>,
    author: AuthorId,
    time: u64,
    payload: Digest,
    length: u64,
    signature: [u8; 64],
}

impl Header {
    /// Signs a payload for a log. Kind and subject name the slot that the author fills with it, once.
    /// `time` is the author's word, in seconds since 1970.
    ///
    /// # Errors
    /// [`EntryError::Kind`], [`EntryError::Subject`], [`EntryError::Payload`].
    pub fn sign(
        author: &Identity,
        log: &Origin,
        (kind, subject): (&str, &[u8]),
        time: u64,
        payload: &[u8],
    ) -> Result<Self, EntryError> {
        let mut header = Self {
            kind: kind.to_owned(),
            subject: subject.to_vec(),
            author: author.id(),
            time,
            payload: Digest::of(PAYLOAD_DOMAIN, payload),
            length: payload.len() as u64,
            signature: [0; 64],
        };
        header.check()?;
        header.signature = author.sign(SIGNING_DOMAIN, header.message(log));
        Ok(header)
    }

    /// A keeper's heartbeat: it says nothing, but stands in the log with a time.
    ///
    /// # Errors
    /// None for any time; the type is that of [`Header::sign`].
    pub fn tick(keeper: &Identity, log: &Origin, time: u64) -> Result<Self, EntryError> {
        Self::sign(keeper, log, (TICK, time.to_string().as_bytes()), time, &[])
    }

    /// What the payload is, in the application's words.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What of that kind it is: a round, a question, a voter.
    pub fn subject(&self) -> &[u8] {
        &self.subject
    }

    /// Who signed it.
    pub fn author(&self) -> AuthorId {
        self.author
    }

    /// When the author says that it was made, in seconds since 1970.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The digest of the payload.
    pub fn payload(&self) -> Digest {
        self.payload
    }

    /// Bytes of the payload.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The name of the entry: of the whole header, the signature included.
    pub fn digest(&self) -> Digest {
        Digest::of(HEADER_DOMAIN, &self.to_bytes())
    }

    /// Checks that the author signed the header for this log.
    ///
    /// # Errors
    /// [`EntryError::Signature`].
    pub fn verify(&self, log: &Origin) -> Result<(), EntryError> {
        let genuine = self.author.verify(SIGNING_DOMAIN, self.message(log), &self.signature);
        genuine.then_some(()).ok_or(EntryError::Signature { author: self.author })
    }

    /// Checks that a payload is the one that the header names.
    ///
    /// # Errors
    /// [`EntryError::OtherPayload`].
    pub fn verify_payload(&self, payload: &[u8]) -> Result<(), EntryError> {
        let same = payload.len() as u64 == self.length
            && Digest::of(PAYLOAD_DOMAIN, payload) == self.payload;
        same.then_some(()).ok_or(EntryError::OtherPayload)
    }

    fn check(&self) -> Result<(), EntryError> {
        let is_character = |c: u8| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'/' | b'-');
        if !(1..=MAX_KIND).contains(&self.kind.len()) || !self.kind.bytes().all(is_character) {
            return Err(EntryError::Kind);
        }
        if self.subject.len() > MAX_SUBJECT {
            return Err(EntryError::Subject { got: self.subject.len() });
        }
        match self.length <= MAX_PAYLOAD {
            true => Ok(()),
            false => Err(EntryError::Payload { got: self.length }),
        }
    }

    fn message(&self, log: &Origin) -> Digest {
        let mut bytes = Vec::with_capacity(2 * MAX_HEADER);
        put_bytes(&mut bytes, log.as_str().as_bytes());
        self.encode_unsigned(&mut bytes);
        let mut writer = DigestWriter::new(SIGNING_DOMAIN);
        writer.update(&bytes);
        writer.finish()
    }

    fn encode_unsigned(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        put_bytes(out, self.kind.as_bytes());
        put_bytes(out, &self.subject);
        self.author.encode(out);
        self.time.encode(out);
        self.payload.encode(out);
        self.length.encode(out);
    }
}

impl Encode for Header {
    fn encode(&self, out: &mut Vec<u8>) {
        self.encode_unsigned(out);
        out.extend_from_slice(&self.signature);
    }
}

/// Checks the form; the signature needs a log ([`Header::verify`]).
impl Decode for Header {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            VERSION => {}
            got => return Err(DecodeError::invalid("entry version", format!("{got}, not 1"))),
        }
        let header = Self {
            kind: reader.text("kind", MAX_KIND)?.to_owned(),
            subject: reader.bytes("subject", MAX_SUBJECT)?.to_vec(),
            author: AuthorId::decode(reader)?,
            time: reader.u64()?,
            payload: Digest::decode(reader)?,
            length: reader.u64()?,
            signature: reader.array()?,
        };
        header.check().map_err(|error| DecodeError::invalid("entry", error))?;
        Ok(header)
    }
}
