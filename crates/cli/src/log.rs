//! `subrosa log`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use ::log::{
    AccessError, DirectoryLog, Evidence, FollowError, Follower, Header, LogAccess, MAX_EVIDENCE,
    MAX_PAYLOAD, Origin, PartyKey, Promise, Quorum, Standing,
    note::VerifierKey,
    store::{StoreError, system_clock},
};
use ::services::{
    http::ServeError,
    logs::{self, ADMISSION_SAMPLE, KeeperConfig, WitnessLogsConfig},
};
use clap::Subcommand;
use client::{ClientError, logs::RemoteLog};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::{Decode as _, Encode as _};

use crate::{failure::Failure, keygen::PassphraseArgs, output, output::Output};

/// Seconds for which an author waits longer than the promise says: clocks differ.
const GRACE: u64 = 5;
/// Bytes of a file with certificate authorities.
const ROOTS_LIMIT: u64 = 1 << 24;

/// What can be done with a log.
#[derive(Subcommand)]
pub enum Command {
    /// Make the directory of a new log, with its keeper's key and a configuration file that explains every
    /// option.
    Init {
        /// The directory to create.
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// The log's permanent name: a host and a path, without `+` and spaces.
        #[arg(long, value_name = "NAME")]
        origin: Origin,
    },
    /// Keep a log: take entries over HTTP, append them, get them cosigned by witnesses, and show the log to
    /// everybody.
    Serve {
        /// The configuration file; `log init` writes one.
        #[arg(value_name = "TOML")]
        config: PathBuf,
    },
    /// Witness logs: cosign them, after checking that they only grew, as in C2SP `tlog-witness`.
    Witness {
        /// The configuration file, with `listen`, `name`, `key`, `state`, `logs`, and `[tls]`.
        #[arg(value_name = "TOML")]
        config: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseArgs,
    },
    /// Sign a file, submit it, and wait until it is in the log.
    Submit(SubmitArgs),
    /// Check the whole log, with every signature and the witnesses' cosignatures, and list the entries.
    Show(ShowArgs),
    /// Check evidence against a log's keeper. Exit code 0 if it convicts the keeper.
    Evidence {
        /// The evidence file, as `log submit --evidence` writes it.
        #[arg(value_name = "FILE")]
        evidence: PathBuf,
        /// The key of the log whose keeper must be convicted [default: any log; the key is printed].
        #[arg(long = "expect-log", value_name = "KEY")]
        key: Option<VerifierKey>,
    },
}

/// Which log.
#[derive(clap::Args)]
pub struct LogArgs {
    /// The log: its directory, or its keeper's address: `https://HOST`, or `http://` on this machine.
    #[arg(value_name = "LOG")]
    log: String,
    /// The log's key, `NAME+ID+BASE64`; a log with any other key is refused.
    #[arg(long, value_name = "KEY")]
    expect_log: Option<VerifierKey>,
    /// The keeper's TLS certificate, or that of the authority that signed it, as a PEM file.
    #[arg(long, value_name = "PEM")]
    tls_trust: Option<PathBuf>,
}

/// Options of `submit`.
#[derive(clap::Args)]
pub struct SubmitArgs {
    #[command(flatten)]
    log: LogArgs,
    /// The file to sign.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The author's key file.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    key: PathBuf,
    /// The kind of the entry, such as `lunch/option`.
    #[arg(long, value_name = "KIND")]
    kind: String,
    /// The subject of the entry within its kind: free text, such as `1`.
    #[arg(long, value_name = "TEXT", default_value = "")]
    subject: String,
    /// Where to write the evidence against the keeper, if it does not keep its promise.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

/// Options of `show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    log: LogArgs,
    /// The key of a witness that you trust. May be given several times.
    #[arg(long = "witness", value_name = "KEY")]
    witnesses: Vec<VerifierKey>,
    /// How many of the witnesses must have cosigned [default: all of them].
    #[arg(long, value_name = "N", requires = "witnesses")]
    quorum: Option<usize>,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Init { directory, origin } => init(&directory, &origin, output),
        Command::Serve { config } => serve(&config, output),
        Command::Witness { config, passphrase } => witness(&config, &passphrase, output),
        Command::Submit(args) => submit(&args, output),
        Command::Show(args) => show(&args, output),
        Command::Evidence { evidence, key } => convict(&evidence, key.as_ref(), output),
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::File { kind, path, reason } => {
                Self::file(path, std::io::Error::new(*kind, reason.clone()))
            }
            StoreError::Serving { .. } => Self::environment(error),
            _ => Self::input(error),
        }
    }
}

impl From<AccessError> for Failure {
    fn from(error: AccessError) -> Self {
        match &error {
            AccessError::Unreachable { .. } | AccessError::Store(_) => Self::environment(error),
            AccessError::Refused { wait: Some(_), .. } => Self::environment(error),
            AccessError::Refused { wait: None, .. } => Self::declined(error),
            AccessError::Convicted(_) => Self::refused(error),
            _ => Self::input(error),
        }
    }
}

