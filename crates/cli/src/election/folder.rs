//! The folders that a run reads from and writes to.

use std::{
    fs::{DirBuilder, File},
    path::{Path, PathBuf},
};

use study::{
    description::ElectionDescription,
    preferences::{BallotFile, BallotFileError, CastBallot},
};

use crate::failure::Failure;

const DESCRIPTION_LIMIT: u64 = 1 << 20;

/// Reads an election description.
pub fn read_description(path: &Path) -> Result<ElectionDescription, Failure> {
    let text = read_text(path, "docs/election.md says what an election's folder holds")?;
    ElectionDescription::from_toml(&text).map_err(|error| Failure::file(path, error))
}

/// Reads the text of a description; `hint` says where to read about it.
pub fn read_text(path: &Path, hint: &str) -> Result<String, Failure> {
    let bytes = wire::read_bounded(path, DESCRIPTION_LIMIT)
        .map_err(|error| Failure::file(path, error).hint(hint))?;
    String::from_utf8(bytes).map_err(|error| Failure::file(path, error))
}

/// Reads a file of ballots in the clear, at most `limit` of them.
pub fn read_ballots(
    path: &Path,
    description: &ElectionDescription,
    limit: Option<usize>,
) -> Result<Vec<CastBallot>, Failure> {
    collect(path, |file| BallotFile::open(description, file), limit)
}

/// Reads a file of ballots that are only to be counted, which may have weights.
pub fn read_weighted(
    path: &Path,
    description: &ElectionDescription,
) -> Result<Vec<CastBallot>, Failure> {
    collect(path, |file| BallotFile::open_weighted(description, file), None)
}

fn collect(
    path: &Path,
    open: impl FnOnce(File) -> Result<BallotFile<File>, BallotFileError>,
    limit: Option<usize>,
) -> Result<Vec<CastBallot>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let file = File::open(path).map_err(|error| failed(&error))?;
    let ballots = open(file).map_err(|error| failed(&error))?;
    let ballots = ballots.take(limit.unwrap_or(usize::MAX));
    ballots.collect::<Result<_, _>>().map_err(|error| failed(&error))
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates the folder where it is missing.
    pub fn create(root: &Path) -> Result<Self, Failure> {
        let folder = Self(root.to_owned());
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        for directory in [folder.logs(), folder.secrets()] {
            // The logs are for everybody, the secrets for the owner alone.
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(
                &mut builder,
                if directory == folder.secrets() { 0o700 } else { 0o755 },
            );
            builder.create(&directory).map_err(|error| Failure::file(&directory, error))?;
        }
        Ok(folder)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// The board.
    pub fn board(&self) -> PathBuf {
        self.0.join("board")
    }

    /// The key file of a party, such as `trustee-2`.
    pub fn key(&self, party: &str) -> PathBuf {
        self.secrets().join(format!("{party}.key"))
    }

    /// The voters' credentials.
    pub fn credentials(&self) -> PathBuf {
        self.secrets().join("credentials")
    }

    /// What a party's process prints.
    pub fn log(&self, party: &str) -> PathBuf {
        self.logs().join(format!("{party}.log"))
    }

    /// The ballots in the clear that the voters of a run cast.
    pub fn tracking(&self) -> PathBuf {
        self.0.join("tracking.csv")
    }

    /// The custodian's store of a survey.
    pub fn store(&self) -> PathBuf {
        self.secrets().join("table.redb")
    }

    /// What custodian and auditor of a survey publish.
    pub fn published(&self) -> PathBuf {
        self.0.join("published")
    }

    /// What the parties of a run answer after the count.
    pub fn policy(&self) -> PathBuf {
        self.0.join("policy.toml")
    }

    /// What a party signed about queries.
    pub fn journal(&self, party: &str) -> PathBuf {
        self.secrets().join(format!("{party}.journal"))
    }

    /// What the querier found out.
    pub fn answers(&self) -> PathBuf {
        self.secrets().join("answers")
    }

    fn secrets(&self) -> PathBuf {
        self.0.join("secrets")
    }

    fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }
}
