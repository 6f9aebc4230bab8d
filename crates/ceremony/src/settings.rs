//! What a verifier of either phase is ready to do.

/// What a verifier is ready to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Beacons that were hashed more than two to this power times in all are refused, because
    /// recomputing them takes as long as it took to make them.
    pub max_iterations_exp: u8,
    /// Whether a key of phase 2 may lack the highest power of `H`, as those do that came through
    /// bellman's parameters.
    pub may_lack_top_power: bool,
    /// Whether the phase 1 of a key may lack its history, so that it shows no contributions at all, as
    /// those do that were imported without it: nobody can tell whether its secrets are known.
    pub may_lack_phase1_history: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_iterations_exp: 32, may_lack_top_power: false, may_lack_phase1_history: false }
    }
}
