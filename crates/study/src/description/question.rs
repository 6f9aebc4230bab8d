//! One question of a ballot.

use count::{BallotKind, Contest, Rule};

/// What a voter marks about a question, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marking {
    /// Candidates in the order of preference.
    Ranking {
        /// How many a voter may rank.
        max_ranks: u8,
    },
    /// Candidates chosen.
    Choices {
        /// How many a voter may choose.
        max_choices: u8,
    },
    /// Candidates graded, from 0 to the best grade.
    Grades {
        /// The best grade.
        best: u8,
        /// What the grades are called, the worst first; empty if they are numbers.
        names: Vec<String>,
    },
}

impl Marking {
    /// The kind of ballot.
    pub fn kind(&self) -> BallotKind {
        match self {
            Self::Ranking { .. } => BallotKind::Ranking,
            Self::Choices { .. } => BallotKind::Choices,
            Self::Grades { .. } => BallotKind::Grades,
        }
    }
}

/// A question and how its answers are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What the voters are asked.
    pub text: String,
    /// The candidates. Their order numbers them, and decides ties that nothing else decides.
    pub candidates: Vec<String>,
    /// What voters mark.
    pub marking: Marking,
    /// How many are elected.
    pub seats: u8,
    /// The counting rules to apply; [`Self::decides`] says which one elects.
    pub rules: Vec<Rule>,
}

impl Question {
    /// A question with rankings and one winner.
    pub fn ranked(text: &str, candidates: &[&str], max_ranks: u8, rules: &[Rule]) -> Self {
        Self {
            text: text.to_owned(),
            candidates: candidates.iter().map(|name| (*name).to_owned()).collect(),
            marking: Marking::Ranking { max_ranks },
            seats: 1,
            rules: rules.to_vec(),
        }
    }

    /// The rule that elects: the first one, but first preferences only if there is nothing else.
    pub fn decides(&self) -> Option<Rule> {
        let others = self.rules.iter().find(|rule| **rule != Rule::Plurality);
        others.or(self.rules.first()).copied()
    }

    /// Whether it is counted by `rule`.
    pub fn uses(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }

    /// What there is to win.
    pub fn contest(&self) -> Contest {
        let best_grade = match self.marking {
            Marking::Grades { best, .. } => best,
            Marking::Ranking { .. } | Marking::Choices { .. } => 0,
        };
        Contest { candidates: self.candidates.len(), seats: self.seats, best_grade }
    }

    /// What a grade is called.
    pub fn grade(&self, grade: u8) -> String {
        let named = match &self.marking {
            Marking::Grades { names, .. } => names.get(usize::from(grade)),
            Marking::Ranking { .. } | Marking::Choices { .. } => None,
        };
        // A grade without a name is called by its number.
        named.cloned().unwrap_or_else(|| grade.to_string())
    }

    /// Whether descriptions of one ranking and one winner say all about it, which are encoded as they
    /// were before there was anything else.
    pub(crate) fn is_plain(&self) -> bool {
        let is_plain = |rule: &Rule| matches!(rule, Rule::Plurality | Rule::Irv);
        self.marking.kind() == BallotKind::Ranking
            && self.seats == 1
            && self.rules.iter().all(is_plain)
    }
}
