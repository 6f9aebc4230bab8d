//! Reaching a board, in a directory on this machine or kept by a server, and other parties.

use std::{
    io,
    path::{Path, PathBuf},
    str::FromStr,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use ::board::{
    AppendError, Board, BoardError, Bulletin, DirectoryStore, Identity,
    logged::{Desk, LogBoard, origin_of},
};
use ::log::{
    DirectoryLog, LogAccess, PartyKey,
    note::VerifierKey,
    store::{StoreError, keeper_clock, system_clock},
};
use clap::Args;
use client::{
    logs::RemoteWitness,
    witnessed::{Witness, WitnessedLog},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use study::{
    election::Clock,
    replay::{Begin, Replay, SessionError},
};
use wire::{Address, Channel, ChannelError, Digest, Listener, TlsClient};

use crate::{
    failure::Failure,
    log::{open_log, trusted_roots},
    party::KeyArgs,
};

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

/// Opens the session of a board, whatever its shuffle, and evaluates an expression with it; as a party, if there
/// is one that speaks.
macro_rules! with_session {
    ($board:expr, $session:ident => $body:expr) => {
        with_session!(of $board.open()?, $session => $body)
    };
    ($board:expr, $party:expr, $session:ident => $body:expr) => {
        with_session!(of $board.open_as($party)?, $session => $body)
    };
    (of $opened:expr, $session:ident => $body:expr) => {{
        let board = $opened;
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
    /// The board: a directory on this machine, or the address of its keeper: `https://HOST:PORT`, or
    /// `http://` on this machine.
    #[arg(long, value_name = "BOARD", env = "SUBROSA_BOARD", hide_env_values = true)]
    pub board: String,
    /// The key of the board's log, `NAME+ID+BASE64`; a log with any other key is refused. Required with an
    /// address.
    #[arg(long, value_name = "KEY", env = "SUBROSA_BOARD_KEY", hide_env_values = true)]
    pub board_key: Option<VerifierKey>,
    /// The keeper's TLS certificate, or that of the authority that signed it, as a PEM file.
    #[arg(long, value_name = "PEM")]
    pub tls_trust: Option<PathBuf>,
    /// The board's identifier (64 hexadecimal digits), as `subrosa election status` prints it; any other
    /// board is refused.
    #[arg(long = "expect-board", alias = "expect", value_name = "DIGEST")]
    pub expect: Option<Digest>,
    /// A witness of the board's log: its key, or its address and its key, `https://HOST=KEY`. May be given
    /// several times. Only what the witnesses cosigned is used.
    #[arg(long = "witness", value_name = "[URL=]KEY")]
    pub witnesses: Vec<WitnessArg>,
    /// How many of the witnesses must have cosigned [default: all of them].
    #[arg(long, value_name = "N", requires = "witnesses")]
    pub quorum: Option<usize>,
}

/// A witness: its key, and where it is asked.
#[derive(Clone, Debug)]
pub struct WitnessArg {
    key: VerifierKey,
    url: Option<String>,
}

impl FromStr for WitnessArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (url, key) = match text.split_once('=').filter(|(url, _)| url.contains("://")) {
            Some((url, key)) => (Some(url.to_owned()), key),
            None => (None, text),
        };
        let key = key.parse().map_err(|error| format!("the witness's key: {error}"))?;
        Ok(Self { key, url })
    }
}

impl BoardArgs {
    /// The board in a directory.
    pub fn in_directory(directory: &Path) -> Self {
        let board = directory.display().to_string();
        let (board_key, tls_trust, expect) = (None, None, None);
        Self { board, board_key, tls_trust, expect, witnesses: Vec::new(), quorum: None }
    }

    /// Opens the board to read it, every entry verified.
    pub fn open(&self) -> Result<Box<dyn Bulletin>, Failure> {
        self.open_with(Desk::of_a_reader())
    }

    /// Opens the board for a party that speaks.
    pub fn open_as(&self, party: &KeyArgs) -> Result<Box<dyn Bulletin>, Failure> {
        self.open_with(party.desk())
    }

    /// What time it is for a party on this board: that of the system, and of a rehearsal in a directory its keeper's.
    pub fn clock(&self) -> Clock {
        if self.is_address() {
            return Clock::default();
        }
        let directory = self.directory().to_owned();
        // The system's clock is never ahead of the keeper's: by it, nothing is over too early.
        Clock::new(move || keeper_clock(&directory).unwrap_or_else(|_| system_clock() / 1000))
    }

    /// Opens the board for a party that speaks; nothing, if nobody began one there.
    pub fn find(&self, party: &KeyArgs) -> Result<Option<Box<dyn Bulletin>>, Failure> {
        if !self.is_address() && !self.directory().is_dir() {
            return Ok(None);
        }
        match self.read(party.desk())? {
            Err(BoardError::Empty) => Ok(None),
            board => Ok(Some(board.map_err(SessionError::from)?)),
        }
    }

    /// Begins a board; goes on with one that this party began so.
    pub fn begin<P: Begin>(
        &self,
        party: &KeyArgs,
        operator: &Identity,
        genesis: &P::Message,
    ) -> Result<Replay<P>, Failure> {
        if !self.is_address() {
            self.make()?;
        }
        let (kind, payload) = P::entry_of(genesis);
        let board = LogBoard::create(self.log()?, party.desk(), operator, &kind, &payload)?;
        Ok(Replay::over(Box::new(board))?)
    }

    fn open_with(&self, desk: Desk) -> Result<Box<dyn Bulletin>, Failure> {
        if !self.is_address() && !self.directory().is_dir() {
            return Err(Failure::file(self.directory(), "no such directory")
                .hint("give the directory or the address of a board"));
        }
        Ok(self.read(desk)?.map_err(SessionError::from)?)
    }

    /// Reads and verifies the board: on a log, or a chain, as boards were before.
    fn read(&self, desk: Desk) -> Result<Result<Box<dyn Bulletin>, BoardError>, Failure> {
        if !self.is_address() && !DirectoryLog::exists(self.directory()) {
            let store = DirectoryStore::open(self.directory());
            let store = store.map_err(|error| Failure::file(self.directory(), error))?;
            let board = match self.expect {
                Some(id) => Board::open_expecting(store, id),
                None => Board::open(store),
            };
            return Ok(board.map(|board| Box::new(board) as _));
        }
        let board = LogBoard::open(self.log()?, desk, self.expect);
        Ok(board.map(|board| Box::new(board) as _))
    }

    fn log(&self) -> Result<Box<dyn LogAccess>, Failure> {
        if self.is_address() {
            let is_http =
                ["https://", "http://"].iter().any(|scheme| self.board.starts_with(scheme));
            if !is_http {
                return Err(Failure::input(format!(
                    "{}: the address of a board begins with https:// (or http:// on this machine)",
                    self.board
                ))
                .hint("`subrosa log serve` keeps a board and prints its address"));
            }
            if self.board_key.is_none() {
                return Err(Failure::input("an address needs the key of the board's log")
                    .hint("give the key that `subrosa log init` printed: --board-key KEY"));
            }
        }
        let log = open_log(&self.board, self.board_key.as_ref(), self.tls_trust.as_deref())?;
        if self.witnesses.is_empty() {
            return Ok(log);
        }
        let witnesses = self.witnesses.iter().map(|witness| self.reach_witness(witness));
        let witnesses = witnesses.collect::<Result<Vec<_>, _>>()?;
        let threshold = self.quorum.unwrap_or(witnesses.len());
        let log = WitnessedLog::new(log, witnesses, threshold);
        Ok(Box::new(log.map_err(|error| Failure::input(format!("`--witness`: {error}")))?))
    }

    fn reach_witness(&self, WitnessArg { key, url }: &WitnessArg) -> Result<Witness, Failure> {
        let roots = trusted_roots(self.tls_trust.as_deref())?;
        let remote = url.as_ref().map(|url| RemoteWitness::new(url, &roots)).transpose();
        let remote = remote.map_err(|error| Failure::input(format!("`--witness`: {error}")))?;
        Ok(Witness { key: key.clone(), remote })
    }

    /// Makes a log for a new board in a directory, with a keeper's key of its own.
    fn make(&self) -> Result<(), Failure> {
        let directory = self.directory();
        if DirectoryLog::exists(directory) {
            return Ok(());
        }
        if directory.join("00000000.entry").exists() {
            return Err(AppendError::Taken.into());
        }
        let keeper = PartyKey::generate(&mut UnwrapErr(SysRng));
        let origin = origin_of(&keeper.identity().id()).map_err(Failure::input)?;
        match DirectoryLog::create_with(directory, &origin, &keeper) {
            // Another process was first.
            Err(StoreError::File { kind: io::ErrorKind::AlreadyExists, .. }) => Ok(()),
            made => Ok(made?),
        }
    }

    fn directory(&self) -> &Path {
        Path::new(&self.board)
    }

    fn is_address(&self) -> bool {
        self.board.contains("://")
    }
}
