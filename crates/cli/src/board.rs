//! `subrosa board`.

use std::path::PathBuf;

use ::board::{AuthorId, Bulletin, Entry};
use clap::Subcommand;
use serde_json::{Value, json};
use study::election::{Parties, Setup};

use crate::{connect::BoardArgs, failure::Failure, keygen, moved::Words, output, output::Output};

/// What can be done with a board itself.
#[derive(Subcommand)]
pub enum Command {
    /// Make a key file; the new name of this command is `subrosa keygen`.
    #[command(hide = true)]
    Keygen {
        /// The key file to create. Only its owner may read it.
        #[arg(short, long, alias = "key", value_name = "FILE")]
        out: PathBuf,
    },
    /// Check the whole board with every signature, and list its entries.
    Show(BoardArgs),
    #[command(hide = true)]
    Serve(Words),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { out } => keygen::make(&out, output),
        Command::Show(args) => show(&args, output),
        Command::Serve(_) => {
            Err(Failure::input("`board serve` is gone: `subrosa log serve` keeps boards now")
                .hint("make the board's log with `subrosa log init DIR --origin NAME`"))
        }
    }
}

fn show(args: &BoardArgs, output: &Output) -> Result<(), Failure> {
    let board = args.open()?;
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
    let head = board.entries().last().map(|entry| entry.digest().to_string());
    let log = head_of_log(&*board);
    let object = json!({
        "board": board.id().to_string(), "head": head, "log": log, "entries": rows
    });
    output.result(&object, || {
        let line = |entry: &Entry| {
            let size = output::bytes(entry.payload().len() as u64);
            let author = name(&entry.author());
            format!("{:>6}  {:20} {author:14} {size:>12}", entry.sequence(), entry.kind())
        };
        let mut lines: Vec<_> = board.entries().iter().map(line).collect();
        lines.push(format!("board {}", board.id()));
        lines.extend(head.iter().map(|head| format!("head  {head}")));
        let key = log.get("key").and_then(Value::as_str);
        lines.extend(key.map(|key| format!("log   {key}")));
        lines
    });
    Ok(())
}

/// Of a board on a log, which one it is, and the checkpoint that its keeper signed.
fn head_of_log(board: &dyn Bulletin) -> Value {
    let last = board.entries().last().map_or(0, Entry::sequence);
    board.record(last).map_or(Value::Null, |record| {
        let checkpoint = record.checkpoint.checkpoint();
        json!({
            "key": record.key.to_string(),
            "size": checkpoint.size,
            "root": checkpoint.root.to_string(),
        })
    })
}

fn parties_of(genesis: Option<&Entry>) -> Option<Parties> {
    // On a board of something else authors are shown by their keys.
    Setup::from_genesis(genesis?).ok().map(|setup| setup.parties)
}
