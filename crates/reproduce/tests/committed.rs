//! The figures that the project publishes are those of its committed results.

use std::{fs, path::Path};

use reproduce::{Catalog, Report, Results, Scale, Status};

/// Every value, ratio and verdict of `docs/performance.md` follows from the runs beside it: nobody
/// edits one without the other, and a figure that changes is generated anew.
#[test]
fn the_published_figures_follow_from_the_committed_runs() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let results = Results::open(&docs.join("performance/results.json")).unwrap();
    let catalog = Catalog::load().unwrap();
    let figures: Vec<_> = catalog.figures.iter().collect();
    let report = Report::new(&figures, &results, Scale::Default, &version_of(&docs));
    let out = tempfile::tempdir().unwrap();
    report.write(out.path()).unwrap();
    for (name, committed) in
        [("performance.md", "performance.md"), ("figures.json", "performance/figures.json")]
    {
        let [written, committed] = [out.path().join(name), docs.join(committed)]
            .map(|path| fs::read_to_string(path).unwrap());
        assert!(
            written == committed,
            "{name}: generate docs/performance.md anew, as docs/reproduce.md says"
        );
    }
    let measured = |figure: &reproduce::FigureResult| {
        figure.commands.iter().all(|command| command.status == Some(Status::Measured))
    };
    assert!(report.figures.iter().all(measured));
}

/// The program that wrote the committed report may be older than this one.
fn version_of(docs: &Path) -> String {
    let figures = fs::read(docs.join("performance/figures.json")).unwrap();
    let figures: serde_json::Value = serde_json::from_slice(&figures).unwrap();
    figures["version"].as_str().unwrap().to_owned()
}
