//! `subrosa survey run`.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Instant,
};

use claim::{Check, Verdict};
use serde_json::json;
use study::{
    report::{self, SurveyReport},
    survey::{Cell, Responses, SurveyDescription, read_responses},
};
use verifier::Report;

use super::{Published, custody, custody::Custody};
use crate::{
    election::{
        crew::Worker,
        folder::{Folder, read_text},
        page::{self, PageArgs},
        publish::remove_leftover,
        run::{identity, out_of},
    },
    failure::Failure,
    output,
    output::Output,
    verify,
};

const AUDITOR: &str = "auditor";

/// Options of `run`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder with `survey.toml` and `responses.csv`.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The folder to write to: the parties' secrets, the bundle, the report and everything else [default:
    /// `out/` and the name of the folder].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Use only this many responses, the first ones.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs the survey of a folder.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let start = Instant::now();
    let out = out_of(&args.folder, args.out.as_deref());
    let description = read_description(&args.folder.join("survey.toml"))?;
    let responses = read(&args.folder.join("responses.csv"), &description, args.limit)?;
    let years = custody::years(&responses)?;
    let people: usize = responses.values().map(Vec::len).sum();
    let span = format!("{} to {}", years.start(), years.end());
    output.done("responses", &format!("{}, {span}", output::count(people as u64)));

    let folder = Folder::create(&out)?;
    args.page.place(folder.root())?;
    let (operator, auditor) = (identity(&folder, "custodian")?, identity(&folder, AUDITOR)?);
    let files = (folder.store(), folder.key("master"));
    let custody = Custody::open((&files.0, &files.1), &description, years, (&operator, &auditor))?;
    let published = Published::create(&folder.published())?;
    output.done("table", &custody.custodian().table().id().to_string());

    let files = (folder.root().join("bundle"), folder.root().join("report.html"));
    let (bundle, report) = (files.0.as_path(), files.1.as_path());
    if report.exists() {
        return finished(&description, &custody, (bundle, report), output);
    }
    let signed = custody.seal(&responses, &operator, &published)?;
    output.done("sealed", &output::counted(signed.checkpoint.size, "epoch", "epochs"));
    audit(&folder, &custody, &published, output)?;

    // Answers have random proofs: without a report, which is written last, nobody relies on a
    // bundle, and a new one is written.
    remove_unfinished(bundle)?;
    let cells = custody.publish(&description, (&responses, &published), &signed, bundle)?;
    output.done("answered", &format!("{} groups and years", cells.len()));

    let (digest, verdicts) = check(bundle, output)?;
    let named = |name: &str, digest: String| report::NamedDigest { name: name.to_owned(), digest };
    let table = *custody.custodian().table().id();
    let digests = vec![named("Bundle", digest.clone()), named("Table", table.to_string())];
    let path = bundle.display().to_string();
    let data = SurveyReport {
        description: &description,
        table,
        cells: &cells,
        checks: checks(&verdicts),
        bundle: report::Bundle { path, digests, page: page::beside(folder.root()) },
    };
    wire::write_atomic(report, data.to_html().as_bytes())
        .map_err(|error| Failure::file(report, error))?;

    let object = json!({
        "title": description.title,
        "table": table.to_string(),
        "bundle": bundle,
        "report": report,
        "digest": digest,
        "figures": cells,
        "wall_ms": start.elapsed().as_millis() as u64,
    });
    output.result(&object, || {
        let mut lines = vec![String::new()];
        lines.extend(medians(&description, &cells));
        lines.push(String::new());
        lines.push(format!("report  {}", report.display()));
        lines.push(format!("bundle  {}", bundle.display()));
        lines.push(format!("check   subrosa verify {}", bundle.display()));
        lines.push(format!("took    {:.1?}", start.elapsed()));
        lines
    });
    Ok(())
}

