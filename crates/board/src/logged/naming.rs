//! Names of logs that name their keeper.

use log::{AuthorId, Origin, note::VerifierKey};

use crate::BoardError;

/// What the name of a log begins with that ends in its keeper's key: whoever signs for such a log signs for this
/// keeper, and for no other.
const OWN: &str = "subrosa-board/";

/// A name for the log of a new board, which holds for the keeper with this key only. Every new board has a new
/// keeper, so that no entry of one is one of another.
///
/// # Errors
/// [`BoardError::Note`], never.
pub fn origin_of(keeper: &AuthorId) -> Result<Origin, BoardError> {
    Ok(format!("{OWN}{keeper}").parse()?)
}

/// A name that names a keeper is that keeper's.
pub(super) fn require_own_key(key: &VerifierKey) -> Result<(), BoardError> {
    match key.name.as_str().strip_prefix(OWN) {
        Some(named) if named != key.key.to_string() => Err(BoardError::OtherKeeper),
        _ => Ok(()),
    }
}
