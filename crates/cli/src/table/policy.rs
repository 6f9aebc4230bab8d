//! `subrosa table policy check`.

use std::path::PathBuf;

use ::table::{
    Row, Schema, ValueColumn,
    exposure::{Exposure, Finding, examine},
    query::value_to_decimal,
};
use clap::Subcommand;
use serde_json::{Value, json};

use super::{
    fields::Numbered,
    init::read_schema,
    rows::{Format, read},
};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// Findings that people are shown of a column; machines get all.
const SHOWN: usize = 10;

/// What is done with a policy.
#[derive(Subcommand)]
pub enum Command {
    /// Ask every question that the policy answers about an epoch's rows, and look for combinations of
    /// answers that reveal too few of them. Exit code 1 if there are any.
    Check(CheckArgs),
}

/// Options of `policy check`.
#[derive(clap::Args)]
pub struct CheckArgs {
    /// Types, values and policy; see docs/table.md.
    #[arg(value_name = "TOML")]
    schema: PathBuf,
    /// The rows of one epoch: CSV with a header, or NDJSON.
    rows: PathBuf,
    /// The file's format [default: by the file's extension].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// How many rows are enough to hide one [default: the policy's `min_count`].
    #[arg(long, value_name = "N")]
    least: Option<u64>,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    let Command::Check(args) = command;
    let schema = read_schema(&args.schema)?;
    let rows = read(&args.rows, args.format, &schema)?;
    let rows: Vec<Row> = rows.into_iter().map(|Numbered { row, .. }| row).collect();
    let least = args.least.unwrap_or(schema.policy.min_count);
    if least < 2 {
        return Err(Failure::input(
            "for this policy, one row is enough: there is nothing to look for",
        )
        .hint("set `min_count` in the policy, or give `--least N`"));
    }
    let examined = |(number, column)| Ok((column, examine(&schema, number, &rows, least)?));
    let columns: Vec<(&ValueColumn, Exposure)> =
        (0..).zip(&schema.values).map(examined).collect::<Result<_, Failure>>()?;
    let shown = columns.iter().map(|(column, exposure)| to_json(&schema, column, exposure));
    let object = json!({
        "rows": rows.len(),
        "least": least,
        "columns": shown.collect::<Vec<_>>(),
    });
    let lines =
        || columns.iter().flat_map(|(column, exposure)| lines(&schema, column, exposure)).collect();
    output.verdict(object, lines, reservation(&columns, least))
}

/// Why a policy is not good enough for these rows.
fn reservation(columns: &[(&ValueColumn, Exposure)], least: u64) -> Option<Failure> {
    let found: usize = columns.iter().map(|(_, exposure)| exposure.findings.len()).sum();
    if found > 0 {
        let failure = format!(
            "the policy's answers reveal groups of fewer than {least} rows ({found} found)"
        );
        return Some(Failure::refused(failure).hint(
            "give the policy a `hierarchy`, fewer type columns or a larger `min_count`; see docs/table.md",
        ));
    }
    let is_complete = columns.iter().all(|(_, exposure)| exposure.complete);
    (!is_complete).then(|| {
        Failure::unestablished("nothing was found, but there are too many combinations to try all")
            .hint("a `hierarchy` in the policy makes the combinations fewer")
    })
}

fn to_json(schema: &Schema, column: &ValueColumn, exposure: &Exposure) -> Value {
    let finding = |finding: &Finding| {
        let keys =
            |keys: &[Vec<u64>]| keys.iter().map(|key| named(schema, key)).collect::<Vec<_>>();
        match finding {
            Finding::Sum { rows, keys: of, sum } => json!({
                "kind": "sum",
                "rows": rows,
                "keys": keys(of),
                "sum": sum.as_ref().map(|sum| sum.to_decimal(sum.scale)),
            }),
            Finding::Bracket { rows, keys: of, low, high } => json!({
                "kind": "bracket",
                "rows": rows,
                "keys": keys(of),
                "from": value_to_decimal(column, *low),
                "to": value_to_decimal(column, *high),
            }),
        }
    };
    json!({
        "column": column.name,
        "answered": exposure.answered,
        "declined": exposure.declined,
        "crowd": exposure.crowd,
        "findings": exposure.findings.iter().map(finding).collect::<Vec<_>>(),
        "complete": exposure.complete,
    })
}

fn lines(schema: &Schema, column: &ValueColumn, exposure: &Exposure) -> Vec<String> {
    let (answered, declined) = (exposure.answered, exposure.declined);
    let answered = output::counted(answered as u64, "question", "questions");
    let crowd = match exposure.crowd {
        Some(crowd) => format!("the smallest crowd has {crowd}"),
        None => "nothing is told".to_owned(),
    };
    let mut lines =
        vec![format!("{}: {answered} answered, {declined} declined; {crowd}", column.name)];
    let finding = |finding: &Finding| {
        let keys = |keys: &[Vec<u64>]| {
            keys.iter().map(|key| named(schema, key)).collect::<Vec<_>>().join("; ")
        };
        match finding {
            Finding::Sum { rows, keys: of, sum: Some(sum) } => {
                let sum = sum.to_decimal(sum.scale);
                match rows {
                    1 => format!("  the value of the one row of {} is {sum}", keys(of)),
                    _ => format!("  the sum over {rows} rows of {} is {sum}", keys(of)),
                }
            }
            Finding::Sum { rows, keys: of, sum: None } => {
                let rows = output::counted(*rows, "row", "rows");
                format!("  a combination of rounded sums is about {rows} of {}", keys(of))
            }
            Finding::Bracket { rows, keys: of, low, high } => {
                let [low, high] = [low, high].map(|value| value_to_decimal(column, *value));
                format!("  the values of the {rows} of {} lie in {low} to {high}", keys(of))
            }
        }
    };
    lines.extend(exposure.findings.iter().take(SHOWN).map(finding));
    if let Some(more) = exposure.findings.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more: `--json` lists all"));
    }
    lines
}

/// A key's types as people write them.
fn named(schema: &Schema, codes: &[u64]) -> String {
    let types = schema.types.iter().zip(codes);
    let types: Vec<String> = types
        .map(|(column, code)| format!("{} = {}", column.name, column.name_of(*code)))
        .collect();
    match types.is_empty() {
        true => "all rows".to_owned(),
        false => types.join(", "),
    }
}
