//! Questions about a few rows, sets as bits, and the rule as its text has it.

use trace::{By, Cut, Exposure, Floors, policy::Side};

/// A set of rows.
pub type Set = u32;

/// A question; who asks it matters for a rule that is too weak only.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The side that is marked.
    pub side: Side,
    pub by: By,
    pub marked: Set,
    /// The rows of the other side that are asked about.
    pub about: Set,
    pub querier: usize,
}

/// The rule, or what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The crate's.
    Crate,
    /// All of it.
    Whole,
    /// Cells of k rows are enough.
    NoCoalition,
    /// Values of the whole cell are counted, as if nobody knew any.
    NoCoalitionInValues,
    /// Every question is judged by itself.
    NoRefinement,
    /// A querier's questions are judged together, and not those of two.
    LogOfAQuerier,
    /// Cells are of either side, each judged by itself.
    BothSides,
    /// The marked rows are judged, and not the others.
    NoComplement,
    /// J is not closed under equal values.
    NotClosed,
    /// Values are not counted.
    NoValues,
    /// Values are counted in the set of a question and its complement only.
    ValuesOfQuestions,
    /// A cell of inputs is taken to have values as different as can be.
    NoFrequencies,
    /// A cell of inputs is judged by the values that it turns out to have.
    TrueValues,
}

/// Those that leave a part out.
pub const WEAKER: [Rule; 11] = [
    Rule::NoCoalition,
    Rule::NoCoalitionInValues,
    Rule::NoRefinement,
    Rule::LogOfAQuerier,
    Rule::BothSides,
    Rule::NoComplement,
    Rule::NotClosed,
    Rule::NoValues,
    Rule::ValuesOfQuestions,
    Rule::NoFrequencies,
    Rule::TrueValues,
];

/// A mix of a few rows, and what its policy protects.
#[derive(Clone, Debug)]
pub struct Mix {
    pub class_of: Vec<u32>,
    pub floors: Floors,
}

impl Mix {
    pub fn rows(&self) -> usize {
        self.class_of.len()
    }

    fn all(&self) -> Set {
        (1 << self.rows()) - 1
    }

    pub fn members(&self, set: Set) -> impl Iterator<Item = usize> {
        (0..self.rows()).filter(move |row| set >> row & 1 == 1)
    }

    /// The outputs with the value of one in the set.
    pub fn closed(&self, set: Set) -> Set {
        let is_in = |class| self.members(set).any(|row| self.class_of[row] == class);
        (0..self.rows()).filter(|row| is_in(self.class_of[*row])).fold(0, |set, row| set | 1 << row)
    }

    /// What a question marks.
    pub fn marks(&self, asked: &Asked) -> Set {
        match (asked.side, asked.by) {
            (Side::Outputs, By::Value) => self.closed(asked.marked),
            _ => asked.marked,
        }
    }

    /// The answer, a bit a row, where output j comes from input `from[j]`.
    pub fn answer(&self, asked: &Asked, from: &[usize]) -> Set {
        let marks = self.marks(asked);
        let bits = match asked.side {
            Side::Inputs => (0..self.rows()).fold(0, |bits, j| bits | (marks >> from[j] & 1) << j),
            Side::Outputs => (0..self.rows()).fold(0, |bits, j| bits | (marks >> j & 1) << from[j]),
        };
        match (asked.side, asked.by) {
            (Side::Inputs, By::Value) => self.closed(bits) & self.closed(asked.about),
            _ => bits & asked.about,
        }
    }

