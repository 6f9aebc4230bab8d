//! Proofs as a claim: a key, proofs under it and their public inputs, for anybody to verify.
//!
//! The key determines system and curve. A claim has one proof or many. The proofs of one claim are verified in one
//! random combination. Public inputs are in the statement, where a reader sees them, with names if the publisher gives
//! them any.
//!
//! A claim cannot show where its key comes from. Whoever knows the secrets of a key of Groth16 or GM17 can prove
//! anything with it. For a key of Sonic one relies on its maker, unless one makes it again. So every claim rests on the
//! premise `key:DIGEST`. For Groth16, a claim of the crate `ceremony` about the same key in the same bundle shows this
//! premise.
//!
//! ```
//! use algebra::{Bn254, Scalar, ScalarOf};
//! use circuit::{json::public_to_json, synthesis::{Circuit, Synthesizer}};
//! use snark::{claims::{Files, SnarkProofVerifier, write_bundle}, groth16::insecure_dealer};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # struct Factors { p: u64, q: u64 }
//! # impl Circuit<ScalarOf<Bn254>> for Factors {
//! #     fn synthesize(&self, cs: &mut Synthesizer<ScalarOf<Bn254>>) {
//! #         let p = cs.private(ScalarOf::<Bn254>::from_u64(self.p));
//! #         let q = cs.private(ScalarOf::<Bn254>::from_u64(self.q));
//! #         let product = cs.product(&p, &q);
//! #         cs.expose(&product);
//! #     }
//! # }
//! // "I know the factors of 21."
//! let key = insecure_dealer::<Bn254>(&Factors { p: 0, q: 0 }.constraint_system(), &mut rng)?;
//! let proof = key.prove(&Factors { p: 3, q: 7 }.witness(), &mut rng)?;
//!
//! let files = Files {
//!     key: key.verifying_key().to_json()?.into_bytes(),
//!     proofs: vec![proof.to_json()?.into_bytes()],
//!     public: vec![vec!["21".to_owned()]],
//!     names: Some(vec!["product".to_owned()]),
//!     circuit: None,
//! };
//! # let directory = tempfile::tempdir()?;
//! # let root = directory.path().join("bundle");
//! let bundle = write_bundle(&root, &files)?;
//!
//! let registry = claim::Registry::new().with(SnarkProofVerifier);
//! let verdicts = claim::verify(&bundle, &registry, &())?;
//! assert_eq!(verdicts[0].summary.last().unwrap(), "product = 21");
//! assert!(verdicts[0].premises[0].name.starts_with("key:"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod checks;
mod files;
mod statement;
mod system;

use std::path::Path;

use claim::{
    Bundle, BundleError, BundleWriter, Claim, Findings, Kind, Objects, Premise, PublishError,
    Refusal, Role, Verifier,
};
use serde_json::Value as Json;
use wire::Progress;

pub use files::{Files, MAX_PROOFS};

use files::{CIRCUIT, CIRCUIT_LIMIT, KEY, KEY_LIMIT, PROOF, PROOF_LIMIT};
use statement::Stated;

/// The kind of claim.
pub const CLAIM_KIND: &str = "snark-proof";
const VERSION: u16 = 1;

/// A claim that was verified, to be written into a bundle.
#[derive(Clone, Debug)]
pub struct Verified<'a> {
    files: &'a Files,
    findings: Findings,
}

impl<'a> Verified<'a> {
    /// Verifies proofs.
    ///
    /// # Errors
    /// [`Refusal`] naming what fails.
    pub fn new(files: &'a Files) -> Result<Self, Refusal> {
        Ok(Self { files, findings: check::check(files)? })
    }

    /// The digest by which the claim names the key.
    pub fn key(&self) -> Option<&str> {
        self.findings.statement.get(KEY).and_then(Json::as_str)
    }

    /// Writes the claim and its objects into a bundle.
    ///
    /// # Errors
    /// [`BundleError`].
    pub fn write(self, writer: &mut BundleWriter) -> Result<(), BundleError> {
        let Files { key, proofs, circuit, .. } = self.files;
        let mut add = |name: &str, bytes| writer.add_object(&format!("{CLAIM_KIND}/{name}"), bytes);
        let mut objects = vec![(KEY, vec![add(KEY, key)?])];
        let numbered = proofs.iter().zip(1..);
        let numbered =
            numbered.map(|(proof, number): (_, usize)| add(&format!("{PROOF}-{number}"), proof));
        objects.push((PROOF, numbered.collect::<Result<_, _>>()?));
        if let Some(circuit) = circuit {
            objects.push((CIRCUIT, vec![add(CIRCUIT, circuit)?]));
        }
        let claim = Claim::new(CLAIM_KIND, VERSION, objects, self.findings.statement);
        writer.add_claim(CLAIM_KIND, &claim)
    }
}

/// Verifies proofs and writes a bundle that claims what they say, and nothing else.
///
/// # Errors
/// [`PublishError`].
pub fn write_bundle(root: &Path, files: &Files) -> Result<Bundle, PublishError> {
    let verified = Verified::new(files)?;
    let mut writer = BundleWriter::create(root)?;
    verified.write(&mut writer)?;
    Ok(writer.finish()?)
}

/// Verifies claims about proofs of Groth16, GM17 and Sonic.
#[derive(Clone, Copy, Debug, Default)]
pub struct SnarkProofVerifier;

impl Verifier for SnarkProofVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 3] = [Role::one(KEY), Role::some(PROOF), Role::optional(CIRCUIT)];
        Kind { name: CLAIM_KIND, versions: &[VERSION], roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        _: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let Stated { public, names } = Stated::of(&claim.statement)?;
        // Before anything is read: an object may be named many times.
        statement::require_counts(claim.objects(PROOF).count(), public.len())?;
        let has_circuit = claim.roles().any(|role| role == CIRCUIT);
        let circuit = has_circuit.then(|| objects.only_within(CIRCUIT, CIRCUIT_LIMIT));
        check::check(&Files {
            key: objects.only_within(KEY, KEY_LIMIT)?,
            proofs: objects.all_within(PROOF, PROOF_LIMIT).collect::<Result<_, _>>()?,
            public,
            names,
            circuit: circuit.transpose()?,
        })
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        statement::describe(&claim.statement)
    }

    fn premises(&self, claim: &Claim) -> Vec<Premise> {
        vec![statement::premise(&claim.statement)]
    }
}
