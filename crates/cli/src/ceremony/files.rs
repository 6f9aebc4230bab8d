//! Files of a ceremony: opened for reading, and created whole or not at all.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use ::ceremony::{Error, Snapshot};
use circuit::{Curve, Error as FileError, Format};
use wire::{Digest, NewFile};

use super::seed;
use crate::{failure::Failure, progress::Bars};

/// A file of a ceremony or of a circuit.
pub struct Input {
    pub file: File,
    pub curve: Curve,
    path: PathBuf,
    format: Format,
}

impl Input {
    /// Opens a `.ptau` file and reads which curve it is over.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::open_as(path, Format::Ptau)
    }

    /// Opens a file and reads which curve it is over.
    pub fn open_as(path: &Path, format: Format) -> Result<Self, Failure> {
        let mut file = File::open(path).map_err(|error| Failure::file(path, error))?;
        let curve = Curve::of_file(&mut file, format).map_err(|error| {
            Failure::file(path, error).hint(match format {
                Format::Ptau => "`subrosa ceremony phase1 new` writes such a file",
                Format::Zkey => "`subrosa ceremony phase2 new` writes such a file",
                Format::R1cs => "`circom --r1cs` writes such a file",
                Format::Wtns => "`snarkjs wtns calculate` writes such a file",
            })
        })?;
        Ok(Self { file, curve, path: path.to_owned(), format })
    }

    /// Opens another file of this format, over this curve.
    pub fn open_alike(&self, path: &Path) -> Result<Self, Failure> {
        let other = Self::open_as(path, self.format)?;
        other.require_curve(self)?;
        Ok(other)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Requires the curve of another file.
    pub fn require_curve(&self, other: &Self) -> Result<(), Failure> {
        let (curve, expected) = (self.curve.snarkjs_name(), other.curve.snarkjs_name());
        match self.curve == other.curve {
            true => Ok(()),
            false => Err(Failure::file(
                &self.path,
                format!("it is over {curve}, but {} is over {expected}", other.path.display()),
            )),
        }
    }

    /// Makes a file of this one, and returns what `make` does and the size of the new file.
    pub fn derive<T>(
        &mut self,
        path: &Path,
        make: impl FnOnce(Curve, &mut File, &mut NewFile) -> Result<T, Error>,
    ) -> Result<(T, u64), Failure> {
        let mut out = Output::create(path)?;
        let made = make(self.curve, &mut self.file, &mut out.file);
        Ok((made.map_err(|error| self.failure(error))?, out.finish()?))
    }

    /// What goes wrong when all of a file is taken for true.
    pub fn failure(&self, error: Error) -> Failure {
        failure(&self.path, self.format, error)
    }

    /// The digest of the whole file.
    pub fn digest(&mut self) -> Result<Digest, Failure> {
        let taken = Snapshot::take(&mut self.file, &Bars::new()).map(|snapshot| snapshot.digest());
        taken.map_err(|error| self.failure(error))
    }

    /// Why a file does not verify: what is in it is false, unless it cannot be read at all.
    pub fn refusal(&self, error: Error) -> Failure {
        refusal(&self.path, error)
    }
}

/// What goes wrong when all of a file is taken for true.
fn failure(path: &Path, format: Format, error: Error) -> Failure {
    let hint = match &error {
        Error::Reduced { .. } => Some("contribute to the whole file, from which this one was cut"),
        Error::File(FileError::Io(_) | FileError::Unwritable { .. }) => None,
        Error::NotPrepared => Some("prepare the file with `subrosa ceremony phase1 prepare`"),
        Error::Native => {
            Some("only ceremonies in the format of snarkjs can exchange files with other programs")
        }
        Error::CircuitTooLarge { .. } => Some("use a phase 1 of a larger power"),
        Error::NoContributions | Error::Forgeable => {
            Some("a key is safe only after a contribution: `subrosa ceremony phase2 contribute`")
        }
        Error::File(_) if format == Format::Zkey => {
            Some("check the file with `subrosa ceremony phase2 verify`")
        }
        Error::File(_) => Some("check the file with `subrosa ceremony phase1 verify`"),
        _ => None,
    };
    let failure = Failure::file(path, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Why nothing was contributed to a file: it cannot be read, or it does not verify.
pub fn input_failure(path: &Path, format: Format, error: Error) -> Failure {
    match error {
        Error::Reduced { .. }
        | Error::NotPrepared
        | Error::CircuitTooLarge { .. }
        | Error::FirstKey { .. }
        | Error::NoCeremony
        | Error::NotFirst
        | Error::File(FileError::Io(_) | FileError::Unwritable { .. }) => {
            failure(path, format, error)
        }
        error => refusal(path, error),
    }
}

/// Why a file that came from somebody does not verify.
pub fn refusal(path: &Path, error: Error) -> Failure {
    match error {
        Error::File(ref reason) if !is_about_points(reason) => {
            Failure::file(path, error).hint("the file is damaged: get it again")
        }
        Error::BeaconTooLong { .. } | Error::BeaconsTooLong { .. } => Failure::file(path, error)
            .hint("`--max-iterations-exp` allows more, but then checking takes longer"),
        Error::NoTopPower => Failure::refused(format!("{}: {error}", path.display()))
            .hint("allow it with `--without-top-power`"),
        Error::Phase1 { ref reason } => {
            let failure = Failure::refused(format!("{}: {error}", path.display()));
            match **reason {
                Error::NoContributions => failure.hint(UNKNOWN),
                _ => failure,
            }
        }
        _ => Failure::refused(format!("{}: {error}", path.display())),
    }
}

/// What to do about a phase 1 without contributions.
const UNKNOWN: &str = "use a phase 1 that people contributed to; `--phase1-unknown` accepts one \
                       whose history was left behind when it was imported";

/// Whether a file can be read, and what it says is false.
fn is_about_points(error: &FileError) -> bool {
    match error {
        FileError::Point { .. } | FileError::Infinity { .. } | FileError::Entry { .. } => true,
        FileError::Transcript { reason, .. } => is_about_points(reason),
        _ => false,
    }
}

/// A file to create.
pub struct Output {
    pub file: NewFile,
    path: PathBuf,
}

impl Output {
    /// Begins a file, beside its place until it is complete.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        if path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let file = NewFile::create(path).map_err(|error| Failure::file(path, error))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Puts the file into its place and returns its size.
    pub fn finish(self) -> Result<u64, Failure> {
        let Self { file, path } = self;
        let finish = || {
            file.finish()?;
            Ok(path.metadata()?.len())
        };
        finish().map_err(|error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&path),
            _ => Failure::file(&path, error),
        })
    }
}

/// A file is in its place only when it is whole: a seed that is still there has done its work.
fn exists(path: &Path) -> Failure {
    let seed = seed::path_of(path);
    let hint = match seed.exists() {
        true => format!(
            "the new file is complete, but {} still holds its secrets: delete that file",
            seed.display()
        ),
        false => "name another file".to_owned(),
    };
    Failure::file(path, "already exists").hint(hint)
}