    /// Whether a rule answers `asked` after those in `told`, where output j comes from input `from[j]`.
    pub fn admits(&self, rule: Rule, told: &[Asked], asked: &Asked, from: &[usize]) -> bool {
        if rule == Rule::Crate {
            return self.crate_admits(told, asked);
        }
        let marks = |asked: &Asked| match rule {
            Rule::NotClosed => asked.marked,
            _ => self.marks(asked),
        };
        let tells = |asked: &Asked| marks(asked) != 0 && marks(asked) != self.all();
        if !tells(asked) {
            return true;
        }
        let together: Vec<&Asked> = match rule {
            Rule::NoRefinement => vec![asked],
            _ => told.iter().chain([asked]).filter(|asked| tells(asked)).collect(),
        };
        let together = together.into_iter().filter(|other| match rule {
            Rule::LogOfAQuerier => other.querier == asked.querier,
            _ => true,
        });
        let (own, others): (Vec<_>, Vec<_>) =
            together.partition(|other| other.side == self.floors.side);
        let is_enough = |side, together: &[&Asked]| {
            let sets: Vec<Set> = together.iter().map(|asked| marks(asked)).collect();
            self.cells(&sets).into_iter().all(|cell| {
                let is_judged = rule != Rule::NoComplement || cell & marks(asked) != 0;
                !is_judged || self.is_enough(rule, (side, cell), &sets, from)
            })
        };
        match rule {
            Rule::BothSides => {
                is_enough(
                    Side::Inputs,
                    &[&own, &others].map(|sets| of_side(sets, Side::Inputs)).concat(),
                ) && is_enough(
                    Side::Outputs,
                    &[&own, &others].map(|sets| of_side(sets, Side::Outputs)).concat(),
                )
            }
            _ => others.is_empty() && is_enough(self.floors.side, &own),
        }
    }

    fn crate_admits(&self, told: &[Asked], asked: &Asked) -> bool {
        let mut before = Exposure::default();
        let cut = |exposure: &mut Exposure, asked: &Asked| {
            let marks = self.marks(asked);
            let marks: Vec<bool> = (0..self.rows()).map(|row| marks >> row & 1 == 1).collect();
            exposure.cut(asked.side, &marks);
        };
        told.iter().for_each(|asked| cut(&mut before, asked));
        let mut after = before.clone();
        cut(&mut after, asked);
        Cut::One(self.floors).judge(&before, &after, &self.class_of).is_ok()
    }

    fn cells(&self, sets: &[Set]) -> Vec<Set> {
        sets.iter().fold(vec![self.all()], |cells, set| {
            let parts = cells.iter().flat_map(|cell| [cell & set, cell & !set]);
            parts.filter(|cell| *cell != 0).collect()
        })
    }

    fn is_enough(
        &self,
        rule: Rule,
        (side, cell): (Side, Set),
        sets: &[Set],
        from: &[usize],
    ) -> bool {
        let Floors { rows, values, coalition, .. } = self.floors;
        let size = cell.count_ones() as usize;
        let known = if rule == Rule::NoCoalition { 0 } else { coalition };
        if size < rows + known {
            return false;
        }
        let known = if rule == Rule::NoCoalitionInValues { 0 } else { known };
        let fewest = |cell: Set| {
            let left = (cell.count_ones() as usize).saturating_sub(known);
            match (side, rule) {
                (_, Rule::NoValues) => usize::MAX,
                (Side::Inputs, Rule::NoFrequencies) => left.min(self.values(self.all())),
                (Side::Inputs, Rule::TrueValues) => {
                    let own = (0..self.rows()).filter(|j| cell >> from[*j] & 1 == 1);
                    self.fewest(own.fold(0, |set, j| set | 1 << j), left)
                }
                (Side::Inputs, _) => self.fewest(self.all(), left),
                (Side::Outputs, _) => self.fewest(cell, left),
            }
        };
        match rule {
            Rule::ValuesOfQuestions => {
                sets.iter().all(|set| fewest(*set) >= values && fewest(self.all() & !set) >= values)
            }
            _ => fewest(cell) >= values,
        }
    }

    pub fn values(&self, set: Set) -> usize {
        let classes =
            self.members(set).fold(0_u64, |classes, row| classes | 1 << self.class_of[row]);
        classes.count_ones() as usize
    }

    /// The fewest values of any `size` of these outputs.
    fn fewest(&self, outputs: Set, size: usize) -> usize {
        let subsets = (0..=self.all()).filter(|set| set & !outputs == 0);
        let subsets = subsets.filter(|set| set.count_ones() as usize == size);
        subsets.map(|set| self.values(set)).min().unwrap_or_default()
    }
}

fn of_side<'a>(asked: &[&'a Asked], side: Side) -> Vec<&'a Asked> {
    asked.iter().copied().filter(|asked| asked.side == side).collect()
}
