//! What parties say in elections of version 2 only.

use std::collections::BTreeMap;

use algebra::Group;
use board::Head;
use shuffle::PublicKey;
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader, put_bytes};

use super::{Close, MAX_PARTIES, Party, key::Key};

/// The most bytes of a mix in one entry.
pub const PART_BYTES: usize = 16 << 20;
/// The most parts of one mix.
pub const MAX_PARTS: usize = 128;

/// A trustee or a mixer is there: what it drew for this election alone, and the board up to the roll. No key of
/// these trustees comes about without it, so that nothing that was said in another run has a place in this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// 32 bytes from the system's generator.
    pub nonce: [u8; 32],
    /// The board as the party saw it, with the roll at least.
    pub head: Head,
}

/// What everybody who is ready drew, as the context of the key generation.
pub(super) fn session_of(board: &Digest, nonces: &BTreeMap<Party, [u8; 32]>) -> Digest {
    let mut writer = DigestWriter::new("subrosa/election/session/v2");
    writer.update(board.as_bytes());
    for (party, nonce) in nonces {
        writer.update(&party.to_bytes());
        writer.update(nonce);
    }
    writer.finish()
}

/// The operator opens the polls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<G: Group> {
    /// The key that the trustees generated.
    pub key: PublicKey<G>,
    /// The trustees who confirmed it by then, ascending.
    pub confirmed: Vec<u16>,
    /// The board by which they did.
    pub head: Head,
}

/// The operator says that a party was waited for in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The party.
    pub party: Party,
    /// The board that waits for it.
    pub head: Head,
}

/// The operator closes the polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The ballots.
    pub close: Close,
    /// The board with all of them.
    pub head: Head,
}

/// A trustee or a mixer saw this closing, and signs to no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The digest of the entry that closed the polls.
    pub closing: Digest,
    /// The board up to that entry.
    pub head: Head,
}

/// A mixer announces its mix, which follows in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixHeader {
    /// The turn in which it mixes, from 1.
    pub turn: u32,
    /// The bytes of all parts.
    pub length: u64,
    /// Their digest.
    pub digest: Digest,
}

impl MixHeader {
    /// The header of a mix of these bytes.
    pub fn of(turn: u32, mix: &[u8]) -> Self {
        Self {
            turn,
            length: mix.len() as u64,
            digest: Digest::of("subrosa/election/mix/parts/v2", mix),
        }
    }
}

/// A part of a mix, of [`PART_BYTES`] at most: where the part before it ends the next one goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixPart {
    /// The turn.
    pub turn: u32,
    /// The place among the parts, from 0.
    pub index: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Encode for Ready {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.nonce);
        self.head.encode(out);
    }
}

impl Decode for Ready {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { nonce: reader.array()?, head: Head::decode(reader)? })
    }
}

impl<G: Group> Encode for Opening<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.key.point().encode());
        // Trustees are numbered by a `u16`.
        u32::try_from(self.confirmed.len()).unwrap_or(u32::MAX).encode(out);
        self.confirmed.iter().for_each(|trustee| trustee.encode(out));
        self.head.encode(out);
    }
}

impl<G: Group> Decode for Opening<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let Key(key) = Key::decode(reader)?;
        let count = reader.count("confirmed trustees", MAX_PARTIES)?;
        let confirmed = (0..count).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        Ok(Self { key, confirmed, head: Head::decode(reader)? })
    }
}

impl Encode for Absence {
    fn encode(&self, out: &mut Vec<u8>) {
        self.party.encode(out);
        self.head.encode(out);
    }
}

impl Decode for Absence {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { party: Party::decode(reader)?, head: Head::decode(reader)? })
    }
}

impl Encode for Closing {
    fn encode(&self, out: &mut Vec<u8>) {
        self.close.encode(out);
        self.head.encode(out);
    }
}

impl Decode for Closing {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { close: Close::decode(reader)?, head: Head::decode(reader)? })
    }
}

impl Encode for Seen {
    fn encode(&self, out: &mut Vec<u8>) {
        self.closing.encode(out);
        self.head.encode(out);
    }
}

impl Decode for Seen {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { closing: Digest::decode(reader)?, head: Head::decode(reader)? })
    }
}

impl Encode for MixHeader {
    fn encode(&self, out: &mut Vec<u8>) {
        self.turn.encode(out);
        self.length.encode(out);
        self.digest.encode(out);
    }
}

impl Decode for MixHeader {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { turn: reader.u32()?, length: reader.u64()?, digest: Digest::decode(reader)? })
    }
}

impl Encode for MixPart {
    fn encode(&self, out: &mut Vec<u8>) {
        self.turn.encode(out);
        self.index.encode(out);
        put_bytes(out, &self.bytes);
    }
}

impl Decode for MixPart {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (turn, index) = (reader.u32()?, reader.u32()?);
        Ok(Self { turn, index, bytes: reader.bytes("part of a mix", PART_BYTES)?.to_vec() })
    }
}
