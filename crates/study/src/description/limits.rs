//! How large a description may be.

/// The longest TOML file, in bytes.
pub const MAX_FILE_BYTES: usize = 64 * 1024;
/// The longest title, in bytes of UTF-8.
pub const MAX_TITLE_BYTES: usize = 200;
/// The longest question, in bytes of UTF-8.
pub const MAX_QUESTION_BYTES: usize = 1_000;
/// The longest candidate name, in bytes of UTF-8.
pub const MAX_NAME_BYTES: usize = 120;
/// The longest notes, in bytes of UTF-8.
pub const MAX_NOTES_BYTES: usize = 4_000;
/// The longest link, in bytes of UTF-8.
pub const MAX_LINK_BYTES: usize = 500;
/// The most questions on one ballot.
pub const MAX_QUESTIONS: usize = 16;
/// The most candidates of all questions together.
pub const MAX_ALL_CANDIDATES: usize = 128;
/// The most classes of voters.
pub const MAX_CLASSES: usize = 32;
/// The most trustees, and the most mixers.
pub const MAX_PARTIES: u16 = 64;
