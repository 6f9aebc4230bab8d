//! What a voter's device keeps of a ballot, in files beside each other.
//!
//! | file | what it is | who may have it |
//! |---|---|---|
//! | `FILE` | the sealed ballot and the commitment | anybody |
//! | `FILE.opening` | what it was sealed from | nobody: it shows the vote |
//! | `FILE.audit` | both, once the voter chose to audit | the second device |
//! | `FILE.cast` | the ballot with the voter's signature, once the voter chose to cast | the station |
//! | `FILE.receipt` | the station's promise | anybody |
//!
//! A ballot is audited or cast, never both: the opening goes into the one, or is deleted with the other.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use study::election::{
    Scheme,
    voter::{Audit, Opening, Receipt, SealedBallot, Submission},
};
use wire::{Decode, Encode as _};
use zeroize::Zeroizing;

use crate::failure::Failure;

/// More than any ballot has.
const LIMIT: u64 = 1 << 20;

/// The files of one ballot.
pub struct BallotFiles {
    sealed: PathBuf,
}

impl BallotFiles {
    /// Those of the sealed ballot in this file.
    pub fn of(sealed: &Path) -> Self {
        Self { sealed: sealed.to_owned() }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.sealed.as_os_str().to_owned();
        name.push(ending);
        name.into()
    }

    fn opening(&self) -> PathBuf {
        self.beside(".opening")
    }

    /// What the second device gets.
    pub fn audit(&self) -> PathBuf {
        self.beside(".audit")
    }

    fn cast(&self) -> PathBuf {
        self.beside(".cast")
    }

    fn receipt(&self) -> PathBuf {
        self.beside(".receipt")
    }

    /// Writes a ballot that was just sealed; the opening first, without which it is nothing.
    pub fn write_sealed<S: Scheme>(
        &self,
        sealed: &SealedBallot<S>,
        opening: &Opening,
    ) -> Result<(), Failure> {
        let path = self.opening();
        let bytes = Zeroizing::new(opening.to_bytes());
        wire::write_secret(&path, &bytes).map_err(|error| taken(&path, error))?;
        let written = wire::write_new(&self.sealed, &sealed.to_bytes());
        written.map_err(|error| taken(&self.sealed, error))
    }

    /// The sealed ballot.
    pub fn read_sealed<S: Scheme>(&self) -> Result<SealedBallot<S>, Failure> {
        decode(&self.sealed)
    }

    /// Gives the opening of a ballot away: from now on it cannot be cast. Again, it gives the same away.
    pub fn spoil<S: Scheme>(&self) -> Result<Audit<S>, Failure> {
        let audit = self.audit();
        if self.cast().exists() {
            return Err(Failure::input("this ballot is cast: opening it would show your vote")
                .hint("seal another ballot, and audit that one"));
        }
        if !audit.exists() {
            let given =
                Audit { sealed: self.read_sealed::<S>()?, opening: decode(&self.opening())? };
            let bytes = given.to_bytes();
            wire::write_secret(&audit, &bytes).map_err(|error| Failure::file(&audit, error))?;
        }
        remove(&self.opening())?;
        decode(&audit)
    }

    /// The ballot as it is cast, if it is: `sign` makes it of one that is neither audited nor cast.
    pub fn cast_with<S: Scheme>(
        &self,
        sign: impl FnOnce(&SealedBallot<S>) -> Result<Submission<S>, Failure>,
    ) -> Result<Submission<S>, Failure> {
        let cast = self.cast();
        if self.audit().exists() {
            return Err(Failure::input(
                "this ballot was opened for an audit, so it must not be cast",
            )
            .hint("seal another ballot, and cast that one"));
        }
        if !cast.exists() {
            if !self.opening().exists() {
                let path = self.opening();
                return Err(Failure::file(&path, io::Error::from(io::ErrorKind::NotFound)));
            }
            let submission = sign(&self.read_sealed()?)?;
            let written = wire::write_new(&cast, &submission.to_bytes());
            written.map_err(|error| Failure::file(&cast, error))?;
        }
        remove(&self.opening())?;
        self.read_cast()
    }

    /// The ballot as it was cast.
    pub fn read_cast<S: Scheme>(&self) -> Result<Submission<S>, Failure> {
        let cast = self.cast();
        if !cast.exists() {
            return Err(Failure::file(&cast, "this ballot is not cast yet")
                .hint("cast it with `subrosa vote submit`"));
        }
        decode(&cast)
    }

    /// Keeps what a station said; of several, the last.
    pub fn write_receipt(&self, receipt: &Receipt) -> Result<PathBuf, Failure> {
        let path = self.receipt();
        wire::write_atomic(&path, &receipt.to_bytes())
            .map_err(|error| Failure::file(&path, error))?;
        Ok(path)
    }

    /// What the station said, if it said anything.
    pub fn read_receipt(&self) -> Result<Option<Receipt>, Failure> {
        let path = self.receipt();
        path.exists().then(|| decode(&path)).transpose()
    }
}

/// Reads a file that is one encoded value.
pub fn decode<T: Decode>(path: &Path) -> Result<T, Failure> {
    let bytes = wire::read_bounded(path, LIMIT).map_err(|error| Failure::file(path, error))?;
    T::from_bytes(&Zeroizing::new(bytes)).map_err(|error| Failure::file(path, error))
}

fn taken(path: &Path, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::file(path, "already exists")
            .hint("a ballot is never overwritten: give another name with --out"),
        _ => Failure::file(path, error),
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::file(path, error)),
        _ => Ok(()),
    }
}
