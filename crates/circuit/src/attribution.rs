//! Who made a contribution, as `.ptau` and `.zkey` files say it.

use std::io::{Read, Seek};

use wire::{DecodeError, Encode, Reader};

use crate::{Error, record::Records};

/// Who made a contribution. Nothing binds this to the contribution: it is what the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// The contributor's name, one to 64 UTF-16 units.
    pub name: Option<String>,
    /// Where the secret came from.
    pub origin: Origin,
}

/// Where the secret of a contribution came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A participant drew it.
    #[default]
    Participant,
    /// Public randomness, from which everybody recomputes it.
    Beacon {
        /// The binary logarithm of the number of times it is hashed, 10 to 63.
        iterations_exp: u8,
        /// The public randomness, at most 255 bytes.
        hash: Vec<u8>,
    },
}

const NAME: u8 = 1;
const ITERATIONS_EXP: u8 = 2;
const HASH: u8 = 3;
const MAX_NAME_UNITS: usize = 64;
/// Three parameters at their longest.
const MAX_LEN: usize = 2 + 255 + 2 + 2 + 255;

impl Attribution {
    /// A participant, named or not.
    pub fn participant(name: Option<String>) -> Self {
        Self { name, origin: Origin::Participant }
    }

    /// A beacon of `2^iterations_exp` hashes.
    pub fn beacon(name: Option<String>, iterations_exp: u8, hash: Vec<u8>) -> Self {
        Self { name, origin: Origin::Beacon { iterations_exp, hash } }
    }

    /// Requires that files can hold it: worth knowing before the work for a contribution is done.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn require_writable(&self) -> Result<(), Error> {
        self.check().map_err(|reason| Error::Unwritable { place: "contribution", reason })
    }

    /// The type, the length of the parameters, the parameters.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.require_writable()?;
        let mut parameters = Vec::new();
        if let Some(name) = &self.name {
            parameters.extend([NAME, name.len() as u8]);
            parameters.extend(name.bytes());
        }
        if let Origin::Beacon { iterations_exp, hash } = &self.origin {
            parameters.extend([ITERATIONS_EXP, *iterations_exp, HASH, hash.len() as u8]);
            parameters.extend(hash);
        }
        u32::from(self.origin != Origin::Participant).encode(out);
        wire::put_bytes(out, &parameters);
        Ok(())
    }

    /// Reads the end of record `index`.
    pub(crate) fn decode<R: Read + Seek>(
        records: &mut Records<'_, R>,
        index: u64,
    ) -> Result<Self, Error> {
        let place = records.place();
        let header: [u8; 8] = records.array(index)?;
        let mut header = Reader::new(&header);
        let lengths = (|| Ok((header.u32()?, header.count("parameters", MAX_LEN)?)))();
        let (kind, len) = lengths.map_err(Error::entry(place, index))?;
        let parameters = records.take(len, index)?;
        Self::from_parameters(kind, &parameters).map_err(Error::entry(place, index))
    }

    fn from_parameters(kind: u32, parameters: &[u8]) -> Result<Self, DecodeError> {
        let refused = |reason| DecodeError::invalid("contribution parameters", reason);
        let mut reader = Reader::new(parameters);
        let (mut name, mut iterations, mut hash) = (None, None, None);
        let mut last = 0;
        while reader.remaining() > 0 {
            let tag = reader.u8()?;
            if tag <= last {
                return Err(refused("not in ascending order"));
            }
            last = tag;
            match tag {
                NAME => {
                    let len = reader.u8()?;
                    let text = std::str::from_utf8(reader.take(len.into())?);
                    name = Some(text.map_err(|_| refused("the name is not UTF-8"))?.to_owned());
                }
                ITERATIONS_EXP => iterations = Some(reader.u8()?),
                HASH => {
                    let len = reader.u8()?;
                    hash = Some(reader.take(len.into())?.to_vec());
                }
                _ => return Err(refused("of an unknown kind")),
            }
        }
        let origin = match (kind, iterations, hash) {
            (0, None, None) => Origin::Participant,
            (1, Some(iterations_exp), Some(hash)) => Origin::Beacon { iterations_exp, hash },
            (0 | 1, _, _) => return Err(refused("not those of this type of contribution")),
            _ => return Err(refused("of an unknown type of contribution")),
        };
        let attribution = Self { name, origin };
        attribution.check().map_err(refused)?;
        Ok(attribution)
    }

    fn check(&self) -> Result<(), &'static str> {
        if let Some(name) = &self.name
            && (name.is_empty() || name.encode_utf16().count() > MAX_NAME_UNITS)
        {
            return Err("a name has one to 64 UTF-16 units");
        }
        if let Origin::Beacon { iterations_exp, hash } = &self.origin {
            if !(10..=63).contains(iterations_exp) {
                return Err("a beacon is hashed 2^10 to 2^63 times");
            }
            if hash.len() > 255 {
                return Err("a beacon has at most 255 bytes");
            }
        }
        Ok(())
    }
}
