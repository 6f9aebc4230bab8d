//! A party of a board: its key file, what it remembers of what it signed, and what it keeps of a run.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use ::board::{
    AuthorId, Identity,
    logged::{Desk, Drawer},
};
use ::log::{
    note::VerifierKey,
    store::{FileOutbox, system_clock},
};
use getrandom::SysRng;
use rand_core::{CryptoRng, Rng as _, UnwrapErr};
use study::{
    replay::{Event, Party, Protocol, Replay, SessionError},
    secrets::{FileSecret, RunSecrets, SecretError, erase_expired},
};
use wire::{Digest, DigestWriter};

use crate::{
    arguments::time,
    failure::Failure,
    keygen::PassphraseArgs,
    output::{self, Output},
};

/// The domain of the names of outboxes.
const NAME: &str = "subrosa/party/outbox/v1";

/// Who speaks on a board.
#[derive(clap::Args, Clone, Debug)]
pub struct KeyArgs {
    /// The party's key file.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    pub key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// The folder in which the party remembers what it signed and what it drew for a run [default: the key
    /// file's name with `.state`]. Never delete it, and never restore it from a copy, while the board is in
    /// use: a party that forgets what it signed can no longer take part.
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

impl KeyArgs {
    /// The party whose key file this is, with its state beside it.
    pub fn beside(key: PathBuf) -> Self {
        Self { key, passphrase: PassphraseArgs::default(), state: None }
    }

    /// The party's signing key.
    pub fn identity(&self) -> Result<Identity, Failure> {
        self.passphrase.identity(&self.key)
    }

    /// What the party signs with beside its key: an outbox for each log.
    pub fn desk(&self) -> Desk {
        let state = self.state();
        let open = move |log: &VerifierKey, author: &AuthorId| {
            let failed = |error: &dyn Display| format!("{}: {error}", state.display());
            make_private(&state).map_err(|error| failed(&error))?;
            let path = state.join(format!("{}.outbox", name(log, author)));
            FileOutbox::open(&path, log, author).map(Drawer::new).map_err(|error| failed(&error))
        };
        let draw = || {
            let mut run = [0; 16];
            UnwrapErr(SysRng).fill_bytes(&mut run);
            run
        };
        Desk::new(Box::new(open), now, draw)
    }

    /// The party's state.
    pub fn state(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| beside(&self.key))
    }
}

/// How long a party keeps what it drew for a run.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct KeepArgs {
    /// Keep the secrets of this run (a mixer's permutation, a trustee's share of the key) until this time,
    /// to answer queries: `2026-12-31` or `2026-12-31 18:00` (UTC). Then they are erased [default: erase
    /// them as soon as the run has ended].
    #[arg(long, value_name = "TIME", value_parser = time)]
    keep_secrets_until: Option<u64>,
}

impl KeepArgs {
    /// What the party draws for its run on the board of this name. What the state has of runs whose time is over is
    /// erased.
    pub fn secrets(
        &self,
        party: &KeyArgs,
        identity: Identity,
        board: Digest,
    ) -> Result<RunSecrets, Failure> {
        let state = party.state();
        let failed = |error| Failure::file(&state, error);
        make_private(&state).map_err(failed)?;
        erase_expired(&state, Some(now())).map_err(failed)?;
        let until = self.keep_secrets_until;
        let store = FileSecret::open(&state, board, identity.id(), until).map_err(failed)?;
        Ok(RunSecrets::new(identity, board, store))
    }

    /// Whether the time is over.
    fn is_over(&self) -> bool {
        self.keep_secrets_until.is_some_and(|until| until <= now())
    }
}

/// A party that stops when its secrets are to be erased.
struct Limited<'a, P> {
    party: &'a mut P,
    keep: &'a KeepArgs,
}

impl<S: Protocol, P: Party<S>> Party<S> for Limited<'_, P> {
    fn identity(&self) -> &Identity {
        self.party.identity()
    }

    fn observe(&mut self, state: &S) {
        self.party.observe(state);
    }

    fn awaited(&self, state: &S) -> Option<S::Task> {
        self.party.awaited(state).filter(|_| !self.keep.is_over())
    }

    fn perform(
        &mut self,
        task: S::Task,
        state: &S,
        rng: &mut impl CryptoRng,
    ) -> Result<S::Message, SessionError> {
        self.party.perform(task, state, rng)
    }

    fn pass_over(&self, task: &S::Task, error: &SessionError, state: &mut S) -> bool {
        self.party.pass_over(task, error, state)
    }

    fn is_done(&self, state: &S) -> bool {
        self.keep.is_over() || self.party.is_done(state)
    }
}

