//! `subrosa election run`: every party a process of its own on this machine.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ::log::{
    PartyKey,
    store::{clock_ahead, keeper_clock, set_clock_ahead, system_clock},
};
use board::Identity;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use study::{
    description::{ElectionDescription, Schedule},
    election::{
        Message, Operator, Parties, Party, Phase, Role, Rules, Scheme, Session, Setup, Until,
        Voter, require_room,
    },
    replay::Event,
    with_scheme,
};
use wire::Progress;

use super::{
    crew::{Worker, dismiss, finish, tend_during},
    folder::{Folder, read_ballots, read_description},
    init::post_setup,
    inquire::Questions,
    operate::Patience,
    page::PageArgs,
    parameters::with_parameters,
    publish::{Durations, Published, Told, publish},
    result::{class_lines, result_lines},
    roll::{Registered, read_registered},
};
use crate::{
    arguments::duration,
    connect::BoardArgs,
    failure::Failure,
    output,
    output::Output,
    party::{KeyArgs, beside, forget_in},
    progress::Bars,
};

const QUERIER: &str = "querier";
/// How long the polls of a rehearsal are open, in seconds on the keeper's clock.
const A_DAY: u64 = 24 * 60 * 60;

/// Options of `run`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder with `election.toml` and `ballots.csv`.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The folder to write to: the parties' secrets, the bundle, the report and everything else [default:
    /// `out/` and the name of the folder].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Use only this many ballots, the first ones.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Mix with the shuffle tFLSZ and these parameters, which `subrosa election parameters` wrote, even if
    /// the description does not name them.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    #[command(flatten)]
    patience: Patience,
    /// How long all questions after the count may take together.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    question_time: Duration,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let start = Instant::now();
    let out = out_of(&args.folder, args.out.as_deref());
    let description = read_description(&args.folder.join("election.toml"))?;
    let (description, parameters) = with_parameters(description, args.parameters.as_deref())?;
    let ballots = args.folder.join("ballots.csv");
    let voters = read_ballots(&ballots, &description, args.limit)?;
    let voters = Registered::all_of(voters);
    let questions = Questions::of(&args.folder, &description, &voters, output)?;
    let folder = Folder::create(&out)?;
    args.page.place(folder.root())?;
    output.done("ballots", &format!("{} from {}", voters.len(), ballots.display()));

    with_scheme!(description.shuffle, S => {
        let patience = args.patience.into();
        let roll = register(&folder, &ballots, args.limit, &description)?;
        let mut run =
            Run::<S>::prepare(folder, &description, (parameters, roll), patience, output)?;
        let workers = run.play(&ballots, args.limit, questions.as_ref())?;
        let answers =
            questions.map(|questions| run.inquire(&questions, workers, args.question_time));
        let answers = answers.transpose()?;
        let published =
            publish(&run.session, run.folder.root(), &run.told()?, answers.as_deref())?;
        run.forget()?;
        summarise(&run, &published, start.elapsed(), output)
    })
}

/// Where the run of a folder writes to: what was asked for, or a folder of the same name in `out`.
pub fn out_of(folder: &Path, asked: Option<&Path>) -> PathBuf {
    // Paths such as `..` have no name.
    let name = folder.file_name().unwrap_or("study".as_ref());
    asked.map_or_else(|| Path::new("out").join(name), Path::to_owned)
}

/// A run of an election, seen by its operator.
struct Run<'a, S: Scheme> {
    folder: Folder,
    session: Session<S>,
    operator: Identity,
    patience: Duration,
    durations: Durations,
    output: &'a Output,
}

impl<'a, S: Scheme> Run<'a, S> {
    /// Begins the election, or finds it begun.
    fn prepare(
        folder: Folder,
        description: &ElectionDescription,
        (parameters, roll): (Vec<u8>, Vec<Voter>),
        patience: Duration,
        output: &'a Output,
    ) -> Result<Self, Failure> {
        let operator = identity(&folder, "operator")?;
        let parties = parties(&folder, description, &operator)?;
        let board = BoardArgs::in_directory(&folder.board());
        let party = KeyArgs::beside(folder.key("operator"));
        let found = board.find(&party)?.map(Session::over).transpose()?;
        let begun = found.as_ref().map(|session: &Session<S>| session.election().rules());
        let description = with_times(description, begun, patience)?;
        require_room::<S>(&description, roll.len()).map_err(Failure::input)?;
        let setup = Setup { description, parties };
        let mut session = match found {
            Some(session) if *session.election().setup() == setup => session,
            Some(_) => {
                let root = folder.root().display();
                return Err(Failure::input(format!("{root} holds another election"))
                    .hint("choose another folder with --out, or remove this one"));
            }
            None => board.begin(&party, &operator, &Message::Setup(setup))?,
        };
        post_setup(&mut session, &operator, parameters, roll)?;
        output.done("set-up", &format!("board {}", session.id()));
        Ok(Self { folder, session, operator, patience, durations: Durations::new(), output })
    }

