//! Reaching a board: a directory on this machine, or a server.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use ::board::{DirectoryStore, RemoteStore, Store};
use clap::Args;
use study::election::{Scheme, Session};
use wire::{Address, Digest, TlsClient};

use crate::failure::Failure;

/// How long a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Opens the session of a board, whatever its shuffle, and evaluates an expression with it.
macro_rules! with_session {
    ($board:expr, $session:ident => $body:expr) => {{
        let store = $board.store()?;
        study::with_scheme!(::study::election::shuffle_on(&*store)?, S => {
            #[allow(unused_mut, reason = "not every command speaks on the board")]
            let mut $session = $board.session::<S>(store)?;
            $body
        })
    }};
}
pub(crate) use with_session;

/// The board that a command works on.
#[derive(Args, Clone, Debug)]
pub struct BoardArgs {
    /// The board: a directory, or the address of a server, `tls://HOST:PORT`, `tcp://HOST:PORT`
    /// or `unix:///PATH`.
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// The server's certificate, or that of its authority, as a PEM file; for `tls://` only.
    #[arg(long, value_name = "PEM")]
    pub tls_trust: Option<PathBuf>,
    /// The board's name, as `subrosa study status` prints it; refuses any other board.
    #[arg(long, value_name = "DIGEST")]
    pub expect: Option<Digest>,
}

impl BoardArgs {
    /// Opens the store, which must be there if it is a directory.
    pub fn store(&self) -> Result<Box<dyn Store>, Failure> {
        if !self.is_address() && !Path::new(&self.board).is_dir() {
            return Err(Failure::file(Path::new(&self.board), "there is no such directory")
                .hint("name the directory or the address of a board"));
        }
        self.store_to_begin()
    }

    /// Opens the store, making the directory if it is one.
    pub fn store_to_begin(&self) -> Result<Box<dyn Store>, Failure> {
        if !self.is_address() {
            let store = DirectoryStore::open(&self.board);
            let failed = |error| Failure::file(Path::new(&self.board), error);
            return store.map(|store| Box::new(store) as _).map_err(failed);
        }
        let address: Address = self.board.parse().map_err(Failure::input)?;
        let tls = self.tls_trust.as_ref().map(|path| {
            let pem = std::fs::read(path).map_err(|error| Failure::file(path, error))?;
            TlsClient::from_pem(&pem).map_err(|error| Failure::file(path, error))
        });
        let store = RemoteStore::connect(address, tls.transpose()?, TIMEOUT);
        let failed = |error| Failure::input(format!("{}: {error}", self.board));
        store.map(|store| Box::new(store) as _).map_err(failed)
    }

    fn is_address(&self) -> bool {
        self.board.contains("://")
    }

    /// Reads the election on a board of that scheme.
    pub fn session<S: Scheme>(&self, store: Box<dyn Store>) -> Result<Session<S>, Failure> {
        Ok(Session::open(store, self.expect)?)
    }
}
