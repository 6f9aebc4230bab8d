//! The querier's signatures: Boneh-Boyen on values, BBS+ on committed values.
//!
//! A querier makes a fresh key for every pass and signs what the pass is about; the servers then
//! prove, in zero knowledge, that they hold a signature for an item. Servers verify all signatures
//! of a pass as one equation of two pairings, with 128-bit weights that are hashed from all of
//! them; if it fails, the list is bisected and the bad item named.

mod bb;
mod bbs;

pub use bb::BbKey;
pub(super) use bb::BbStatement;
pub use bbs::{BbsKey, BbsSignature};
pub(super) use bbs::{BbsNumbers, BbsStatement, numbers};

use std::ops::Range;

/// The first index of `range` at which an equation fails, by halves; `holds` checks all equations
/// of a range at once.
fn first_failing(range: Range<usize>, holds: &impl Fn(Range<usize>) -> bool) -> Option<usize> {
    if range.is_empty() || holds(range.clone()) {
        return None;
    }
    if range.len() == 1 {
        return Some(range.start);
    }
    let middle = range.start + range.len() / 2;
    first_failing(range.start..middle, holds).or_else(|| first_failing(middle..range.end, holds))
}
