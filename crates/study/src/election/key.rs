//! The election's key as messages carry it.

use algebra::Group;
use shuffle::PublicKey;
use wire::{Decode, DecodeError, Reader};

/// A key that is not neutral.
pub(super) struct Key<G: Group>(pub(super) PublicKey<G>);

impl<G: Group> Decode for Key<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let point = G::decode(reader.take(G::ENCODED_LEN)?);
        let point = point.map_err(|error| DecodeError::not_canonical("election key", error))?;
        let identity = || DecodeError::not_canonical("election key", "the neutral element");
        PublicKey::new(point).map(Self).ok_or_else(identity)
    }
}
