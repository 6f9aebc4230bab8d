//! Counting ballots: from what voters marked to who is elected, with every step of the way.
//!
//! A [`Profile`] gathers ballots, equal ones together, and [counts](Profile::count) them by a [`Rule`]. A [`Count`]
//! depends only on the ballots, not on their order. So everybody who has the ballots computes the same result, to the
//! byte. Numbers are whole, or [`Decimal`]s with as many places as a rule prescribes. No number is a binary fraction.
//! Ballots may have [`Weight`]s, rational numbers. These are brought to a common [`Unit`] first: a ballot then [counts
//! as](Profile::add_all) so many equal ballots.
//!
//! **Ties.** All methods break ties in the same way. If the method has earlier rounds, these decide, the latest first.
//! Then the order of the candidates decides: the candidate who is listed first stays or wins. Every tie is in the
//! result, with what decided it. If you prefer a lot, draw that order by lot before the election.
//!
//! | rule | ballots | seats | decides |
//! |---|---|---|---|
//! | [`Rule::Plurality`] | ranking | 1 | most first preferences |
//! | [`Rule::Irv`] | ranking | 1 | instant runoff |
//! | [`Rule::Borda`] | ranking | any | a point for each candidate ranked below |
//! | [`Rule::Schulze`] | ranking | 1 | pairs, strongest paths by winning votes |
//! | [`Rule::RankedPairs`] | ranking | 1 | pairs, locked by winning votes |
//! | [`Rule::ScottishStv`] | ranking | any | transferable votes, weighted inclusive Gregory, 5 places |
//! | [`Rule::MeekStv`] | ranking | any | transferable votes, Meek's method, 9 places |
//! | [`Rule::Approval`], [`Rule::AtLarge`] | choices | any | most votes |
//! | [`Rule::Score`] | grades | any | the highest sum |
//! | [`Rule::Star`] | grades | 1 | the two highest sums, then whom more ballots grade higher |
//! | [`Rule::MajorityJudgment`] | grades | 1 | the highest median |
//!
//! ```
//! use count::{Contest, Marks, Profile, Ranking, Rule};
//!
//! // Two seats: soup's surplus goes on to stew, and salad is left behind.
//! let [soup, salad, stew] = [0, 1, 2];
//! let mut ballots = Profile::default();
//! for (number, choices) in [(6, vec![soup, stew]), (3, vec![salad]), (2, vec![stew])] {
//!     ballots.add(Marks::Ranking(Ranking::new(choices).unwrap()), number)?;
//! }
//! let contest = Contest { candidates: 3, seats: 2, best_grade: 0 };
//! let count = ballots.count(Rule::ScottishStv, &contest);
//! assert_eq!(count.elected(), [soup, stew]);
//! # Ok::<(), count::TooManyBallots>(())
//! ```
#![forbid(unsafe_code)]

mod ballot;
mod blt;
mod decimal;
mod grades;
mod irv;
mod meek;
mod pairwise;
mod plurality;
mod profile;
mod result;
mod rule;
mod scottish;
mod totals;
mod weight;
mod words;

pub use ballot::{Choices, Grades, MAX_CANDIDATES, MAX_GRADE, Marks, Ranking};
pub use blt::{OpenElection, OpenFileError, read_blt, read_preflib};
pub use decimal::{Decimal, Decimal5, Decimal9};
pub use grades::{Judged, MajorityJudgment, Star};
pub use irv::{InstantRunoff, Outcome, Round};
pub use meek::{MeekOutcome, MeekRound, MeekStv};
pub use pairwise::{Matrix, Pair, RankedPairs, Schulze};
pub use plurality::Plurality;
pub use profile::{MAX_BALLOTS, Profile, TooManyBallots};
pub use result::{Tie, TieBreak, Votes};
pub use rule::{BallotKind, Contest, Count, Rule};
pub use scottish::{ScottishStv, Stage, Transfer};
pub use totals::{Graded, Score, Totals};
pub use weight::{MAX_VOTES, Unit, Weight, WeightError};
pub use words::Names;
