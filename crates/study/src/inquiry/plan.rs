//! What is asked about an election: `tracing.toml`.

use count::BallotKind;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use trace::{Cut, Direction, IndexSet, Policy, Question};

use super::Counted;
use crate::{
    election::{Election, TereliusWikstrom},
    tracing::{queriers, refuse_former_fields},
};

const MAX_FILE_BYTES: usize = 1 << 20;
const MAX_TOPICS: usize = 256;

/// What is wrong with a plan.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The file is no TOML of the expected form.
    #[error("the plan cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// An entry that cannot be asked.
    #[error("query `{title}`: {reason}")]
    Topic {
        /// The entry.
        title: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something about the file as a whole.
    #[error("{0}")]
    File(String),
}

/// A stretch of the roll. The name is the plan's; the first and the last voter are on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct District {
    /// What people call it.
    pub name: String,
    /// The first voter, by the name on the roll.
    pub first: String,
    /// The last voter.
    pub last: String,
}

/// What one query is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// The question as people ask it.
    pub title: String,
    /// `in` or `out`.
    pub direction: Way,
    /// Whose ballots; all that were accepted if there is none. Going in only.
    pub district: Option<District>,
    /// The results that rank this candidate first; all if there is none. Going out only.
    pub candidate: Option<String>,
}

/// The direction of a query, as files have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// TraceIn.
    In,
    /// TraceOut.
    Out,
}

/// What all parties of the election allow, but for who may ask; see [`Policy`]. They answer questions
/// that tell nothing, whatever they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How many questions, all queries together.
    pub max_questions: usize,
}

/// A plan: what is asked after the count, and what the parties allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What the parties allow.
    pub limits: Limits,
    /// The queries, in order.
    pub topics: Vec<Topic>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    policy: Limits,
    #[serde(default)]
    district: Vec<District>,
    query: Vec<TopicFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TopicFile {
    title: String,
    direction: Way,
    district: Option<String>,
    candidate: Option<String>,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`PlanError`] naming the entry.
    pub fn from_toml(text: &str) -> Result<Self, PlanError> {
        if text.len() > MAX_FILE_BYTES {
            return Err(PlanError::File(format!("more than {MAX_FILE_BYTES} bytes")));
        }
        refuse_former_fields(text, LEAVE_OUT).map_err(PlanError::File)?;
        let file: PlanFile = toml::from_str(text)?;
        if file.query.is_empty() || file.query.len() > MAX_TOPICS {
            return Err(PlanError::File(format!("there are 1 to {MAX_TOPICS} queries")));
        }
        let topic = |query: TopicFile| {
            let TopicFile { title, direction, district, candidate } = query;
            let find = |name: String| {
                let mut named = file.district.iter().filter(|district| district.name == name);
                match (named.next(), named.next()) {
                    (Some(district), None) => Ok(district.clone()),
                    _ => Err(failed(&title, format!("the plan does not have `{name}` once"))),
                }
            };
            let district = district.map(find).transpose()?;
            Ok(Topic { title, direction, district, candidate })
        };
        let topics = file.query.into_iter().map(topic).collect::<Result<_, PlanError>>()?;
        Ok(Self { limits: file.policy, topics })
    }
}

impl Limits {
    /// The policy that lets these queriers ask what tells nothing.
    pub fn policy(&self, queriers: Vec<board::AuthorId>) -> Policy {
        let max_questions = self.max_questions;
        Policy { queriers, max_questions, cut: Cut::Nothing, by_position: false }
    }
}

/// A party's policy as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    queriers: Vec<String>,
    max_questions: usize,
}

/// What to do about fields of former policies.
const LEAVE_OUT: &str = "leave it out; an election answers only questions whose answers tell nothing, and of its \
     limits `max_questions` is left";

