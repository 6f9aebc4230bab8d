//! Ceremonies in bundles.

use std::path::{Path, PathBuf};

use ::ceremony::claims::{Evidence, Files, write_bundle};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format, zkey::Zkey};
use claim::PublishError;
use serde_json::json;

use super::files::Input;
use crate::failure::Failure;

/// More than a ceremony of the largest power takes.
const FILE_LIMIT: u64 = 1 << 32;

/// Options of `verify` about a bundle.
#[derive(clap::Args)]
pub struct BundleArgs {
    /// The directory to create for a bundle that claims what was verified, for `subrosa verify`.
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// Where everybody can get the file, such as its URL; the claim repeats it.
    #[arg(long, value_name = "WHERE", requires = "bundle")]
    location: Option<String>,
}

impl BundleArgs {
    /// Writes the bundle if one is asked for; the line and the member that say so.
    pub fn write(
        &self,
        evidence: impl FnOnce() -> Result<Evidence, Failure>,
    ) -> Result<Option<(String, serde_json::Value)>, Failure> {
        let Some(root) = &self.bundle else { return Ok(None) };
        let files = Files { evidence: evidence()?, location: self.location.clone() };
        let bundle = write_bundle(root, &files).map_err(|error| match error {
            PublishError::Refused(error) => Failure::refused(error),
            other => Failure::input(other),
        })?;
        let digest = bundle.digest().map_err(Failure::input)?.to_string();
        Ok(Some((format!("bundle {digest}: {}", root.display()), json!(digest))))
    }
}

/// A phase 1 as it is.
pub fn phase1(path: &Path) -> Result<Evidence, Failure> {
    Ok(Evidence::Phase1 { parameters: read(path)? })
}

/// A key with its circuit and phase 1.
pub fn key(key: &Path, circuit: &Path, phase1: &Path) -> Result<Evidence, Failure> {
    Ok(Evidence::Key { parameters: read(key)?, circuit: read(circuit)?, phase1: read(phase1)? })
}

/// What is left of a key for whoever has the rest elsewhere.
pub fn record(path: &Path) -> Result<Evidence, Failure> {
    let mut input = Input::open_as(path, Format::Zkey)?;
    let record = match input.curve {
        Curve::Bn254 => record_over::<Bn254>(&mut input),
        Curve::Bls12381 => record_over::<Bls12381>(&mut input),
    };
    let record = record.map_err(|error| Failure::file(path, error))?;
    Ok(Evidence::Record { record, parameters: input.digest()? })
}

fn record_over<E: Engine>(input: &mut Input) -> Result<Vec<u8>, circuit::Error> {
    Zkey::<E>::open(&mut input.file)?.write_record(&mut input.file, Vec::new())
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    wire::read_bounded(path, FILE_LIMIT).map_err(|error| Failure::file(path, error))
}
