//! What a table's operator hands to a user: its keys, its row's place, or the absence of one.

use std::path::PathBuf;

use ::table::{
    AbsenceProof, Genesis, Hash, Lookup, Table, UserKeys,
    claims::TableWriter,
    store::{Custodian, RedbStore},
};
use claim::BundleWriter;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::{Zeroize, Zeroizing};

use super::{
    folder::{Folder, require_sealed},
    query::newest,
};
use crate::{failure::Failure, output::Output};

const OWN_LIMIT: u64 = 1 << 22;

/// Options of `lookup` and `absence`.
#[derive(clap::Args)]
pub struct LookupArgs {
    /// The table's folder.
    directory: PathBuf,
    /// Who asks.
    #[arg(long, value_name = "NAME")]
    user: String,
    /// The epoch.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// The directory to write the proof to, for the user's `subrosa table verify`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `lookup`.
pub fn lookup(args: &LookupArgs, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let (table, signed, keys) =
        (custodian.table(), newest(&custodian)?, keys_of(&custodian, args)?);
    let built = custodian.load(args.epoch)?;
    let absent = || {
        Failure::input(format!("`{}` has no row in epoch {}", args.user, args.epoch))
            .hint("`subrosa table absence` proves that")
    };
    let user = args.user.as_bytes();
    let entry = built.entries.iter().find(|entry| entry.row.user == user).ok_or_else(absent)?;
    let mut found = Vec::new();
    for column in table.schema().ordered() {
        let logged = custodian.logged(args.epoch, signed.checkpoint.size)?;
        let pseudonym = keys.pseudonym(table.id(), args.epoch, column, user);
        let lookup = Lookup::find(&built, logged, column, &entry.row.key, &pseudonym);
        found.push((column, lookup.ok_or_else(absent)?));
    }
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    let mut tables = TableWriter::new(&mut writer, table, &signed).map_err(Failure::input)?;
    for (column, lookup) in &found {
        tables.lookup(&format!("lookup-{column}"), lookup)?;
    }
    finish(writer, output)
}

/// Runs `absence`.
pub fn absence(args: &LookupArgs, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let (table, signed, keys) =
        (custodian.table(), newest(&custodian)?, keys_of(&custodian, args)?);
    let built = custodian.load(args.epoch)?;
    let mut proofs = Vec::new();
    for column in table.schema().ordered() {
        let logged = custodian.logged(args.epoch, signed.checkpoint.size)?;
        let pseudonym = keys.pseudonym(table.id(), args.epoch, column, args.user.as_bytes());
        let proof = AbsenceProof::show(&built, logged, column, pseudonym).ok_or_else(|| {
            Failure::input(format!("`{}` has a row in epoch {}", args.user, args.epoch))
                .hint("`subrosa table lookup` shows it")
        })?;
        proofs.push((column, proof));
    }
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    let mut tables = TableWriter::new(&mut writer, table, &signed).map_err(Failure::input)?;
    for (column, proof) in &proofs {
        tables.absence(&format!("absence-{column}"), proof)?;
    }
    finish(writer, output)
}

fn finish(writer: BundleWriter, output: &Output) -> Result<(), Failure> {
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    output.result(&json!({ "bundle": digest }), || vec![format!("bundle {digest}")]);
    Ok(())
}

fn keys_of(custodian: &Custodian<RedbStore>, args: &LookupArgs) -> Result<UserKeys, Failure> {
    require_sealed(custodian, args.epoch)?;
    user_keys(custodian, args.epoch, &args.user)
}

fn user_keys(
    custodian: &Custodian<RedbStore>,
    epoch: u32,
    user: &str,
) -> Result<UserKeys, Failure> {
    custodian.user_keys(epoch, user.as_bytes())?.ok_or_else(|| {
        Failure::input(format!("`{user}` has no keys in the key period of epoch {epoch}"))
            .hint("a user gets keys with its first row in a key period")
    })
}

/// Options of `keys`.
#[derive(clap::Args)]
pub struct KeysArgs {
    /// The table's folder.
    directory: PathBuf,
    /// Whose keys.
    #[arg(long, value_name = "NAME")]
    user: String,
    /// An epoch of the key period.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// The file to create, for the user alone.
    #[arg(long, value_name = "FILE")]
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
    pub fn load(path: &std::path::Path) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::file(path, error).hint("`subrosa table keys` writes such a file")
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

    /// Whether the keys are those of an epoch.
    pub fn covers(&self, epoch: u32) -> bool {
        epoch >= self.genesis.first_epoch
            && self.genesis.schema.period(self.genesis.first_epoch, epoch) == self.period
    }

    /// The keys.
    pub fn keys(&self) -> Result<UserKeys, Failure> {
        let bytes = HEXLOWER.decode(self.keys.as_bytes()).ok().map(Zeroizing::new);
        let bytes = bytes.and_then(|bytes| Some(Zeroizing::new(bytes.as_slice().try_into().ok()?)));
        let bytes: Option<Zeroizing<[u8; UserKeys::LEN]>> = bytes;
        let bytes = bytes.ok_or_else(|| Failure::input("the user's keys are not 64 bytes"))?;
        Ok(UserKeys::from_bytes(&bytes))
    }
}

/// Runs `keys`.
pub fn keys(args: &KeysArgs, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let keys = user_keys(&custodian, args.epoch, &args.user)?;
    let genesis = custodian.table().genesis().clone();
    let period = genesis.schema.period(genesis.first_epoch, args.epoch);
    let fingerprint: Hash =
        keys.identity_fingerprint(custodian.table().id(), period, args.user.as_bytes());
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
