//! How much is posted at once.

/// The largest payload, in bytes: 256 MiB. Larger objects are posted by their digest.
pub const MAX_PAYLOAD: usize = 256 << 20;
