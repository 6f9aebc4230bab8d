//! How arguments are read that many commands have.

use std::time::Duration;

/// A span of time such as `30s`, `5m` or `1h 30m`; a number alone is seconds.
///
/// # Errors
/// Text that is no span of time.
pub fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let parsed = humantime::parse_duration(text);
    parsed.map_err(|_| "not a span of time, such as `30s`, `5m` or `2h`".to_owned())
}

/// The same, and not none at all.
///
/// # Errors
/// The same.
pub fn pause(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("no time at all".to_owned()),
        pause => Ok(pause),
    }
}
