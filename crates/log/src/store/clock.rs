//! The system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 by the system's clock.
pub fn system_clock() -> u64 {
    // A clock that is set before 1970 is at 1970, and one beyond the range is at its end: neither goes back.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