/// Checks the bundle as a stranger would: its digest, and what was verified.
fn check(bundle: &Path, output: &Output) -> Result<(String, Vec<Verdict>), Failure> {
    let start = Instant::now();
    let Report { digest, verdicts, .. } = verify::check(bundle, &[])?;
    let claims = output::counted(verdicts.len() as u64, "claim", "claims");
    output.done("verified", &format!("{claims}, {:.1?}", start.elapsed()));
    Ok((digest.to_string(), verdicts))
}

/// A survey that was published is verified once more and kept.
fn finished(
    description: &SurveyDescription,
    custody: &Custody,
    (bundle, report): (&Path, &Path),
    output: &Output,
) -> Result<(), Failure> {
    if !custody.is_sealed()? {
        return Err(Failure::file(report, "the published survey covers other years")
            .hint("choose another folder with --out"));
    }
    let (digest, _) = check(bundle, output)?;
    let object = json!({
        "title": description.title,
        "table": custody.custodian().table().id().to_string(),
        "bundle": bundle,
        "report": report,
        "digest": digest,
    });
    output.result(&object, || {
        vec![format!("report  {}", report.display()), format!("bundle  {}", bundle.display())]
    });
    Ok(())
}

/// Removes a bundle that no report speaks of, and nothing else.
fn remove_unfinished(bundle: &Path) -> Result<(), Failure> {
    let manifest = bundle.join("bundle.json");
    if manifest.exists() {
        std::fs::remove_file(&manifest).map_err(|error| Failure::file(&manifest, error))?;
    }
    remove_leftover(bundle)
}

/// Has the auditor audit what is published, in a process of its own without a secret of ours.
fn audit(
    folder: &Folder,
    custody: &Custody,
    published: &Published,
    output: &Output,
) -> Result<(), Failure> {
    let start = Instant::now();
    let arguments = [
        "survey".into(),
        "audit".into(),
        published.path().to_owned().into_os_string(),
        "--key".into(),
        folder.key(AUDITOR).into_os_string(),
        "--expect-table".into(),
        custody.custodian().table().id().to_string().into(),
    ];
    let worker = Worker::start(AUDITOR, arguments, folder.log(AUDITOR))?;
    worker.finish(output, || Ok(()))?;
    output.done("audited", &format!("{:.1?}", start.elapsed()));
    Ok(())
}

fn read_description(path: &Path) -> Result<SurveyDescription, Failure> {
    let text = read_text(path, "docs/pay-survey.md describes what the folder of a survey holds")?;
    SurveyDescription::from_toml(&text).map_err(|error| Failure::file(path, error))
}

fn read(
    path: &Path,
    description: &SurveyDescription,
    limit: Option<usize>,
) -> Result<Responses, Failure> {
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    read_responses(description, file, limit).map_err(|error| Failure::file(path, error))
}

/// What was verified, all claims together.
fn checks(verdicts: &[Verdict]) -> Vec<report::Check> {
    let mut totals: Vec<(&str, u64)> = Vec::new();
    for Check { what, count, .. } in verdicts.iter().flat_map(|verdict| &verdict.checks) {
        match totals.iter_mut().find(|(known, _)| known == what) {
            Some((_, total)) => *total += count,
            None => totals.push((what, *count)),
        }
    }
    let counted = totals.into_iter().filter(|(_, total)| *total > 0);
    counted
        .map(|(what, total)| report::Check {
            claim: what.to_owned(),
            detail: output::count(total),
            passed: true,
        })
        .collect()
}

/// Everybody's medians, year by year.
fn medians(description: &SurveyDescription, cells: &[Cell]) -> Vec<String> {
    let column = description.column().and_then(|at| description.table.value(at));
    let unit = column.map_or("", |column| column.unit.as_str());
    let everybody = cells.iter().filter(|cell| cell.group == 0);
    let medians = everybody.filter_map(|cell| Some((cell.year, cell.median.as_ref()?)));
    std::iter::once(format!("Median of {} {unit}", description.value))
        .chain(medians.map(|(year, median)| format!("{year:>9}  {}", median.text)))
        .collect()
}
