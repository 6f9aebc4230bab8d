//! Commands that ask a server instead of a folder.

use std::path::{Path, PathBuf};

use ::client::{Client, ClientError, Options};
use ::table::Hash;
use zeroize::Zeroizing;

use crate::failure::Failure;

const TOKEN_LIMIT: u64 = 1 << 12;
const ROOTS_LIMIT: u64 = 1 << 24;
const NOTE_LIMIT: u64 = 1 << 20;

/// Which server is asked, if one is.
#[derive(clap::Args)]
pub struct Remote {
    /// The address of a server to ask. Then give the table's identifier instead of its folder; every answer
    /// is checked against it.
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The file with the token for the server.
    #[arg(long, value_name = "FILE", requires = "server")]
    token: Option<PathBuf>,
    /// The certificate authorities to trust, as a PEM file; required for https.
    #[arg(long = "tls-trust", alias = "roots", value_name = "PEM", requires = "server")]
    roots: Option<PathBuf>,
    /// The file with the newest log seen, which every later log must continue. It is created the first
    /// time, and kept up to date.
    #[arg(long, value_name = "FILE", requires = "server")]
    seen: Option<PathBuf>,
}

/// A server that is asked, and what is kept of its log.
pub struct Asked {
    /// Verifies what it is told.
    pub client: Client,
    seen: Option<PathBuf>,
}

impl Remote {
    /// The server, if one is asked, about a table that is named by its identifier.
    pub fn open(&self, table: &Path) -> Result<Option<Asked>, Failure> {
        let Some(server) = &self.server else { return Ok(None) };
        // A name that is no text is no identifier, and refused.
        let name = table.to_str().unwrap_or_default();
        let id: Hash = name.parse().map_err(|_| {
            Failure::input(format!("`{name}` is not the identifier of a table"))
                .hint("with `--server`, give the table's identifier: 64 hexadecimal digits")
        })?;
        let options = options(server, name, self.token.as_deref(), self.roots.as_deref())?;
        let mut client = Client::connect(&options, &id)?;
        if let Some(path) = self.seen.as_ref().filter(|path| path.symlink_metadata().is_ok()) {
            let note = String::from_utf8(read(path, NOTE_LIMIT)?);
            client.remember(&note.map_err(|error| Failure::file(path, error))?)?;
        }
        Ok(Some(Asked { client, seen: self.seen.clone() }))
    }
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    wire::read_bounded(path, limit).map_err(|error| Failure::file(path, error))
}

/// A server with what is shown to it and by whom it is trusted, each in a file.
pub fn options(
    server: &str,
    table: &str,
    token: Option<&Path>,
    roots: Option<&Path>,
) -> Result<Options, Failure> {
    let mut options = Options::new(server, table);
    if let Some(path) = token {
        let bytes = Zeroizing::new(read(path, TOKEN_LIMIT)?);
        let token = std::str::from_utf8(&bytes).map_err(|error| Failure::file(path, error))?;
        options = options.with_token(token);
    }
    match roots {
        Some(path) => Ok(options.with_roots(read(path, ROOTS_LIMIT)?)),
        None => Ok(options),
    }
}

impl Asked {
    /// Keeps the newest log seen.
    pub fn finish(self) -> Result<(), Failure> {
        match (&self.seen, self.client.seen()) {
            (Some(path), Some(signed)) => wire::write_atomic(path, signed.to_note().as_bytes())
                .map_err(|error| Failure::file(path, error)),
            _ => Ok(()),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        if error.is_passing() {
            return Self::environment(error);
        }
        if error.is_for_good() {
            return Self::declined(error);
        }
        if !error.is_false() {
            return Self::input(error);
        }
        let failure = Self::refused(&error);
        match error {
            ClientError::Equivocation { .. } => failure.hint(
                "keep your `--seen` file and the server's checkpoint: together they are evidence \
                 against the operator",
            ),
            _ => failure,
        }
    }
}
