//! Reaching a board, a directory on this machine or a server, and other parties.

use std::{
    io,
    path::{Path, PathBuf},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use ::board::{Board, Bulletin, DirectoryStore, RemoteStore, Store, StoreError};
use clap::Args;
use study::replay::SessionError;
use wire::{Address, Channel, ChannelError, Digest, Listener, TlsClient};

use crate::failure::Failure;

/// How long a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(100);

/// Connects to another party, which may begin to listen later than this one begins to try.
pub fn reach(
    address: &Address,
    trusted: Option<&TlsClient>,
    timeout: Duration,
) -> Result<Channel, ChannelError> {
    let start = Instant::now();
    loop {
        let left = timeout.saturating_sub(start.elapsed());
        let error = match Channel::connect(address, trusted, left) {
            Ok(channel) => return Ok(channel),
            Err(error) => error,
        };
        if !is_early(&error) || left < PAUSE {
            return Err(error);
        }
        thread::sleep(PAUSE);
    }
}

/// Ends a listener's wait after `timeout`, unless what is returned is dropped before.
pub fn stop_after(listener: &Listener, timeout: Duration) -> Result<Sender<()>, ChannelError> {
    let stopper = listener.stopper()?;
    let (in_time, late) = mpsc::channel::<()>();
    thread::spawn(move || {
        if late.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
            stopper.stop();
        }
    });
    Ok(in_time)
}

/// Whether the other party may just not be there yet.
fn is_early(error: &ChannelError) -> bool {
    let ChannelError::Io(error) = error else { return false };
    matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
}

/// Opens the session of a board, whatever its shuffle, and evaluates an expression with it.
macro_rules! with_session {
    ($board:expr, $session:ident => $body:expr) => {{
        let board = $board.open()?;
        study::with_scheme!(::study::election::shuffle_on(&*board)?, S => {
            #[allow(unused_mut, reason = "not every command speaks on the board")]
            let mut $session = ::study::election::Session::<S>::over(board)?;
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
    #[arg(long, value_name = "BOARD", env = "SUBROSA_BOARD", hide_env_values = true)]
    pub board: String,
    /// The server's certificate, or that of its authority, as a PEM file; for `tls://` only.
    #[arg(long, value_name = "PEM")]
    pub tls_trust: Option<PathBuf>,
    /// The board's name, as `subrosa election status` prints it; refuses any other board.
    #[arg(long = "expect-board", alias = "expect", value_name = "DIGEST")]
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
        let failed = |error: StoreError| match &error {
            StoreError::Channel(error) => Failure::channel(&self.board, error),
            other => Failure::input(format!("{}: {other}", self.board)),
        };
        store.map(|store| Box::new(store) as _).map_err(failed)
    }

    fn is_address(&self) -> bool {
        self.board.contains("://")
    }

    /// Opens the board, every entry verified.
    pub fn open(&self) -> Result<Box<dyn Bulletin>, Failure> {
        let store = self.store()?;
        let board = match self.expect {
            Some(id) => Board::open_expecting(store, id),
            None => Board::open(store),
        };
        Ok(Box::new(board.map_err(SessionError::from)?))
    }
}
