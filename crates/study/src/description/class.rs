//! Classes of voters.

use count::{Unit, Weight, WeightError};

/// Voters whose ballots have a weight of their own, and are mixed and opened as a list of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What the class is called, on the roll too.
    pub name: String,
    /// What a ballot of the class counts.
    pub weight: Weight,
    /// The class's ballots are opened only if there are so many of them when the polls close; at least
    /// [`Class::LEAST_BALLOTS`].
    pub min_ballots: u32,
}

impl Class {
    /// A list of one ballot would say whose it is.
    pub const LEAST_BALLOTS: u32 = 2;

    /// The unit in which the ballots of these classes are counted together.
    ///
    /// # Errors
    /// [`WeightError::TooFine`].
    pub fn unit(classes: &[Self]) -> Result<Unit, WeightError> {
        let weights: Vec<Weight> = classes.iter().map(|class| class.weight).collect();
        Unit::of(&weights)
    }
}
