//! From decrypted points to a tally.

use algebra::Embed;
use rayon::prelude::*;

use crate::{
    count::{BallotBox, Tally},
    description::ElectionDescription,
    preferences::{Cell, Opened},
};

/// Counts ballots that are decrypted column after column.
pub(super) fn count<G: Embed>(description: &ElectionDescription, points: &[G]) -> Tally {
    let ballots = decode(description, points).into_iter().collect::<BallotBox>();
    ballots.tally(&description.questions)
}

/// Reads them. A point that carries no message, and a message that is no answer, are spoiled
/// ballots: a voter may encrypt anything.
pub(super) fn decode<G: Embed>(description: &ElectionDescription, points: &[G]) -> Vec<Opened> {
    let layout = description.layout();
    let ballots = points.len() / layout.columns().max(1);
    let decode = |ballot: usize| -> Opened {
        let column = |column: usize| points.get(column * ballots + ballot)?.extract();
        let cells: Option<Vec<Cell>> = (0..layout.columns()).map(column).collect();
        cells.map_or_else(|| layout.unreadable(), |cells| layout.decode(&cells))
    };
    (0..ballots).into_par_iter().map(decode).collect()
}
