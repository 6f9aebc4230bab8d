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
//! A system adds its claims to a [`Registry`] by a [`Verifier`]. A verifier has a [`Kind`] (its name, versions and the
//! roles of its objects) and a check, which computes from the objects what they prove. [`verify()`] checks the files
//! against the manifest, compares every claim with its kind, runs its check, and compares its statement with the
//! result. A [`Refusal`] names the check of the specification that fails. An [`Explanation`] names the checks that were
//! made.
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
mod claim;
mod explain;
mod kind;
mod manifest;
mod premise;
mod refusal;
mod verify;

pub use bundle::{Bundle, BundleError, BundleWriter, Objects};
pub use claim::Claim;
pub use explain::{Explained, Explanation};
pub use kind::{Kind, Role, require_within};
pub use manifest::SPECIFICATION;
pub use premise::Premise;
pub use refusal::Refusal;
pub use verify::{Check, Findings, PublishError, Registry, Verdict, Verifier, VerifyError, verify};
