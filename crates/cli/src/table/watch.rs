//! `subrosa table audit watch`.

use std::{path::PathBuf, thread, time::Duration};

use ::client::Party;
use ::services::watch::{Peer, Step, WatchError, Watcher};
use ::table::Hash;
use serde_json::json;

use super::{clock::now, remote::options};
use crate::{
    arguments::pause,
    failure::Failure,
    keygen::PassphraseArgs,
    output::{self, Output},
};

/// Options of `audit watch`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's identifier.
    table: Hash,
    /// Its server.
    #[arg(long, value_name = "URL")]
    server: String,
    /// The file with the token for the server; it needs the roles `auditor` and `witness`.
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// The certificate authorities to trust, as a PEM file; required for https.
    #[arg(long = "tls-trust", alias = "roots", value_name = "PEM")]
    roots: Option<PathBuf>,
    /// The auditor's key file, as `subrosa keygen` writes it. If the table names this key as a witness too,
    /// the log is also cosigned.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// The folder in which the auditor remembers what it saw. It is created the first time, and must never
    /// be lost.
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// The server of a witness, with whose log to compare. May be given several times.
    #[arg(long = "witness", value_name = "URL")]
    witnesses: Vec<String>,
    /// How long to wait between two checks.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = pause)]
    every: Duration,
    /// Check once, and end.
    #[arg(long)]
    once: bool,
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        let hint = match &error {
            WatchError::Forked { path, .. } => {
                format!("anybody can verify it: `subrosa verify {}`", path.display())
            }
            WatchError::Differs { .. } => {
                "show both logs to the operator's other witnesses and auditors: with a log that one \
                 of them saw, `subrosa table evidence` may convict it"
                    .to_owned()
            }
            WatchError::NotNamed => {
                "only an auditor that was given to `table init --auditor` can sign results".to_owned()
            }
            WatchError::Server(error) if error.status() == Some(403) => {
                "the token needs the roles `auditor` and `witness`".to_owned()
            }
            _ => String::new(),
        };
        let failure = match &error {
            WatchError::Server(server) if server.is_passing() => Self::environment(error),
            WatchError::Server(server) if server.is_for_good() => Self::declined(error),
            _ if error.is_false() => Self::refused(error),
            _ => Self::input(error),
        };
        if hint.is_empty() { failure } else { failure.hint(hint) }
    }
}

/// Runs the command: for ever, unless the operator lied or `--once` is given.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let auditor = args.passphrase.identity(&args.key)?;
    std::fs::create_dir_all(&args.state).map_err(|error| Failure::file(&args.state, error))?;
    let open = |server: &str, token: Option<&PathBuf>| {
        let (token, roots) = (token.map(PathBuf::as_path), args.roots.as_deref());
        Party::open(&options(server, &args.table.to_string(), token, roots)?).map_err(Failure::from)
    };
    let server = open(&args.server, args.token.as_ref())?;
    // A token is for the table's server and for nobody else.
    let witnesses = args.witnesses.iter().map(|witness| open(witness, None));
    let witnesses: Vec<Party> = witnesses.collect::<Result<_, Failure>>()?;
    let peers: Vec<&dyn Peer> = witnesses.iter().map(|witness| witness as &dyn Peer).collect();
    let watcher = Watcher::new(args.table, auditor, &args.state);
    let mut said = String::new();
    loop {
        match watcher.step(&server, &peers, now()?) {
            Ok(step) => {
                said.clear();
                tell(&step, args.once, output);
            }
            Err(error) if args.once || error.is_false() => return Err(error.into()),
            Err(error @ (WatchError::NotNamed | WatchError::State { .. })) => {
                return Err(error.into());
            }
            // The server may come back. What was said is not said again.
            Err(error) => {
                let now = error.to_string();
                if now != said {
                    output.warn(&now);
                }
                said = now;
            }
        }
        if args.once {
            return Ok(());
        }
        thread::sleep(args.every);
    }
}

/// Says what is new.
fn tell(step: &Step, once: bool, output: &Output) {
    step.notices.iter().for_each(|notice| output.warn(notice));
    if once || !step.audited.is_empty() {
        let object = json!({ "epochs": step.epochs, "audited": step.audited });
        output.result(&object, || {
            let audited = step.audited.iter().map(|epoch| format!("epoch {epoch} audited"));
            let epochs = output::counted(step.epochs, "epoch", "epochs");
            audited.chain([format!("log of {epochs}")]).collect()
        });
    }
}
