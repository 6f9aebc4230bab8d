//! What the operator says when the polls close.

use wire::{Decode, DecodeError, Digest, Encode, Reader};

/// The operator's count when the polls close, which everybody checks: in version 1 of itself, in version 2 in a
/// [`Closing`](super::Closing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Close {
    /// Ballots that go into the mix: of a voter the first that was accepted in version 1, the one with the greatest
    /// revision in version 2.
    pub accepted: u32,
    /// Ballots that were refused. One that gave way to a greater revision was not.
    pub refused: u32,
    /// The digest of the accepted ballots, in order: of their tracking codes in version 1, of their trackers, which
    /// hold place and revision too, in version 2.
    pub ballots: Digest,
}

impl Encode for Close {
    fn encode(&self, out: &mut Vec<u8>) {
        self.accepted.encode(out);
        self.refused.encode(out);
        self.ballots.encode(out);
    }
}

impl Decode for Close {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (accepted, refused) = (reader.u32()?, reader.u32()?);
        Ok(Self { accepted, refused, ballots: Digest::decode(reader)? })
    }
}