impl LogArgs {
    fn open(&self) -> Result<Box<dyn LogAccess>, Failure> {
        open_log(&self.log, self.expect_log.as_ref(), self.tls_trust.as_deref())
    }
}

/// Reads the certificate authorities that are trusted.
pub fn trusted_roots(path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    path.map_or(Ok(Vec::new()), |path| {
        wire::read_bounded(path, ROOTS_LIMIT).map_err(|error| Failure::file(path, error))
    })
}

/// Opens the log in a directory, or at its keeper's address, which must have the given key if there is one.
pub fn open_log(
    place: &str,
    expected: Option<&VerifierKey>,
    tls_trust: Option<&Path>,
) -> Result<Box<dyn LogAccess>, Failure> {
    if place.contains("://") {
        let roots = trusted_roots(tls_trust)?;
        let connected = RemoteLog::connect(place, expected.cloned(), &roots);
        return connected.map(|log| Box::new(log) as _).map_err(|error| match error {
            ClientError::Transport { .. } => Failure::environment(error),
            ClientError::Answer(_) if expected.is_some() => Failure::refused(error),
            error => Failure::input(error),
        });
    }
    let path = Path::new(place);
    if !DirectoryLog::exists(path) {
        return Err(Failure::file(path, "there is no log in this directory")
            .hint("make one with `subrosa log init DIR --origin NAME`"));
    }
    let log = DirectoryLog::open(path).map_err(|error| {
        Failure::from(error)
            .hint("if a keeper serves this log, give the keeper's address instead of the directory")
    })?;
    match expected.filter(|key| *key != log.key()) {
        Some(key) => Err(Failure::refused(format!("the log is {}, not {key}", log.key()))),
        None => Ok(Box::new(log)),
    }
}

fn init(directory: &Path, origin: &Origin, output: &Output) -> Result<(), Failure> {
    let key = PartyKey::generate(&mut UnwrapErr(SysRng));
    let key_of_log = ::log::log_key(origin, key.identity().id()).map_err(Failure::input)?;
    DirectoryLog::create_with(directory, origin, &key)?;
    let config = directory.join("keeper.toml");
    let text = ADMISSION_SAMPLE.replace("log = \"log\"", "log = \".\"");
    wire::write_new(&config, text.as_bytes()).map_err(|error| Failure::file(&config, error))?;
    let (key, path) = (key_of_log.to_string(), config.display().to_string());
    output.result(&json!({ "key": key, "config": path }), || {
        vec![format!("log {key}"), format!("{path}: edit it, then `subrosa log serve {path}`")]
    });
    Ok(())
}

fn serve(path: &Path, output: &Output) -> Result<(), Failure> {
    let config = KeeperConfig::load(path).map_err(|error| {
        Failure::input(error)
            .hint("`subrosa log init DIR --origin NAME` writes a configuration file")
    })?;
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let notice = Box::new(|line: &str| anstream::eprintln!("{line}"));
    // Who may write on a board follows from its first entry.
    let (base, quota) = (config.policy().map_err(Failure::input)?, config.known_quota());
    let rules = Box::new(move |first: &Header, payload: &[u8]| {
        study::admission::policy(first, payload, &base, quota)
    });
    let served = logs::serve(&config, rules, notice, |address| {
        let url = format!("{scheme}://{address}");
        output.result(&json!({ "listening": url }), || vec![format!("listening at {url}")]);
    });
    served.map_err(|error: ServeError| error.into())
}

fn witness(path: &Path, passphrase: &PassphraseArgs, output: &Output) -> Result<(), Failure> {
    let config = WitnessLogsConfig::load(path).map_err(Failure::input)?;
    let identity = passphrase.load(&config.key)?.identity();
    let name = config.name.parse().map_err(Failure::input)?;
    let key = ::log::Witness::new(name, passphrase.load(&config.key)?.identity()).key().to_string();
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let notice = Box::new(|line: &str| anstream::eprintln!("{line}"));
    let served = logs::serve_witness(&config, identity, notice, |address| {
        let url = format!("{scheme}://{address}");
        let lines = || vec![format!("witness {key}"), format!("listening at {url}")];
        output.result(&json!({ "listening": url, "witness": key }), lines);
    });
    served.map_err(|error: ServeError| error.into())
}

fn submit(args: &SubmitArgs, output: &Output) -> Result<(), Failure> {
    let log = args.log.open()?;
    let author = args.passphrase.load(&args.key)?.identity();
    let payload = wire::read_bounded(&args.file, MAX_PAYLOAD);
    let payload = payload.map_err(|error| Failure::file(&args.file, error))?;
    let origin: Origin = log.key().name.as_str().parse().map_err(Failure::input)?;
    let slot = (args.kind.as_str(), args.subject.as_bytes());
    let header = Header::sign(&author, &origin, slot, system_clock() / 1000, &payload);
    let header = header.map_err(Failure::input)?;
    let mut standing = log.submit(&header, &payload)?;
    let entry = header.digest();
    while let Standing::Promised(promise) = &standing {
        if system_clock() / 1000 > promise.deadline.saturating_add(GRACE) {
            return Err(late(&*log, promise, args.evidence.as_deref()));
        }
        std::thread::sleep(Duration::from_millis(50));
        let now = log.standing(&entry)?;
        standing = now.ok_or_else(|| {
            Failure::refused("the keeper promised to append the entry, and now does not know it")
        })?;
    }
    let Standing::Logged(place) = standing else { return Ok(()) };
    let shown = log.leaves(place, 1)?;
    if shown.first().is_none_or(|leaf| leaf.header != header) {
        return Err(Failure::refused(format!("the keeper shows another entry at place {place}")));
    }
    output.result(&json!({ "entry": entry.to_string(), "place": place }), || {
        vec![format!("entry {entry}"), format!("place {place}")]
    });
    Ok(())
}

