//! `subrosa board`.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use ::board::{AuthorId, Board, BoardError, DirectoryStore, Entry, Store, serve};
use clap::Subcommand;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use study::{
    admission::Admission,
    election::{Parties, PartySecret, Setup},
};
use wire::{Address, Decode as _, Listener, TlsServer};

use crate::{connect::BoardArgs, failure::Failure, output, output::Output};

/// What can be done with a board itself.
#[derive(Subcommand)]
pub enum Command {
    /// Make a key file for a party of any role and print the public key.
    Keygen {
        /// The key file to create. Only its owner may read it.
        #[arg(short, long, alias = "key", value_name = "FILE")]
        out: PathBuf,
    },
    /// Check the chain and every signature, and list the entries.
    Show(BoardArgs),
    /// Serve a board's directory to other hosts.
    Serve(ServeArgs),
}

/// Options of `serve`.
#[derive(clap::Args)]
pub struct ServeArgs {
    /// The directory that keeps the board.
    #[arg(long, value_name = "DIR")]
    board: PathBuf,
    /// Where to listen: `tls://HOST:PORT`, `tcp://HOST:PORT` or `unix:///PATH`.
    #[arg(long, value_name = "ADDRESS")]
    listen: Address,
    /// The certificate chain, as a PEM file; for `tls://`.
    #[arg(long, value_name = "PEM", requires = "tls_key")]
    tls_chain: Option<PathBuf>,
    /// The certificate's key, as a PEM file; for `tls://`.
    #[arg(long, value_name = "PEM", requires = "tls_chain")]
    tls_key: Option<PathBuf>,
    /// The public key of the operator, who alone may begin a board here.
    #[arg(long, value_name = "KEY")]
    operator: AuthorId,
    /// The public key of somebody who may ask questions: about a traceable mix, or about an election after
    /// its outcome. What is answered is for the parties' policies. May be repeated.
    #[arg(long = "querier", value_name = "KEY", value_delimiter = ',')]
    queriers: Vec<AuthorId>,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { out } => keygen(&out, output),
        Command::Show(args) => show(&args, output),
        Command::Serve(args) => serve_directory(&args, output),
    }
}

/// Makes a party's key file.
pub fn keygen(path: &Path, output: &Output) -> Result<(), Failure> {
    let secret = PartySecret::generate(&mut UnwrapErr(SysRng));
    secret.save(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::file(path, "there is a file already")
            .hint("a key is never overwritten: name another file"),
        _ => Failure::file(path, error),
    })?;
    let public = secret.identity().id().to_string();
    output.result(&json!({ "public_key": public }), || vec![public.clone()]);
    Ok(())
}

fn show(args: &BoardArgs, output: &Output) -> Result<(), Failure> {
    let store = args.store()?;
    let opened = match args.expect {
        Some(id) => Board::open_expecting(store, id),
        None => Board::open(store),
    };
    let board = opened.map_err(|error| match error {
        BoardError::Empty => Failure::input(error).hint("nobody has begun it yet"),
        other => Failure::refused(other),
    })?;
    let parties = parties_of(board.entries().first());
    let name = |author: &AuthorId| {
        let party = parties.as_ref().and_then(|parties| parties.party(author));
        party.map_or_else(|| author.to_string(), |party| party.to_string())
    };
    let rows: Vec<_> = board
        .entries()
        .iter()
        .map(|entry| {
            json!({
                "sequence": entry.sequence(),
                "kind": entry.kind(),
                "author": name(&entry.author()),
                "bytes": entry.payload().len(),
                "digest": entry.digest().to_string(),
            })
        })
        .collect();
    let object = json!({
        "board": board.id().to_string(), "head": board.head().to_string(), "entries": rows
    });
    output.result(&object, || {
        let line = |entry: &Entry| {
            let size = output::bytes(entry.payload().len() as u64);
            let author = name(&entry.author());
            format!("{:>6}  {:20} {author:14} {size:>12}", entry.sequence(), entry.kind())
        };
        let mut lines: Vec<_> = board.entries().iter().map(line).collect();
        lines.push(format!("board {}", board.id()));
        lines.push(format!("head  {}", board.head()));
        lines
    });
    Ok(())
}

fn parties_of(genesis: Option<&Entry>) -> Option<Parties> {
    Setup::from_genesis(genesis?).ok().map(|setup| setup.parties)
}

fn serve_directory(args: &ServeArgs, output: &Output) -> Result<(), Failure> {
    let store = DirectoryStore::open(&args.board).map_err(Failure::input)?;
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| Failure::file(path, error));
    let tls = match (&args.tls_chain, &args.tls_key) {
        (Some(chain), Some(key)) => {
            Some(TlsServer::from_pem(&read(chain)?, &read(key)?).map_err(Failure::input)?)
        }
        _ => None,
    };
    let listener = Listener::bind(&args.listen, tls.as_ref()).map_err(Failure::input)?;
    let door = Mutex::new(Door { admission: None, counted: 0 });
    let address = listener.address().to_string();
    output.result(&json!({ "listening": address }), || vec![format!("listening at {address}")]);
    let policy = |entry: &Entry| {
        let mut door = door.lock().map_err(|_| "the server is shutting down")?;
        door.admit(entry, &store, args)
    };
    serve(&listener, &store, policy).map_err(Failure::input)
}

/// Who may write on the board that is served.
struct Door {
    admission: Option<Admission>,
    /// Entries that were counted.
    counted: u64,
}

impl Door {
    /// The operator begins a board; after that those write whom its first entry names, and the queriers.
    fn admit(
        &mut self,
        entry: &Entry,
        store: &DirectoryStore,
        args: &ServeArgs,
    ) -> Result<(), String> {
        if entry.sequence() == 0 {
            if entry.author() != args.operator {
                return Err("only the operator begins a board here".to_owned());
            }
            return Admission::of(entry, &args.queriers).map(drop);
        }
        self.catch_up(entry.sequence(), store, &args.queriers)?;
        let admission = self.admission.as_ref().ok_or("there is no board here yet")?;
        admission.admit(&entry.author(), entry.kind(), entry.payload().len())
    }

    /// Counts what is on the board, whoever wrote it there: the server has verified it.
    fn catch_up(
        &mut self,
        len: u64,
        store: &DirectoryStore,
        queriers: &[AuthorId],
    ) -> Result<(), String> {
        while self.counted < len {
            let bytes = store.read(self.counted).map_err(|error| error.to_string())?;
            let bytes = bytes.ok_or_else(|| format!("entry {} is missing", self.counted))?;
            let entry = Entry::from_bytes(&bytes).map_err(|error| error.to_string())?;
            match &mut self.admission {
                Some(admission) => admission.count(&entry.author(), entry.kind()),
                none => *none = Some(Admission::of(&entry, queriers)?),
            }
            self.counted += 1;
        }
        Ok(())
    }
}
