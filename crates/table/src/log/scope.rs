//! What of an epoch an auditor vouches for.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use crate::Hash;

const MAX_KEY: usize = 128;
const MAX_PARTS: usize = 1 << 12;

/// Keys by the order of their bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyRange {
    /// The first key, or less.
    pub from: Vec<u8>,
    /// All keys of the range are below; `None` for the last range.
    pub until: Option<Vec<u8>>,
}

impl KeyRange {
    /// Whether the range holds a key.
    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.from.as_slice()
            && self.until.as_ref().is_none_or(|until| key < until.as_slice())
    }

    /// Whether keys of the range may begin with the first `bits` bits of a key.
    pub(crate) fn overlaps(&self, key: &[u8], bits: u16) -> bool {
        let bits = usize::from(bits);
        let free = |at: usize| 0xff_u8.checked_shr(bits.saturating_sub(8 * at).min(8) as u32);
        // Shifted by all 8 bits nothing is left: the byte is known whole.
        let free = |at: usize| free(at).unwrap_or(0);
        let least: Vec<u8> = key.iter().enumerate().map(|(at, byte)| byte & !free(at)).collect();
        let most: Vec<u8> = key.iter().enumerate().map(|(at, byte)| byte | free(at)).collect();
        most >= self.from && self.until.as_ref().is_none_or(|until| least < *until)
    }

    /// Whether ranges in order hold every key, and none twice.
    pub fn make_up_all(ranges: &[Self]) -> bool {
        let meet = |pair: &[Self]| match pair {
            [one, two] => one.until.as_ref() == Some(&two.from) && one.from < two.from,
            _ => true,
        };
        ranges.first().is_some_and(|first| first.from.is_empty())
            && ranges.last().is_some_and(|last| last.until.is_none())
            && ranges.windows(2).all(meet)
    }
}

impl Encode for KeyRange {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.from);
        out.push(self.until.is_some().into());
        self.until.iter().for_each(|until| put_bytes(out, until));
    }
}

impl Decode for KeyRange {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let from = reader.bytes("key", MAX_KEY)?.to_vec();
        let until = match reader.u8()? {
            0 => None,
            1 => Some(reader.bytes("key", MAX_KEY)?.to_vec()),
            _ => return Err(DecodeError::invalid("range of keys", "neither open nor closed")),
        };
        Ok(Self { from, until })
    }
}

/// What of an epoch an auditor vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Whole,
    /// The rows of a range of keys: that they are in their bounds, sorted, with true powers.
    Keys {
        /// The keys.
        range: KeyRange,
        /// The rows that were seen.
        links: Hash,
    },
    /// That the rows of ranges that make up all keys are of distinct users, and counted.
    Users {
        /// Every range with the rows that were seen.
        parts: Vec<(KeyRange, Hash)>,
    },
}

impl Scope {
    /// The scope in words, for people.
    pub fn name(&self) -> String {
        let hex = |key: &[u8]| data_encoding::HEXLOWER.encode(key);
        match self {
            Self::Whole => "the epoch".to_owned(),
            Self::Keys { range: KeyRange { from, until: None }, .. } => {
                format!("keys from \"{}\"", hex(from))
            }
            Self::Keys { range: KeyRange { from, until: Some(until) }, .. } => {
                format!("keys from \"{}\" to below \"{}\"", hex(from), hex(until))
            }
            Self::Users { parts } => format!("users, over {} ranges of keys", parts.len()),
        }
    }
}

impl Encode for Scope {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Whole => out.push(0),
            Self::Keys { range, links } => {
                out.push(1);
                range.encode(out);
                links.encode(out);
            }
            Self::Users { parts } => {
                out.push(2);
                (parts.len() as u32).encode(out);
                for (range, links) in parts {
                    range.encode(out);
                    links.encode(out);
                }
            }
        }
    }
}

impl Decode for Scope {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let part = |reader: &mut Reader<'_>| Ok((KeyRange::decode(reader)?, Hash::decode(reader)?));
        Ok(match reader.u8()? {
            0 => Self::Whole,
            1 => {
                let (range, links) = part(reader)?;
                Self::Keys { range, links }
            }
            2 => {
                let count = reader.count("parts", MAX_PARTS)?;
                let parts = (0..count).map(|_| part(reader));
                Self::Users { parts: parts.collect::<Result<_, DecodeError>>()? }
            }
            _ => return Err(DecodeError::invalid("scope", "unknown kind")),
        })
    }
}
