//! A ceremony as a claim: parameters of phase 1, or a key of Groth16, and who contributed.
//!
//! With the files themselves in the bundle ([`Evidence::Phase1`], [`Evidence::Key`]) a verifier checks the whole
//! ceremony, as [`phase1::verify`](crate::phase1::verify()) and [`phase2::verify`](crate::phase2::verify()) do. For
//! keys whose files are too large for a bundle there is the [record](Evidence::Record). It shows who multiplied a
//! secret into `δ`. It does not show which points were divided by this secret.
//!
//! Neither shows that contributors are people: whoever makes a file can invent them. So every claim rests on the
//! premise `parameters:DIGEST`, for readers who compared the hashes with what contributors published. A claim
//! about a key shows the premise `key:DIGEST` of claims of proofs under it.

mod check;
mod checks;
mod files;
mod statement;

use std::path::Path;

use claim::{
    Bundle, BundleError, BundleWriter, Claim, Findings, Kind, Objects, Premise, PublishError,
    Refusal, Role, Verifier,
};
use wire::Progress;

pub use files::{Evidence, Files};

use checks::CE_23;
use files::{CIRCUIT, CIRCUIT_LIMIT, FILE_LIMIT, PARAMETERS, PHASE1, RECORD, RECORD_LIMIT};

/// The kind of claim.
pub const CLAIM_KIND: &str = "ceremony";
const VERSION: u16 = 1;

/// A claim that was verified, to be written into a bundle.
#[derive(Clone, Debug)]
pub struct Verified<'a> {
    files: &'a Files,
    findings: Findings,
}

impl<'a> Verified<'a> {
    /// Verifies a ceremony.
    ///
    /// # Errors
    /// [`Refusal`] naming what fails.
    pub fn new(files: &'a Files) -> Result<Self, Refusal> {
        Ok(Self { files, findings: check::check(files)? })
    }

    /// The digest of the key, if it is one, by which claims of proofs name it.
    pub fn key(&self) -> Option<&str> {
        self.findings.statement.get("key").and_then(serde_json::Value::as_str)
    }

    /// Writes the claim and its objects into a bundle.
    ///
    /// # Errors
    /// [`BundleError`].
    pub fn write(self, writer: &mut BundleWriter) -> Result<(), BundleError> {
        let roles: Vec<(&str, &[u8])> = match &self.files.evidence {
            Evidence::Phase1 { parameters } => vec![(PARAMETERS, parameters)],
            Evidence::Key { parameters, circuit, phase1 } => {
                vec![(PARAMETERS, parameters), (CIRCUIT, circuit), (PHASE1, phase1)]
            }
            Evidence::Record { record, .. } => vec![(RECORD, record)],
        };
        writer.add_whole_claim(CLAIM_KIND, VERSION, &roles, self.findings.statement)
    }
}

/// Verifies a ceremony and writes a bundle that claims it, and nothing else.
///
/// # Errors
/// [`PublishError`].
pub fn write_bundle(root: &Path, files: &Files) -> Result<Bundle, PublishError> {
    let verified = Verified::new(files)?;
    let mut writer = BundleWriter::create(root)?;
    verified.write(&mut writer)?;
    Ok(writer.finish()?)
}

/// Verifies claims about ceremonies.
#[derive(Clone, Copy, Debug, Default)]
pub struct CeremonyVerifier;

impl Verifier for CeremonyVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 4] = [
            Role::optional(PARAMETERS),
            Role::optional(CIRCUIT),
            Role::optional(PHASE1),
            Role::optional(RECORD),
        ];
        Kind { name: CLAIM_KIND, versions: &[VERSION], roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        _: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let file = |role| objects.only_within(role, FILE_LIMIT);
        let has = |role: &str| claim.objects(role).next().is_some();
        let evidence = match [PARAMETERS, CIRCUIT, PHASE1, RECORD].map(has) {
            [true, false, false, false] => Evidence::Phase1 { parameters: file(PARAMETERS)? },
            [true, true, true, false] => Evidence::Key {
                parameters: file(PARAMETERS)?,
                circuit: objects.only_within(CIRCUIT, CIRCUIT_LIMIT)?,
                phase1: file(PHASE1)?,
            },
            [false, false, false, true] => Evidence::Record {
                record: objects.only_within(RECORD, RECORD_LIMIT)?,
                parameters: statement::stated_parameters(&claim.statement)?,
            },
            _ => {
                let reason = "neither a phase 1, nor a key with circuit and phase 1, nor a record";
                return Err(Refusal::new("claim", reason).under(CE_23));
            }
        };
        let location = statement::stated_location(&claim.statement)?;
        check::check(&Files { evidence, location })
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        statement::describe(&claim.statement)
    }

    fn premises(&self, claim: &Claim) -> Vec<Premise> {
        let is_record = claim.objects(RECORD).next().is_some();
        vec![statement::premise(&claim.statement, is_record)]
    }

    fn shows(&self, claim: &Claim) -> Vec<String> {
        let key = claim.statement.get("key").and_then(serde_json::Value::as_str);
        key.map(|key| format!("key:{key}")).into_iter().collect()
    }
}
