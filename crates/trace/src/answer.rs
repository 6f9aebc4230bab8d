//! What a querier learns.

use crate::{By, Direction, IndexSet};

/// The answer to a request: for each question, the part of the asked rows that got a yes. Every
/// other asked row got a no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which way was asked.
    pub direction: Direction,
    /// What counted as the same.
    pub by: By,
    /// I* (going in) or J* (going out) for each question, in order.
    pub yes: Vec<IndexSet>,
}
