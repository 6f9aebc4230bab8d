//! A party of a board: its key file, and where it remembers what it signed.

use std::path::{Path, PathBuf};

use ::board::{
    AuthorId,
    logged::{Desk, Drawer},
};
use ::log::{
    note::VerifierKey,
    store::{FileOutbox, system_clock},
};
use getrandom::SysRng;
use rand_core::{Rng as _, UnwrapErr};
use wire::{Digest, DigestWriter};

/// The domain of the names of outboxes.
const NAME: &str = "subrosa/party/outbox/v1";

/// Who speaks on a board.
#[derive(clap::Args, Clone, Debug)]
pub struct KeyArgs {
    /// The party's key file.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    pub key: PathBuf,
    /// Where the party remembers what it signed [default: the key file's name with `.state`]. Never delete or
    /// restore it while the board lives: who does not know what it signed is out.
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

impl KeyArgs {
    /// The party whose key file this is, with its state beside it.
    pub fn beside(key: PathBuf) -> Self {
        Self { key, state: None }
    }

    /// What the party signs with beside its key: an outbox for each log.
    pub fn desk(&self) -> Desk {
        let state = self.state.clone().unwrap_or_else(|| beside(&self.key));
        let open = move |log: &VerifierKey, author: &AuthorId| {
            let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", state.display());
            make_private(&state).map_err(|error| failed(&error))?;
            let path = state.join(format!("{}.outbox", name(log, author)));
            FileOutbox::open(&path, log, author).map(Drawer::new).map_err(|error| failed(&error))
        };
        let draw = || {
            let mut run = [0; 16];
            UnwrapErr(SysRng).fill_bytes(&mut run);
            run
        };
        Desk::new(Box::new(open), || system_clock() / 1000, draw)
    }
}

fn beside(key: &Path) -> PathBuf {
    let mut name = key.as_os_str().to_owned();
    name.push(".state");
    name.into()
}

/// A party has one outbox for each log.
fn name(log: &VerifierKey, author: &AuthorId) -> Digest {
    let mut writer = DigestWriter::new(NAME);
    writer.update(log.to_string().as_bytes());
    writer.update(author.as_bytes());
    writer.finish()
}

/// Makes a directory that only its owner may enter.
fn make_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
