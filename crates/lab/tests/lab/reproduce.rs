//! `subrosa-lab reproduce` at the smallest scale: everything runs, every figure is on the page, and every
//! ratio follows from the numbers in the files.

use std::{collections::BTreeMap, fs, path::Path};

use crate::program::{fail, succeed};
use serde_json::Value;

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn read(directory: &Path, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(directory.join(name)).unwrap()).unwrap()
}

#[test]
fn a_smoke_run_fills_every_figure() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--json", "reproduce", "run", "--scale", "smoke", "--out", "out"];
    let printed: Value = serde_json::from_str(&succeed(directory.path(), &arguments)).unwrap();
    assert_eq!(printed["failed"], 0);
    let out = directory.path().join("out");
    let (results, figures) = (read(&out, "results.json"), read(&out, "figures.json"));
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(!page.contains("http") && !page.contains("<script"), "the page is one file");

    let listed = succeed(directory.path(), &["--json", "reproduce", "list"]);
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let sections: Vec<&str> = page.split("<section class=\"figure\"").skip(1).collect();
    assert_eq!(sections.len(), listed.len());
    for (section, (figure, entry)) in
        sections.iter().zip(list(&figures, "figures").iter().zip(&listed))
    {
        assert_eq!(figure["id"], entry["id"]);
        assert!(section.starts_with(&format!(" id=\"{}\"", text(figure, "id"))));
        is_drawn(figure, section);
        for panel in list(figure, "panels") {
            ratios_follow(panel);
        }
    }
    every_run_says_how(&results);
    values_follow(&results, &figures);

    // Nothing is measured twice.
    let again: Value = serde_json::from_str(&succeed(directory.path(), &arguments)).unwrap();
    assert_eq!(again["measured"], 0);
}

/// Every panel has a plot, with a mark for every value.
fn is_drawn(figure: &Value, section: &str) {
    let drawings: Vec<&str> = section.split("<svg class=\"plot\"").skip(1).collect();
    assert_eq!(drawings.len(), list(figure, "panels").len(), "{}", figure["id"]);
    for (drawing, panel) in drawings.iter().zip(list(figure, "panels")) {
        let drawing = drawing.split("</svg>").next().unwrap();
        let columns = || list(panel, "columns").iter();
        let points = |origins: &[&str]| -> usize {
            let of = columns().filter(|column| origins.contains(&text(column, "origin")));
            of.map(|column| list(column, "points").len()).sum()
        };
        let name = format!("{}/{}", figure["id"], panel["id"]);
        let circles = drawing.matches("<circle").count();
        assert_eq!(circles, points(&["ours", "published", "extrapolated"]), "{name}");
        assert_eq!(drawing.matches("<polygon").count(), points(&["baseline"]), "{name}");
        // Ours is missing only where the bench is.
        let mut ours = columns().filter(|column| text(column, "origin") == "ours");
        let is_there = |column: &Value| !list(column, "points").is_empty();
        let is_missing = |column: &Value| !list(column, "missing").is_empty();
        assert!(ours.any(|column| is_there(column) || is_missing(column)), "{name} is empty");
        assert!(circles > 0, "{name} is empty");
    }
}

/// Every ratio is one value divided by another.
fn ratios_follow(panel: &Value) {
    let value = |series: &Value, x: &Value| {
        let column = list(panel, "columns").iter().find(|column| column["id"] == *series).unwrap();
        let point = list(column, "points").iter().find(|point| point["x"] == *x).unwrap();
        let mut values: Vec<f64> =
            list(point, "values").iter().map(|value| value.as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        let shown = point["value"].as_f64().unwrap();
        assert!(values.is_empty() || values[values.len() / 2] == shown, "{point}");
        shown
    };
    for ratio in list(panel, "ratios") {
        let quotient = value(&ratio["over"], &ratio["x"]) / value(&ratio["under"], &ratio["x"]);
        let shown = ratio["value"].as_f64().unwrap();
        assert!((quotient / shown - 1.0).abs() < 1e-9, "{ratio}");
    }
}

fn every_run_says_how(results: &Value) {
    for run in list(results, "runs") {
        assert!(run["machine"]["cpu"].is_string() && run["started"].as_u64().unwrap() > 0);
        assert!(!list(run, "arguments").is_empty() && run["version"].is_string());
        match text(run, "status") {
            "measured" => {
                let repetitions = run["repetitions"].as_u64().unwrap() as usize;
                let values = run["values"].as_object().unwrap().values();
                assert!(values.clone().count() > 0);
                assert!(values.clone().all(|v| v.as_array().unwrap().len() == repetitions));
            }
            "missing" => assert!(!text(run, "reason").is_empty()),
            other => assert_eq!(other, "measured", "{run}"),
        }
    }
}

/// What figures show is what the runs measured: for a time, a size and a sum of rows.
fn values_follow(results: &Value, figures: &Value) {
    let runs: BTreeMap<String, &Value> = list(results, "runs")
        .iter()
        .map(|run| {
            let words = list(run, "arguments").iter().map(|word| word.as_str().unwrap());
            let line = words.fold(text(run, "program").to_owned(), |line, word| line + " " + word);
            (line, &run["values"])
        })
        .collect();
    let mut checked = 0;
    for (figure, panel, series, parts, times) in [
        ("setup-groth16", "prove", "ours", &["prove|wall_ms"][..], 1e-3),
        ("setup-phase1", "transfer", "ours", &["size:file_bytes"], 1e-6),
        ("tap-10b", "audit", "ours", &["audit_prove|wall_ms", "audit_verify|wall_ms"], 1e-3),
        ("vole-comm", "bits", "xor1", &["size:kb"], 1.0),
    ] {
        let named = |values: &'static str, parent: &Value, id: &str| {
            list(parent, values).iter().find(|found| found["id"] == id).unwrap().clone()
        };
        let figure = named("figures", figures, figure);
        let column = named("columns", &named("panels", &figure, panel), series);
        for point in list(&column, "points") {
            let values = runs[text(point, "command")];
            let sum: f64 = parts.iter().map(|part| values[*part][0].as_f64().unwrap()).sum();
            assert!((sum * times / point["value"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{point}");
            checked += 1;
        }
    }
    assert!(checked >= 6);
}

#[test]
fn misuse_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let unknown = ["reproduce", "run", "tap-8z", "--scale", "smoke"];
    fail(directory.path(), &unknown, 2, "there is no figure `tap-8z`");
    fs::create_dir(directory.path().join("out")).unwrap();
    fs::write(directory.path().join("out/results.json"), "{\"format\":7,\"runs\":[]}").unwrap();
    let foreign = ["reproduce", "run", "tap-8a", "--scale", "smoke", "--out", "out"];
    fail(directory.path(), &foreign, 2, "its format is 7");
}
