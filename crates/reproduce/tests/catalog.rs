//! The figures that the crate carries.

use reproduce::{Catalog, Origin, Scale};

const FIGURES: [&str; 23] = [
    "trace-main",
    "trace-steps",
    "trace-sweeps",
    "vole-time",
    "vole-comm",
    "vole-fpm",
    "tap-c1",
    "tap-8a",
    "tap-8b",
    "tap-9",
    "tap-10a",
    "tap-10b",
    "tap-10c",
    "tap-10d",
    "setup-phase1",
    "setup-phase2",
    "setup-groth16",
    "setup-sonic",
    "setup-sonic-batch",
    "setup-peers",
    "ac16-metrics",
    "ac16-groups",
    "kernels",
];

#[test]
fn every_figure_is_there() {
    let catalog = Catalog::load().unwrap();
    let names: Vec<&str> = catalog.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(names, FIGURES);
}

#[test]
fn published_numbers_name_their_source_and_ours_a_bench() {
    let catalog = Catalog::load().unwrap();
    for figure in &catalog.figures {
        for panel in &figure.panels {
            for series in &panel.series {
                let name = format!("{}/{}/{}", figure.id, panel.id, series.id);
                let is_ours = matches!(series.kind, Origin::Ours | Origin::Peer);
                let is_other = matches!(series.kind, Origin::Published | Origin::Baseline);
                assert_eq!(is_ours, !series.pick.is_empty(), "{name}");
                assert_eq!(is_other, !series.points.is_empty(), "{name}");
                if is_other {
                    assert!(!series.cite.as_deref().unwrap().is_empty(), "{name}");
                    assert!(series.points.iter().all(|(_, value)| *value > 0.0), "{name}");
                }
            }
        }
        for scale in [Scale::Smoke, Scale::Default, Scale::Full] {
            let runs = figure.invocations(scale);
            assert!(!runs.is_empty(), "{}", figure.id);
            let open = runs.iter().flat_map(|run| &run.arguments).find(|word| word.contains('{'));
            assert_eq!(open, None, "{}: a variable without a value", figure.id);
        }
    }
}

#[test]
fn data_that_contradict_themselves_are_refused() {
    let panel = "[[figure.panel]]\nid = \"p\"\ntitle = \"P\"\nkind = \"dots\"\nunit = \"s\"\n";
    let head = "[[figure]]\nid = \"f\"\ntitle = \"F\"\nsource = \"s\"\nabout = \"a\"\n";
    let series = "[[figure.panel.series]]\nid = \"s\"\nname = \"S\"\nkind = \"published\"\n";
    let cited = "cite = \"c\"\npoints = [[\"a\", 1]]\n";
    let good = format!("{head}{panel}{series}{cited}");
    assert!(Catalog::parse("test", &good).is_ok());
    let dated = "hardware = \"a machine\"\ndate = \"then\"\n";
    assert!(Catalog::parse("test", &(good.replace("published", "baseline") + dated)).is_ok());
    let continued = "[[figure.panel.series]]\nid = \"t\"\nname = \"T\"\nkind = \"extrapolated\"\n\
                     of = \"s\"\nat = [2]\n";
    assert!(Catalog::parse("test", &format!("{good}{continued}")).is_ok());
    let claim = "[[figure.claim]]\nby = \"b\"\ntext = \"t\"\ncite = \"c\"\nat_most = 1\n\
                 left = { panel = \"p\", series = \"none\", x = 1 }\nright = { value = 1 }\n";
    for bad in [
        format!("{head}{panel}{series}points = [[\"a\", 1]]\n"),
        format!("{head}{panel}{series}bench = \"none\"\npick = [{{ x = \"a\", sum = [\"b\"] }}]\n"),
        format!("{head}{panel}ratios = [[\"s\", \"none\"]]\n{series}{cited}"),
        // What is not measured in a session is divided by nothing, and by whom it was measured is said.
        format!("{head}{panel}ratios = [[\"s\", \"s\"]]\n{series}{cited}"),
        good.replace("published", "baseline"),
        format!("{head}{panel}{series}like = \"none\"\n{cited}"),
        // A series that stands below has no values yet, and would be taken for an empty one.
        format!("{head}{panel}{continued}{series}{cited}"),
        format!("{good}{claim}"),
        format!("{good}colour = 5\n"),
    ] {
        assert!(Catalog::parse("test", &bad).is_err(), "{bad}");
    }
}

#[test]
fn unknown_figures_are_named() {
    let catalog = Catalog::load().unwrap();
    let refused = catalog.select(&["tap-8a".to_owned(), "tap-8z".to_owned()]).unwrap_err();
    assert_eq!(refused.to_string(), "there is no figure `tap-8z`");
}