/// The keeper has not kept its promise: what the log shows of that.
fn late(log: &dyn LogAccess, promise: &Promise, evidence: Option<&Path>) -> Failure {
    let mut follower = match Follower::new(log.key().clone(), None) {
        Ok(follower) => follower,
        Err(error) => return Failure::input(error),
    };
    let withheld = match follower.follow(log) {
        Ok(_) => follower.withheld(promise),
        Err(FollowError::Access(_)) => None,
        // It shows another log than the one that it signed.
        Err(error) => return Failure::refused(error),
    };
    let Some(withheld) = withheld else {
        let late = "the keeper has appended neither the entry nor, since the deadline of its \
                    promise, a heartbeat";
        return Failure::environment(late)
            .hint("submit the file again: the keeper's promise is still valid");
    };
    let failure =
        Failure::refused("the keeper did not append the entry that it promised to append");
    match evidence.map(|path| (path, wire::write_new(path, &withheld.to_bytes()))) {
        Some((path, Ok(()))) => {
            failure.hint(format!("the evidence against the keeper is in {}", path.display()))
        }
        Some((path, Err(error))) => failure.hint(format!("{}: {error}", path.display())),
        None => failure
            .hint("with `--evidence FILE`, this command writes the evidence against the keeper"),
    }
}

fn show(args: &ShowArgs, output: &Output) -> Result<(), Failure> {
    let log = args.log.open()?;
    let quorum = match args.witnesses.is_empty() {
        true => None,
        false => {
            let threshold = args.quorum.unwrap_or(args.witnesses.len());
            Some(Quorum::new(args.witnesses.clone(), threshold).map_err(Failure::input)?)
        }
    };
    let mut follower = Follower::new(log.key().clone(), quorum.clone()).map_err(Failure::input)?;
    follower.follow(&*log).map_err(|error| match error {
        FollowError::Access(error) => error.into(),
        error => Failure::refused(error),
    })?;
    let witnessed = follower.signed().zip(quorum.as_ref());
    // The follower has held the log to the quorum: nothing fails here.
    let witnessed = witnessed.and_then(|(signed, quorum)| quorum.verify(signed).ok().flatten());
    let root = follower.signed().map(|signed| signed.checkpoint().root.to_string());
    let rows: Vec<_> = follower
        .leaves()
        .iter()
        .enumerate()
        .map(|(place, leaf)| {
            json!({
                "place": place,
                "time": leaf.time,
                "kind": leaf.header.kind(),
                "subject": String::from_utf8_lossy(leaf.header.subject()),
                "author": leaf.header.author().to_string(),
                "bytes": leaf.header.length(),
                "entry": leaf.header.digest().to_string(),
            })
        })
        .collect();
    let (key, size) = (log.key().to_string(), follower.leaves().len());
    let object = json!({
        "key": key, "size": size, "root": root, "witnessed": witnessed, "entries": rows
    });
    output.result(&object, || {
        let line = |(place, leaf): (usize, &::log::Leaf)| {
            let bytes = output::bytes(leaf.header.length());
            let subject = String::from_utf8_lossy(leaf.header.subject()).into_owned();
            format!(
                "{place:>6}  {:12} {:20} {subject:20} {bytes:>12}",
                leaf.time,
                leaf.header.kind()
            )
        };
        let mut lines: Vec<_> = follower.leaves().iter().enumerate().map(line).collect();
        lines.push(format!("log  {key}"));
        lines.extend(root.iter().map(|root| format!("root {root}")));
        lines
    });
    Ok(())
}

fn convict(path: &Path, key: Option<&VerifierKey>, output: &Output) -> Result<(), Failure> {
    let bytes = wire::read_bounded(path, MAX_EVIDENCE);
    let bytes = bytes.map_err(|error| Failure::file(path, error))?;
    let evidence = Evidence::from_bytes(&bytes).map_err(|error| Failure::file(path, error))?;
    evidence.verify().map_err(Failure::refused)?;
    if let Some(key) = key.filter(|key| **key != evidence.log) {
        return Err(Failure::refused(format!(
            "the evidence convicts the keeper of {}, not that of {key}",
            evidence.log
        )));
    }
    let (log, offence) = (evidence.log.to_string(), evidence.name());
    output.result(&json!({ "convicted": log, "offence": offence }), || {
        vec![format!("the evidence convicts the holder of this key: {offence}"), log.clone()]
    });
    Ok(())
}
