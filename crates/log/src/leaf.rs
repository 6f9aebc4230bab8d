//! What the keeper appends: an entry's header, with the time at which it was appended.

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    AuthorId, Header,
    entry::{MAX_HEADER, TICK},
    merkle::{Hash, leaf_hash},
};

const VERSION: u8 = 1;
/// The largest encoded leaf, in bytes: less than a bundle's entry can have.
pub const MAX_LEAF: usize = 1 + 8 + MAX_HEADER;

/// A leaf of the log. The time is part of what is hashed, so that every proof that an entry is in the log
/// proves since when.
///
/// Encoded as version (1 byte), time (8, little-endian), and the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// When it was appended, by the keeper's clock, in seconds since 1970. Along the log it never
    /// decreases.
    pub time: u64,
    /// The entry.
    pub header: Header,
}

impl Leaf {
    /// The leaf's hash in the tree (RFC 6962).
    pub fn hash(&self) -> Hash {
        leaf_hash(&self.to_bytes())
    }

    /// Whether it is a heartbeat of this keeper.
    pub fn is_tick(&self, keeper: &AuthorId) -> bool {
        self.header.kind() == TICK && self.header.author() == *keeper
    }
}

impl Encode for Leaf {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        self.time.encode(out);
        self.header.encode(out);
    }
}

impl Decode for Leaf {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            VERSION => Ok(Self { time: reader.u64()?, header: Header::decode(reader)? }),
            got => Err(DecodeError::invalid("leaf version", format!("{got}, not 1"))),
        }
    }
}

/// Leaves in a row, in a log: what stands between two places, and what does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The place of the first.
    pub first: u64,
    /// All of them.
    pub leaves: Vec<Leaf>,
    /// The nodes beside them ([`crate::merkle::range_proof`]).
    pub proof: Vec<Hash>,
}

impl Stretch {
    /// Checks that a log has these leaves at this place.
    ///
    /// # Errors
    /// [`crate::merkle::ProofError`].
    pub fn verify(&self, size: u64, root: &Hash) -> Result<(), crate::merkle::ProofError> {
        let hashes: Vec<Hash> = self.leaves.iter().map(Leaf::hash).collect();
        let reached = crate::merkle::root_from_range(self.first, size, &hashes, &self.proof)?;
        if reached == *root { Ok(()) } else { Err(crate::merkle::ProofError::Root) }
    }
}

/// Leaves of a stretch. Evidence of withholding holds everything that was appended until the promise was
/// due, so a keeper must not escape by appending more than evidence may hold.
const MAX_STRETCH: usize = 1 << 24;

impl Encode for Stretch {
    fn encode(&self, out: &mut Vec<u8>) {
        self.first.encode(out);
        (self.leaves.len() as u32).encode(out);
        self.leaves.iter().for_each(|leaf| leaf.encode(out));
        crate::merkle::encode_proof(&self.proof, out);
    }
}

impl Decode for Stretch {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let first = reader.u64()?;
        let count = reader.count("leaves", MAX_STRETCH)?;
        let leaves = (0..count).map(|_| Leaf::decode(reader)).collect::<Result<_, _>>()?;
        let proof = crate::merkle::decode_range_proof(reader)?;
        Ok(Self { first, leaves, proof })
    }
}
