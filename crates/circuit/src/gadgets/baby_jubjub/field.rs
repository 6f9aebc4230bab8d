//! The field of the coordinates, and its constants.

use algebra::{Bn254, Scalar as _, ScalarOf};

/// The field of the coordinates.
pub type Fr = ScalarOf<Bn254>;

/// A field element from 64-bit words, the least significant first.
pub(super) fn field(words: [u64; 4]) -> Fr {
    let mut bytes = [0; 64];
    for (byte, value) in bytes.iter_mut().zip(words.iter().flat_map(|word| word.to_le_bytes())) {
        *byte = value;
    }
    Fr::from_wide(&bytes)
}
