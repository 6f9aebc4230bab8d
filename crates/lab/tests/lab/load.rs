//! `subrosa-lab bench serve`: a server as a process of its own, and what it is reported to bear.

use crate::program::{fail, succeed};

#[test]
fn the_bench_of_a_server_reports_its_load() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let small = ["bench", "serve", "--clients", "5", "--seconds", "1", "--rows", "20"];
    let run = succeed(path, &[&["--json"], &small[..], &["--pause", "100"]].concat());
    let report: serde_json::Value = serde_json::from_str(&run).unwrap();
    assert_eq!(report["bench"], "serve");
    assert_eq!((&report["params"]["clients"], &report["params"]["rows"]), (&5.into(), &20.into()));
    assert_eq!(report["rows"].as_array().unwrap().len(), 2);
    let point = &report["points"][0];
    assert_eq!(point["errors"], 0);
    assert!(point["answers"].as_u64().unwrap() >= 5, "{point}");
    let times = ["p50_ms", "p95_ms", "p99_ms", "most_ms"].map(|name| point[name].as_f64().unwrap());
    assert!(times[0] > 0.0 && times.is_sorted(), "{point}");
    for name in ["rss_start", "rss_half", "rss_end"] {
        assert!(point[name].as_u64().unwrap() > 1 << 20, "{name}: {point}");
    }
    fail(path, &["bench", "serve", "--clients", "5", "--rows", "4"], 2, "--rows");
}
