//! Why a claim is not accepted.

use std::fmt;

use serde::Serialize;
use wire::CheckName;

use crate::{checks::CB_11, explain::by_name};

/// Why a claim is not accepted: where, by whose doing, and what fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The phase or part of the check.
    pub phase: String,
    /// Whose message is wrong, if it is somebody's.
    pub party: Option<String>,
    /// The equation or rule that fails.
    pub reason: String,
    /// The item, where the rule is per item.
    pub index: Option<u64>,
    /// The check that fails, by its name in `docs/spec`.
    #[serde(serialize_with = "by_name")]
    pub check: CheckName,
}

impl Refusal {
    /// Something is wrong in a phase. It counts as a check of the kind (`CB-11`), unless [`Refusal::under`]
    /// names the check that fails.
    pub fn new(phase: impl Into<String>, reason: impl Into<String>) -> Self {
        let (phase, reason) = (phase.into(), reason.into());
        Self { phase, party: None, reason, index: None, check: CB_11 }
    }

    /// Names the check that fails.
    #[must_use]
    pub fn under(self, check: CheckName) -> Self {
        Self { check, ..self }
    }

    /// Names the party whose doing it is.
    #[must_use]
    pub fn by(self, party: impl Into<String>) -> Self {
        Self { party: Some(party.into()), ..self }
    }

    /// Names the item.
    #[must_use]
    pub fn at(self, index: u64) -> Self {
        Self { index: Some(index), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.phase)?;
        if let Some(party) = &self.party {
            write!(f, "{party}: ")?;
        }
        write!(f, "{}", self.reason)?;
        match self.index {
            Some(index) => write!(f, " (index {index})"),
            None => Ok(()),
        }
    }
}
