//! What kind of schedule it is.

use rand_core::Rng;

/// Drawn once, so that a schedule has one story rather than a little of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Who is not honest of trustees and mixers: one at most, as much as an election stands.
    pub(super) corrupt: Option<usize>,
    /// The step in which the keeper begins to show two boards.
    pub(super) fork: Option<u64>,
    /// Both boards open their polls, under one key.
    pub(super) both_open: bool,
    /// Seconds by which the keeper's clock is ahead.
    pub(super) ahead: u64,
    /// The keeper takes what it is told and holds it back.
    pub(super) holds: bool,
    /// Members come back with old copies of what they stored.
    pub(super) restores: bool,
    /// The keeper has what was said last week.
    pub(super) last_week: bool,
    /// How far the election goes before anything happens.
    pub(super) prefix: u64,
    /// How many things happen.
    pub(super) steps: u64,
}

impl Plan {
    pub(super) fn draw(rng: &mut impl Rng) -> Self {
        let mut below = |bound: u64| rng.next_u64() % bound;
        let corrupt = below(10);
        let story = below(12);
        Self {
            corrupt: (corrupt < 6).then_some(corrupt as usize),
            fork: (story < 4).then(|| if story == 0 { 0 } else { below(12) }),
            both_open: story == 0,
            ahead: if story == 4 { 200 + below(700) } else { 0 },
            holds: story == 5,
            // A keeper that holds back or shows two boards can have a restored party sign twice.
            restores: story == 6,
            last_week: story == 7,
            prefix: if story == 0 { 3 } else { below(8) },
            steps: 8 + below(24),
        }
    }
}
