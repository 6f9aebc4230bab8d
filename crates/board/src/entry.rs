//! One line of a board.

use std::{fmt, sync::Arc};

use log::{Header, Leaf, MAX_LEAF};
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader, put_bytes};

use crate::{AuthorId, EntryError, Head, Identity, limits::MAX_PAYLOAD};

/// The longest kind, in characters.
pub const MAX_KIND: usize = 64;
/// The largest encoded entry of a chain, in bytes.
pub const MAX_ENTRY: usize = MAX_PAYLOAD + OVERHEAD;

/// Bytes of an encoded entry of a chain beside its payload, with the longest kind: version, sequence,
/// previous, author, kind, length of the payload, signature.
pub(crate) const OVERHEAD: usize = 1 + 8 + 32 + 32 + (4 + MAX_KIND) + 4 + 64;

const VERSION: u8 = 1;
const LOGGED_VERSION: u8 = 2;
const SIGNING_DOMAIN: &str = "subrosa/board/entry/v1";
const CHAIN_DOMAIN: &str = "subrosa/board/chain/v1";

/// Where an entry stands. The signature covers it, so an entry fits nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The board: its genesis entry's digest, or zeros in the genesis entry itself.
    pub board: Digest,
    /// Entries before this one.
    pub sequence: u64,
    /// The digest of the entry before this one, or zeros in the genesis entry.
    pub previous: Digest,
}

impl Position {
    /// Where a board begins.
    pub fn genesis() -> Self {
        let zeros = Digest::from([0; 32]);
        Self { board: zeros, sequence: 0, previous: zeros }
    }
}

/// A signed entry, of a chain (version 1) or of a log (version 2). Clones share the payload.
///
/// Version 2 is encoded as version (1 byte), place in the log (8), leaf ([`Leaf`]; length of 4, then bytes),
/// payload (length of 4, then bytes). Its digest is that of the leaf's header.
///
/// Version 1 is encoded as version (1 byte), sequence (8), previous (32), author (32), kind (length of 4, then
/// text), payload (length of 4, then bytes), signature (64); integers are little-endian.
///
/// The signed message is the text `subrosa/board/entry/v1` and then the [`Digest`] in that domain
/// of the board's id and the encoding without its signature. The chain hash is the [`Digest`] of
/// the whole encoding in the domain `subrosa/board/chain/v1`.
#[derive(Clone)]
pub struct Entry {
    sequence: u64,
    author: AuthorId,
    kind: Arc<str>,
    payload: Arc<[u8]>,
    digest: Digest,
    form: Form,
}

/// What makes it an entry of its board.
#[derive(Clone)]
enum Form {
    /// Version 1: a link of a chain.
    Chained { previous: Digest, signature: [u8; 64] },
    /// Version 2: a leaf of a log, perhaps in a slot that its author filled before.
    Logged { leaf: Arc<Leaf>, contradicts: Option<u64>, head: Option<Head> },
}

/// The head is not compared: it is the state of the log around an entry, and no part of the entry.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        let log = |entry: &Self| (entry.leaf().cloned(), entry.contradicts());
        (self.sequence, self.author, &self.kind, &self.payload, self.digest, self.link())
            == (
                other.sequence,
                other.author,
                &other.kind,
                &other.payload,
                other.digest,
                other.link(),
            )
            && log(self) == log(other)
    }
}

impl Eq for Entry {}

