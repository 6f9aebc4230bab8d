//! Points and scalars on the wire.

use algebra::{Group, Scalar};
use wire::{DecodeError, Reader};

use crate::PointList;

pub(crate) fn point<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<G, DecodeError> {
    let bytes = reader.take(G::ENCODED_LEN)?;
    G::decode(bytes).map_err(|error| DecodeError::invalid(what, error))
}

pub(crate) fn point_list<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<PointList<G>, DecodeError> {
    let bytes = reader.items(n, G::ENCODED_LEN)?;
    PointList::decode(bytes).map_err(|error| DecodeError::invalid(what, error))
}

pub(crate) fn scalar<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<G::Scalar, DecodeError> {
    G::Scalar::decode(&reader.array()?).map_err(|error| DecodeError::invalid(what, error))
}

pub(crate) fn scalars<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<Vec<G::Scalar>, DecodeError> {
    let bytes = reader.items(n, G::Scalar::ENCODED_LEN)?;
    G::Scalar::decode_all(bytes).map_err(|error| DecodeError::invalid(what, error))
}
