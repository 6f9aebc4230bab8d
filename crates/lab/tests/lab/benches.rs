//! `subrosa-lab bench`: what its reports have.

use std::path::Path;

use serde_json::Value;

use crate::program::{run, succeed};

#[test]
fn benches_report_every_row_once() {
    let directory = Path::new(".");
    let arguments =
        ["--json", "bench", "shuffle", "--voters", "5", "--columns", "2", "--threads", "1"];
    let ran = run(directory, &arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let object: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(object["bench"], "shuffle");
    let params = serde_json::json!({
        "scheme": "tw", "group": "ristretto255", "voters": 5, "columns": 2, "threads": 1, "repeat": 3
    });
    assert_eq!(object["params"], params);
    let rows = object["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    let expected = [
        "init",
        "encrypt",
        "permute",
        "prove",
        "prove-offline",
        "prove-online",
        "verify",
        "decrypt",
    ];
    assert_eq!(names, expected);
    for row in rows {
        assert_eq!(row["count"], 5);
        assert!(row["wall_ms"].as_f64().unwrap() > 0.0 && row["cpu_ms"].is_f64(), "{row}");
    }
    // 160n + 192 bytes for the permutation, 32(n + 2 + 3L) for the lists (`docs/spec/shuffle.md#files`).
    assert_eq!(object["sizes"]["proof_bytes"], 160 * 5 + 192 + 32 * (5 + 2 + 3 * 2));
    assert_eq!(object["sizes"]["outputs_bytes"], 8 + 64 * 5 * 2);
    assert!(object["machine"]["cores"].as_u64().unwrap() > 0);
    assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn table_benches_report_the_columns_of_the_artifact() {
    const BUILT: &str = "n_users n_trees file sql tree";
    let requests = "lookup sum_all min_all quantile_all sum_limited min_limited quantile_limited";
    let parts = |request| ["server", "client", "total"].map(|part| format!(" {request}_{part}"));
    let requests: String = requests.split(' ').flat_map(parts).collect();
    let phases = "idx query_proc_server query_response_transfer query_proc_client total";
    for (experiments, columns, epochs, points) in [
        ("1a 1b 1c 2a 2b 2c 2d", "epoch timecost storagecost", "2", 2),
        ("3a 3b 3c 3d 3e 3f 3g 3h", "epoch timecost bandwidthcost", "2", 2),
        // Four requests, five times each.
        ("4", phases, "10", 20),
        ("5", "epochs storage insert lookup auditor sum min quantile", "2", 2),
        ("6", &format!("{BUILT}{requests}"), "1", 1),
        ("7", &format!("{BUILT} audit_prove audit_verify"), "1", 1),
    ] {
        let mut columns: Vec<_> = columns.split(' ').collect();
        columns.sort_unstable();
        for experiment in experiments.split(' ') {
            let arguments = ["--json", "bench", "table", "--experiment", experiment];
            let small = ["--users", "20", "--districts", "2", "--epochs", epochs];
            let ran = run(Path::new("."), &[&arguments[..], &small].concat());
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{experiment}");
            let object: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            let shown = object["points"].as_array().unwrap();
            assert_eq!(shown.len(), points, "{experiment}");
            for point in shown {
                let names: Vec<_> = point.as_object().unwrap().keys().map(String::as_str).collect();
                assert_eq!(names, columns, "{experiment}");
            }
        }
    }
}

#[test]
fn ceremonies_report_every_turn() {
    for curve in ["bn254", "bls12-381"] {
        let arguments = ["--json", "bench", "ceremony", "--power", "3", "--curve", curve];
        let printed = succeed(Path::new("."), &[&arguments[..], &["--threads", "1"]].concat());
        let object: Value = serde_json::from_str(&printed).unwrap();
        let rows = object["rows"].as_array().unwrap();
        let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        let [phase1, phase2] = [5 << 3, 6 + 8];
        let counts: Vec<_> = rows.iter().map(|row| row["count"].as_u64().unwrap()).collect();
        let expected = [
            "contribute",
            "verify",
            "prepare",
            "phase2-contribute",
            "phase2-verify-first-contribute",
            "phase2-verify",
        ];
        assert_eq!(names, expected);
        assert_eq!(counts, [phase1, phase1, phase1, phase2, phase2, phase2]);
        assert!(rows.iter().all(|row| row["wall_ms"].is_f64()));
        assert!(object["peak_rss_bytes"].is_u64());
        assert_eq!(object["params"]["power"], 3);
    }
}

/// What a bench reports.
fn report(arguments: &str) -> Value {
    let arguments: Vec<&str> = ["--json"].into_iter().chain(arguments.split(' ')).collect();
    serde_json::from_str(&succeed(Path::new("."), &arguments)).unwrap()
}

/// Every party stands beside the single prover.
#[test]
fn several_provers_are_reported_each() {
    let bench = "bench membership --system collaborative --n 4 --parties 3 --repeat 1 --threads 1";
    let report = report(bench);
    let lines = report["points"].as_array().unwrap();
    let provers: Vec<_> = lines.iter().map(|line| line["prover"].as_str().unwrap()).collect();
    assert_eq!(provers, ["single", "party 1", "party 2", "party 3"]);
    let sent = report["sizes"]["party_sent_bytes"].as_u64().unwrap();
    // Two masked factors of 32 bytes for every row, to two others.
    assert!(sent > 2 * 64 * report["params"]["constraints"].as_u64().unwrap());
    for line in &lines[1..] {
        assert_eq!(
            (line["sent_bytes"].as_u64(), line["received_bytes"].as_u64()),
            (Some(sent), Some(sent))
        );
        assert!(
            line["cpu_seconds"].as_f64() > Some(0.0) && line["wall_seconds"].as_f64() > Some(0.0)
        );
    }
}

/// Both relations are measured.
#[test]
fn sets_are_proven_to_have_and_to_lack() {
    let report = report("bench membership --system cpsnark --n 3 --repeat 1 --threads 1");
    let rows = report["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in
        ["witnesses", "prove", "verify", "absence-witness", "absence-prove", "absence-verify"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(report["sizes"]["absence_proof_bytes"].as_u64() > Some(0));
}
