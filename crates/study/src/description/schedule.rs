//! When polls are open, and how long anybody is waited for.

use std::time::{Duration, UNIX_EPOCH};

/// The end of the year 9999: later times have no RFC 3339 form.
pub(super) const LAST: u64 = 253_402_300_799;

/// What an election of version 2 says beforehand about its course. Times are those of the log's leaves: by its
/// keeper's clock, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Ballots count from this time on.
    pub opens: u64,
    /// From this time on ballots do not count, and the polls can be closed.
    pub closes: u64,
    /// Seconds for which a party is waited for.
    pub patience: u32,
    /// So many of all trustees and mixers sign that they saw one closing, before anything is mixed.
    pub quorum: u16,
}

impl Schedule {
    /// Seconds for which a party is waited for if the description does not say it: a day.
    pub const USUAL_PATIENCE: u32 = 24 * 60 * 60;

    /// The least quorum of which no two can be without a party in common: more than half of all trustees and
    /// mixers.
    pub fn least_quorum(trustees: u16, mixers: u16) -> u16 {
        trustees.saturating_add(mixers) / 2 + 1
    }

    /// Whether ballots that are logged at this time count.
    pub fn is_open(&self, time: u64) -> bool {
        (self.opens..self.closes).contains(&time)
    }

    /// A time as people write it (RFC 3339, UTC).
    pub fn in_words(time: u64) -> String {
        let time = UNIX_EPOCH + Duration::from_secs(time.min(LAST));
        humantime::format_rfc3339_seconds(time).to_string()
    }

    /// Reads a time as people write it (RFC 3339, UTC); `None` of anything else, and of times before 1970.
    pub fn time(text: &str) -> Option<u64> {
        let time = humantime::parse_rfc3339(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(time.as_secs()).filter(|_| time.subsec_nanos() == 0)
    }
}