    /// What the report says of the run besides.
    fn told(&self) -> Result<Told<'_>, Failure> {
        let ahead = clock_ahead(&self.folder.board())?;
        Ok(Told { durations: &self.durations, ahead })
    }

    /// Runs every party's process until the outcome is on the board. If there are questions, the
    /// trustees and mixers go on with them, each with what it verified itself.
    fn play(
        &mut self,
        ballots: &Path,
        limit: Option<usize>,
        questions: Option<&Questions>,
    ) -> Result<Vec<Worker>, Failure> {
        let mut workers = self.hire(questions)?;
        let worked = self.work(&mut workers, ballots, limit);
        if worked.is_ok() && questions.is_some() {
            return Ok(workers);
        }
        dismiss(workers, Duration::from_secs(if worked.is_ok() { 10 } else { 0 }));
        worked.map(|()| Vec::new())
    }

    /// Starts the trustees and the mixers.
    fn hire(&self, questions: Option<&Questions>) -> Result<Vec<Worker>, Failure> {
        if let Some(questions) = questions {
            questions.write_policy(&self.folder, &identity(&self.folder, QUERIER)?)?;
        }
        let description = &self.session.election().setup().description;
        let roles = [
            ("trustee", ["trustee", "run"], description.trustees),
            ("mixer", ["mix", "join"], description.mixers),
        ];
        let parties = roles.iter().flat_map(|&(role, command, count)| {
            (1..=count).map(move |number| (format!("{role}-{number}"), command))
        });
        let start = |(name, command): (String, _)| {
            let options = questions.map(|questions| questions.options(&self.folder, &name));
            self.start(&name, command, None, options.into_iter().flatten())
        };
        parties.map(start).collect()
    }

    fn start<'b>(
        &self,
        name: &str,
        command: [&str; 2],
        operand: Option<&Path>,
        options: impl IntoIterator<Item = (&'b str, PathBuf)>,
    ) -> Result<Worker, Failure> {
        let mut arguments: Vec<OsString> = command.map(Into::into).to_vec();
        arguments.extend(operand.map(Into::into));
        let own = [("--board", self.folder.board()), ("--key", self.folder.key(name))];
        for (option, path) in own.into_iter().chain(options) {
            arguments.extend([option.into(), path.into()]);
        }
        arguments.extend(["--expect-board".into(), self.session.id().to_string().into()]);
        Worker::start(name, arguments, self.folder.log(name))
    }

    /// Has mixers and trustees answer the questions of a querier, who is a process too: the folder
    /// with the answers. Interrupted and run again, it goes on with what is on the board.
    fn inquire(
        &mut self,
        questions: &Questions,
        mut workers: Vec<Worker>,
        limit: Duration,
    ) -> Result<PathBuf, Failure> {
        let start = Instant::now();
        let asking = [("--out", self.folder.answers())];
        let querier = self.start(QUERIER, ["election", "ask"], Some(questions.file()), asking)?;
        let in_time = || match start.elapsed() > limit {
            false => Ok(()),
            true => Err(Failure::input("the questions were not answered within their time").hint(
                "run the command again to continue with them; --question-time sets a longer time",
            )),
        };
        tend_during(&mut workers, self.output, || querier.finish(self.output, in_time))?;
        dismiss(workers, Duration::from_secs(10));
        self.session.sync()?;
        self.output.done("queries", &format!("{:.1?}", start.elapsed()));
        Ok(self.folder.answers())
    }

    /// The run is over: what its parties drew for it, and still keep, is erased.
    fn forget(&self) -> Result<(), Failure> {
        let description = &self.session.election().setup().description;
        let of = |role: &str, count| -> Vec<_> {
            (1..=count).map(|number| format!("{role}-{number}")).collect()
        };
        let parties = [of("trustee", description.trustees), of("mixer", description.mixers)];
        for name in parties.concat().into_iter().chain([QUERIER.to_owned()]) {
            forget_in(&beside(&self.folder.key(&name)))?;
        }
        Ok(())
    }

    /// Takes the election from the key generation to the outcome.
    fn work(
        &mut self,
        workers: &mut [Worker],
        ballots: &Path,
        limit: Option<usize>,
    ) -> Result<(), Failure> {
        let output = self.output;
        tend_during(workers, output, || {
            self.operate(Until::Open)?;
            if self.session.election().phase() == Phase::Casting {
                let schedule = self.session.election().rules().schedule();
                self.pass_time(schedule.map(|schedule| schedule.opens))?;
                self.cast(ballots, limit)?;
                self.pass_time(schedule.map(|schedule| schedule.closes + 1))?;
            }
            self.operate(Until::Finished)
        })
    }

    /// Sets the keeper's clock forward to a time, unless it is later already: nobody waits for polls in a rehearsal.
    fn pass_time(&self, until: Option<u64>) -> Result<(), Failure> {
        let board = self.folder.board();
        // Without a time nothing is waited for.
        let left = until.unwrap_or(0).saturating_sub(keeper_clock(&board)?);
        if left > 0 {
            set_clock_ahead(&board, clock_ahead(&board)? + left)?;
            let left = humantime::format_duration(Duration::from_secs(left));
            self.output.done(
                "clock",
                &format!("the clock of the board's keeper is set forward by {left}"),
            );
        }
        Ok(())
    }

    /// Does the operator's work, telling when a phase ends.
    fn operate(&mut self, until: Until) -> Result<(), Failure> {
        let election = self.session.election();
        let identity = Identity::from_seed(&self.operator.to_seed());
        let clock = BoardArgs::in_directory(&self.folder.board()).clock();
        let operator = Operator::new(identity, election, until, self.patience)?;
        let mut operator = operator.with_clock(clock);
        let (output, durations) = (self.output, &mut self.durations);
        let bars = Bars::new();
        let mut current: Option<(Phase, Instant)> = None;
        let mut watch = |phase: &Phase| {
            if current.as_ref().is_some_and(|(known, _)| known == phase) {
                return;
            }
            bars.finish();
            if let Some((ended, since)) = current.replace((phase.clone(), Instant::now())) {
                note(&ended, since.elapsed(), durations, output);
            }
            bars.begin(&label(phase), 1);
        };
        let done = self.session.participate(&mut operator, &mut UnwrapErr(SysRng), |event| {
            if let Event::Looks(election) = event {
                watch(&election.phase());
            }
        });
        watch(&self.session.election().phase());
        bars.finish();
        Ok(done?)
    }

    /// Has the station cast all ballots, and waits for it.
    fn cast(&mut self, ballots: &Path, limit: Option<usize>) -> Result<(), Failure> {
        let start = Instant::now();
        let name = "station-1";
        let options =
            [("--credentials", self.folder.credentials()), ("--tracking", self.folder.tracking())];
        let limit = limit.map(|limit| ("--limit", PathBuf::from(limit.to_string())));
        let station = self.start(
            name,
            ["election", "cast"],
            Some(ballots),
            options.into_iter().chain(limit),
        )?;
        let bars = Bars::new();
        bars.begin("casting", self.session.election().roll().len() as u64);
        let (output, session) = (self.output, &mut self.session);
        station.finish(output, || {
            let before = session.election().accepted();
            session.sync()?;
            bars.advance((session.election().accepted() - before) as u64);
            Ok(())
        })?;
        self.session.sync()?;
        bars.finish();
        let accepted = self.session.election().accepted();
        let duration = start.elapsed();
        self.durations.insert(Party { role: Role::Station, number: 1 }, duration);
        let ballots = output::counted(accepted as u64, "ballot", "ballots");
        let detail = format!("{ballots}, {duration:.1?}");
        self.output.done("casting", &detail);
        Ok(())
    }
}

