//! Scalars in files: reduced integers, little-endian.

use algebra::Scalar;

use crate::Error;

/// A scalar from its bytes; `index` is for the error.
pub(crate) fn scalar<S: Scalar>(
    bytes: &[u8; 32],
    place: &'static str,
    index: u64,
) -> Result<S, Error> {
    S::decode(bytes).map_err(|_| Error::Scalar { place, index })
}
