//! `subrosa keygen`, and reading the key files that it makes.

use std::{
    env::{self, VarError},
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

use ::log::{AuthorId, Identity, KeyError, PartyKey};
use console::Term;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{failure::Failure, output::Output};

/// Bytes of a file with a passphrase.
const PASSPHRASE_LIMIT: u64 = 1 << 10;
/// Where a passphrase may stand, beside a file.
const VARIABLE: &str = "SUBROSA_PASSPHRASE";
const MAKE: &str = "`subrosa keygen -o FILE` makes a key file";

/// Options of `keygen`.
#[derive(clap::Args)]
pub struct Args {
    /// The key file to create. Only its owner may read it.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Seal the file with a passphrase: the one that `--passphrase-file` or `SUBROSA_PASSPHRASE` gives, or
    /// else one that you type on the terminal.
    #[arg(long)]
    passphrase: bool,
    #[command(flatten)]
    given: PassphraseArgs,
}

/// Where a passphrase is.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PassphraseArgs {
    /// A file whose first line is the passphrase of the key file [default: the value of
    /// `SUBROSA_PASSPHRASE`; without that, a sealed key file asks for it on the terminal].
    #[arg(long, value_name = "FILE", env = "SUBROSA_PASSPHRASE_FILE", hide_env_values = true)]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseArgs {
    /// The passphrase of the file, or of the environment.
    fn read(&self) -> Result<Option<Zeroizing<String>>, Failure> {
        let Some(path) = &self.passphrase_file else {
            let given = match env::var(VARIABLE) {
                Ok(passphrase) => Some(Zeroizing::new(passphrase)),
                Err(VarError::NotPresent) => None,
                // As none it would leave a new key file unsealed.
                Err(error) => return Err(Failure::input(format!("{VARIABLE}: {error}"))),
            };
            return Ok(given.filter(|passphrase| !passphrase.is_empty()));
        };
        let bytes = wire::read_bounded(path, PASSPHRASE_LIMIT);
        let bytes = Zeroizing::new(bytes.map_err(|error| Failure::file(path, error))?);
        // There is always a first line, if an empty one.
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match str::from_utf8(line).map(str::trim_end) {
            Ok("") | Err(_) => Err(Failure::file(
                path,
                "the first line is not a passphrase: it is empty or not UTF-8",
            )),
            Ok(passphrase) => Ok(Some(Zeroizing::new(passphrase.to_owned()))),
        }
    }

    /// The signing key of a key file, as [`PassphraseArgs::load`] reads it.
    pub fn identity(&self, path: &Path) -> Result<Identity, Failure> {
        Ok(self.load(path)?.identity())
    }

    /// Reads a key file; whoever is at a terminal is asked for the passphrase of a sealed one.
    pub fn load(&self, path: &Path) -> Result<PartyKey, Failure> {
        let given = self.read()?;
        let asked = || ask(&format!("Passphrase of {}: ", path.display()))?.ok_or(KeyError::Sealed);
        let opened = PartyKey::load_with(path, || given.map_or_else(asked, Ok));
        opened.map_err(|error| match error {
            KeyError::File(error) => Failure::file(path, error).hint(MAKE),
            KeyError::Sealed => Failure::file(path, KeyError::Sealed).hint(
                "give the passphrase with `--passphrase-file FILE`, or set `SUBROSA_PASSPHRASE`",
            ),
            KeyError::Malformed(error) => Failure::file(path, error).hint(MAKE),
            error => Failure::file(path, error),
        })
    }
}

/// Asks whoever is at the terminal; nothing, if nobody is.
fn ask(words: &str) -> io::Result<Option<Zeroizing<String>>> {
    let terminal = Term::stderr();
    if !terminal.is_term() || !io::stdin().is_terminal() {
        return Ok(None);
    }
    terminal.write_str(words)?;
    let line = Zeroizing::new(terminal.read_secure_line()?);
    Ok(Some(line).filter(|line| !line.is_empty()))
}

/// A passphrase for a new key file, asked for twice.
fn ask_anew() -> Result<Zeroizing<String>, Failure> {
    let missing = || {
        Failure::input("the passphrase is missing").hint(
            "no terminal to ask for it: give it with `--passphrase-file FILE`, or set \
             `SUBROSA_PASSPHRASE`",
        )
    };
    let first = ask("Passphrase: ")?.ok_or_else(missing)?;
    match ask("Again: ")? {
        Some(second) if *second == *first => Ok(first),
        _ => Err(Failure::input("the two passphrases are different")),
    }
}

impl Args {
    /// The key file to create.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Makes a key file, sealed if there is a passphrase; returns the public key.
    pub fn make(&self) -> Result<AuthorId, Failure> {
        let passphrase = match self.given.read()? {
            None if self.passphrase => Some(ask_anew()?),
            given => given,
        };
        save(&self.out, passphrase)
    }
}

fn save(path: &Path, passphrase: Option<Zeroizing<String>>) -> Result<AuthorId, Failure> {
    let rng = &mut UnwrapErr(SysRng);
    let key = PartyKey::generate(rng);
    let saved = match passphrase {
        Some(passphrase) => key.save_sealed(path, &passphrase, rng),
        None => key.save(path),
    };
    saved.map_err(|error| match error {
        KeyError::File(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Failure::file(path, "already exists")
                .hint("a key file is never overwritten: give another name")
        }
        KeyError::File(error) if error.kind() == io::ErrorKind::NotFound => {
            Failure::file(path, "there is no such directory").hint("make the directory first")
        }
        error => Failure::file(path, error),
    })?;
    Ok(key.identity().id())
}

/// Makes a party's key file.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let public = args.make()?.to_string();
    output.result(&json!({ "public_key": public }), || vec![public.clone()]);
    Ok(())
}

/// Makes a party's key file without a passphrase.
pub fn make(path: &Path, output: &Output) -> Result<(), Failure> {
    let public = save(path, None)?.to_string();
    output.result(&json!({ "public_key": public }), || vec![public.clone()]);
    Ok(())
}
