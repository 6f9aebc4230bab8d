//! `subrosa table verify`.

use std::{path::PathBuf, time::Duration};

use ::table::{Hash, Leaf, Row, Table, claims::own_epochs};
use claim::Verdict;
use serde_json::{Value, json};

use super::{clock::now, fields::Numbered, keys::Own, rows};
use crate::{
    arguments::duration,
    failure::Failure,
    output::{self, Output},
    verify::{PremiseArgs, check, reservation},
};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The directory that holds `bundle.json`.
    bundle: PathBuf,
    /// The table's identifier, as it was published; a bundle about any other table is refused.
    #[arg(
        long = "expect-table",
        alias = "table",
        value_name = "TABLE",
        required_unless_present = "own"
    )]
    table: Option<Hash>,
    /// The least number of epochs in the log: an older state is refused.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_epochs: u64,
    /// The greatest age of the log: it is refused if the witnesses' quorum last saw it longer ago.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    max_age: Option<Duration>,
    /// The user's own keys, as `subrosa table keys` wrote them.
    #[arg(long, value_name = "FILE")]
    own: Option<PathBuf>,
    /// The user's own row, in a CSV or NDJSON file of one row, to compare with a row in the bundle.
    #[arg(long, value_name = "FILE", requires = "own")]
    row: Option<PathBuf>,
    #[command(flatten)]
    premises: PremiseArgs,
    /// The epoch that you asked about: claims about your row in any other epoch are refused.
    #[arg(long, requires = "own")]
    epoch: Option<u32>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let own = args.own.as_deref().map(Own::load).transpose()?;
    let pinned = own.as_ref().map(Own::table).transpose()?;
    let report = check(&args.bundle, &args.premises.accept)?;
    let verdicts = &report.verdicts;
    for name in args.table.iter().chain(pinned.as_ref().map(Table::id)) {
        let name = name.to_string();
        if let Some(other) = verdicts.iter().find(|verdict| text(verdict, "table") != name) {
            return Err(Failure::refused(format!(
                "{} is about another table: {}",
                other.claim,
                text(other, "table")
            )));
        }
    }
    for (verdict, log) in logs(verdicts) {
        let epochs = log.get("epochs").and_then(Value::as_u64);
        if epochs.is_none_or(|epochs| epochs < args.min_epochs) {
            let message = format!("{} is about a log with fewer epochs", verdict.claim);
            return Err(Failure::unestablished(message)
                .hint("the operator may be hiding newer epochs: ask for a bundle made today"));
        }
    }
    if (args.min_epochs > 0 || args.max_age.is_some()) && logs(verdicts).next().is_none() {
        return Err(Failure::unestablished("no claim says how long the table's log is")
            .hint("audits and evidence do not say it: ask for a bundle with an answer"));
    }
    if let Some(limit) = args.max_age {
        fresh(verdicts, limit)?;
    }
    let rows = match (&own, &pinned) {
        (Some(own), Some(table)) => own_claims(args, own, table, verdicts)?,
        _ => 0,
    };
    let open = reservation(&report);
    let object = json!({
        "verified": true,
        "established": open.is_none(),
        "own": rows,
        "claims": verdicts,
        "open": report.open,
    });
    let lines = || {
        let mut lines: Vec<String> =
            verdicts.iter().flat_map(|verdict| verdict.summary.clone()).collect();
        if rows > 0 {
            lines.push(match rows {
                1 => "1 claim is about the user's own row".to_owned(),
                _ => format!("{rows} claims are about the user's own row"),
            });
        }
        lines
    };
    output.verdict(object, lines, open)
}

/// The claims that are about a state of the table's log, each with that state.
fn logs(verdicts: &[Verdict]) -> impl Iterator<Item = (&Verdict, &Value)> {
    verdicts.iter().filter_map(|verdict| Some((verdict, verdict.statement.get("log")?)))
}