/// The roll, of the public keys that the voters' side made: a process of its own, whose file nobody here opens.
fn register(
    folder: &Folder,
    ballots: &Path,
    limit: Option<usize>,
    description: &ElectionDescription,
) -> Result<Vec<Voter>, Failure> {
    let lines = folder.voters();
    if !lines.exists() {
        let mut arguments: Vec<OsString> = ["vote", "keygen", "--batch"].map(Into::into).into();
        arguments.extend([ballots.into(), "--out".into(), folder.credentials().into()]);
        arguments.extend(["--lines".into(), lines.clone().into()]);
        arguments.extend(
            limit.into_iter().flat_map(|limit| ["--limit".into(), limit.to_string().into()]),
        );
        finish("voters", &arguments, &folder.log("voters"))?;
    }
    read_registered(&lines, &description.classes)
}

/// The description with the times of the board that was begun with it, or with times from now on: the polls are open
/// for a day on the keeper's clock, which is set forward when all have voted.
fn with_times(
    description: &ElectionDescription,
    begun: Option<Rules>,
    patience: Duration,
) -> Result<ElectionDescription, Failure> {
    let now = system_clock() / 1000;
    if let Some(Schedule { closes, .. }) = description.schedule {
        if begun.is_none() && closes <= now {
            let closed = Schedule::in_words(closes);
            return Err(Failure::input(format!(
                "the polls of this election closed at {closed}, in the past"
            ))
            .hint(
                "remove `opens` and `closes` from the description: then `election run` chooses \
                 the times",
            ));
        }
        return Ok(description.clone());
    }
    let chosen = Schedule {
        opens: now,
        closes: now + A_DAY,
        // Nobody waits for 136 years.
        patience: u32::try_from(patience.as_secs()).unwrap_or(u32::MAX).max(1),
        quorum: Schedule::least_quorum(description.trustees, description.mixers),
    };
    match begun.map_or(Some(chosen), Rules::schedule) {
        None => Ok(description.clone()),
        Some(schedule) => description.with_schedule(schedule).map_err(Failure::input),
    }
}

