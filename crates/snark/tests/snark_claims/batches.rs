//! Many proofs in one claim.

use std::time::Instant;

use algebra::{Bls12381, Bn254, Engine, Pairing};
use claim::Bundle;
use snark::claims::write_bundle;

use super::support::{Factors, HONEST, forge, groth16, verify};

fn statements(count: u64) -> Vec<Factors> {
    (0..count).map(|tag| Factors { tag, ..HONEST }).collect()
}

/// Of many proofs the first wrong one is named.
#[test]
fn one_wrong_proof_of_many_is_named() {
    let files = groth16::<Bn254>(&statements(20));
    let directory = tempfile::tempdir().unwrap();
    let bundle = write_bundle(&directory.path().join("honest"), &files).unwrap();
    let honest = verify(&bundle).unwrap();
    assert_eq!(honest.checks[0].count, 20);
    assert_eq!(honest.summary.last().unwrap(), "and those of 12 more");

    for wrong in [0, 7, 19] {
        let mut files = files.clone();
        files.proofs[wrong] = files.proofs[(wrong + 1) % 20].clone();
        let root = directory.path().join(wrong.to_string());
        let error = verify(&forge(&root, &files, honest.statement.clone(), &[])).unwrap_err();
        assert!(error.to_string().contains(&format!("(index {wrong})")), "{error}");
    }
}

/// A thousand proofs from the directory to the verdict, files and all.
fn thousand<E: Engine>() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write_bundle(&root, &groth16::<E>(&statements(1000))).unwrap();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    verify(&Bundle::open(&root).unwrap()).unwrap();
    // Seconds for a thousand are milliseconds for one.
    let (each, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!("1,000 proofs on {}: {each:.3} ms each, {cpu:.2} ms of CPU", <E as Pairing>::NAME);
    assert!(each < 0.25, "{each} ms each: is nothing else running?");
}

/// What this process has used of all processors, in hundredths of a second.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

#[test]
#[ignore = "takes a minute to make the proofs"]
fn a_thousand_proofs_take_a_quarter_of_a_millisecond_each() {
    thousand::<Bn254>();
    thousand::<Bls12381>();
}
