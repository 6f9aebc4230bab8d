//! How large a ballot file may be.

/// The most rows of a file.
pub const MAX_VOTERS: usize = 1_000_000;
/// The longest cell, in bytes: room for an overvote of several names.
pub const MAX_FIELD_BYTES: usize = 1_024;
/// The longest voter's name, in bytes.
pub const MAX_VOTER_BYTES: usize = 64;
/// The longest row, in bytes, within one read-ahead of the parser.
pub const MAX_ROW_BYTES: usize = 64 * 1024;