/// Requires that as many witnesses as the table asks for saw every log within so many seconds.
fn fresh(verdicts: &[Verdict], limit: Duration) -> Result<(), Failure> {
    let now = now()?;
    for (verdict, log) in logs(verdicts) {
        let witnessed = log.get("witnessed").and_then(Value::as_u64);
        let age = witnessed.map(|time| now.saturating_sub(time));
        if age.is_none_or(|age| age > limit.as_secs()) {
            let seen = age.map_or("never".to_owned(), |age| {
                format!("{} ago", output::counted(age, "second", "seconds"))
            });
            let message = format!("{}: a quorum of witnesses saw the log {seen}", verdict.claim);
            return Err(Failure::unestablished(message)
                .hint("the log may be stalled, or an old one: ask for a bundle made today"));
        }
    }
    Ok(())
}

fn text(verdict: &Verdict, field: &str) -> String {
    // What is missing is empty, as no identifier, name, pseudonym or hash is: it is found to be another.
    verdict.statement.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Holds look-ups and absences to the user's own keys and row, and requires one of every ordered
/// column of an epoch that is spoken of; how many there are.
fn own_claims(
    args: &Args,
    own: &Own,
    table: &Table,
    verdicts: &[Verdict],
) -> Result<usize, Failure> {
    let keys = own.keys()?;
    let row = args.row.as_deref().map(|path| one_row(path, own, table)).transpose()?;
    let mut places = Vec::new();
    let speaks = |verdict: &&Verdict| {
        ["present", "erased"].iter().any(|word| verdict.statement.get(word).is_some())
    };
    for verdict in verdicts.iter().filter(speaks) {
        let refused = |what: &str| Err(Failure::refused(format!("{}: {what}", verdict.claim)));
        let field = |name| verdict.statement.get(name);
        // An epoch that is none is refused below.
        let epoch = field("epoch").and_then(Value::as_u64).and_then(|epoch| epoch.try_into().ok());
        let name = text(verdict, "column");
        let column = table.schema().values.iter().position(|column| column.name == name);
        let (Some(epoch), Some(column)) = (epoch, column) else {
            return refused("it names no epoch and column");
        };
        if !own.covers(epoch) {
            return Err(Failure::input(format!("the keys are not those of epoch {epoch}"))
                .hint("`subrosa table keys --epoch` writes those of another key period"));
        }
        let column = column as u16;
        let pseudonym = keys.pseudonym(table.id(), epoch, column, own.user());
        if text(verdict, "pseudonym") != pseudonym.to_string() {
            return refused("it is about somebody else");
        }
        if field("present") == Some(&json!(true)) {
            let Some(row) = &row else {
                return Err(Failure::input("the bundle shows a row: compare it with your own")
                    .hint("name your row's file with `--row`"));
            };
            let place = table.place(epoch, &row.key, column);
            let leaf =
                Leaf::recompute(table.schema(), &place, &keys, row).map_err(Failure::input)?;
            if text(verdict, "leaf") != leaf.hash().to_string() {
                return refused("the table holds another row under your name");
            }
        } else if row.is_some() {
            return refused(match field("erased") {
                Some(_) => "your row was erased",
                None => "the table does not hold your row",
            });
        }
        places.push((epoch, column));
    }
    let held = places.len();
    let epochs = own_epochs(table, places).map_err(Failure::refused)?;
    match args.epoch.is_none_or(|epoch| epochs.iter().eq([&epoch])) {
        true => Ok(held),
        false => Err(Failure::refused(format!("the claims are about epochs {epochs:?}"))
            .hint("the operator may show your row of another epoch: ask again")),
    }
}

/// The user's own row, in a file of one.
pub fn one_row(path: &std::path::Path, own: &Own, table: &Table) -> Result<Row, Failure> {
    let mut rows = rows::read(path, None, table.schema())?.into_iter();
    match (rows.next(), rows.next()) {
        (Some(Numbered { row, .. }), None) if row.user == own.user() => Ok(row),
        _ => Err(Failure::file(path, "it must hold one row, your own")),
    }
}
