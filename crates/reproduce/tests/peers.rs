//! Adapters of other programs, installed from their registries.

use std::{env, path::PathBuf};

use reproduce::{Catalog, Peers, Results, Scale, Session, Status};
use serde_json::json;

/// `SUBROSA_PEERS` names a directory in which they stay installed.
#[test]
#[ignore = "downloads and compiles for minutes: snarkjs, arkworks, bulletproofs, halo2curves, gnark-crypto"]
fn adapters_report_every_row() {
    let directory = tempfile::tempdir().unwrap();
    let kept = env::var_os("SUBROSA_PEERS").map(PathBuf::from);
    let peers = Peers::new(kept.as_deref().unwrap_or(directory.path()));
    peers.install(|name, ended| assert_eq!(ended, Ok(()), "{name}"));

    // Only what peers run: no bench of ours is there.
    let catalog = Catalog::load().unwrap();
    let names = ["tap-10b", "setup-peers", "ac16-groups"].map(str::to_owned);
    let mut figures: Vec<_> = catalog.select(&names).unwrap().into_iter().cloned().collect();
    for figure in &mut figures {
        figure.benches.retain(|bench| bench.peer.is_some());
    }
    let figures: Vec<_> = figures.iter().collect();
    let session = Session {
        program: PathBuf::new(),
        version: "1".to_owned(),
        machine: json!({}),
        scale: Scale::Smoke,
        again: false,
        repeat: None,
        peers,
    };
    let mut results = Results::open(&directory.path().join("results.json")).unwrap();
    session.run(&figures, &mut results, |_, _| {}).unwrap();
    for invocation in figures.iter().flat_map(|figure| figure.invocations(Scale::Smoke)) {
        let run = results.latest(&invocation, Scale::Smoke).unwrap();
        assert_eq!(run.status, Status::Measured, "{}: {:?}", run.command(), run.reason);
        let times = run.values.iter().filter(|(name, _)| name.ends_with("|cpu_ms"));
        assert!(times.clone().count() > 0 && times.clone().all(|(_, values)| values[0] > 0.0));
    }
}

#[test]
fn what_is_not_installed_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let peers = Peers::new(directory.path());
    assert!(peers.command("snarkjs").unwrap_err().contains("--fetch-peers"));
    assert!(peers.command("nobody").unwrap_err().contains("no adapter for nobody"));
}
