//! From decrypted points to a tally.

use algebra::Embed;
use rayon::prelude::*;

use crate::{
    count::{BallotBox, Tally},
    description::ElectionDescription,
    preferences::{Cell, Ranking, Spoiled},
};

/// Counts ballots that are decrypted column after column.
pub(super) fn count<G: Embed>(description: &ElectionDescription, points: &[G]) -> Tally {
    let ballots = decode(description, points).into_iter().collect::<BallotBox>();
    ballots.tally(&description.shape(), &description.rules)
}

/// Reads them. A point that carries no message, and a message that is no ranking, are spoiled
/// ballots: a voter may encrypt anything.
pub(super) fn decode<G: Embed>(
    description: &ElectionDescription,
    points: &[G],
) -> Vec<Result<Ranking, Spoiled>> {
    let shape = description.shape();
    let ballots = points.len() / shape.columns().max(1);
    let decode = |ballot: usize| -> Result<Ranking, Spoiled> {
        let column = |column: usize| points.get(column * ballots + ballot)?.extract();
        let cells: Option<Vec<Cell>> = (0..shape.columns()).map(column).collect();
        shape.decode(&cells.ok_or(Spoiled::WrongLength)?)
    };
    (0..ballots).into_par_iter().map(decode).collect()
}
