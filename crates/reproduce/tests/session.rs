//! Figures, runs and ratios, with a program that stands in for the benches.

#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use reproduce::{
    Catalog, Outcome, Peers, Progress, Report, Results, Run, Scale, Session, Status, X,
};
use serde_json::json;

/// Prints a row whose time is 10 ms for each item, 1 ms more at every call.
const PROGRAM: &str = r#"#!/bin/sh
case "$*" in
*absent*) echo "error: error: invalid value 'absent' for '--system <SYSTEM>'" >&2; exit 2 ;;
*broken*) echo "refused: it does not verify" >&2; exit 1 ;;
*silent*) exit 0 ;;
esac
echo call >> "$0.calls"
count=$(wc -l < "$0.calls")
echo "{\"rows\": [{\"name\": \"prove\", \"count\": $4, \"wall_ms\": $(($4 * 10 + count)), \"cpu_ms\": 1}]}"
"#;

const FIGURES: &str = r#"
[[figure]]
id = "one"
title = "One"
source = "a document, Table 1"
about = "A figure."

[[figure.bench]]
id = "bench"
command = "bench thing {n}"
smoke = [{ n = [100, 200] }]
default = [{ n = [100, 1000] }]
full = [{ n = 1000 }]

[[figure.bench]]
id = "other"
command = "bench other {n}"
smoke = [{ n = 100 }]
default = [{ n = [100, 1000] }]
full = [{ n = 1000 }]

[[figure.bench]]
id = "absent"
command = "bench absent {n}"
smoke = [{ n = 100 }]
default = [{ n = 100 }]
full = [{ n = 100 }]

[[figure.panel]]
id = "time"
title = "Time"
kind = "lines"
x = "things"
unit = "ms"
ratios = [["other", "ours"], ["gone", "ours"]]

[[figure.panel.series]]
id = "published"
name = "Published"
kind = "published"
cite = "Table 1"
points = [[100, 5000], [1000, 50000]]

[[figure.panel.series]]
id = "before"
name = "Another's, measured before"
kind = "baseline"
cite = "its run"
hardware = "another machine"
date = "before 2026"
size = { n = 5 }
points = [[100, 5000]]

[[figure.panel.series]]
id = "other"
name = "Another's"
kind = "ours"
bench = "other"
pick = [{ x = "{n}", sum = ["prove"] }]

[[figure.panel.series]]
id = "ours"
name = "Ours"
kind = "ours"
bench = "bench"
pick = [{ x = "{n}", sum = ["prove"] }]

[[figure.panel.series]]
id = "far"
name = "Far"
kind = "extrapolated"
of = "ours"
at = [50, 4000]

[[figure.panel.series]]
id = "gone"
name = "Gone"
kind = "ours"
bench = "absent"
pick = [{ x = "{n}", sum = ["prove"] }]

[[figure.claim]]
by = "us"
text = "ours is faster"
cite = "here"
left = { panel = "time", series = "other", x = 100 }
at_least = 1
right = { panel = "time", series = "ours", x = 100 }

[[figure.claim]]
by = "us"
text = "ours is slower"
cite = "here"
left = { panel = "time", series = "other", x = 100 }
at_most = 1
right = { panel = "time", series = "ours", x = 100 }

[[figure.claim]]
by = "us"
text = "ours is faster than what was published"
cite = "here"
left = { panel = "time", series = "published", x = 100 }
at_least = 2
right = { panel = "time", series = "ours", x = 100 }

[[figure.claim]]
by = "us"
text = "ours takes at most 5 s"
cite = "here"
left = { panel = "time", series = "ours", x = 100 }
at_most = 1
right = { value = 5000 }

[[figure.claim]]
by = "us"
text = "what is gone is fast"
cite = "here"
left = { panel = "time", series = "gone", x = 100 }
at_most = 1
right = { value = 5 }

