//! The folders that a run reads from and writes to.

use std::{
    fs::{DirBuilder, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use study::{
    description::ElectionDescription,
    preferences::{BallotFile, BallotFileError, CastBallot},
};

use crate::failure::Failure;

/// What processes print, and what is their owner's alone.
const LOGS: &str = "logs";
const SECRETS: &str = "secrets";
const DESCRIPTION_LIMIT: u64 = 1 << 20;

/// Reads an election description.
pub fn read_description(path: &Path) -> Result<ElectionDescription, Failure> {
    let text = read_text(path, "docs/election.md describes what the folder of an election holds")?;
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

/// What a run leaves behind. One process at a time runs in it.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    /// Held as long as anybody has the folder.
    _lock: Arc<File>,
}

impl Folder {
    /// Creates the folder where it is missing, and has it to itself.
    pub fn create(root: &Path) -> Result<Self, Failure> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        // The logs are for everybody, the secrets for the owner alone.
        for (name, mode) in [(LOGS, 0o755), (SECRETS, 0o700)] {
            let directory = root.join(name);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
            builder.create(&directory).map_err(|error| Failure::file(&directory, error))?;
        }
        let path = root.join(SECRETS).join("lock");
        let lock = File::options().create(true).append(true).open(&path);
        let lock = lock.map_err(|error| Failure::file(&path, error))?;
        if lock.try_lock().is_err() {
            let busy = format!("{}: another run is using this folder", root.display());
            return Err(Failure::environment(busy)
                .hint("wait until the other run has ended, or choose another folder with --out"));
        }
        Ok(Self { root: root.to_owned(), _lock: Arc::new(lock) })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The board.
    pub fn board(&self) -> PathBuf {
        self.root.join("board")
    }

    /// The key file of a party, such as `trustee-2`.
    pub fn key(&self, party: &str) -> PathBuf {
        self.secrets().join(format!("{party}.key"))
    }

    /// The voters' credentials.
    pub fn credentials(&self) -> PathBuf {
        self.secrets().join("credentials")
    }

    /// The registrar's file, with the voters' public keys.
    pub fn voters(&self) -> PathBuf {
        self.root.join("voters.csv")
    }

    /// What a party's process prints.
    pub fn log(&self, party: &str) -> PathBuf {
        self.logs().join(format!("{party}.log"))
    }

    /// The ballots in the clear that the voters of a run cast.
    pub fn tracking(&self) -> PathBuf {
        self.root.join("tracking.csv")
    }

    /// The custodian's store of a survey.
    pub fn store(&self) -> PathBuf {
        self.secrets().join("table.redb")
    }

    /// What custodian and auditor of a survey publish.
    pub fn published(&self) -> PathBuf {
        self.root.join("published")
    }

    /// What the parties of a run answer after the count.
    pub fn policy(&self) -> PathBuf {
        self.root.join("policy.toml")
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
        self.root.join(SECRETS)
    }

    fn logs(&self) -> PathBuf {
        self.root.join(LOGS)
    }
}
