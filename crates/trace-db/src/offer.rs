//! The querier's signatures for one pass.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{bases::G2, rsm::BbsOffer, sm::BbOffer};
use trace::Direction;

/// The querier's signatures for one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// On values, for a pass that goes in.
    In(BbOffer),
    /// On commitments, for a pass that goes out.
    Out(BbsOffer),
}

impl Offer {
    /// y.
    pub fn key(&self) -> &G2 {
        match self {
            Self::In(offer) => offer.key(),
            Self::Out(offer) => offer.key(),
        }
    }

    /// Reads the signatures for a pass of this direction.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, direction: Direction) -> Result<Self, DecodeError> {
        Ok(match direction {
            Direction::In => Self::In(BbOffer::decode(reader)?),
            Direction::Out => Self::Out(BbsOffer::decode(reader)?),
        })
    }
}

impl Encode for Offer {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::In(offer) => offer.encode(out),
            Self::Out(offer) => offer.encode(out),
        }
    }
}
