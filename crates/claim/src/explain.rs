//! What was checked, by the names that the specification gives to checks.

use serde::{Serialize, Serializer};
use wire::CheckName;

use crate::checks::{CB_1, CB_2, CB_3, CB_4, CB_5, CB_6, CB_7, CB_8};

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

    /// The checks of a bundle itself, `CB-1` to `CB-8`, of so many files and claims.
    pub fn of_bundle(files: usize, claims: usize) -> Self {
        Self::new()
            .with(CB_1, "manifest, in its one form", 1)
            .with(CB_2, "paths inside the bundle", files)
            .with(CB_3, "claims, each listed once", claims)
            .with(CB_4, "files, none that is not listed", files)
            .with(CB_5, "files with the digests in the manifest", files)
            .with(CB_6, "claims, in their one form", claims)
            .with(CB_7, "claims, at least one", claims)
            .with(CB_8, "files that claims speak of, or claims", files)
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
