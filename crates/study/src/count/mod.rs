//! Counting what an election opened, by the methods of the [crate `count`](::count).
//!
//! A [`BallotBox`] gathers decrypted ballots, equal ones together; boxes filled in parallel
//! [merge](BallotBox::merge). [`BallotBox::tally`] depends on the ballots only, not on their order,
//! so that whoever has the ballots computes the same [`Tally`], to the byte.
//!
//! ```
//! use study::{count::BallotBox, description::{Question, Rule}, preferences::BallotShape};
//!
//! let dishes = ["Soup", "Salad", "Stew"];
//! let lunch = Question::ranked("What for lunch?", &dishes, 3, &[Rule::Plurality, Rule::Irv]);
//! let shape = BallotShape::new(3, 3).unwrap();
//! let mut ballots = BallotBox::default();
//! for choices in [vec![0], vec![0], vec![1], vec![1, 0], vec![2, 1]] {
//!     ballots.add(shape.ranking(choices));
//! }
//! let tally = ballots.tally(&[lunch]);
//! assert_eq!(tally.plurality.unwrap().winner, Some(0));
//! assert_eq!(tally.irv.unwrap().winner(), Some(1));
//! ```

mod classes;
mod encode;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use ::count::{
    Count, InstantRunoff, Outcome, Plurality, Profile, Round, Rule, Tie, TieBreak, TooManyBallots,
    Unit, Votes, Weight, WeightError,
};
pub use classes::{ClassBallots, ClassTally};

use crate::{
    description::Question,
    preferences::{Opened, Spoiled},
};

/// Decrypted ballots, equal ones together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BallotBox {
    questions: Vec<Answers>,
    ballots: u64,
    blank: u64,
    unreadable: u64,
}

/// What the ballots say about one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Answers {
    profile: Profile,
    spoiled: [u64; Spoiled::ALL.len()],
}

impl Answers {
    /// The spoiled ones of all, by reason.
    fn spoiled(all: &[(&Self, u64)]) -> Vec<SpoiledCount> {
        let sum = |place: usize| all.iter().filter_map(|(own, _)| own.spoiled.get(place)).sum();
        let counts =
            Spoiled::ALL.into_iter().enumerate().map(|(place, reason)| (reason, sum(place)));
        let occurring = counts.filter(|(_, ballots)| *ballots > 0);
        occurring.map(|(reason, ballots)| SpoiledCount { reason, ballots }).collect()
    }
}

/// The ballots of all, each as often as it counts.
fn weighted<'a>(all: &[(&'a Answers, u64)]) -> Cow<'a, Profile> {
    match all {
        [(only, 1)] => Cow::Borrowed(&only.profile),
        all => {
            let mut profile = Profile::default();
            for (own, votes) in all {
                // A ballot counts at most 2^20 units, and fewer than 2^20 voters cast any: that is within bounds.
                profile.add_all(&own.profile, *votes).unwrap_or_default();
            }
            Cow::Owned(profile)
        }
    }
}

impl BallotBox {
    /// Adds one ballot as it was decoded.
    pub fn add(&mut self, ballot: impl Into<Opened>) {
        let Opened(answers) = ballot.into();
        self.ballots += 1;
        let is = |test: fn(&Result<::count::Marks, Spoiled>) -> bool| answers.iter().all(test);
        self.blank += u64::from(is(|answer| answer.as_ref().is_ok_and(::count::Marks::is_blank)));
        self.unreadable += u64::from(is(|answer| *answer == Err(Spoiled::WrongLength)));
        self.widen(answers.len());
        for (question, answer) in self.questions.iter_mut().zip(answers) {
            match answer {
                // One ballot after the other never comes near the limit of a profile.
                Ok(marks) => question.profile.add(marks, 1).unwrap_or_default(),
                Err(reason) => {
                    let slots = Spoiled::ALL.iter().zip(&mut question.spoiled);
                    slots.filter(|(known, _)| **known == reason).for_each(|(_, count)| *count += 1);
                }
            }
        }
    }

    /// Adds the ballots of another box.
    ///
    /// # Errors
    /// [`TooManyBallots`].
    pub fn merge(mut self, other: Self) -> Result<Self, TooManyBallots> {
        self.ballots += other.ballots;
        self.blank += other.blank;
        self.unreadable += other.unreadable;
        self.widen(other.questions.len());
        for (own, other) in self.questions.iter_mut().zip(other.questions) {
            own.profile = std::mem::take(&mut own.profile).merge(other.profile)?;
            own.spoiled.iter_mut().zip(other.spoiled).for_each(|(count, more)| *count += more);
        }
        Ok(self)
    }

    fn widen(&mut self, questions: usize) {
        let questions = questions.max(self.questions.len());
        self.questions.resize_with(questions, Answers::default);
    }

    /// Counts every question by each of its rules. Choices that a question does not have are passed
    /// over.
    pub fn tally(&self, questions: &[Question]) -> Tally {
        let tally = Self::tally_weighted(&[(self, 1)], questions);
        match (questions, tally.questions.as_slice()) {
            ([question], [only]) if question.is_plain() => self.plain(only),
            _ => tally,
        }
    }

