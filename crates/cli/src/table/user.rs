//! What a table's operator shows to a user: its row's place, or the absence of one.

use std::path::PathBuf;

use ::client::User;
use ::table::{
    AbsenceProof, BuiltEpoch, Hash, Lookup, Table,
    claims::{ClaimError, TableWriter},
    log::LoggedEpoch,
    store::{Custodian, CustodyError, RedbStore},
};
use claim::{Bundle, BundleWriter};
use serde_json::json;

use super::{
    folder::{Folder, require_sealed},
    keys::{Own, user_keys},
    query::{claims, newest},
    remote::Remote,
    verify::one_row,
};
use crate::{failure::Failure, output::Output};

/// Options of `lookup` and `absence`.
#[derive(clap::Args)]
pub struct LookupArgs {
    /// The table's folder, or with `--server` its identifier.
    #[arg(value_name = "TABLE")]
    directory: PathBuf,
    /// The user who asks.
    #[arg(long, value_name = "NAME")]
    user: String,
    /// The epoch.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// The directory to write the proof to, for the user's `subrosa table verify`.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// The user's own keys, as `subrosa table keys` wrote them; required with `--server`.
    #[arg(long, value_name = "FILE", requires = "server")]
    own: Option<PathBuf>,
    /// The user's own row, in a CSV or NDJSON file of one row; required with `--server` for `lookup`.
    #[arg(long, value_name = "FILE", requires = "own")]
    row: Option<PathBuf>,
    #[command(flatten)]
    remote: Remote,
}

/// What a user holds a server's answer to.
fn own_of(args: &LookupArgs, table: &Table) -> Result<(Own, User), Failure> {
    let missing = || Failure::input("give the user's own keys with `--own`");
    let own = Own::load(args.own.as_deref().ok_or_else(missing)?)?;
    if own.table()?.id() != table.id() || own.user() != args.user.as_bytes() {
        return Err(Failure::input("these are the keys of another table or user"));
    }
    let user = User::new(own.user(), own.keys()?, own.period());
    Ok((own, user))
}

/// Runs `lookup`.
pub fn lookup(args: &LookupArgs, output: &Output) -> Result<(), Failure> {
    if let Some(mut asked) = args.remote.open(&args.directory)? {
        let table = asked.client.table().clone();
        let (own, user) = own_of(args, &table)?;
        let missing = || Failure::input("give the user's own row with `--row`");
        let row = one_row(args.row.as_deref().ok_or_else(missing)?, &own, &table)?;
        let present = match asked.client.lookup(&user, &row, args.epoch) {
            Err(error) if error.reason() == Some("erased") => {
                asked.client.erased(&user, args.epoch)?
            }
            found => found?,
        };
        report(&present.write(&args.out)?, output)?;
        return asked.finish();
    }
    if show_erased(args, output)? {
        return Ok(());
    }
    let find = |shown: &Shown<'_>, logged, (column, pseudonym): (u16, Hash)| {
        Ok(match &shown.built {
            Some(built) => Lookup::find(built, logged, column, &pseudonym),
            None => shown.custodian.look_up(logged, column, args.user.as_bytes())?,
        })
    };
    let absent = || {
        Failure::input(format!("`{}` has no row in epoch {}", args.user, args.epoch))
            .hint("`subrosa table absence` proves that")
    };
    prove(args, output, find, absent, |tables, column, lookup| {
        tables.lookup(&format!("lookup-{column}"), lookup)
    })
}

/// Writes that the row was erased, if it was.
fn show_erased(args: &LookupArgs, output: &Output) -> Result<bool, Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let user = args.user.as_bytes();
    if !custodian.is_erased(args.epoch, user)? {
        return Ok(false);
    }
    let signed = newest(&custodian)?;
    let proofs = custodian.show_erasure(&signed, args.epoch, user)?.ok_or_else(|| {
        Failure::declined(format!("`{}` was erased from epoch {}", args.user, args.epoch))
            .hint("the next epoch that is sealed records the erasure, and then it can be proven")
    })?;
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    let mut tables = claims(&mut writer, &custodian, &signed)?;
    for proof in &proofs {
        tables.erased(&format!("erased-{}", proof.tombstone.column), proof)?;
    }
    report(&writer.finish().map_err(Failure::input)?, output)?;
    Ok(true)
}

/// Runs `absence`.
pub fn absence(args: &LookupArgs, output: &Output) -> Result<(), Failure> {
    if let Some(mut asked) = args.remote.open(&args.directory)? {
        let (_, user) = own_of(args, asked.client.table())?;
        let absent = asked.client.absence(&user, args.epoch)?;
        report(&absent.write(&args.out)?, output)?;
        return asked.finish();
    }
    let show = |shown: &Shown<'_>, logged, (column, pseudonym)| {
        Ok(match &shown.built {
            Some(built) => AbsenceProof::show(built, logged, column, pseudonym),
            None => shown.custodian.show_absence(logged, column, pseudonym)?,
        })
    };
    let present = || {
        Failure::input(format!("`{}` has a row in epoch {}", args.user, args.epoch))
            .hint("`subrosa table lookup` shows it")
    };
    prove(args, output, show, present, |tables, column, absence| {
        tables.absence(&format!("absence-{column}"), absence)
    })
}

/// Where rows are looked up: in what the store has of an epoch's trees, or, of epochs that earlier versions
/// sealed, in the epoch, built once more.
struct Shown<'a> {
    custodian: &'a Custodian<RedbStore>,
    built: Option<BuiltEpoch>,
}

/// Writes a proof for every ordered column, under the user's pseudonym there.
fn prove<P>(
    args: &LookupArgs,
    output: &Output,
    show: impl Fn(&Shown<'_>, LoggedEpoch, (u16, Hash)) -> Result<Option<P>, CustodyError>,
    otherwise: impl Fn() -> Failure,
    add: impl Fn(&mut TableWriter<'_>, u16, &P) -> Result<(), ClaimError>,
) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let (table, signed) = (custodian.table(), newest(&custodian)?);
    require_sealed(&custodian, args.epoch)?;
    let keys = user_keys(&custodian, args.epoch, &args.user)?;
    let built = match custodian.is_indexed(args.epoch)? {
        true => None,
        false => Some(custodian.load(args.epoch)?),
    };
    let shown = Shown { custodian: &custodian, built };
    let mut proofs = Vec::new();
    for column in table.schema().ordered() {
        let logged = custodian.logged(args.epoch, signed.checkpoint.size)?;
        let pseudonym = keys.pseudonym(table.id(), args.epoch, column, args.user.as_bytes());
        let proof = show(&shown, logged, (column, pseudonym))?;
        proofs.push((column, proof.ok_or_else(&otherwise)?));
    }
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    let mut tables = claims(&mut writer, &custodian, &signed)?;
    proofs.iter().try_for_each(|(column, proof)| add(&mut tables, *column, proof))?;
    report(&writer.finish().map_err(Failure::input)?, output)
}

fn report(bundle: &Bundle, output: &Output) -> Result<(), Failure> {
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    output.result(&json!({ "bundle": digest }), || vec![format!("bundle {digest}")]);
    Ok(())
}