/// A phase as a progress bar names it.
fn label(phase: &Phase) -> String {
    match phase {
        Phase::KeyGeneration(round) => format!("key, round {round}"),
        Phase::Mixing(mixer) => format!("mixer {mixer}"),
        other => other.name().to_owned(),
    }
}

/// Tells that a phase is over, if it is one that takes time.
fn note(phase: &Phase, duration: Duration, durations: &mut Durations, output: &Output) {
    match phase {
        Phase::Mixing(number) => {
            durations.insert(Party { role: Role::Mixer, number: *number }, duration);
        }
        Phase::KeyGeneration(_) | Phase::Decryption => {}
        _ => return,
    }
    output.done(&label(phase), &format!("{duration:.1?}"));
}

/// The key of a party of this run, drawn when it is first asked for.
pub fn identity(folder: &Folder, name: &str) -> Result<Identity, Failure> {
    let path = folder.key(name);
    if !path.exists() {
        let key = PartyKey::generate(&mut UnwrapErr(SysRng));
        key.save(&path).map_err(|error| Failure::file(&path, error))?;
    }
    let key = PartyKey::load(&path).map_err(|error| Failure::file(&path, error))?;
    Ok(key.identity())
}

fn parties(
    folder: &Folder,
    description: &ElectionDescription,
    operator: &Identity,
) -> Result<Parties, Failure> {
    let keys = |role: &str, count: u16| -> Result<Vec<_>, Failure> {
        let key = |number| Ok(identity(folder, &format!("{role}-{number}"))?.id());
        (1..=count).map(key).collect()
    };
    let stations = keys("station", 1)?;
    let (trustees, mixers) =
        (keys("trustee", description.trustees)?, keys("mixer", description.mixers)?);
    Parties::new(operator.id(), &stations, &trustees, &mixers)
        .ok_or_else(|| Failure::input("two parties have the same key"))
}

/// Prints the result and where everything is.
fn summarise<S: Scheme>(
    run: &Run<'_, S>,
    published: &Published,
    duration: Duration,
    output: &Output,
) -> Result<(), Failure> {
    let election = run.session.election();
    let tally = election.tally().ok_or_else(|| Failure::input("the election has no result yet"))?;
    let questions = &election.setup().description.questions;
    let Published { bundle, report, digest, verdicts } = published;
    let checked: u64 = verdicts.iter().flat_map(|v| &v.checks).map(|check| check.count).sum();
    output.done("verified", &output::counted(checked, "check", "checks"));
    let faults: Vec<String> = election.faults().iter().map(ToString::to_string).collect();
    let object = json!({
        "title": election.setup().description.title,
        "board": election.id().to_string(),
        "bundle": bundle,
        "report": report,
        "digest": digest,
        "tally": tally,
        "faults": faults,
        "wall_ms": duration.as_millis() as u64,
    });
    output.result(&object, || {
        let mut lines: Vec<String> =
            faults.iter().map(|fault| format!("refused: {fault}")).collect();
        lines.push(String::new());
        lines.extend(class_lines(tally, &election.setup().description.classes));
        lines.extend(result_lines(tally, questions));
        lines.push(String::new());
        lines.push(format!("report  {}", report.display()));
        lines.push(format!("bundle  {}", bundle.display()));
        lines.push(format!("check   subrosa verify {}", bundle.display()));
        lines.push(format!("took    {duration:.1?}"));
        lines
    });
    Ok(())
}
