//! One line of a board.

use std::{fmt, sync::Arc};

use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader};

use crate::{AuthorId, EntryError, Identity};

/// The largest payload, in bytes: 256 MiB. Larger objects are posted by their digest.
pub const MAX_PAYLOAD: usize = 256 << 20;
/// The longest kind, in characters.
pub const MAX_KIND: usize = 64;
/// The largest encoded entry, in bytes.
pub const MAX_ENTRY: usize = MAX_PAYLOAD + OVERHEAD;

/// Everything but the payload, with the longest kind.
pub(crate) const OVERHEAD: usize = 1 + 8 + 32 + 32 + (4 + MAX_KIND) + 4 + 64;

const VERSION: u8 = 1;
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

/// A signed entry. Clones share the payload.
///
/// Encoded as version (1 byte), sequence (8), previous (32), author (32), kind (length of 4, then
/// text), payload (length of 4, then bytes), signature (64); integers are little-endian.
///
/// The signed message is the text `subrosa/board/entry/v1` and then the [`Digest`] in that domain
/// of the board's id and the encoding without its signature. The chain hash is the [`Digest`] of
/// the whole encoding in the domain `subrosa/board/chain/v1`.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    sequence: u64,
    previous: Digest,
    author: AuthorId,
    kind: Arc<str>,
    payload: Arc<[u8]>,
    signature: [u8; 64],
    digest: Digest,
}

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
        let mut entry = Self {
            sequence: position.sequence,
            previous: position.previous,
            author: identity.id(),
            kind: kind.into(),
            payload: payload.into(),
            signature: [0; 64],
            digest: position.previous,
        };
        entry.signature = identity.sign(SIGNING_DOMAIN, entry.signed_digest(position.board));
        entry.digest = entry.chain_digest();
        Ok(entry)
    }

    /// Entries before this one.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The digest of the entry before this one.
    pub fn previous(&self) -> Digest {
        self.previous
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

    /// The author's signature.
    pub fn signature(&self) -> &[u8; 64] {
        &self.signature
    }

    /// The chain hash: of everything above, the signature included.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether the author signed this entry for `board`.
    pub fn is_signed_for(&self, board: Digest) -> bool {
        self.author.verify(SIGNING_DOMAIN, self.signed_digest(board), &self.signature)
    }

    fn signed_digest(&self, board: Digest) -> Digest {
        let mut writer = DigestWriter::new(SIGNING_DOMAIN);
        writer.update(board.as_bytes());
        self.write_unsigned(|bytes| writer.update(bytes));
        writer.finish()
    }

    fn chain_digest(&self) -> Digest {
        let mut writer = DigestWriter::new(CHAIN_DOMAIN);
        self.write_unsigned(|bytes| writer.update(bytes));
        writer.update(&self.signature);
        writer.finish()
    }

    /// The encoding without the signature, piece by piece, so that digests copy no payload.
    fn write_unsigned(&self, mut put: impl FnMut(&[u8])) {
        put(&[VERSION]);
        put(&self.sequence.to_le_bytes());
        put(self.previous.as_bytes());
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
        out.reserve(self.payload.len() + OVERHEAD);
        self.write_unsigned(|bytes| out.extend_from_slice(bytes));
        out.extend_from_slice(&self.signature);
    }
}

/// Checks the form; the signature needs a board ([`Entry::is_signed_for`]).
impl Decode for Entry {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            VERSION => {}
            got => return Err(DecodeError::invalid("entry version", format!("{got}, not 1"))),
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
            previous,
            author,
            kind: kind.into(),
            payload: payload.into(),
            signature,
            digest: previous,
        };
        entry.digest = entry.chain_digest();
        Ok(entry)
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
