//! Files of sets, keys and proofs.

use std::{fs::File, io, path::Path};

use ::snark::{
    groth16::ProvingKey,
    set_membership::{
        ElementKind, ElementSet, Error, Parameters, Prover, SetFile, Value,
        claims::{self, values},
    },
};
use algebra::Bls12381;
use circuit::{Curve, Format};
use zeroize::Zeroizing;

use crate::{
    failure::Failure,
    snark::files::{key_failure, open},
};

/// More than a set of 2^24 values takes.
const SET_LIMIT: u64 = 1 << 31;
/// More than any key, witness or proof takes.
const FILE_LIMIT: u64 = 1 << 16;

/// Reads a set: a JSON array of decimal numbers in strings.
pub fn set(path: &Path, kind: ElementKind) -> Result<(Vec<Value>, ElementSet), Failure> {
    let bytes = wire::read_bounded(path, SET_LIMIT).map_err(|error| Failure::file(path, error))?;
    let values = values(&bytes).map_err(|error| {
        Failure::file(path, error).hint(r#"a set is a JSON array: ["20", "30"]"#)
    })?;
    let set = ElementSet::new(kind, &values).map_err(|error| failure(path, error))?;
    Ok((values, set))
}

/// The bytes of a set's file for a bundle.
pub fn published_set(path: &Path) -> Result<Vec<u8>, Failure> {
    wire::read_bounded(path, claims::SET_LIMIT).map_err(|error| {
        Failure::file(path, error)
            .hint("leave out `--set`: verifiers of a large set can make the accumulator themselves")
    })
}

/// Reads one value, in the form of a set of one.
pub fn value(path: &Path) -> Result<Value, Failure> {
    let bytes = wire::read_bounded(path, FILE_LIMIT).map(Zeroizing::new);
    let bytes = bytes.map_err(|error| Failure::file(path, error))?;
    let hint = r#"a value is a JSON array with one decimal number in a string: ["20"]"#;
    match values(&bytes).map_err(|error| Failure::file(path, error).hint(hint))?[..] {
        [value] => Ok(value),
        _ => Err(Failure::file(path, "there must be exactly one value").hint(hint)),
    }
}

/// Reads one of the files of this room.
pub fn read<T: SetFile>(path: &Path, parameters: &Parameters) -> Result<T, Failure> {
    T::from_file(parameters, &bytes(path)?).map_err(|error| Failure::file(path, error))
}

/// The bytes of such a file.
pub fn bytes(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = wire::read_bounded(path, FILE_LIMIT).map_err(|e| Failure::file(path, e))?;
    Ok(Zeroizing::new(bytes))
}

/// Creates such a file.
pub fn write<T: SetFile>(
    path: &Path,
    parameters: &Parameters,
    value: &T,
) -> Result<usize, Failure> {
    let bytes = value.to_file(parameters);
    wire::write_new(path, &bytes).map_err(|error| unwritten(path, &error))?;
    Ok(bytes.len())
}

/// Creates such a file that only its owner may read.
pub fn write_secret<T: SetFile>(
    path: &Path,
    parameters: &Parameters,
    value: &T,
) -> Result<(), Failure> {
    let bytes = Zeroizing::new(value.to_file(parameters));
    wire::write_secret(path, &bytes).map_err(|error| unwritten(path, &error))
}

/// A prover with the key in a `.zkey` file.
pub fn prover(path: &Path, kind: ElementKind, parameters: &Parameters) -> Result<Prover, Failure> {
    let (mut file, curve): (File, Curve) = open(path, Format::Zkey)?;
    if curve != Curve::Bls12381 {
        let problem = format!("it is over {}, but must be over bls12381", curve.snarkjs_name());
        return Err(Failure::file(path, problem));
    }
    let key = ProvingKey::<Bls12381>::read_zkey(&mut file).map_err(|e| key_failure(path, e))?;
    Prover::new(parameters.clone(), kind, key).map_err(|error| failure(path, error))
}

/// What goes wrong with a file's content.
pub fn failure(path: &Path, error: Error) -> Failure {
    match error {
        Error::Groth16(error) => key_failure(path, error),
        Error::KeyPublic { .. } => Failure::file(path, error).hint(
            "`subrosa snark set-membership circuit` writes the circuit that the key must have",
        ),
        Error::HashedAbsence => Failure::file(path, error)
            .hint("`--elements prime` takes sets of primes, such as serial numbers drawn so"),
        other => Failure::file(path, other),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::file(path, "already exists").hint("name another file")
        }
        _ => Failure::file(path, error.to_string()),
    }
}
