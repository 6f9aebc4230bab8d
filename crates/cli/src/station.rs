//! `subrosa station serve`: takes sealed ballots from voters' devices and posts them.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ::services::{
    config::TlsFiles,
    stations::{Counter, NotTaken, StationOptions, serve},
};
use board::Identity;
use clap::Subcommand;
use client::stations::About;
use serde_json::json;
use study::{
    description::Schedule,
    election::{
        Booth, Clock, Phase, Role, Scheme, Session, SignedBallot, Voter, post_ballots,
        voter::{Receipt, Submission},
    },
    replay::SessionError,
};
use wire::{Decode as _, Digest, Encode as _};

use crate::{
    arguments::duration,
    connect::{BoardArgs, with_session},
    election::party::PartyArgs,
    failure::Failure,
    output::{self, Output},
};

/// Between two looks at what came in.
const PAUSE: Duration = Duration::from_millis(200);
/// Before another attempt, when the board does not answer.
const OUTAGE: Duration = Duration::from_secs(2);
/// Ballots in one entry.
const BATCH: usize = 500;
/// Between two entries that are not full, while ballots come in: each costs every reader of the board a round of its own, and a
/// keeper takes about one in a second.
const BETWEEN: Duration = Duration::from_secs(1);
/// Seconds before the polls close from which on nothing is promised that might come too late.
const LAST_CALL: u64 = 5;
/// Revisions of one voter that a station takes: nobody fills the board alone.
const MAX_REVISIONS: usize = 32;
/// More than any ballot has.
const BALLOT_LIMIT: u64 = 1 << 16;

/// What a station does.
#[derive(Subcommand)]
pub enum Command {
    /// Take sealed ballots from voters' devices over HTTP, promise to post each one, and post them in
    /// batches. A station has no voter's key and sees no vote.
    ///
    /// If the command is interrupted, start it again: it posts what it promised.
    Serve(ServeArgs),
}

/// Options of `serve`.
#[derive(clap::Args)]
pub struct ServeArgs {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    /// The address and port to listen on; without a certificate, a loopback address.
    #[arg(long, value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The TLS certificate chain as a PEM file, with the station's own certificate first.
    #[arg(long, value_name = "PEM", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The private key of the certificate, as a PEM file.
    #[arg(long, value_name = "PEM", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// The folder in which ballots wait until they are on the board. Never delete it while ballots wait.
    #[arg(long, value_name = "DIR")]
    queue: PathBuf,
    /// How soon the station promises to have a ballot on the board.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    promise: Duration,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    let Command::Serve(args) = command;
    let station = Arc::new(args.party.join()?);
    with_session!(args.board, &args.party.key, session => work(&args, &station, session, output))
}

fn work<S: Scheme>(
    args: &ServeArgs,
    station: &Arc<Identity>,
    mut session: Session<S>,
    output: &Output,
) -> Result<(), Failure> {
    let party = session.election().setup().parties.party(&station.id());
    if party.is_none_or(|party| party.role != Role::Station) {
        let key = station.id();
        return Err(Failure::input(format!(
            "the key {key} is not that of a station of this election"
        )));
    }
    while session.election().booth().is_none() {
        session.wait()?;
    }
    let queue = Queue::open(&args.queue)?;
    let times = (args.promise, args.board.clock());
    let desk = Arc::new(Desk::of(&session, Arc::clone(station), queue, times)?);
    desk.take_up()?;
    let tls = args.tls_certificate.clone().zip(args.tls_key.clone());
    let tls = tls.map(|(certificate, key)| TlsFiles { certificate, key });
    let scheme = if tls.is_some() { "https" } else { "http" };
    let (options, counter) = (StationOptions { listen: args.listen, tls }, Arc::clone(&desk));
    let (told, serving) = (*output, Arc::clone(&desk));
    let server = thread::spawn(move || {
        let served = serve(&options, counter, |address| {
            let url = format!("{scheme}://{address}");
            told.result(&json!({ "listening": url }), || vec![format!("listening at {url}")]);
        });
        serving.stopped.store(true, Ordering::SeqCst);
        served
    });
    let mut posted = Instant::now();
    let mut seen = 0;
    while !desk.stopped.load(Ordering::SeqCst) {
        if session.election().phase() != Phase::Casting {
            desk.closed.store(true, Ordering::SeqCst);
        }
        // Whoever hands in the last of many ballots waits for no others.
        let waiting = desk.lock().waiting.len();
        let comes = std::mem::replace(&mut seen, waiting) != waiting;
        let is_due = waiting > 0 && (!comes || waiting >= BATCH || posted.elapsed() >= BETWEEN);
        let done = match is_due {
            true => desk.post(&mut session, station, output),
            false => Ok(()),
        };
        if is_due {
            posted = Instant::now();
        }
        match done.and_then(|()| session.sync()) {
            Err(error) if error.is_outage() => {
                output.warn(&format!("{error}; ballots wait until the board answers"));
                thread::sleep(OUTAGE);
            }
            done => done?,
        }
        thread::sleep(PAUSE);
    }
    desk.post(&mut session, station, output)?;
    let served = server
        .join()
        .map_err(|_| Failure::environment("the server of the station stopped unexpectedly"))?;
    served?;
    output.done("station", "stopped");
    Ok(())
}

