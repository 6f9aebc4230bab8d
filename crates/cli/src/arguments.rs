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
    parsed.map_err(|_| "not a span of time; write it like `30s`, `5m` or `1h 30m`".to_owned())
}

/// A time such as `2026-12-31`, `2026-12-31 18:00` or `2026-12-31T18:00:00Z`, in UTC: seconds since 1970.
///
/// # Errors
/// Text that is no time.
pub fn time(text: &str) -> Result<u64, String> {
    let whole = match text.len() {
        10 => format!("{text}T00:00:00Z"),
        16 => format!("{text}:00"),
        _ => text.to_owned(),
    };
    // Whatever is wrong with it, it is no time.
    let parsed = humantime::parse_rfc3339_weak(&whole).ok();
    let since = parsed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let since = since.map(|since| since.as_secs()).filter(|seconds| *seconds != 0);
    since.ok_or_else(|| {
        "not a time; write it like `2026-12-31` or `2026-12-31 18:00` (UTC)".to_owned()
    })
}

/// The same as [`duration`], and not none at all.
///
/// # Errors
/// The same.
pub fn pause(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("a span of time must be longer than zero".to_owned()),
        pause => Ok(pause),
    }
}