impl Entry {
    /// Signs a payload for one position on one board.
    ///
    /// # Errors
    /// [`EntryError`] if the kind is not 1 to 64 characters of `a-z 0-9 . / -`, or the payload is
    /// over [`MAX_PAYLOAD`].
    pub fn sign(
        identity: &Identity,
        position: &Position,
        kind: &str,
        payload: &[u8],
    ) -> Result<Self, EntryError> {
        if !is_kind(kind) {
            return Err(EntryError::Kind);
        }
        if payload.len() > MAX_PAYLOAD {
            return Err(EntryError::Payload { got: payload.len() });
        }
        let Position { board, sequence, previous } = *position;
        let mut entry = Self {
            sequence,
            author: identity.id(),
            kind: kind.into(),
            payload: payload.into(),
            // Placeholders: signature and digest are set below, and neither is part of what is signed.
            digest: previous,
            form: Form::Chained { previous, signature: [0; 64] },
        };
        let signature = identity.sign(SIGNING_DOMAIN, entry.signed_digest(board, &previous));
        entry.form = Form::Chained { previous, signature };
        entry.digest = entry.chain_digest(&previous, &signature);
        Ok(entry)
    }

    /// An entry of a log, whose leaf and payload were verified. `contradicts` is the place of what its author
    /// signed for this slot before, `head` the log up to this entry, if it is known.
    pub(crate) fn logged(
        place: u64,
        leaf: Leaf,
        payload: Arc<[u8]>,
        contradicts: Option<u64>,
        head: Option<Head>,
    ) -> Self {
        Self {
            sequence: place,
            author: leaf.header.author(),
            kind: leaf.header.kind().into(),
            payload,
            digest: leaf.header.digest(),
            form: Form::Logged { leaf: Arc::new(leaf), contradicts, head },
        }
    }

    /// The entry that a header and a payload would become on a log, before one has it: at place 0, with the
    /// author's own time. A keeper learns from it what board this first entry would begin. The payload is not
    /// compared with the header.
    pub fn announced(header: &Header, payload: &[u8]) -> Self {
        let leaf = Leaf { time: header.time(), header: header.clone() };
        Self::logged(0, leaf, payload.into(), None, None)
    }

    /// The leaf that carries it, if the board is on a log.
    pub fn leaf(&self) -> Option<&Leaf> {
        match &self.form {
            Form::Chained { .. } => None,
            Form::Logged { leaf, .. } => Some(leaf),
        }
    }

    /// What of its kind it is, such as a round, a question or a voter; empty on a chain.
    pub fn subject(&self) -> &[u8] {
        self.leaf().map_or(&[], |leaf| leaf.header.subject())
    }

    /// When it was appended, by the clock of the log's keeper, in seconds since 1970.
    pub fn time(&self) -> Option<u64> {
        self.leaf().map(|leaf| leaf.time)
    }

    /// The place of what its author signed before for the same slot of the log: then this entry has no effect,
    /// and is its author's fault.
    pub fn contradicts(&self) -> Option<u64> {
        match &self.form {
            Form::Chained { .. } => None,
            Form::Logged { contradicts, .. } => *contradicts,
        }
    }

    /// The log up to this entry, which is its last leaf: known of an entry that was read with its board.
    pub fn head(&self) -> Option<Head> {
        match &self.form {
            Form::Chained { .. } => None,
            Form::Logged { head, .. } => *head,
        }
    }

    /// The link of a chain: the digest of the entry before this one, and the signature.
    fn link(&self) -> Option<(&Digest, &[u8; 64])> {
        match &self.form {
            Form::Chained { previous, signature } => Some((previous, signature)),
            Form::Logged { .. } => None,
        }
    }

    /// Entries before this one.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The digest of the entry before this one, on a chain.
    pub fn previous(&self) -> Option<Digest> {
        self.link().map(|(previous, _)| *previous)
    }

    /// Who signed it.
    pub fn author(&self) -> AuthorId {
        self.author
    }

    /// What the payload is, in the application's words.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What the author says.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The payload, to keep without a copy.
    pub fn shared_payload(&self) -> Arc<[u8]> {
        self.payload.clone()
    }

    /// The author's signature, on a chain.
    pub fn signature(&self) -> Option<&[u8; 64]> {
        self.link().map(|(_, signature)| signature)
    }

    /// The entry's name. On a chain it is the digest of the whole entry, on a log that of the leaf's header,
    /// which names the payload; both include the signature.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether the author signed this entry for a chain, `board`.
    pub fn is_signed_for(&self, board: Digest) -> bool {
        self.link().is_some_and(|(previous, signature)| {
            self.author.verify(SIGNING_DOMAIN, self.signed_digest(board, previous), signature)
        })
    }

