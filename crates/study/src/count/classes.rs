//! Ballots of several classes of voters, counted together by their weights.

use ::count::{Weight, WeightError};
use serde::{Deserialize, Serialize};

use super::{BallotBox, Tally};
use crate::description::{Class, Question};

/// What is there of a class when an election is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassBallots {
    /// Ballots that were accepted.
    pub cast: u64,
    /// The opened ones; `None` if they stay sealed, because there were too few.
    pub opened: Option<BallotBox>,
}

/// What became of the ballots of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassTally {
    /// What a ballot of the class counts.
    pub weight: Weight,
    /// The same in the unit of all counts.
    pub votes: u64,
    /// Ballots that were accepted.
    pub ballots: u64,
    /// Whether they were opened. If not, they were fewer than the class needs, and count nothing.
    pub opened: bool,
    /// Opened ballots on which nothing is marked.
    pub blank: u64,
}

impl Tally {
    /// Counts the classes' ballots together, by their weights.
    ///
    /// # Errors
    /// [`WeightError`] if the weights have no unit in common, which no checked description has.
    pub fn of_classes(
        classes: &[Class],
        ballots: &[ClassBallots],
        questions: &[Question],
    ) -> Result<Self, WeightError> {
        let unit = Class::unit(classes)?;
        let votes = |class: &Class| unit.votes(class.weight).ok_or(WeightError::TooFine);
        let own = classes.iter().zip(ballots);
        let opened: Vec<(&BallotBox, u64)> = own
            .clone()
            .filter_map(|(class, own)| Some((class, own.opened.as_ref()?)))
            .map(|(class, opened)| Ok((opened, votes(class)?)))
            .collect::<Result<_, _>>()?;
        let tally = |(class, own): (&Class, &ClassBallots)| {
            Ok(ClassTally {
                weight: class.weight,
                votes: votes(class)?,
                ballots: own.cast,
                opened: own.opened.is_some(),
                blank: own.opened.as_ref().map_or(0, |opened| opened.blank),
            })
        };
        let classes = own.map(tally).collect::<Result<_, _>>()?;
        Ok(Self { classes, ..BallotBox::tally_weighted(&opened, questions) })
    }

    /// How many units of the counts make one vote; 1 without classes.
    pub fn parts(&self) -> u64 {
        let of = |class: &ClassTally| {
            let whole = class.votes.checked_mul(class.weight.denominator().into())?;
            whole.checked_div(class.weight.numerator().into())
        };
        // No weight is zero, and a vote of a count is fewer units than fit: this is 1 without classes only.
        self.classes.first().and_then(of).unwrap_or(1)
    }
}