/// Reads a party's policy from TOML: `queriers` (public keys) and `max_questions`.
///
/// # Errors
/// What is wrong, and what to write, for people.
pub fn policy_from_toml(text: &str) -> Result<Policy, String> {
    refuse_former_fields(text, LEAVE_OUT)?;
    let file: PolicyFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let limits = Limits { max_questions: file.max_questions };
    Ok(limits.policy(queriers(&file.queriers)?))
}

impl Topic {
    /// The direction.
    pub fn direction(&self) -> Direction {
        match self.direction {
            Way::In => Direction::In,
            Way::Out => Direction::Out,
        }
    }

    /// What the question is about, in words.
    pub fn about(&self) -> String {
        let ballots = match &self.district {
            None => "the ballots".to_owned(),
            Some(District { name, first, last }) => {
                format!("the ballots of {name} ({first} to {last})")
            }
        };
        let results = match &self.candidate {
            None => "all results".to_owned(),
            Some(name) => format!("the results that rank {name} first"),
        };
        match self.direction {
            Way::In => format!("For each of {ballots}: is it among {results}?"),
            Way::Out => format!("For each of {results}: did one of {ballots} say just this?"),
        }
    }

    /// The rows that the question is about: everybody computes the same from the board.
    ///
    /// # Errors
    /// [`PlanError::Topic`] if the election has no such voters or candidate, or must not tell.
    pub fn question(
        &self,
        election: &Election<TereliusWikstrom>,
        counted: &Counted,
    ) -> Result<Question, PlanError> {
        let failed = |reason: String| failed(&self.title, reason);
        match (self.direction, &self.candidate, &self.district) {
            (Way::In, Some(_), _) => {
                return Err(failed("it would tell how voters voted: leave `candidate` out".into()));
            }
            (Way::Out, _, Some(_)) => {
                return Err(failed(
                    "it would tell how a district voted: leave `district` out".into(),
                ));
            }
            _ => {}
        }
        // Ballots are at most as many as voters, of whom there are MAX_VOTERS at most.
        let rows = u32::try_from(counted.ground().rows()).unwrap_or(u32::MAX);
        let select =
            |chosen: Vec<u32>| IndexSet::new(chosen).map_err(|error| failed(error.to_string()));
        let inputs = match &self.district {
            None => IndexSet::all(rows),
            Some(district) => {
                let place = |name: &String| {
                    let found = election.roll().iter().position(|voter| voter.name == *name);
                    found.ok_or_else(|| failed(format!("`{name}` is not on the roll")))
                };
                let stretch = place(&district.first)?..=place(&district.last)?;
                let voters = (0..).zip(counted.voters());
                let own = voters.filter(|(_, voter)| stretch.contains(&(**voter as usize)));
                select(own.map(|(row, _)| row).collect())?
            }
        };
        let outputs = match &self.candidate {
            None => IndexSet::all(rows),
            Some(name) => {
                // Of the first question, and only where voters rank.
                let asked = election.setup().description.questions.first();
                let ranked = asked.filter(|asked| asked.marking.kind() == BallotKind::Ranking);
                let mut candidates = ranked.iter().flat_map(|asked| &asked.candidates);
                let number = candidates.position(|candidate| candidate == name);
                let number = number.ok_or_else(|| failed(format!("no candidate `{name}`")))?;
                let first = |ranking: &Option<crate::preferences::Ranking>| {
                    let choices = ranking.as_ref().map_or(&[][..], |ranking| ranking.choices());
                    choices.first().is_some_and(|first| usize::from(*first) == number)
                };
                let results = (0..).zip(counted.rankings());
                let own = results.filter(|(_, ranking)| first(ranking));
                select(own.map(|(row, _)| row).collect())?
            }
        };
        if inputs.is_empty() || outputs.is_empty() {
            return Err(failed("there are no such ballots or results".to_owned()));
        }
        Ok(Question { inputs, outputs })
    }
}

fn failed(title: &str, reason: String) -> PlanError {
    PlanError::Topic { title: title.to_owned(), reason }
}