    fn signed_digest(&self, board: Digest, previous: &Digest) -> Digest {
        let mut writer = DigestWriter::new(SIGNING_DOMAIN);
        writer.update(board.as_bytes());
        self.write_unsigned(previous, |bytes| writer.update(bytes));
        writer.finish()
    }

    fn chain_digest(&self, previous: &Digest, signature: &[u8; 64]) -> Digest {
        let mut writer = DigestWriter::new(CHAIN_DOMAIN);
        self.write_unsigned(previous, |bytes| writer.update(bytes));
        writer.update(signature);
        writer.finish()
    }

    /// The encoding without the signature, piece by piece, so that digests copy no payload.
    fn write_unsigned(&self, previous: &Digest, mut put: impl FnMut(&[u8])) {
        put(&[VERSION]);
        put(&self.sequence.to_le_bytes());
        put(previous.as_bytes());
        put(self.author.as_bytes());
        // Both lengths were checked when the entry was made.
        put(&(self.kind.len() as u32).to_le_bytes());
        put(self.kind.as_bytes());
        put(&(self.payload.len() as u32).to_le_bytes());
        put(&self.payload);
    }
}

impl Encode for Entry {
    fn encode(&self, out: &mut Vec<u8>) {
        match &self.form {
            Form::Chained { previous, signature } => {
                out.reserve(self.payload.len() + OVERHEAD);
                self.write_unsigned(previous, |bytes| out.extend_from_slice(bytes));
                out.extend_from_slice(signature);
            }
            Form::Logged { leaf, .. } => {
                out.reserve(self.payload.len() + MAX_LEAF + 1 + 8 + 4 + 4);
                out.push(LOGGED_VERSION);
                self.sequence.encode(out);
                put_bytes(out, &leaf.to_bytes());
                put_bytes(out, &self.payload);
            }
        }
    }
}

/// Checks the form; the signature needs a board ([`Entry::is_signed_for`]). An entry of a log must have the payload
/// that its header names; whether it contradicts another entry only the whole board shows.
impl Decode for Entry {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            VERSION => {}
            LOGGED_VERSION => return Self::decode_logged(reader),
            got => return Err(DecodeError::invalid("entry version", format!("{got}, not 1 or 2"))),
        }
        let sequence = reader.u64()?;
        let previous = Digest::decode(reader)?;
        let author = AuthorId::decode(reader)?;
        let kind = reader.text("kind", MAX_KIND)?;
        if !is_kind(kind) {
            return Err(DecodeError::invalid("kind", EntryError::Kind));
        }
        let payload = reader.bytes("payload", MAX_PAYLOAD)?;
        let signature = reader.array()?;
        let mut entry = Self {
            sequence,
            author,
            kind: kind.into(),
            payload: payload.into(),
            // A placeholder: set below, from the other fields.
            digest: previous,
            form: Form::Chained { previous, signature },
        };
        entry.digest = entry.chain_digest(&previous, &signature);
        Ok(entry)
    }
}

impl Entry {
    fn decode_logged(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let place = reader.u64()?;
        let leaf = Leaf::from_bytes(reader.bytes("leaf", MAX_LEAF)?)?;
        let payload = reader.bytes("payload", MAX_PAYLOAD)?;
        let other = |error| DecodeError::invalid("payload", error);
        leaf.header.verify_payload(payload).map_err(other)?;
        Ok(Self::logged(place, leaf, payload.into(), None, None))
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("sequence", &self.sequence)
            .field("author", &self.author)
            .field("kind", &self.kind)
            .field("payload_bytes", &self.payload.len())
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

fn is_kind(kind: &str) -> bool {
    let is_character = |c: u8| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'/' | b'-');
    (1..=MAX_KIND).contains(&kind.len()) && kind.bytes().all(is_character)
}
