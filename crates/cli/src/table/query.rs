//! `subrosa table query`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ::table::{
    BuiltEpoch,
    claims::TableWriter,
    log::{Attestation, SignedCheckpoint},
    query::{self, Answer, Query, Source},
    sql::{self, Planned},
    store::{AskError, Asking, Custodian, CustodyError, Question, RedbStore},
};
use claim::BundleWriter;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::{Map, Value, json};
use wire::Progress as _;

use super::{
    clock::now,
    folder::{Folder, require_sealed},
    remote::Remote,
};
use crate::{
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `query`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder, or with `--server` its identifier.
    #[arg(value_name = "TABLE")]
    directory: PathBuf,
    /// The question: SELECT AVG(column) FROM table WHERE epoch = 1; see docs/table.md.
    sql: String,
    /// The directory to write the proof to, for `subrosa verify`.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    remote: Remote,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    if let Some(mut asked) = args.remote.open(&args.directory)? {
        let answer = asked.client.query(&args.sql)?;
        let digest = answer.write(&args.out)?.digest().map_err(Failure::input)?.to_string();
        report(&args.directory.display().to_string(), &digest, &answer.rows, output);
        return asked.finish();
    }
    let custodian = Folder::new(&args.directory).open()?;
    let bars = Bars::new();
    // Nothing is written before every answer is there, and noted: a refusal leaves no bundle behind.
    let asking = Asking { text: &args.sql, asker: None, time: now()? };
    let (plan, answers) = custodian.ask(&asking, |plan: &[Planned]| {
        let signed = newest(&custodian).map_err(AskError::Proving)?;
        let mut epochs = Epochs::default();
        bars.begin("answering", plan.len() as u64);
        let mut answers = Vec::with_capacity(plan.len());
        for planned in plan {
            answers.push(epochs.answer(&custodian, &signed, &planned.query)?);
            bars.advance(1);
        }
        Ok(answers)
    })?;
    bars.finish();
    let signed = newest(&custodian)?;
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    let mut tables = claims(&mut writer, &custodian, &signed)?;
    for (number, answer) in answers.iter().enumerate() {
        tables.answer(&format!("answer-{number}"), answer)?;
    }
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let rows = sql::shown(custodian.table().schema(), &plan, &answers);
    report(&custodian.table().id().to_string(), &digest, &rows, output);
    Ok(())
}

fn report(table: &str, digest: &str, rows: &[Map<String, Value>], output: &Output) {
    output.result(&json!({ "table": table, "bundle": digest, "rows": rows }), || {
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        lines.push(format!("bundle {digest}"));
        lines
    });
}

/// A bundle's table, with a checkpoint and everything that verifies it.
pub fn claims<'a>(
    writer: &'a mut BundleWriter,
    custodian: &'a Custodian<RedbStore>,
    signed: &'a SignedCheckpoint,
) -> Result<TableWriter<'a>, Failure> {
    let rotations = custodian.rotations(signed.checkpoint.size)?;
    let tables = TableWriter::new(writer, custodian.table(), signed).map_err(Failure::input)?;
    tables.with_rotations(&rotations).map_err(Failure::input)
}

/// Options of `query-log`.
#[derive(clap::Args)]
pub struct LogArgs {
    /// The table's folder.
    directory: PathBuf,
    /// The directory for the proof, for `subrosa verify`: of all questions that the log binds, and that the
    /// policy's budgets were kept. It shows the questions, and who asked them.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Prove only that one question is in the list, by its number, counted from 0; for whoever asked it.
    #[arg(long, value_name = "N", requires = "out")]
    number: Option<u64>,
}

/// Proves that a question, or every question, is bound by the log.
fn prove_noted(args: &LogArgs, out: &Path, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let signed = newest(&custodian)?;
    // Before there is a directory.
    let one = args.number.map(|number| {
        let proof = custodian.show_question(&signed, number)?.ok_or_else(|| {
            Failure::input(format!("the log does not bind question {number} yet"))
                .hint("the next epoch that is sealed binds all questions asked before")
        })?;
        Ok::<_, Failure>((number, proof))
    });
    let one = one.transpose()?;
    let mut writer = BundleWriter::create(out).map_err(Failure::input)?;
    let mut tables = claims(&mut writer, &custodian, &signed)?;
    match one {
        Some((number, proof)) => tables.question(&format!("question-{number}"), &proof)?,
        None => tables.questions("questions", &custodian.show_questions(&signed)?)?,
    }
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    output.result(&json!({ "bundle": digest }), || vec![format!("bundle {digest}")]);
    Ok(())
}

/// Runs `query-log`.
pub fn query_log(args: &LogArgs, output: &Output) -> Result<(), Failure> {
    if let Some(out) = &args.out {
        return prove_noted(args, out, output);
    }
    let custodian = Folder::new(&args.directory).open()?;
    let questions = custodian.questions()?;
    let shown = |asked: &Question| {
        json!({
            "time": asked.time,
            "query": asked.text,
            "asker": asked.asker,
            "answers": asked.answers,
            "refused": asked.refused,
        })
    };
    let policy = &custodian.table().schema().policy;
    let object = json!({
        "queries": questions.iter().map(shown).collect::<Vec<_>>(),
        "max_queries_per_day": policy.max_queries_per_day,
        "max_queries_per_asker": policy.max_queries_per_asker,
    });
    output.result(&object, || {
        let line = |(number, asked): (u64, &Question)| {
            let asker = asked.asker.as_deref().unwrap_or("-");
            let outcome = match (&asked.refused, asked.answers) {
                (Some(code), _) => format!("refused ({code})"),
                (None, answers) => output::counted(answers.into(), "answer", "answers"),
            };
            format!("{number}  {}  {asker}  {outcome}  {}", asked.time, asked.text)
        };
        (0_u64..).zip(&questions).map(line).collect()
    });
    Ok(())
}

/// The newest checkpoint that may be shown to anybody.
pub fn newest(custodian: &Custodian<RedbStore>) -> Result<SignedCheckpoint, Failure> {
    match custodian.served_size()? {
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
    ) -> Result<Answer, AskError<Failure>> {
        let rng = &mut UnwrapErr(SysRng);
        if let Some(answer) = custodian.answer_rolled_up(signed, query, rng)? {
            return Ok(answer);
        }
        let mut attestations: Vec<Attestation> = Vec::new();
        for epoch in query.region.from..=query.region.to {
            require_sealed(custodian, epoch).map_err(AskError::Proving)?;
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
        let sources: Vec<Source<'_>> = range.map(source).collect::<Result<_, CustodyError>>()?;
        let (table, query) = (custodian.table(), query.clone());
        Ok(query::answer(table, &signed.checkpoint, query, &sources, attestations, rng)?)
    }
}

fn line(row: &Map<String, Value>) -> String {
    let text = |value: &Value| match (value, value.get("withheld").and_then(Value::as_str)) {
        (_, Some(why)) => format!("withheld ({why})"),
        (Value::String(text), _) => text.clone(),
        (other, _) => other.to_string(),
    };
    let fields = row.iter().map(|(name, value)| format!("{name} = {}", text(value)));
    fields.collect::<Vec<_>>().join("  ")
}