    /// The same of several boxes, in each of which a ballot counts as so many equal ones. Ballots, blank and
    /// spoiled ones are numbered as they are, without weights.
    ///
    /// Boxes of together a million ballots, and weights of a common [`Unit`], stay below the limit of a
    /// profile; ballots beyond it are not counted.
    pub fn tally_weighted(boxes: &[(&Self, u64)], questions: &[Question]) -> Tally {
        let sum = |number: fn(&Self) -> u64| boxes.iter().map(|(one, _)| number(one)).sum();
        let unreadable: u64 = sum(|one| one.unreadable);
        let spoiled = SpoiledCount { reason: Spoiled::WrongLength, ballots: unreadable };
        let question = |(index, question): (usize, &Question)| {
            let answers =
                boxes.iter().filter_map(|(one, votes)| Some((one.questions.get(index)?, *votes)));
            let answers: Vec<(&Answers, u64)> = answers.collect();
            let profile = weighted(&answers);
            QuestionTally {
                blank: answers.iter().map(|(own, _)| own.profile.blank()).sum(),
                spoiled: Answers::spoiled(&answers),
                counts: question
                    .rules
                    .iter()
                    .map(|rule| profile.count(*rule, &question.contest()))
                    .collect(),
            }
        };
        Tally {
            ballots: sum(|one| one.ballots),
            blank: sum(|one| one.blank),
            spoiled: if unreadable > 0 { vec![spoiled] } else { Vec::new() },
            plurality: None,
            irv: None,
            questions: questions.iter().enumerate().map(question).collect(),
            classes: Vec::new(),
        }
    }

    /// The form that a tally of one ranking by the first two rules always had.
    fn plain(&self, only: &QuestionTally) -> Tally {
        let find = |rule| only.counts.iter().find(|count| count.rule() == rule);
        Tally {
            ballots: self.ballots,
            blank: only.blank,
            spoiled: only.spoiled.clone(),
            plurality: match find(Rule::Plurality) {
                Some(Count::Plurality(count)) => Some(count.clone()),
                _ => None,
            },
            irv: match find(Rule::Irv) {
                Some(Count::Irv(count)) => Some(count.clone()),
                _ => None,
            },
            questions: Vec::new(),
            classes: Vec::new(),
        }
    }
}

impl<T: Into<Opened>> Extend<T> for BallotBox {
    fn extend<I: IntoIterator<Item = T>>(&mut self, ballots: I) {
        ballots.into_iter().for_each(|ballot| self.add(ballot));
    }
}

impl<T: Into<Opened>> FromIterator<T> for BallotBox {
    fn from_iter<I: IntoIterator<Item = T>>(ballots: I) -> Self {
        let mut all = Self::default();
        all.extend(ballots);
        all
    }
}

/// The result of an election. Two tallies of the same ballots are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Ballots counted, blank ones and spoiled ones among them.
    pub ballots: u64,
    /// Ballots on which nothing is marked.
    pub blank: u64,
    /// Ballots that count for nobody, by reason; reasons that occur only. If [`Self::questions`] lists
    /// questions, those that are no ballot at all.
    pub spoiled: Vec<SpoiledCount>,
    /// Of one ranking with one winner: counted by first preferences, if the description says so.
    pub plurality: Option<Plurality>,
    /// Of one ranking with one winner: counted by instant runoff, if the description says so.
    pub irv: Option<InstantRunoff>,
    /// Every question of a ballot that has several, or other rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionTally>,
    /// The classes of voters, in the description's order, if there are any. The figures of all counts are then
    /// in the unit of their [votes](ClassTally::votes).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassTally>,
}

/// The result of one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionTally {
    /// Ballots on which nothing is marked about this question.
    pub blank: u64,
    /// Ballots whose answer to this question counts for nobody, by reason.
    pub spoiled: Vec<SpoiledCount>,
    /// The counts, in the order of the question's rules.
    pub counts: Vec<Count>,
}

impl QuestionTally {
    /// The count by a rule.
    pub fn by(&self, rule: Rule) -> Option<&Count> {
        self.counts.iter().find(|count| count.rule() == rule)
    }
}

impl Tally {
    /// The number of spoiled ballots.
    pub fn spoiled_total(&self) -> u64 {
        self.spoiled.iter().fold(0, |sum, count| sum.saturating_add(count.ballots))
    }

    /// The questions with their results, in one form for all elections.
    pub fn by_question(&self) -> Vec<QuestionTally> {
        if !self.questions.is_empty() {
            return self.questions.clone();
        }
        let plurality = self.plurality.clone().map(Count::Plurality);
        let irv = self.irv.clone().map(Count::Irv);
        vec![QuestionTally {
            blank: self.blank,
            spoiled: self.spoiled.clone(),
            counts: plurality.into_iter().chain(irv).collect(),
        }]
    }
}

/// How many ballots were spoiled in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpoiledCount {
    /// What was wrong.
    pub reason: Spoiled,
    /// How often.
    pub ballots: u64,
}
