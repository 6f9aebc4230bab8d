//! From decrypted points to a tally.

use algebra::Embed;
use rayon::prelude::*;

use crate::{
    count::{BallotBox, ClassBallots, Tally, WeightError},
    description::ElectionDescription,
    preferences::{Cell, Opened},
};

/// Counts ballots that are decrypted column after column.
pub(super) fn count<G: Embed>(description: &ElectionDescription, points: &[G]) -> Tally {
    open(description, points).tally(&description.questions)
}

/// Counts the ballots of classes: how many were cast in each, and the lists of those that were decrypted.
pub(super) fn count_classes<G: Embed>(
    description: &ElectionDescription,
    cast: &[usize],
    lists: &[(u8, &[G])],
) -> Result<Tally, WeightError> {
    let class = |(class, cast): (u8, &usize)| {
        let own = lists.iter().find(|(of, _)| *of == class);
        let opened = own.map(|(_, points)| open(description, points));
        ClassBallots { cast: *cast as u64, opened }
    };
    let ballots: Vec<ClassBallots> = (0..).zip(cast).map(class).collect();
    Tally::of_classes(&description.classes, &ballots, &description.questions)
}

fn open<G: Embed>(description: &ElectionDescription, points: &[G]) -> BallotBox {
    decode(description, points).into_iter().collect()
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