[[figure.claim]]
by = "us"
text = "it is linear"
cite = "here"
slope = { panel = "time", series = "ours", at_least = 0.9, at_most = 1.1 }
"#;

fn session(directory: &Path, scale: Scale) -> Session {
    let program = directory.join("program");
    if !program.exists() {
        fs::write(&program, PROGRAM).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    Session {
        program,
        version: "1".to_owned(),
        machine: json!({ "cpu": "a cpu", "cores": 2, "memory": 1, "os": "an os" }),
        scale,
        again: false,
        repeat: None,
        peers: Peers::new(&directory.join("peers")),
    }
}

fn calls(directory: &Path) -> usize {
    fs::read_to_string(directory.join("program.calls")).map_or(0, |text| text.lines().count())
}

#[test]
fn runs_are_kept_and_not_repeated() {
    let directory = tempfile::tempdir().unwrap();
    let catalog = Catalog::parse("test", FIGURES).unwrap();
    let figures = catalog.select(&[]).unwrap();
    let file = directory.path().join("results.json");
    let run = |session: &Session| {
        let (mut results, mut ended) = (Results::open(&file).unwrap(), Vec::new());
        let tell = |_: &str, progress: Progress<'_>| match progress {
            Progress::Ended(status, _) => ended.push(Some(status)),
            Progress::Known => ended.push(None),
            Progress::Started(..) => {}
        };
        session.run(&figures, &mut results, tell).unwrap();
        ended
    };
    let session = session(directory.path(), Scale::Smoke);
    let (first, measured) = (run(&session), Some(Status::Measured));
    assert_eq!(first, [measured, measured, measured, Some(Status::Missing)]);
    assert_eq!(calls(directory.path()), 3);
    // What is missing is asked for again, what is there is not.
    assert_eq!(run(&session), [None, None, None, Some(Status::Missing)]);
    assert_eq!(calls(directory.path()), 3);
    assert_eq!(run(&Session { again: true, ..session })[0], Some(Status::Measured));
    assert_eq!(calls(directory.path()), 6);

    // Another version, machine or scale measures anew.
    let again = self::session(directory.path(), Scale::Smoke);
    assert!(run(&Session { version: "2".to_owned(), ..again })[0].is_some());
    let again = self::session(directory.path(), Scale::Smoke);
    assert!(run(&Session { machine: json!({ "cpu": "another" }), ..again })[0].is_some());
    assert!(run(&self::session(directory.path(), Scale::Default))[0].is_some());
}

