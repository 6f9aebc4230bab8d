//! The election that a voter speaks of: on a board, or in a bundle.

use std::{path::PathBuf, sync::Arc};

use ::log::note::VerifierKey;
use board::{Bulletin, Entry};
use claim::{Bundle, Registry};
use study::{
    description::Shuffle,
    election::{Booth, Election, ElectionVerifier, Replays, Scheme, Session, shuffle_on},
    inquiry::InquiryVerifier,
};
use wire::Digest;

use crate::{
    connect::{BoardArgs, WitnessArg},
    failure::Failure,
    progress::Bars,
};

/// Where the election is.
#[derive(clap::Args, Clone, Debug)]
pub struct GroundArgs {
    /// The board: a directory on this machine, or the address of its keeper: `https://HOST:PORT`, or
    /// `http://` on this machine.
    #[arg(long, value_name = "BOARD", env = "SUBROSA_BOARD", hide_env_values = true)]
    board: Option<String>,
    /// The key of the board's log, `NAME+ID+BASE64`; a log with any other key is refused. Required with an
    /// address.
    #[arg(long, value_name = "KEY", env = "SUBROSA_BOARD_KEY", hide_env_values = true)]
    board_key: Option<VerifierKey>,
    /// The keeper's TLS certificate, or that of the authority that signed it, as a PEM file.
    #[arg(long, value_name = "PEM")]
    tls_trust: Option<PathBuf>,
    /// The board's identifier (64 hexadecimal digits), as it was announced; any other board is refused.
    #[arg(long = "expect-board", value_name = "DIGEST")]
    expect: Option<Digest>,
    /// A witness of the board's log: its key, or its address and its key, `https://HOST=KEY`. May be given
    /// several times. Only what the witnesses cosigned is used.
    #[arg(long = "witness", value_name = "[URL=]KEY")]
    witnesses: Vec<WitnessArg>,
    /// How many of the witnesses must have cosigned [default: all of them].
    #[arg(long, value_name = "N", requires = "witnesses")]
    quorum: Option<usize>,
    /// The bundle of a finished election, instead of its board.
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
}

/// An election that was found, whatever its shuffle.
pub enum Found {
    Board(Box<dyn Bulletin>),
    Bundle(Replays, Shuffle),
}

/// An election whose every entry was verified.
pub enum Ground<S: Scheme> {
    Board(Box<Session<S>>),
    Bundle(Arc<Election<S>>, Vec<Entry>),
}

/// Finds the election and evaluates an expression with it, under its shuffle.
macro_rules! with_ground {
    ($args:expr, $ground:ident => $body:expr) => {{
        let found = $args.find()?;
        study::with_scheme!(found.shuffle()?, S => {
            let $ground = found.verified::<S>()?;
            $body
        })
    }};
}
pub(super) use with_ground;

impl GroundArgs {
    /// Opens the board, or verifies the bundle.
    pub fn find(&self) -> Result<Found, Failure> {
        let Some(root) = &self.bundle else { return Ok(Found::Board(self.board()?.open()?)) };
        let replays = Replays::default();
        let registry = Registry::new()
            .with(ElectionVerifier::sharing(&replays))
            .with(InquiryVerifier::sharing(&replays));
        let bundle = Bundle::open(root).map_err(|error| Failure::file(root, error))?;
        let verified = claim::verify(&bundle, &registry, &Bars::new());
        verified.map_err(|error| match error.is_false() {
            true => Failure::refused(error),
            false => Failure::unestablished(error),
        })?;
        let name = replays.board_name();
        if let (Some(expected), true) = (self.expect, self.expect != name) {
            return Err(Failure::refused(format!("the bundle is not about the board {expected}")));
        }
        let shuffle = replays.shuffle();
        let shuffle =
            shuffle.ok_or_else(|| Failure::file(root, "the bundle is not about an election"))?;
        Ok(Found::Bundle(replays, shuffle))
    }

    /// The board.
    pub fn board(&self) -> Result<BoardArgs, Failure> {
        let missing = || {
            Failure::input("there is no board and no bundle to look at")
                .hint("give the election's board with --board, or its bundle with --bundle")
        };
        let board = self.board.clone().ok_or_else(missing)?;
        let Self { board_key, tls_trust, expect, witnesses, quorum, .. } = self.clone();
        Ok(BoardArgs { board, board_key, tls_trust, expect, witnesses, quorum })
    }
}

impl Found {
    /// How the election is mixed.
    pub fn shuffle(&self) -> Result<Shuffle, Failure> {
        match self {
            Self::Board(board) => Ok(shuffle_on(&**board)?),
            Self::Bundle(_, shuffle) => Ok(*shuffle),
        }
    }

    /// The election, every entry verified.
    pub fn verified<S: Scheme>(self) -> Result<Ground<S>, Failure> {
        match self {
            Self::Board(board) => Ok(Ground::Board(Box::new(Session::over(board)?))),
            Self::Bundle(replays, _) => {
                let (election, entries) = replays
                    .verified()
                    .ok_or_else(|| Failure::input("the bundle is not about an election"))?;
                Ok(Ground::Bundle(election, entries))
            }
        }
    }
}

impl<S: Scheme> Ground<S> {
    /// The election.
    pub fn election(&self) -> &Election<S> {
        match self {
            Self::Board(session) => session.election(),
            Self::Bundle(election, _) => election,
        }
    }

    /// What was said.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Board(session) => session.entries(),
            Self::Bundle(_, entries) => entries,
        }
    }

    /// What ballots are sealed with.
    pub fn booth(&self) -> Result<&Booth<S>, Failure> {
        self.election().booth().ok_or_else(|| {
            Failure::input("the polls are not open yet")
                .hint("`subrosa election status` shows what the election waits for")
        })
    }
}
