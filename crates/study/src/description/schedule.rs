//! When polls are open, and how long anybody is waited for.

use std::time::{Duration, UNIX_EPOCH};

use super::{DescriptionError, Draft, Place, Problem};

/// The end of the year 9999: later times have no RFC 3339 form.
const LAST: u64 = 253_402_300_799;

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

    /// What must hold beside the numbers of parties: a split of them has no result on both sides, and those
    /// without whom there is no result anyway make up a quorum.
    pub(super) fn check(&self, draft: &Draft) -> Result<(), DescriptionError> {
        let refused = |place, problem| Err(DescriptionError::new(place, problem));
        let Self { opens, closes, patience, quorum } = *self;
        if opens >= closes || closes > LAST {
            return refused(Place::Closes, Problem::Times);
        }
        if patience == 0 {
            return refused(Place::Patience, Problem::NoPatience);
        }
        let least = draft.trustees / 2 + 1;
        if draft.threshold < least {
            return refused(Place::Threshold, Problem::Split { got: draft.threshold, least });
        }
        let least = Self::least_quorum(draft.trustees, draft.mixers);
        let most = draft.threshold.saturating_add(draft.minimum_mixers);
        match (least..=most).contains(&quorum) {
            true => Ok(()),
            false => refused(Place::Quorum, Problem::Quorum { got: quorum, least, most }),
        }
    }
}
