//! What the page of an election shows.

use serde::{Deserialize, Serialize};

use crate::{
    count::{ClassTally, QuestionTally, Tally},
    description::{ElectionDescription, Question, Rule},
};

/// Everything that the page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportData {
    /// The name of the election.
    pub title: String,
    /// Notes of the description.
    pub notes: Option<String>,
    /// Where to read more. Anything but a web address is shown as text.
    pub link: Option<String>,
    /// What the voters were asked.
    pub questions: Vec<Asked>,
    /// Who ran the election.
    pub parties: Parties,
    /// Who took part.
    pub participation: Participation,
    /// The classes of voters, if there are any.
    #[serde(default)]
    pub classes: Vec<Class>,
    /// The result.
    pub tally: Tally,
    /// What was asked about the mix after the count, if anything.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// What happened, in order.
    pub timeline: Vec<Phase>,
    /// What was verified. If one failed, the page says so before anything else.
    pub checks: Vec<Check>,
    /// What a stranger verifies.
    pub bundle: Bundle,
    /// The program and its version, such as `Subrosa 0.2.0`.
    pub software: String,
}

impl ReportData {
    /// A report on this election, with nothing in its timeline and no checks yet.
    pub fn new(
        election: &ElectionDescription,
        tally: Tally,
        participation: Participation,
        bundle: Bundle,
    ) -> Self {
        Self {
            title: election.title.clone(),
            notes: election.notes.clone(),
            link: election.link.clone(),
            questions: election.questions.iter().map(Asked::of).collect(),
            parties: Parties {
                trustees: election.trustees,
                threshold: election.threshold,
                mixers: election.mixers,
                minimum_mixers: election.minimum_mixers,
            },
            participation,
            classes: Vec::new(),
            tally,
            answers: Vec::new(),
            timeline: Vec::new(),
            checks: Vec::new(),
            bundle,
            software: concat!("Subrosa ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// A question as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// What the voters were asked.
    pub text: String,
    /// The candidates' names, by index.
    pub candidates: Vec<String>,
    /// How many are elected.
    pub seats: u8,
    /// The rule that elects.
    pub decides: Option<Rule>,
    /// What the grades are called, the worst first, if voters grade.
    pub grades: Vec<String>,
}

impl Asked {
    fn of(question: &Question) -> Self {
        let best = question.contest().best_grade;
        Self {
            text: question.text.clone(),
            candidates: question.candidates.clone(),
            seats: question.seats,
            decides: question.decides(),
            grades: match best {
                0 => Vec::new(),
                best => (0..=best).map(|grade| question.grade(grade)).collect(),
            },
        }
    }
}

/// A question and its result.
#[derive(Clone, Copy)]
pub(super) struct Answered<'a> {
    /// The number on the page, from 1; 0 if there is only one.
    pub(super) number: usize,
    pub(super) asked: &'a Asked,
    pub(super) tally: &'a QuestionTally,
    /// Whether ballots have weights, so that figures are votes.
    pub(super) is_weighted: bool,
}

/// Who ran the election.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parties {
    /// Trustees who share the key.
    pub trustees: u16,
    /// Trustees needed to decrypt.
    pub threshold: u16,
    /// Mixers invited.
    pub mixers: u16,
    /// Mixes required.
    pub minimum_mixers: u16,
}

/// Who took part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Participation {
    /// Voters on the register.
    pub registered: u64,
    /// Encrypted ballots received.
    pub cast: u64,
    /// Encrypted ballots that were not accepted, by reason.
    pub refused: Vec<Refused>,
}

/// A class of voters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// What it is called.
    pub name: String,
    /// Its ballots are opened only if there are so many.
    pub min_ballots: u64,
    /// Its voters on the register.
    pub registered: u64,
    /// What became of its ballots.
    pub counted: ClassTally,
}

/// Encrypted ballots that were not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// Why.
    pub reason: String,
    /// How many.
    pub ballots: u64,
}

/// The answer to a question about the mix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The question as people ask it.
    pub question: String,
    /// Which ballots and results it is about.
    pub about: String,
    /// How many of them were asked about.
    pub asked: u64,
    /// How many of these got a yes.
    pub yes: u64,
    /// Where the claim is, beside the page.
    pub claim: String,
}

/// A phase of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Such as `Mixing`.
    pub name: String,
    /// What it is for, in a sentence.
    pub summary: String,
    /// What each party did.
    pub steps: Vec<Step>,
}

/// What one party did in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Such as `Mixer 2`.
    pub party: String,
    /// Entries on the board.
    pub entries: u64,
    /// Their size.
    pub bytes: u64,
    /// How long it took, if known.
    pub milliseconds: Option<u64>,
}

/// Something that was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What holds, such as `Every mix is a shuffle`.
    pub claim: String,
    /// What was looked at.
    pub detail: String,
    /// Whether it holds.
    pub passed: bool,
}

/// The directory that a stranger verifies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// The name to give to `subrosa verify`.
    pub path: String,
    /// Digests to compare with those published elsewhere.
    pub digests: Vec<NamedDigest>,
    /// The file beside the report that verifies the bundle in a browser, if there is one.
    #[serde(default)]
    pub page: Option<String>,
}

/// An object and its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedDigest {
    /// The object, such as `Board head`.
    pub name: String,
    /// The digest as text.
    pub digest: String,
}