/// Ballots on the disk, by their trackers.
struct Queue {
    directory: PathBuf,
}

impl Queue {
    fn open(directory: &Path) -> Result<Self, Failure> {
        let made = fs::create_dir_all(directory);
        made.map_err(|error| Failure::file(directory, error))?;
        Ok(Self { directory: directory.to_owned() })
    }

    fn path(&self, tracker: &Digest) -> PathBuf {
        self.directory.join(format!("{tracker}.ballot"))
    }

    fn store(&self, tracker: &Digest, bytes: &[u8]) -> std::io::Result<()> {
        wire::write_atomic(&self.path(tracker), bytes)
    }

    fn remove(&self, tracker: &Digest) {
        // What is left behind is found on the board at the next start.
        let _ = fs::remove_file(self.path(tracker));
    }

    fn all(&self) -> Result<Vec<PathBuf>, Failure> {
        let failed = |error| Failure::file(&self.directory, error);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            found.extend(path.extension().is_some_and(|end| end == "ballot").then_some(path));
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// Verifies ballots, and promises.
struct Desk<S: Scheme> {
    booth: Booth<S>,
    roll: Vec<Voter>,
    identity: Arc<Identity>,
    promise: Duration,
    clock: Clock,
    schedule: Schedule,
    queue: Queue,
    taken: Mutex<Taken<S>>,
    /// The polls are not open any more.
    closed: AtomicBool,
    /// Nobody is served any more.
    stopped: AtomicBool,
}

/// What came in since the station was started.
struct Taken<S: Scheme> {
    waiting: BTreeMap<Digest, SignedBallot<S>>,
    receipts: HashMap<Digest, Receipt>,
    revisions: HashMap<u32, usize>,
}

impl<S: Scheme> Desk<S> {
    fn of(
        session: &Session<S>,
        identity: Arc<Identity>,
        queue: Queue,
        (promise, clock): (Duration, Clock),
    ) -> Result<Self, Failure> {
        let election = session.election();
        let booth = election.booth().cloned();
        let (booth, schedule) =
            booth.zip(election.setup().description.schedule).ok_or_else(|| {
                Failure::input("in this election, voters do not seal their ballots themselves")
                    .hint(
                        "in an election without times, use `subrosa election cast` instead of a \
                         station",
                    )
            })?;
        let taken =
            Taken { waiting: BTreeMap::new(), receipts: HashMap::new(), revisions: HashMap::new() };
        Ok(Self {
            booth,
            roll: election.roll().to_vec(),
            identity,
            promise,
            clock,
            schedule,
            queue,
            taken: Mutex::new(taken),
            closed: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        })
    }

    /// Nothing under the lock can panic half-way.
    fn lock(&self) -> MutexGuard<'_, Taken<S>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up what waited when the station ended.
    fn take_up(&self) -> Result<(), Failure> {
        for path in self.queue.all()? {
            let failed = |error: &dyn std::fmt::Display| Failure::file(&path, error.to_string());
            let bytes = wire::read_bounded(&path, BALLOT_LIMIT).map_err(|error| failed(&error))?;
            let submission = Submission::<S>::from_bytes(&bytes).map_err(|error| failed(&error))?;
            submission.verify(&self.booth, &self.roll).map_err(|error| failed(&error))?;
            let tracker = submission.tracker(&self.booth);
            self.lock().waiting.insert(tracker, submission.ballot);
        }
        Ok(())
    }

    /// Forgets what is on the board, whoever posted it.
    fn forget(&self, session: &Session<S>) {
        let is_there = |tracker: &Digest, one: &mut SignedBallot<S>| {
            session.election().has_ballot(one.voter, tracker)
        };
        let there: Vec<_> = self.lock().waiting.extract_if(.., is_there).collect();
        there.iter().for_each(|(tracker, _)| self.queue.remove(tracker));
    }

    /// Posts what waits, and forgets what is there.
    fn post(
        &self,
        session: &mut Session<S>,
        station: &Identity,
        output: &Output,
    ) -> Result<(), SessionError> {
        self.forget(session);
        let missing: Vec<_> = self.lock().waiting.values().cloned().collect();
        for batch in missing.chunks(BATCH) {
            if session.election().phase() != Phase::Casting {
                let (count, queue) = (missing.len(), self.queue.directory.display());
                output.warn(&match count {
                    1 => format!(
                        "the polls are closed, but 1 ballot is not on the board: it is in {queue}"
                    ),
                    _ => format!(
                        "the polls are closed, but {count} ballots are not on the board: they are \
                         in {queue}"
                    ),
                });
                self.stopped.store(true, Ordering::SeqCst);
                return Ok(());
            }
            post_ballots(session, station, batch)?;
            output.done("posted", &output::counted(batch.len() as u64, "ballot", "ballots"));
        }
        self.forget(session);
        Ok(())
    }

    fn admit(&self, submission: Submission<S>, bytes: &[u8]) -> Result<Receipt, NotTaken> {
        let tracker = submission.tracker(&self.booth);
        let voter = submission.ballot.voter;
        if let Some(receipt) = self.lock().receipts.get(&tracker) {
            return Ok(*receipt);
        }
        let now = self.clock.seconds();
        let due = now.saturating_add(self.promise.as_secs());
        if now < self.schedule.opens {
            let opens = Schedule::in_words(self.schedule.opens);
            return Err(NotTaken::Closed(format!("the polls open at {opens}")));
        }
        if now >= self.schedule.closes || self.closed.load(Ordering::SeqCst) {
            return Err(NotTaken::Closed("the polls are closed".to_owned()));
        }
        if now.saturating_add(LAST_CALL) >= self.schedule.closes {
            let reason = "the polls close in a moment, so this station can no longer promise to \
                          post the ballot";
            return Err(NotTaken::Closed(reason.to_owned()));
        }
        if self.lock().revisions.get(&voter).is_some_and(|count| *count >= MAX_REVISIONS) {
            let reason = format!("this station takes at most {MAX_REVISIONS} ballots of a voter");
            return Err(NotTaken::Refused(reason));
        }
        // On the disk before it is promised.
        let stored = self.queue.store(&tracker, bytes);
        stored.map_err(|error| NotTaken::Failed(error.to_string()))?;
        let election = self.booth.election;
        let receipt =
            Receipt::sign(&self.identity, election, tracker, due.min(self.schedule.closes));
        let mut taken = self.lock();
        *taken.revisions.entry(voter).or_default() += 1;
        taken.waiting.insert(tracker, submission.ballot);
        Ok(*taken.receipts.entry(tracker).or_insert(receipt))
    }
}

impl<S: Scheme> Counter for Desk<S> {
    fn about(&self) -> About {
        About {
            key: self.identity.id().to_string(),
            election: self.booth.election.to_string(),
            promise_seconds: self.promise.as_secs(),
        }
    }

    fn take(&self, bytes: &[u8]) -> Result<Vec<u8>, NotTaken> {
        let submission = Submission::<S>::from_bytes(bytes)
            .map_err(|error| NotTaken::Malformed(error.to_string()))?;
        let verified = submission.verify(&self.booth, &self.roll);
        verified.map_err(|error| NotTaken::Refused(error.to_string()))?;
        Ok(self.admit(submission, bytes)?.to_bytes())
    }
}
