//! `subrosa keygen`, and reading the key files that it makes.

use std::path::{Path, PathBuf};

use ::log::{AuthorId, KeyError, PartyKey};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{failure::Failure, output::Output};

/// Bytes of a file with a passphrase.
const PASSPHRASE_LIMIT: u64 = 1 << 10;

/// Options of `keygen`.
#[derive(clap::Args)]
pub struct Args {
    /// The key file to create. Only its owner may read it.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

/// Where a passphrase is.
#[derive(clap::Args, Clone, Debug)]
pub struct PassphraseArgs {
    /// A file whose first line is the passphrase of the key file.
    #[arg(long, value_name = "FILE", env = "SUBROSA_PASSPHRASE_FILE", hide_env_values = true)]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseArgs {
    fn read(&self) -> Result<Option<Zeroizing<String>>, Failure> {
        let Some(path) = &self.passphrase_file else { return Ok(None) };
        let bytes = wire::read_bounded(path, PASSPHRASE_LIMIT);
        let bytes = Zeroizing::new(bytes.map_err(|error| Failure::file(path, error))?);
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match str::from_utf8(line).map(str::trim_end) {
            Ok("") | Err(_) => Err(Failure::file(path, "its first line is no passphrase")),
            Ok(passphrase) => Ok(Some(Zeroizing::new(passphrase.to_owned()))),
        }
    }

    /// Reads a key file.
    pub fn load(&self, path: &Path) -> Result<PartyKey, Failure> {
        let passphrase = self.read()?;
        let opened = PartyKey::load_with(path, || passphrase.ok_or(KeyError::Sealed));
        opened.map_err(|error| match error {
            KeyError::File(error) => Failure::file(path, error).hint(MAKE),
            KeyError::Sealed => Failure::file(path, KeyError::Sealed)
                .hint("name a file with it by `--passphrase-file FILE`"),
            KeyError::Malformed(error) => Failure::file(path, error).hint(MAKE),
            error => Failure::file(path, error),
        })
    }
}

const MAKE: &str = "`subrosa keygen -o FILE` makes a key file";

impl Args {
    /// Makes a key file; returns the public key.
    pub fn make(&self) -> Result<AuthorId, Failure> {
        let (path, rng) = (&self.out, &mut UnwrapErr(SysRng));
        let key = PartyKey::generate(rng);
        let saved = match self.passphrase.read()? {
            Some(passphrase) => key.save_sealed(path, &passphrase, rng),
            None => key.save(path),
        };
        saved.map_err(|error| match error {
            KeyError::File(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Failure::file(path, "there is a file already")
                    .hint("a key is never overwritten: name another file")
            }
            KeyError::File(error) => Failure::file(path, error),
            error => Failure::file(path, error),
        })?;
        Ok(key.identity().id())
    }
}

/// Makes a party's key file.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let public = args.make()?.to_string();
    output.result(&json!({ "public_key": public }), || vec![public.clone()]);
    Ok(())
}
