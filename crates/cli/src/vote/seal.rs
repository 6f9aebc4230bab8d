//! `subrosa vote seal`.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use study::election::{Scheme, Seat, Session, voter::SealedBallot};
use wire::Digest;

use super::{
    files::BallotFiles,
    said::{VoteArgs, VoterArgs, find},
};
use crate::{
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::Output,
};

/// Options of `seal`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    vote: VoteArgs,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    voter: VoterArgs,
    /// The file to create. The secret that opens the ballot is written next to it, with `.opening` added to
    /// the name.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// The number of this ballot among yours: the ballot with the greatest number counts [default: one more
    /// than the greatest on the board, or sealed with this key file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    revision: Option<u32>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    with_session!(args.board, session => seal(args, &session, output))
}

fn seal<S: Scheme>(args: &Args, session: &Session<S>, output: &Output) -> Result<(), Failure> {
    let election = session.election();
    let booth = election.booth().ok_or_else(|| {
        Failure::input("the polls are not open yet")
            .hint("`subrosa election status` shows what the election waits for")
    })?;
    let vote = args.vote.read(&election.setup().description)?;
    let credential = args.voter.load()?;
    let (voter, named) = find(election.roll(), &credential.id())?;

    let ledger = Ledger::beside(&args.voter.key);
    let on_board = election.revisions_of(voter).last().map_or(0, |revision| revision.number);
    let used = ledger.greatest(&booth.context())?.max(on_board);
    let next = used.checked_add(1).ok_or_else(|| {
        Failure::refused("a ballot with the greatest possible revision is on the board already")
            .hint("if you did not seal that ballot, somebody has your key: tell the registrar")
    });
    let revision = args.revision.map_or(next, Ok)?;
    // Before there is such a ballot: no revision is used twice.
    ledger.note(&booth.context(), revision)?;

    let seat = Seat { voter, credential: credential.id(), revision };
    let mut rng = UnwrapErr(SysRng);
    let (sealed, opening) =
        SealedBallot::seal(booth, seat, &credential, &vote, &mut rng).map_err(Failure::input)?;
    BallotFiles::of(&args.out).write_sealed(&sealed, &opening)?;
    let (code, tracker) = (sealed.code(booth).to_string(), sealed.tracker(booth).to_string());
    let object = json!({
        "voter": named.name,
        "revision": revision,
        "code": code,
        "tracker": tracker,
        "commitment": HEXLOWER.encode(&sealed.commitment),
        "file": args.out,
    });
    let questions = &election.setup().description.questions;
    output.result(&object, || {
        let mut lines = vec![
            format!("{code}  your ballot {revision}: note this code down now"),
            format!("{tracker}  (note down all of it, if you can)"),
        ];
        lines.extend(vote.in_words(questions));
        lines.push(
            "then cast this ballot with `subrosa vote submit`, or audit it and seal another"
                .to_owned(),
        );
        lines
    });
    Ok(())
}

/// Which revisions were sealed with a key file: lines of an opening entry and a revision.
struct Ledger {
    path: PathBuf,
}

/// Ballots that one voter seals.
const LIMIT: u64 = 1 << 20;

impl Ledger {
    fn beside(key: &Path) -> Self {
        let mut name = key.as_os_str().to_owned();
        name.push(".revisions");
        Self { path: name.into() }
    }

    fn lines(&self) -> Result<String, Failure> {
        if !self.path.exists() {
            return Ok(String::new());
        }
        let bytes = wire::read_bounded(&self.path, LIMIT);
        let bytes = bytes.map_err(|error| Failure::file(&self.path, error))?;
        String::from_utf8(bytes).map_err(|error| Failure::file(&self.path, error))
    }

    fn greatest(&self, opening: &Digest) -> Result<u32, Failure> {
        let name = opening.to_string();
        let lines = self.lines()?;
        // Of an opening that is not in the file no ballot was sealed.
        let mut greatest = 0;
        for (number, line) in (1..).zip(lines.lines()) {
            let read =
                line.split_once(' ').and_then(|(of, revision)| Some((of, revision.parse().ok()?)));
            // A line that was left out would give its revision to another ballot.
            let (of, revision) = read.ok_or_else(|| {
                Failure::file(&self.path, format!("line {number} is no opening and a revision"))
            })?;
            if of == name {
                greatest = u32::max(greatest, revision);
            }
        }
        Ok(greatest)
    }

    fn note(&self, opening: &Digest, revision: u32) -> Result<(), Failure> {
        let lines = format!("{}{opening} {revision}\n", self.lines()?);
        let written = wire::write_atomic(&self.path, lines.as_bytes());
        written.map_err(|error| Failure::file(&self.path, error))
    }
}
