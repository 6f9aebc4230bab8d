//! One verifier for every kind of claim.

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;
use wire::{CheckName, Progress};

use crate::{
    Bundle, BundleError, Claim, Explained, Explanation, Objects, Premise, Refusal,
    checks::{CB_7, CB_9, CB_10, CB_12},
    kind::{Kind, require_stated},
};

/// Something that was checked, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked.
    pub what: String,
    /// How many times.
    pub count: u64,
}

impl Check {
    /// A check that passed `count` times.
    pub fn new(what: impl Into<String>, count: u64) -> Self {
        Self { what: what.into(), count }
    }
}

/// What a claim's objects bear out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// The statement that the objects bear out, all of it: the claim holds if it states exactly the same.
    pub statement: Value,
    /// What was checked on the way, in summary.
    pub checks: Vec<Check>,
    /// The same, check by check.
    pub explanation: Explanation,
}

impl Findings {
    /// A statement, and what was checked in summary.
    pub fn new(statement: Value, checks: Vec<Check>) -> Self {
        Self { statement, checks, explanation: Explanation::new() }
    }

    /// What was checked, check by check.
    #[must_use]
    pub fn explained(self, explanation: Explanation) -> Self {
        Self { explanation, ..self }
    }
}

/// Checks one kind of claim.
pub trait Verifier: Send + Sync {
    /// The kind of claim. [`verify`] hands over no others: of these versions, with these roles.
    fn kind(&self) -> Kind;

    /// What the objects bear out, computed without network and without secrets. Only what no object says, such
    /// as the title of a question, may be copied from the claim. [`verify`] then compares the statement found
    /// here with the claim's.
    ///
    /// # Errors
    /// [`Refusal`] naming the first thing that fails.
    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal>;

    /// What a claim that holds says, in lines for people.
    fn describe(&self, claim: &Claim) -> Vec<String> {
        vec![claim.statement.to_string()]
    }

    /// What a claim that holds rests on, beyond what its objects show; empty if they show everything.
    fn premises(&self, _claim: &Claim) -> Vec<Premise> {
        Vec::new()
    }

    /// The names of the premises of other claims that this claim proves, if it holds.
    fn shows(&self, _claim: &Claim) -> Vec<String> {
        Vec::new()
    }
}

/// The verifiers of all kinds, filled by the program.
#[derive(Default)]
pub struct Registry {
    verifiers: Vec<Box<dyn Verifier>>,
}

impl Registry {
    /// Knows no kind yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the verifier of a kind. If a kind has one already, that one stays in force.
    #[must_use]
    pub fn with(mut self, verifier: impl Verifier + 'static) -> Self {
        self.verifiers.push(Box::new(verifier));
        self
    }

    fn of(&self, kind: &str) -> Option<&dyn Verifier> {
        self.verifiers.iter().find(|verifier| verifier.kind().name == kind).map(Box::as_ref)
    }
}

/// A claim that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The claim's file.
    pub claim: String,
    /// Its kind.
    pub kind: String,
    /// What it states.
    pub statement: Value,
    /// What it states, for people.
    #[serde(skip)]
    pub summary: Vec<String>,
    /// What was checked, in summary.
    pub checks: Vec<Check>,
    /// What was checked, by the names of the checks: those of the kind, then those of all claims.
    #[serde(skip)]
    pub explained: Vec<Explained>,
    /// What it rests on besides.
    pub premises: Vec<Premise>,
    /// The names of the premises of other claims that it proves, if its own premises are accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
}

/// Why a bundle is not accepted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file or a claim is wrong.
    #[error("{0}")]
    Refused(Refusal),
    /// The bundle holds a claim of a kind that this program does not know.
    #[error("`{claim}`: no verifier for claims of kind `{kind}`")]
    UnknownKind {
        /// The claim's file.
        claim: String,
        /// Its kind.
        kind: String,
    },
    /// The bundle holds a claim of a version that this program does not know.
    #[error(
        "`{claim}`: version {version} of `{kind}`; this program verifies version {}",
        .known.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")
    )]
    UnknownVersion {
        /// The claim's file.
        claim: String,
        /// Its kind.
        kind: String,
        /// Its version.
        version: u16,
        /// The versions that are known.
        known: &'static [u16],
    },
    /// There is nothing to verify.
    #[error("the bundle makes no claim")]
    NoClaims,
}

impl VerifyError {
    /// Whether something is wrong, as opposed to something that could not be checked.
    pub fn is_false(&self) -> bool {
        self.check().is_some()
    }

    /// The check that fails, if one does.
    pub fn check(&self) -> Option<CheckName> {
        match self {
            Self::Refused(refusal) => Some(refusal.check),
            Self::NoClaims => Some(CB_7),
            Self::UnknownKind { .. } | Self::UnknownVersion { .. } => None,
        }
    }
}

impl From<Refusal> for VerifyError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Why a claim is not published.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PublishError {
    /// It does not hold.
    #[error("{0}")]
    Refused(Refusal),
    /// The bundle cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl From<Refusal> for PublishError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Checks every file of a bundle and every claim in it.
///
/// # Errors
/// [`VerifyError`] naming the first thing that fails. A claim of unknown kind or version is reported only if
/// nothing fails.
pub fn verify(
    bundle: &Bundle,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Vec<Verdict>, VerifyError> {
    bundle.check_files()?;
    let claims = bundle.claims()?;
    if claims.is_empty() {
        return Err(VerifyError::NoClaims);
    }
    bundle.check_references(claims.iter().map(|(_, claim)| claim))?;
    let verify_claim = |(path, claim): (String, Claim)| {
        let Some(verifier) = registry.of(&claim.kind) else {
            return Err(VerifyError::UnknownKind { claim: path, kind: claim.kind });
        };
        let (version, known) = (claim.version, verifier.kind().versions);
        if !known.contains(&version) {
            let kind = claim.kind;
            return Err(VerifyError::UnknownVersion { claim: path, kind, version, known });
        }
        let objects = Objects { bundle, claim: &claim };
        verifier.kind().require(&claim)?;
        objects.require_listed()?;
        let findings = verifier.check(&claim, &objects, progress)?;
        let Findings { statement, checks, mut explanation } = findings;
        require_stated(&claim.statement, &statement)?;
        // The kind's own checks are listed first, although `CB-9` and `CB-10` were made before them.
        explanation.put(
            CB_9,
            "roles, with as many objects as their kind says",
            claim.roles().count(),
        );
        explanation.put(CB_10, "objects, found by their digests", claim.all_objects().count());
        explanation.put(CB_12, "statement, member by member that of the objects", 1);
        let explained = explanation.into_items();
        let (summary, premises) = (verifier.describe(&claim), verifier.premises(&claim));
        let shows = verifier.shows(&claim);
        let (claim, kind) = (path, claim.kind);
        Ok(Verdict { claim, kind, statement, summary, checks, explained, premises, shows })
    };
    let (mut verdicts, mut unchecked) = (Vec::with_capacity(claims.len()), None);
    for claim in claims {
        match verify_claim(claim) {
            Ok(verdict) => verdicts.push(verdict),
            Err(error) if error.is_false() => return Err(error),
            // The first is kept; claims after it are still checked, because a false one counts for more.
            Err(error) => unchecked = unchecked.or(Some(error)),
        }
    }
    unchecked.map_or(Ok(verdicts), Err)
}
