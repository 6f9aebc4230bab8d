//! A claim as its file has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wire::Digest;

use crate::manifest::HexDigest;

/// A statement about public objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Which system makes the claim, and hence which verifier checks it.
    pub kind: String,
    /// The version of the kind's statement.
    pub version: u16,
    /// The objects that the claim speaks of, by role and in order.
    objects: BTreeMap<String, Vec<HexDigest>>,
    /// What is claimed, in the kind's own terms.
    pub statement: serde_json::Value,
}

impl Claim {
    /// States something about objects that are already in a bundle.
    pub fn new<'a>(
        kind: &str,
        version: u16,
        objects: impl IntoIterator<Item = (&'a str, Vec<Digest>)>,
        statement: serde_json::Value,
    ) -> Self {
        let objects = objects
            .into_iter()
            .map(|(role, digests)| (role.to_owned(), digests.into_iter().map(HexDigest).collect()));
        Self { kind: kind.to_owned(), version, objects: objects.collect(), statement }
    }

    /// The digests of the objects in a role, in order; none if the claim does not name the role.
    pub fn objects(&self, role: &str) -> impl Iterator<Item = Digest> {
        self.objects.get(role).into_iter().flatten().map(|digest| digest.0)
    }

    pub(crate) fn all_objects(&self) -> impl Iterator<Item = Digest> {
        self.objects.values().flatten().map(|digest| digest.0)
    }

    /// The roles that the claim names.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.objects.keys().map(String::as_str)
    }
}
