//! The JSON files of proofs, and keys.

use std::{fs::File, io, path::Path};

use ::snark::groth16::Error;
use circuit::{Curve, Format};

use crate::{ceremony::files::Input, failure::Failure};

/// More than any of these files takes.
const MAX_JSON_LEN: u64 = 1 << 28;

/// Reads a JSON file.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = wire::read_bounded(path, MAX_JSON_LEN).map_err(|e| Failure::file(path, e))?;
    String::from_utf8(bytes).map_err(|_| Failure::file(path, "is not a text file"))
}

/// Writes a file that does not exist yet.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file that does not exist yet.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    wire::write_new(path, bytes).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::file(path, "already exists").hint("name another file")
        }
        _ => Failure::file(path, error),
    })
}

/// Opens one of the files that this program and snarkjs have in common.
pub fn open(path: &Path, format: Format) -> Result<(File, Curve), Failure> {
    let Input { file, curve, .. } = Input::open_as(path, format)?;
    Ok((file, curve))
}

/// What goes wrong with a key.
pub fn key_failure(path: &Path, error: Error) -> Failure {
    let failure = match error {
        Error::Contract { .. } => return Failure::input(error),
        Error::Forgeable { .. } | Error::KeyPoint { .. } => {
            Failure::refused(format!("{}: {error}", path.display()))
        }
        _ => {
            return Failure::file(path, error)
                .hint("check the key with `subrosa ceremony phase2 verify`");
        }
    };
    failure.hint("a key is safe only after a contribution: `subrosa ceremony phase2 contribute`")
}
