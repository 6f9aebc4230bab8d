//! `subrosa table keys`: what a user pins, and the change of the operator's key.

use std::path::{Path, PathBuf};

use ::table::{
    Genesis, Hash, Table, UserKeys,
    store::{Custodian, CustodyError, RedbStore},
};
use clap::Subcommand;
use data_encoding::HEXLOWER;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::{Zeroize, Zeroizing};

use super::{folder::Folder, remote::Remote};
use crate::{failure::Failure, output::Output};

const OWN_LIMIT: u64 = 1 << 22;

/// Options of `keys`.
#[derive(clap::Args)]
pub struct KeysArgs {
    /// The table's folder, or with `--server` its identifier.
    #[arg(value_name = "TABLE")]
    directory: PathBuf,
    /// The user's name.
    #[arg(long, value_name = "NAME")]
    user: String,
    /// An epoch of the key period.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// Give the user keys if it has none in the key period, so that you can prove that it has no row.
    #[arg(long)]
    issue: bool,
    /// The file to create. Give it to the user only.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// What a user pins: the table, its own name, and its keys of a key period.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Own {
    genesis: Genesis,
    period: u32,
    user: String,
    keys: String,
}

impl Drop for Own {
    fn drop(&mut self) {
        self.keys.zeroize();
    }
}

impl Own {
    /// Reads the file that `keys` writes.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::file(path, error.to_string()).hint("`subrosa table keys` writes such a file")
        };
        let bytes = wire::read_bounded(path, OWN_LIMIT).map_err(|error| failed(&error))?;
        let bytes = Zeroizing::new(bytes);
        serde_json::from_slice(&bytes).map_err(|error| failed(&error))
    }

    /// The table.
    pub fn table(&self) -> Result<Table, Failure> {
        Table::new(self.genesis.clone()).map_err(Failure::input)
    }

    /// The user.
    pub fn user(&self) -> &[u8] {
        self.user.as_bytes()
    }

    /// The key period of the keys.
    pub fn period(&self) -> u32 {
        self.period
    }

    /// Whether the keys are those of an epoch.
    pub fn covers(&self, epoch: u32) -> bool {
        epoch >= self.genesis.first_epoch
            && self.genesis.schema.period(self.genesis.first_epoch, epoch) == self.period
    }

    /// The keys.
    pub fn keys(&self) -> Result<UserKeys, Failure> {
        // Whatever is wrong with them, they are no keys.
        let bytes = HEXLOWER.decode(self.keys.as_bytes()).ok().map(Zeroizing::new);
        let bytes = bytes.and_then(|bytes| Some(Zeroizing::new(bytes.as_slice().try_into().ok()?)));
        let bytes: Option<Zeroizing<[u8; UserKeys::LEN]>> = bytes;
        let bytes = bytes.ok_or_else(|| Failure::input("the user's keys are not 64 bytes"))?;
        Ok(UserKeys::from_bytes(&bytes))
    }
}

/// What `keys` does besides.
#[derive(Subcommand)]
pub enum KeysCommand {
    /// Change the operator's signing key. The next epoch records the change, and is the last one that the
    /// old key seals.
    Rotate {
        /// The table's folder.
        directory: PathBuf,
    },
}

/// `keys`: a user's, or the operator's.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Keys {
    #[command(flatten)]
    user: Option<KeysArgs>,
    // Beside the optional arguments: clap does not see those of which others are flattened.
    #[command(flatten)]
    remote: Remote,
    #[command(subcommand)]
    command: Option<KeysCommand>,
}

/// Runs the command.
pub fn run(args: &Keys, output: &Output) -> Result<(), Failure> {
    match (&args.command, &args.user) {
        (Some(KeysCommand::Rotate { directory }), _) => rotate(directory, output),
        (None, Some(user)) => user_file(user, &args.remote, output),
        (None, None) => Err(Failure::input("give the table's folder")),
    }
}

/// Draws the operator's next key, and records the change.
fn rotate(directory: &Path, output: &Output) -> Result<(), Failure> {
    let folder = Folder::new(directory);
    let mut custodian = folder.open()?;
    let (rotation, path) = folder.rotate(&mut custodian)?;
    let (epoch, key) = (rotation.epoch, rotation.new.to_string());
    let object = json!({ "epoch": epoch, "old": rotation.old.to_string(), "new": key });
    output.result(&object, || {
        vec![
            format!("from epoch {} on {key} signs", epoch + 1),
            format!("epoch {epoch} records it; back up {}", path.display()),
        ]
    });
    Ok(())
}

/// Writes what a user pins.
fn user_file(args: &KeysArgs, remote: &Remote, output: &Output) -> Result<(), Failure> {
    let (table, keys) = match remote.open(&args.directory)? {
        Some(asked) => {
            let user = match args.issue {
                true => asked.client.issue_keys(args.user.as_bytes(), args.epoch)?,
                false => asked.client.keys(args.user.as_bytes(), args.epoch)?,
            };
            (asked.client.table().clone(), user.keys().clone())
        }
        None => {
            let custodian = Folder::new(&args.directory).open()?;
            let user = args.user.as_bytes();
            let keys = match args.issue {
                true => custodian.issue_keys(args.epoch, user, &mut UnwrapErr(SysRng))?,
                false => user_keys(&custodian, args.epoch, &args.user)?,
            };
            (custodian.table().clone(), keys)
        }
    };
    let genesis = table.genesis().clone();
    let period = genesis.schema.period(genesis.first_epoch, args.epoch);
    let fingerprint: Hash = keys.identity_fingerprint(table.id(), period, args.user.as_bytes());
    let own =
        Own { genesis, period, user: args.user.clone(), keys: HEXLOWER.encode(&*keys.to_bytes()) };
    let bytes = Zeroizing::new(serde_json::to_vec_pretty(&own).map_err(Failure::input)?);
    wire::write_secret(&args.out, &bytes).map_err(|error| Failure::file(&args.out, error))?;
    let object = json!({ "period": period, "fingerprint": fingerprint.to_string() });
    output.result(&object, || {
        vec![format!("key period {period}, fingerprint of the identity key {fingerprint}")]
    });
    Ok(())
}

/// The keys that the table's user has in an epoch's key period.
pub fn user_keys(
    custodian: &Custodian<RedbStore>,
    epoch: u32,
    user: &str,
) -> Result<UserKeys, Failure> {
    if custodian.is_erased(epoch, user.as_bytes())? {
        return Err(CustodyError::Erased { epoch }.into());
    }
    custodian.user_keys(epoch, user.as_bytes())?.ok_or_else(|| {
        Failure::input(format!("`{user}` has no keys in the key period of epoch {epoch}")).hint(
            "a user gets keys with its first row in a key period; give keys to other users with \
             `table keys --issue`",
        )
    })
}
