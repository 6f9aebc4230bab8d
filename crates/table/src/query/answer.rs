//! Answers: what travels.

use num_bigint::BigUint;
use transcript::{Transcript, TranscriptExt as _};
use wire::Encode as _;

use super::{Cut, EpochCover, Openings, OrderPart, Query, Withheld, cover::CoveredKey};
use crate::{
    Fault, Kind, Policy, Table,
    commitment::Scalar,
    log::{Attestation, Checkpoint},
    rollup::RolledUp,
};

/// Counts and sums of a set of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    /// Rows.
    pub count: u64,
    /// `V_j`, the sum of the `j`-th powers of the committed values, from `j = 1`.
    pub(crate) sums: Vec<Scalar>,
}

impl Moments {
    /// `V_j` as integers, over values as offsets from the column's minimum.
    pub fn sums(&self) -> Vec<BigUint> {
        self.sums.iter().map(|sum| BigUint::from_bytes_le(sum.as_bytes())).collect()
    }
}

/// What an answer claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Counts and sums.
    Moments(Moments),
    /// Count, and an interval that holds the sum, where the policy rounds.
    Rounded {
        /// Rows.
        count: u64,
        /// The least that the sum of committed values can be, a multiple of `2^rounding`; it is
        /// less than `2^rounding` more.
        sum: u128,
    },
    /// No rows: a statement about values would be about nothing.
    Empty,
    /// The value of a rank.
    Order {
        /// Rows.
        count: u64,
        /// The value, as an offset from the column's minimum.
        value: u64,
    },
    /// The largest rows.
    Top {
        /// Rows in all.
        count: u64,
        /// The value of the rank below them, as an offset.
        threshold: u64,
        /// The rows above the cut.
        top: Moments,
    },
    /// The rows between cuts, from the least.
    Histogram(Vec<Moments>),
    /// Nothing: the policy's hierarchy withholds the box.
    Withheld(Withheld),
}

impl Outcome {
    /// Requires that everything shown is about enough rows for the policy, or about none; so are the
    /// `keys` whose rows it puts in order.
    pub(super) fn allowed_by(&self, policy: &Policy, keys: &[CoveredKey]) -> Result<(), Fault> {
        let (kind, shown) = match self {
            Self::Empty | Self::Withheld(_) => return Ok(()),
            Self::Moments(moments) => (Kind::Moments, vec![moments.count]),
            Self::Rounded { count, .. } => (Kind::Moments, vec![*count]),
            Self::Order { count, .. } => (Kind::Order, vec![*count]),
            Self::Top { count, top, .. } => (Kind::Top, vec![*count, top.count]),
            Self::Histogram(parts) => {
                (Kind::Histogram, parts.iter().map(|part| part.count).collect())
            }
        };
        policy.permits(kind, &shown, keys.iter().map(|key| key.root.count))
    }
}

/// What bears the outcome out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Of [`Outcome::Empty`] and [`Outcome::Withheld`]: the covers say it all.
    Empty,
    /// Of [`Outcome::Moments`].
    Moments(Openings),
    /// Of [`Outcome::Rounded`].
    Rounded {
        /// The range proof.
        ranges: Vec<Vec<u8>>,
    },
    /// Of [`Outcome::Order`].
    Order {
        /// Where the value stands.
        order: OrderPart,
        /// Range proofs.
        ranges: Vec<Vec<u8>>,
    },
    /// Of [`Outcome::Top`].
    Top {
        /// Where the threshold stands.
        order: OrderPart,
        /// Where the rows are cut, shown on both sides.
        cut: Cut,
        /// Of the sums above.
        openings: Openings,
        /// Range proofs.
        ranges: Vec<Vec<u8>>,
    },
    /// Of [`Outcome::Histogram`].
    Histogram {
        /// One for every edge inside of the column's bounds.
        cuts: Vec<Cut>,
        /// Of the sums of all parts.
        openings: Openings,
        /// Range proofs.
        ranges: Vec<Vec<u8>>,
    },
}

/// An answer with everything that verifies it, but for genesis and checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was asked.
    pub query: Query,
    /// All keys of the region, and what shows whether it is withheld, epoch by epoch; none where a
    /// roll-up is in their place.
    pub covers: Vec<EpochCover>,
    /// The roll-up of the region.
    pub rolled_up: Option<RolledUp>,
    /// What is claimed.
    pub outcome: Outcome,
    /// Why it is so.
    pub proof: Proof,
    /// Who audited the epochs.
    pub attestations: Vec<Attestation>,
}

/// The transcript of a query's proofs, after everything that is known before the first of them.
pub(super) fn transcript(
    table: &Table,
    checkpoint: &Checkpoint,
    query: &Query,
    keys: &[CoveredKey],
    outcome: &Outcome,
    cuts: &[&Cut],
) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/table/v1/query");
    transcript.absorb(b"table", table.id().as_bytes());
    transcript.absorb_u64(b"log size", checkpoint.size);
    transcript.absorb(b"log root", checkpoint.root.as_bytes());
    transcript.absorb(b"query", &query.to_bytes());
    transcript.absorb_u64(b"keys", keys.len() as u64);
    for key in keys {
        transcript.absorb_u64(b"epoch", key.epoch.into());
        transcript.absorb(b"key", &key.key);
        transcript.absorb(b"record", key.record.as_bytes());
    }
    transcript.absorb_u64(b"cuts", cuts.len() as u64);
    for cut in cuts {
        let ranks: Vec<u8> = cut.ranks.iter().flat_map(|rank| rank.to_le_bytes()).collect();
        transcript.absorb(b"ranks", &ranks);
    }
    transcript.absorb(b"outcome", &outcome.to_bytes());
    transcript
}
