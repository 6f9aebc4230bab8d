//! Queries and their proofs (`docs/spec/table-answers.md`).
//!
//! An answer is about a [`Region`]: an interval of epochs and boxes of keys. It shows with a
//! [`Cover`](crate::trie::Cover) of every epoch that no key was left out and none invented, and
//! then proves its outcome from the roots of those keys alone, or from the root of a
//! [roll-up](crate::rollup) of the region:
//!
//! * [`Statistic::Moments`]: counts are in the open; sums of powers are opened by Schnorr proofs that
//!   show no blinding. SUM, COUNT, AVG, VAR and SKEW follow exactly.
//!   Where the policy rounds, a range proof shows an interval instead.
//! * [`Statistic::Order`]: the rank of a value, shown by at most two leaves a key and one-sided
//!   range proofs. MIN, MAX, MEDIAN and quantiles.
//! * [`Statistic::Top`]: count and sums of the largest values, cut at a proven rank.
//! * [`Statistic::Histogram`]: counts and sums between the schema's cuts.
//!
//! If the policy has a hierarchy, an answer shows all keys of its epochs. These determine whether the answer is
//! [withheld](Withheld).

mod answer;
mod cover;
mod cut;
mod encode;
mod hierarchy;
mod prove;
mod question;
mod region;
mod rows;
mod schnorr;
mod statistics;
#[cfg(test)]
mod tests;
mod verify;

pub use crate::rank::Rank;
pub(crate) use crate::rank::rank_below_top;
pub use answer::{Answer, Moments, Outcome, Proof};
pub(crate) use cover::CoveredKey;
pub use cover::EpochCover;
pub use cut::{Cut, OrderPart};
pub(crate) use hierarchy::Hierarchy;
pub use hierarchy::Withheld;
pub use prove::{Source, answer, answer_rolled_up};
pub use question::{Query, Statistic};
pub use region::{KeyBox, Region};
pub use schnorr::Openings;
pub(crate) use schnorr::scalars;
pub use statistics::{Exact, Interval, ROOT_DECIMALS, Root, Summary, value_to_decimal};
pub use verify::{Assurance, Verified, verify};
pub(crate) use verify::{Edge, check, edge};
