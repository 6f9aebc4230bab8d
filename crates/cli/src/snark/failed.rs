//! The mark of a session of `collaborate prove` in which a party may have learnt something. A party that deviates
//! learns whether one guess is right. If the same share were used again, it could guess again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::failure::Failure;

const TEXT: &str = "A session with this share of a witness failed or was killed. Whoever of the other parties \
deviated may have learnt whether one guess about the witness is right. The share is not used again.\n";

/// A mark beside a share, which stands from before the session until nothing is lost any more.
pub struct Mark(PathBuf);

impl Mark {
    /// Marks a share, before anything is sent; what kills the program leaves the mark.
    ///
    /// # Errors
    /// If there is a mark.
    pub fn set(share: &Path) -> Result<Self, Failure> {
        let mark = path_of(share);
        match wire::write_new(&mark, TEXT.as_bytes()) {
            Ok(()) => Ok(Self(mark)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(refused(share, &mark))
            }
            Err(error) => Err(Failure::file(&mark, error)),
        }
    }

    /// Requires that there is no mark.
    pub fn require_none(share: &Path) -> Result<(), Failure> {
        let mark = path_of(share);
        if mark.exists() { Err(refused(share, &mark)) } else { Ok(()) }
    }

    /// Takes the mark away.
    pub fn clear(self) -> Result<(), Failure> {
        fs::remove_file(&self.0).map_err(|error| Failure::file(&self.0, error))
    }
}

fn path_of(share: &Path) -> PathBuf {
    // A path without a name is a directory, and no share is read from it.
    let mut name = share.file_name().unwrap_or_default().to_owned();
    name.push(".failed");
    share.with_file_name(name)
}

fn refused(share: &Path, mark: &Path) -> Failure {
    let reason = format!("an earlier session with this share failed: {}", mark.display());
    Failure::file(share, reason).hint(
        "another party may have cheated, and could learn more in a second session: find out which \
         one, and share the witness again without it",
    )
}
