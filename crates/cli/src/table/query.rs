//! `subrosa table query`.

use std::{collections::BTreeMap, path::PathBuf};

use ::table::{
    BuiltEpoch,
    claims::TableWriter,
    log::{Attestation, SignedCheckpoint},
    query::{self, Answer, Query, Source},
    sql::{self, Planned},
    store::{Custodian, RedbStore},
};
use claim::BundleWriter;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::{Map, Value, json};
use wire::Progress as _;

use super::folder::{Folder, require_sealed};
use crate::{failure::Failure, output::Output, progress::Bars};

/// Options of `query`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder.
    directory: PathBuf,
    /// The question: SELECT AVG(column) FROM table WHERE epoch = 1; see docs/table.md.
    sql: String,
    /// The directory to write the proof to, for `subrosa verify`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let size = custodian.digests()?.len() as u64;
    let plan = sql::plan(custodian.table(), size, &args.sql)
        .map_err(|error| Failure::input(error).hint("docs/table.md says what may be asked"))?;
    let signed = newest(&custodian)?;
    let (mut epochs, bars) = (Epochs::default(), Bars::new());
    bars.begin("answering", plan.len() as u64);
    // Nothing is written before every answer is there: a refusal leaves no bundle behind.
    let mut answers = Vec::with_capacity(plan.len());
    for planned in &plan {
        answers.push(epochs.answer(&custodian, &signed, &planned.query)?);
        bars.advance(1);
    }
    bars.finish();
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    let mut tables =
        TableWriter::new(&mut writer, custodian.table(), &signed).map_err(Failure::input)?;
    for (number, answer) in answers.iter().enumerate() {
        tables.answer(&format!("answer-{number}"), answer)?;
    }
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let rows = rows(&custodian, &plan, &answers);
    let object =
        json!({ "table": custodian.table().id().to_string(), "bundle": digest, "rows": rows });
    output.result(&object, || {
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        lines.push(format!("bundle {digest}"));
        lines
    });
    Ok(())
}

/// The checkpoint of the whole log.
pub fn newest(custodian: &Custodian<RedbStore>) -> Result<SignedCheckpoint, Failure> {
    match custodian.digests()?.len() as u64 {
        0 => Err(Failure::input("no epoch is sealed")
            .hint("seal one first: `subrosa table seal DIR --epoch N`")),
        size => Ok(custodian.checkpoint(size)?),
    }
}

/// Epochs that answers draw on, each built once.
#[derive(Default)]
struct Epochs(BTreeMap<u32, BuiltEpoch>);

impl Epochs {
    fn answer(
        &mut self,
        custodian: &Custodian<RedbStore>,
        signed: &SignedCheckpoint,
        query: &Query,
    ) -> Result<Answer, Failure> {
        let mut attestations: Vec<Attestation> = Vec::new();
        for epoch in query.region.from..=query.region.to {
            require_sealed(custodian, epoch)?;
            attestations.extend(custodian.attestations(epoch)?);
            if let std::collections::btree_map::Entry::Vacant(entry) = self.0.entry(epoch) {
                entry.insert(custodian.load(epoch)?);
            }
        }
        let range = self.0.range(query.region.from..=query.region.to);
        let source = |(epoch, built): (&u32, _)| {
            let logged = custodian.logged(*epoch, signed.checkpoint.size)?;
            Ok(Source { logged, built })
        };
        let sources: Vec<Source<'_>> = range.map(source).collect::<Result<_, Failure>>()?;
        let (table, rng) = (custodian.table(), &mut UnwrapErr(SysRng));
        query::answer(table, &signed.checkpoint, query.clone(), &sources, attestations, rng)
            .map_err(Failure::input)
    }
}

/// The values of the `GROUP BY` columns, by name.
type Group<'a> = &'a [(String, String)];

/// A row for every group, with all that was asked about it.
fn rows(
    custodian: &Custodian<RedbStore>,
    plan: &[Planned],
    answers: &[Answer],
) -> Vec<Map<String, Value>> {
    let mut rows: Vec<(Group<'_>, Map<String, Value>)> = Vec::new();
    for (planned, answer) in plan.iter().zip(answers) {
        let Some(column) = custodian.table().schema().value(planned.query.column) else { continue };
        if rows.last().is_none_or(|(group, _)| *group != planned.group) {
            let named = planned.group.iter().map(|(name, value)| (name.clone(), json!(value)));
            rows.push((&planned.group, named.collect()));
        }
        if let Some((_, row)) = rows.last_mut() {
            for aggregate in &planned.aggregates {
                row.insert(aggregate.label.clone(), aggregate.show(column, &answer.outcome));
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

fn line(row: &Map<String, Value>) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = row.iter().map(|(name, value)| format!("{name} = {}", text(value)));
    fields.collect::<Vec<_>>().join("  ")
}
