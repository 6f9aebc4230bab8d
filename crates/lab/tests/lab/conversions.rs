//! `subrosa-lab bench conv|fpm|mult`: two processes over TCP.

use std::{
    net::TcpListener,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

fn lab(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_subrosa-lab"))
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A port that was free a moment ago.
fn port() -> String {
    TcpListener::bind("localhost:0").unwrap().local_addr().unwrap().port().to_string()
}

/// Both processes' reports.
fn both(task: &[&str]) -> [Output; 2] {
    let port = port();
    let end = ["--port", &port, "-j"];
    let verifier = lab(&[&["bench"], task, &["--party", "verifier", "--listen"], &end].concat());
    let prover = lab(&[&["bench"], task, &["--party", "prover"], &end].concat());
    [prover, verifier].map(|child| child.wait_with_output().unwrap())
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const PROTOCOLS: [&str; 7] = [
    "edabits",
    "cheddabits-v1-tspa",
    "cheddabits-v2-tspa",
    "cheddabits-v1-xor4maj7",
    "cheddabits-v2-xor4maj7",
    "cheddabits-v1-xor8maj7",
    "cheddabits-v2-xor8maj7",
];

/// Every protocol, with the fields of the published program.
#[test]
fn two_processes_over_tcp() {
    for protocol in PROTOCOLS {
        let conv = ["conv", "--protocol", protocol, "--num", "100", "--bit-size", "12"];
        let fpm = ["fpm", "--protocol", protocol, "-n", "60", "-b", "20", "-s", "8"];
        for (task, name) in [(&conv[..], "Conversion"), (&fpm[..], "FixedPointMult")] {
            let [prover, verifier] = both(task).map(|output| report(&output));
            let [sent, received] = [(&prover, "sent"), (&verifier, "received")].map(|(of, way)| {
                let stats = &of["protocol_stats"][0][name]["comm_stats"];
                ["init", "voles", "commit", "check"]
                    .map(|phase| stats[format!("{phase}_kb_{way}")].as_f64().unwrap())
            });
            assert_eq!(sent, received, "{protocol}");
            let stats = &prover["protocol_stats"][0][name];
            assert_eq!(stats["protocol"], protocol);
            assert!(stats["time_stats"][0]["check_time"]["nanos"].as_u64().is_some());
            let used = &stats["comm_stats"]["check_fp_stats"];
            assert!(used["num_voles_used"].as_u64().unwrap() > 0, "{protocol}");
            assert_eq!(used["num_vole_extensions_performed"], 0, "{protocol}");
            assert!(prover["soundness_bits"].as_f64().unwrap() > 50.0);
        }
    }
}

/// Rounds do not grow with the batch.
#[test]
fn rounds_are_the_same_for_any_batch() {
    let rounds = |num: &str| {
        let task = ["conv", "--protocol", "cheddabits-v1-tspa", "--num", num, "--bit-size", "16"];
        let [prover, _] = both(&task).map(|output| report(&output));
        prover["rounds"].as_u64().unwrap()
    };
    assert_eq!(rounds("3000"), rounds("9000"));
}

/// Different options are noticed by both, and are a false claim to neither's exit code alone.
#[test]
fn parties_that_disagree_part() {
    let port = port();
    let of = |party: &[&str], protocol: &str| {
        let task = ["bench", "conv", "-n", "10", "-b", "8", "--protocol", protocol];
        lab(&[&task[..], party, &["--port", &port]].concat())
    };
    let verifier = of(&["--party", "verifier", "--listen"], "edabits");
    let prover = of(&["--party", "prover"], "cheddabits-v1-tspa");
    for child in [prover, verifier] {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("the peer differs in its"));
    }
}

/// Nobody is waited for without limit, by the party that listens or by the one that connects.
#[test]
fn a_party_alone_gives_up() {
    let port = port();
    let place = format!("tcp://localhost:{port}");
    let alone = |party: &[&str]| {
        let task = ["bench", "mult", "-n", "10", "--connect-timeout-seconds", "1", "--port", &port];
        let output = lab(&[&task[..], party].concat()).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let error = alone(&["--party", "verifier", "--listen"]);
    assert!(
        error.contains(&format!("{place}: the other party was not there within 1s")),
        "{error}"
    );
    assert!(error.contains("start the other party without --listen"), "{error}");
    let error = alone(&["--party", "prover"]);
    assert!(error.contains(&place), "{error}");
    assert!(error.contains("start the other party with --listen"), "{error}");
}

/// Over the imitated link, with both parties in one process.
#[test]
fn over_an_imitated_link() {
    let task = ["bench", "mult", "-n", "1000", "--network", "lan"];
    let output = lab(&task).wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("prover, best of 1") && text.contains("verifier, best of 1"), "{text}");
}
