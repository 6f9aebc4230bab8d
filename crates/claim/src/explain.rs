//! What was checked, by the names that the specification gives to checks.

use serde::{Serialize, Serializer};
use wire::CheckName;

/// A check, what it was made of, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// Its name in `docs/spec`.
    #[serde(serialize_with = "by_name")]
    pub check: CheckName,
    /// What was checked, in the plural.
    pub what: String,
    /// How many of these.
    pub count: u64,
}

/// The checks that were made and held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation(Vec<Explained>);

impl Explanation {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a check that held `count` times; none that was not made.
    pub fn put(&mut self, check: CheckName, what: impl Into<String>, count: usize) {
        if count > 0 {
            self.0.push(Explained { check, what: what.into(), count: count as u64 });
        }
    }

    /// The same, in a row.
    #[must_use]
    pub fn with(mut self, check: CheckName, what: impl Into<String>, count: usize) -> Self {
        self.put(check, what, count);
        self
    }

    /// The checks. Those of a kind stand in the order in which they were made; a verdict has those of all kinds
    /// behind them, although a claim's roles and objects are checked first.
    pub fn items(&self) -> &[Explained] {
        &self.0
    }

    pub(crate) fn into_items(self) -> Vec<Explained> {
        self.0
    }
}

/// A check as its name.
pub(crate) fn by_name<S: Serializer>(check: &CheckName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.as_str())
}