/// Does a party's work with what it drew for the run, which is erased as soon as nothing more is to be answered with
/// it: because the questions that it answers are used up, its time is over, or the session failed.
pub fn take_part<S: Protocol<Task: Display>>(
    follower: &mut Replay<S>,
    party: &mut impl Party<S>,
    (secrets, keep): (&RunSecrets, &KeepArgs),
    is_used_up: impl Fn(&S) -> bool,
    (who, output): (&str, &Output),
) -> Result<(), Failure> {
    let (told, mut erased) = (tell(who, output), None);
    let watch = |event: Event<'_, S>| {
        if let Event::Looks(state) = &event
            && erased.is_none()
            && is_used_up(state)
        {
            output.done(
                who,
                "the party has answered as many questions as it may: its secrets are erased",
            );
            erased = Some(secrets.erase());
        }
        told(event);
    };
    let mut limited = Limited { party, keep };
    let done = follower.participate(&mut limited, &mut UnwrapErr(SysRng), watch);
    if matches!(done, Err(SessionError::Failed { .. })) || keep.is_over() {
        end_run(secrets, who, output)?;
    }
    done?;
    Ok(erased.transpose().map(drop)?)
}

/// Ends a run: what was drawn for it is erased, unless it is kept until a later time.
pub fn end_run(secrets: &RunSecrets, who: &str, output: &Output) -> Result<(), Failure> {
    if !secrets.are_kept()? {
        return Ok(());
    }
    let until = secrets.end(now())?;
    let told = until.map_or("erased".to_owned(), |until| {
        let until = std::time::UNIX_EPOCH + std::time::Duration::from_secs(until);
        format!("kept until {}", humantime::format_rfc3339_seconds(until))
    });
    output.done(who, &format!("the secrets of the run are {told}"));
    Ok(())
}

impl From<SecretError> for Failure {
    fn from(error: SecretError) -> Self {
        match error {
            SecretError::Store(error) => error.into(),
            gone => Self::input(gone).hint(
                "a run's secrets are kept after its end only with `--keep-secrets-until TIME`; \
                 lost or erased secrets cannot be recovered",
            ),
        }
    }
}

/// Options of `subrosa forget`.
#[derive(clap::Args)]
pub struct ForgetArgs {
    /// The party's key file; its state is beside it.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    key: PathBuf,
    /// The folder in which the party keeps its secrets [default: the key file's name with `.state`].
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

/// Erases what a party drew for its runs, all of them, whether they have ended or not.
pub fn forget(args: &ForgetArgs, output: &Output) -> Result<(), Failure> {
    let state = args.state.clone().unwrap_or_else(|| beside(&args.key));
    let erased = forget_in(&state)?;
    let object = serde_json::json!({ "erased": erased });
    let runs = output::counted(erased as u64, "run", "runs");
    output.result(&object, || vec![format!("erased the secrets of {runs}")]);
    Ok(())
}

/// Erases what the party with this state drew for all its runs: of how many.
pub fn forget_in(state: &Path) -> Result<usize, Failure> {
    erase_expired(state, None).map_err(|error| Failure::file(state, error))
}

/// Seconds since 1970.
fn now() -> u64 {
    system_clock() / 1000
}

/// The state of the party with this key file, if nothing else is said.
pub fn beside(key: &Path) -> PathBuf {
    let mut name = key.as_os_str().to_owned();
    name.push(".state");
    name.into()
}

/// A party has one outbox for each log.
fn name(log: &VerifierKey, author: &AuthorId) -> Digest {
    let mut writer = DigestWriter::new(NAME);
    writer.update(log.to_string().as_bytes());
    writer.update(author.as_bytes());
    writer.finish()
}

/// Makes a directory that only its owner may enter.
fn make_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Tells what a party says, and when it cannot reach the board.
pub fn tell<P>(who: &str, output: &Output) -> impl Fn(Event<'_, P>)
where
    P: Protocol<Task: Display>,
{
    move |event| match event {
        Event::Said(task) => output.done(who, &format!("posted: {task}")),
        Event::CutOff(error) => {
            output.warn(&format!("{who}: {error}; trying again until the board answers"));
        }
        Event::Looks(_) | Event::Passed(_) => {}
    }
}
