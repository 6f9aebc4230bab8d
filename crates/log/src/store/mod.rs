//! A log in a directory: what its keeper stores, and what a web server may serve.
//!
//! | path | |
//! |---|---|
//! | `journal` | everything, in the order in which it was stored: this is the log |
//! | `keeper.key` | the keeper's key, which only its owner may read |
//! | `key` | the key by which the log is known |
//! | `checkpoint`, `tile/…` | C2SP `tlog-tiles`, made from the journal, and made again if they are lost |
//! | `clock-ahead` | seconds by which the clock is set forward, in rehearsals only |
//! | `serving` | locked by the keeper that has the directory to itself |
//!
//! The log is one file, to which whole frames are appended. So a step is one write and one `fsync`. A process that is
//! killed may leave an incomplete last frame, and the next process overwrites it.

mod clock;
mod directory;
mod entries;
mod frame;
mod journal;
mod outbox;
mod simulated;
mod tiles;
mod witness;

use std::{io, path::Path, path::PathBuf};

use thiserror::Error;

pub use self::{
    clock::system_clock,
    directory::{DirectoryLog, KeptLog},
    entries::JournalEntries,
    outbox::FileOutbox,
    simulated::{clock_ahead, keeper_clock, set_clock_ahead},
    tiles::DirectoryTiles,
    witness::DirectoryWitness,
};

/// Why a log's directory cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system does not do what it was asked to.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
        /// The kind of what it says.
        kind: io::ErrorKind,
    },
    /// Not what a keeper wrote.
    #[error("{}: {reason}: restore it, and compare with the log's witnesses", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another keeper has the directory to itself.
    #[error("{}: a keeper is serving this log: give the keeper's address instead", path.display())]
    Serving {
        /// The directory.
        path: PathBuf,
    },
    /// A write failed before, and what of it was kept is not known.
    #[error("{}: a write failed: open the log again", path.display())]
    Unsettled {
        /// The journal.
        path: PathBuf,
    },
}

impl StoreError {
    fn file(path: &Path, error: &io::Error) -> Self {
        Self::File { path: path.to_owned(), reason: error.to_string(), kind: error.kind() }
    }

    fn damaged(path: &Path, reason: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
