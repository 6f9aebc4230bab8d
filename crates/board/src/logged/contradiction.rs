//! Two entries of an author in one slot.

use log::{Header, Origin};
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

const VERSION: u8 = 1;
const MAX_ORIGIN: usize = 255;

/// Two headers that one author signed for one slot of a log: bytes that convict the holder of the key, without
/// anybody's word.
///
/// Encoded as version (1 byte, 1), the log's origin (length of 4, then text), and the two headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The log's name.
    pub log: Origin,
    /// What was in the log first.
    pub one: Header,
    /// What came later.
    pub other: Header,
}

impl Contradiction {
    /// Whether the author signed both, in one slot, and they differ.
    pub fn holds(&self) -> bool {
        let Self { log, one, other } = self;
        fn slot(header: &Header) -> (log::AuthorId, &str, &[u8]) {
            (header.author(), header.kind(), header.subject())
        }
        let is_signed = |header: &Header| header.verify(log).is_ok();
        slot(one) == slot(other)
            && one.digest() != other.digest()
            && is_signed(one)
            && is_signed(other)
    }
}

impl Encode for Contradiction {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        put_bytes(out, self.log.as_str().as_bytes());
        self.one.encode(out);
        self.other.encode(out);
    }
}

impl Decode for Contradiction {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            VERSION => {}
            got => {
                return Err(DecodeError::invalid("contradiction version", format!("{got}, not 1")));
            }
        }
        let log = reader.text("origin", MAX_ORIGIN)?.parse();
        let log = log.map_err(|error| DecodeError::invalid("origin", error))?;
        Ok(Self { log, one: Header::decode(reader)?, other: Header::decode(reader)? })
    }
}