#[test]
fn values_ratios_and_verdicts_come_from_the_runs() {
    let directory = tempfile::tempdir().unwrap();
    let catalog = Catalog::parse("test", FIGURES).unwrap();
    let figures = catalog.select(&[]).unwrap();
    let mut results = Results::open(&directory.path().join("results.json")).unwrap();
    session(directory.path(), Scale::Default).run(&figures, &mut results, |_, _| {}).unwrap();
    let report = Report::new(&figures, &results, Scale::Default, "1");
    let figure = &report.figures[0];

    // Three repetitions take 1,001 to 1,003 ms, the next three 10,004 to 10,006.
    let ours = figure.panels[0].column("ours").unwrap();
    assert_eq!(ours.points[0].values, [1001.0, 1002.0, 1003.0]);
    assert_eq!((ours.points[0].value, ours.points[0].spread()), (1002.0, Some((1001.0, 1003.0))));
    assert_eq!(ours.points[1].value, 10_005.0);
    let ratios = |report: &Report| -> Vec<f64> {
        report.figures[0].panels[0].ratios.iter().map(|ratio| ratio.value).collect()
    };
    assert_eq!(ratios(&report), [1008.0 / 1002.0, 10_011.0 / 10_005.0]);

    // Only beyond what was measured.
    let far = figure.panels[0].column("far").unwrap();
    assert_eq!(far.points.len(), 1);
    assert_eq!((far.points[0].x.clone(), far.points[0].value), (X::Number(4000.0), 40_020.0));

    use Outcome::{DoesNotHold, Holds, NotComparable};
    let outcomes: Vec<Outcome> = figure.claims.iter().map(|claim| claim.outcome).collect();
    let never = NotComparable;
    assert_eq!(outcomes, [Holds, DoesNotHold, never, never, never, Holds]);
    for claim in &figure.claims[2..4] {
        assert!(claim.reason.contains("not of one machine and one session"), "{}", claim.reason);
    }
    assert!(figure.claims[4].reason.contains("bench absent 100"), "{}", figure.claims[4].reason);

    // One of the two is measured anew, on another machine or in another session: nothing is divided.
    let changed = |change: &dyn Fn(&mut Run)| {
        let mut runs = results.runs().to_vec();
        runs.iter_mut().filter(|run| run.arguments[1] == "other").for_each(change);
        let mut results = Results::open(&directory.path().join("changed.json")).unwrap();
        runs.into_iter().for_each(|run| results.append(run).unwrap());
        let report = Report::new(&figures, &results, Scale::Default, "1");
        fs::remove_file(directory.path().join("changed.json")).unwrap();
        assert!(report.figures[0].claims[..2].iter().all(|claim| claim.outcome == NotComparable));
        ratios(&report)
    };
    assert!(changed(&|run| run.session = run.session.map(|began| began + 1)).is_empty());
    assert!(changed(&|run| run.session = None).is_empty());
    assert!(changed(&|run| run.machine = json!({ "cpu": "another" })).is_empty());

    // A smoke run decides nothing.
    session(directory.path(), Scale::Smoke).run(&figures, &mut results, |_, _| {}).unwrap();
    let report = Report::new(&figures, &results, Scale::Smoke, "1");
    let claims = &report.figures[0].claims;
    assert!(claims.iter().all(|claim| claim.outcome == NotComparable), "{claims:?}");

    report.write(directory.path()).unwrap();
    let page = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert!(page.contains("<svg class=\"plot\"") && page.contains("bench absent 100"));
    assert!(!page.contains("http"), "the page asks for nothing outside");
}

#[test]
fn failures_are_results() {
    let directory = tempfile::tempdir().unwrap();
    for (name, status, reason) in [
        ("broken", Status::Failed, "refused: it does not verify"),
        ("silent", Status::Failed, "it printed nothing"),
        ("absent", Status::Missing, "error: error: invalid value 'absent' for '--system <SYSTEM>'"),
    ] {
        let text = FIGURES.replace("bench thing", &format!("bench {name}"));
        let catalog = Catalog::parse("test", &text).unwrap();
        let figures = catalog.select(&[]).unwrap();
        let path = directory.path().join(format!("{name}.json"));
        let mut results = Results::open(&path).unwrap();
        let mut ended = Vec::new();
        let tell = |_: &str, progress: Progress<'_>| {
            if let Progress::Ended(status, reason) = progress {
                ended.push((status, reason.unwrap_or_default().to_owned()));
            }
        };
        session(directory.path(), Scale::Smoke).run(&figures, &mut results, tell).unwrap();
        assert_eq!(ended[0], (status, reason.to_owned()));
        // The file says the same.
        let again = Results::open(&path).unwrap();
        let run = again.latest(&figures[0].invocations(Scale::Smoke)[0], Scale::Smoke).unwrap();
        assert_eq!((run.status, run.reason.as_deref()), (status, Some(reason)));
    }
}

#[test]
fn files_that_are_no_results_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("results.json");
    assert!(Results::open(&path).is_ok(), "none yet");
    for text in ["", "{}", "[]", "{\"format\":3,\"runs\":[]}", "{\"format\":1,\"runs\":[{}]}"] {
        fs::write(&path, text).unwrap();
        let refused = Results::open(&path).unwrap_err().to_string();
        assert!(refused.contains("results.json"), "{refused}");
    }
}
