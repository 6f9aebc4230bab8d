//! What the commands read.

use std::path::Path;

use ::vole::{
    Converter,
    circuit::{Assignments, Circuit, read_assignments},
};
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use crate::failure::Failure;

/// No file of a circuit, of values or of a network is longer.
const FILE_LIMIT: u64 = 1 << 28;

/// A file, erased when dropped.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = wire::read_bounded(path, FILE_LIMIT);
    bytes.map(Zeroizing::new).map_err(|error| Failure::file(path, error))
}

/// A file of JSON.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    serde_json::from_slice(&read(path)?).map_err(|error| Failure::file(path, error))
}

/// A file of values.
pub fn read_values(path: &Path) -> Result<Assignments, Failure> {
    read_assignments(&read(path)?).map_err(|error| Failure::file(path, error))
}

/// A circuit's file, and the circuit.
pub fn read_circuit(path: &Path) -> Result<(Zeroizing<Vec<u8>>, Circuit), Failure> {
    let bytes = read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| Failure::file(path, error))?;
    let circuit = Circuit::read(text).map_err(|error| Failure::file(path, error))?;
    Ok((bytes, circuit))
}

/// A converter by its name.
pub fn converter_named(name: &str) -> Result<Converter, Failure> {
    let mut named = Converter::NAMED.into_iter();
    let found = named.find(|(own, _)| *own == name).map(|(_, converter)| converter);
    found.ok_or_else(|| Failure::input("unknown converter"))
}
