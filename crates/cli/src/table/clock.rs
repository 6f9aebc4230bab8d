//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::failure::Failure;

/// Seconds since 1970, by this machine's clock.
///
/// # Errors
/// A clock that shows a time before that.
pub fn now() -> Result<u64, Failure> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(since.map_err(Failure::input)?.as_secs())
}
