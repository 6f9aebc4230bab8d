//! A keeper's clock that is set forward by hand, for rehearsals on one machine.

use std::{io, path::Path};

use super::{StoreError, system_clock};

const FILE: &str = "clock-ahead";
const LIMIT: u64 = 32;

/// Seconds by which the clock of a directory's keeper is ahead of the system's: none, unless it was set forward.
///
/// # Errors
/// [`StoreError`] for a file that is no number.
pub fn clock_ahead(directory: &Path) -> Result<u64, StoreError> {
    let path = directory.join(FILE);
    let bytes = match wire::read_bounded(&path, LIMIT) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        read => read.map_err(|error| StoreError::file(&path, &error))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    text.trim_end().parse().map_err(|error| StoreError::damaged(&path, error))
}

/// Sets the clock of a directory's keeper forward, to so many seconds ahead of the system's clock. Nobody takes the
/// times of such a log for real ones: whoever keeps a log for others serves it, and goes by the system's clock.
///
/// # Errors
/// [`StoreError::File`].
pub fn set_clock_ahead(directory: &Path, seconds: u64) -> Result<(), StoreError> {
    let path = directory.join(FILE);
    let written = wire::write_atomic(&path, format!("{seconds}\n").as_bytes());
    written.map_err(|error| StoreError::file(&path, &error))
}

/// Seconds since 1970 by the clock of a directory's keeper.
///
/// # Errors
/// As [`clock_ahead`].
pub fn keeper_clock(directory: &Path) -> Result<u64, StoreError> {
    Ok((system_clock() / 1000).saturating_add(clock_ahead(directory)?))
}
