//! The phase 1 under a key: who made it, and whether that was checked.

use std::path::{Path, PathBuf};

use ::ceremony::{
    Error,
    phase1::{self, History},
    phase2::Settings,
};
use algebra::Engine;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use wire::Digest;

use crate::{
    ceremony::{
        files::Input,
        native::verifier_rng,
        report::{digest_line, hash_lines},
        turn::VerifierArgs,
    },
    failure::Failure,
    progress::Bars,
};

/// Options of commands that check a key against phase 1.
#[derive(clap::Args)]
pub struct BasisArgs {
    /// The prepared file of phase 1, which is verified too.
    #[arg(long, value_name = "FILE")]
    phase1: PathBuf,
    /// Do not verify phase 1, because you verified it before. The verdict says so.
    #[arg(long)]
    phase1_verified: bool,
    /// Accept a phase 1 that shows no contributions, because its history was left behind when it was
    /// imported. The verdict says so.
    #[arg(long)]
    phase1_unknown: bool,
}

/// What a verdict says about phase 1.
pub struct Basis {
    /// For machines.
    pub json: Value,
    /// For people.
    pub lines: Vec<String>,
}

/// What was checked of a phase 1.
#[derive(Clone, Copy, PartialEq)]
enum Checked {
    /// The whole ceremony.
    Ceremony,
    /// The points; there is no ceremony to check.
    Points,
    /// Nothing, by the user's word.
    Nothing,
}

impl BasisArgs {
    /// The file of phase 1.
    pub fn phase1(&self) -> &Path {
        &self.phase1
    }

    /// Opens phase 1, which must be over the curve of a key.
    pub fn open(&self, key: &Input) -> Result<Input, Failure> {
        let phase1 = Input::open(&self.phase1)?;
        phase1.require_curve(key)?;
        Ok(phase1)
    }

    /// What a verifier is ready to do.
    pub fn settings(&self, verifier: &VerifierArgs) -> Settings {
        let mut settings = verifier.settings();
        settings.may_lack_phase1_history = self.phase1_unknown;
        settings
    }

    /// Verifies phase 1, unless somebody did, and names it.
    pub fn check<E: Engine>(
        &self,
        phase1: &mut Input,
        settings: &Settings,
    ) -> Result<Basis, Failure> {
        let bars = Bars::new();
        let history = phase1::history::<E>(&mut phase1.file);
        let history = history.map_err(|error| phase1.refusal(error))?;
        let checked = match (self.phase1_verified, history.contributions.is_empty()) {
            (true, _) => Checked::Nothing,
            (false, true) if self.phase1_unknown => Checked::Points,
            (false, _) => Checked::Ceremony,
        };
        let (file, rng) = (&mut phase1.file, &mut verifier_rng());
        let verified = match checked {
            Checked::Nothing => Ok(()),
            Checked::Points => phase1::verify_points::<E>(file, rng, &bars),
            Checked::Ceremony if history.is_native => {
                phase1::native::verify::<E>(file, settings, rng, &bars).map(drop)
            }
            Checked::Ceremony => phase1::verify::<E>(file, settings, rng, &bars).map(drop),
        };
        verified.map_err(|error| match error {
            Error::NoContributions => phase1.refusal(Error::Phase1 { reason: Box::new(error) }),
            error => phase1.refusal(error),
        })?;
        // For programs, what `b2sum` says of the file besides.
        let blake2b = phase1::challenge_hash(&mut phase1.file, &bars);
        let blake2b = blake2b.map_err(|error| phase1.failure(error))?;
        Ok(self.report(&history, checked, &phase1.digest()?, &blake2b))
    }

    fn report(
        &self,
        history: &History,
        checked: Checked,
        digest: &Digest,
        blake2b: &[u8; 64],
    ) -> Basis {
        let (count, participants) = (history.contributions.len(), history.participants());
        let last = history.contributions.last();
        let json = json!({
            "file": self.phase1,
            "digest": digest.to_string(),
            "blake2b": HEXLOWER.encode(blake2b),
            "contributions": count,
            "participants": participants,
            "last_contribution": last.map(|last| HEXLOWER.encode(&last.hash)),
            "verified": checked == Checked::Ceremony,
            "points_verified": checked != Checked::Nothing,
            "unknown": last.is_none(),
        });
        let mut lines = vec![format!("phase 1: {}", self.phase1.display()), digest_line(digest)];
        if let Some(last) = last {
            lines.push(format!("contribution {count} there, the last:"));
            lines.extend(hash_lines(&last.hash));
        }
        let honest = match participants {
            1 => "its participant".to_owned(),
            _ => format!("at least one of its {participants} participants"),
        };
        lines.push(match (checked, last) {
            (Checked::Ceremony, _) => format!(
                "Phase 1 was verified in this run: nobody knows its secrets if {honest} forgot theirs."
            ),
            (Checked::Nothing, Some(_)) => {
                "Phase 1 was not verified in this run: that it was before is \
                                            your word (--phase1-verified)."
                    .to_owned()
            }
            (_, None) => UNKNOWN.to_owned(),
            (Checked::Points, Some(_)) => {
                "The points of phase 1 were verified, and no more.".to_owned()
            }
        });
        Basis { json, lines }
    }
}

const UNKNOWN: &str = "WARNING: nobody contributed to this phase 1 as far as the file shows \
                       (--phase1-unknown). Whoever knows its secrets forges proofs, whatever \
                       contributors to the key did.";
