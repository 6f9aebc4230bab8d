//! What a claim and a bundle are, and how any bundle is verified.
//!
//! A [`Claim`] is a statement, the public objects that it speaks of, by digest, and through them
//! its proof. A bundle is a directory of claims and objects:
//!
//! ```text
//! bundle.json              the manifest: every other file with its digest, and which are claims
//! claims/election.json     kind, version, objects by role, statement
//! objects/board/...        whatever the claims refer to, byte for byte
//! ```
//!
//! A system teaches the verifier its claims through a [`Verifier`] in a [`Registry`]: a [`Kind`]
//! (its name, versions and the roles of its objects) and a check, which computes from the objects
//! what they bear out. [`verify()`] checks the files against the manifest, holds every claim against
//! its kind, has it checked, and compares what it states with what was found. A [`Refusal`] names the check of
//! the specification that fails, an [`Explanation`] those that were made.
//!
//! ```
//! use claim::{
//!     Bundle, BundleWriter, Check, Claim, Findings, Kind, Objects, Refusal, Registry, Role, Verifier,
//! };
//!
//! /// "The object `text` has this many bytes."
//! struct Length;
//! impl Verifier for Length {
//!     fn kind(&self) -> Kind {
//!         const ROLES: [Role; 1] = [Role::one("text")];
//!         Kind { name: "length", versions: &[1], roles: &ROLES }
//!     }
//!     fn check(&self, _: &Claim, objects: &Objects<'_>, _: &dyn wire::Progress)
//!         -> Result<Findings, Refusal>
//!     {
//!         let statement = serde_json::json!({ "bytes": objects.only("text")?.len() });
//!         let checks = vec![Check::new("lengths", 1)];
//!         Ok(Findings::new(statement, checks))
//!     }
//! }
//!
//! # let directory = tempfile::tempdir().unwrap();
//! let root = directory.path().join("bundle");
//! let mut writer = BundleWriter::create(&root).unwrap();
//! let text = writer.add_object("text", b"hello").unwrap();
//! let statement = serde_json::json!({ "bytes": 5 });
//! writer.add_claim("length", &Claim::new("length", 1, [("text", vec![text])], statement)).unwrap();
//! writer.finish().unwrap();
//!
//! let registry = Registry::new().with(Length);
//! assert!(claim::verify(&Bundle::open(&root).unwrap(), &registry, &()).is_ok());
//!
//! std::fs::write(root.join("objects/text"), b"HELLO").unwrap();
//! let error = claim::verify(&Bundle::open(&root).unwrap(), &registry, &()).unwrap_err();
//! assert!(error.to_string().contains("objects/text"));
//! ```
#![forbid(unsafe_code)]

mod bundle;
mod checks;
mod explain;
mod kind;
mod manifest;
mod premise;
mod verify;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wire::Digest;

pub use bundle::{Bundle, BundleError, BundleWriter, Objects};
pub use explain::{Explained, Explanation};
pub use kind::{Kind, Role};
pub use manifest::SPECIFICATION;
pub use premise::Premise;
pub use verify::{
    Check, Findings, PublishError, Refusal, Registry, Verdict, Verifier, VerifyError, verify,
};

use manifest::HexDigest;

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
