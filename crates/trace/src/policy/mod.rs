#![doc = include_str!("../policy.md")]

mod cells;
mod log;

use algebra::Group;
use board::AuthorId;

pub use cells::{Cells, Hidden, Side};
pub use log::{MAX_REPEATS, QueryLog};

use crate::{By, Exposure, Request};

/// What a server allows. Every server has its own; a query needs all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Who may ask; nobody if empty.
    pub queriers: Vec<AuthorId>,
    /// How many questions are answered in the session, of all queriers together. The same question of
    /// the same querier counts once, up to [`MAX_REPEATS`] times: its answer is the same.
    pub max_questions: usize,
    /// Which questions are answered by what they can tell, together with all that were answered
    /// before, whoever asked.
    pub cut: Cut,
    /// Whether questions by position are answered.
    pub by_position: bool,
}

/// What questions about a mix may tell. Those about nothing or everything tell nothing, and are always
/// answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Nothing.
    Nothing,
    /// In which cell of one side a row is.
    One(Floors),
    /// Anything: nobody is protected. For data that are public, and to measure; no policy file can
    /// say so.
    Both,
}

/// The side that questions may cut, and what every cell has to leave hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floors {
    /// Inputs: TraceOut is answered. Outputs: TraceIn is.
    pub side: Side,
    /// k: among how many rows of others every row stays.
    pub rows: usize,
    /// l: among how many values every row stays.
    pub values: usize,
    /// c: how many rows who reads the answers may know, such as those of a coalition of senders.
    pub coalition: usize,
}

impl Floors {
    /// The least k and l that hide anything.
    pub const LEAST: usize = 2;

    /// Requires floors that protect somebody from somebody: every sender knows a row, its own.
    ///
    /// # Errors
    /// What is too low, by its name in policy files.
    pub fn check(&self) -> Result<(), String> {
        let least = [
            ("min_rows", self.rows, Self::LEAST),
            ("min_values", self.values, Self::LEAST),
            ("coalition", self.coalition, 1),
        ];
        match least.into_iter().find(|(_, got, least)| got < least) {
            Some((field, got, least)) => {
                Err(format!("`{field} = {got}` protects nobody: {least} is the least"))
            }
            None => Ok(()),
        }
    }
}

impl Cut {
    /// Judges further questions: `told` is what those before tell, `after` what all tell together. It
    /// looks at questions and outputs only, at no answer: what is refused tells nothing either.
    ///
    /// # Errors
    /// Why they are not answered.
    pub fn judge(&self, told: &Exposure, after: &Exposure, class_of: &[u32]) -> Result<(), String> {
        if after.telling() == told.telling() {
            return Ok(());
        }
        let floors = match self {
            Self::Nothing => {
                return Err(
                    "what it tells is not known beforehand: only TraceIn among all outputs \
                            and TraceOut of all inputs are answered"
                        .to_owned(),
                );
            }
            Self::One(floors) => floors,
            Self::Both => return Ok(()),
        };
        let (side, other) = match floors.side {
            Side::Inputs => (Side::Inputs, Side::Outputs),
            Side::Outputs => (Side::Outputs, Side::Inputs),
        };
        let name = side.name();
        if after.cells(other).is_some() {
            return Err(format!(
                "it would tell {} apart, and of this mix only {name} are: with both, single rows \
                 can be found",
                other.name()
            ));
        }
        let Floors { rows, values, coalition, .. } = *floors;
        match after.hidden(side, class_of, coalition) {
            Some(hidden) if hidden.rows < rows => Err(format!(
                "with what was answered before it tells {name} apart down to {} beside {coalition} \
                 that somebody may know; {rows} are the least",
                hidden.rows
            )),
            Some(hidden) if hidden.values < values => Err(format!(
                "with what was answered before it tells {name} apart so far that those left \
                 together may have as few values as {}; {values} are the least",
                hidden.values
            )),
            _ => Ok(()),
        }
    }
}

impl Policy {
    fn allows<G: Group>(&self, request: &Request<G>) -> Result<(), String> {
        if !self.queriers.contains(&request.querier) {
            return Err(format!("{} may not ask", request.querier));
        }
        if request.by == By::Position && !self.by_position {
            return Err("questions by position are not answered".into());
        }
        Ok(())
    }
}
