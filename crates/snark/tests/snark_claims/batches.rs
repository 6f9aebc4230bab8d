//! Many proofs in one claim.

use std::time::Instant;

use algebra::{
    Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Dialect, Engine, Pairing, PointForm,
};
use claim::Bundle;
use snark::{
    claims::{Files, write_bundle},
    groth16::Proof,
};

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

/// A point of the curve outside the prime-order subgroup, if there is one.
fn outside<G: CurveGroup>() -> Option<G> {
    let form = PointForm::Compressed(Dialect::Snarkjs);
    let points = (1..=255).filter_map(|x| {
        let mut bytes = vec![0; G::form_len(form)];
        *bytes.last_mut()? = x;
        G::read_form(&bytes, form).ok()
    });
    points
        .into_iter()
        .find(|points| G::check_subgroup(points).is_err())
        .map(|points| points[0].into())
}

/// Proofs are read from bundles without a look at the subgroup, and checked together: each point that is moved
/// out of it is found, and the first proof that has one is named, before and behind one that is wrong otherwise.
fn strays<E: Engine>() {
    let files = groth16::<E>(&statements(20));
    let statement = {
        let directory = tempfile::tempdir().unwrap();
        let bundle = write_bundle(&directory.path().join("honest"), &files).unwrap();
        verify(&bundle).unwrap().statement
    };
    let read = |index: usize| {
        let text = std::str::from_utf8(&files.proofs[index]).unwrap();
        Proof::<E>::from_json(text).unwrap()
    };
    let moved = |index: usize| {
        let proof = read(index);
        let stray = |point: Affine<E::G1>| {
            outside().map(|stray: E::G1| E::G1::to_affine_all(&[stray + point.into()])[0])
        };
        let a = stray(proof.a).map(|a| Proof { a, ..proof.clone() });
        let c = stray(proof.c).map(|c| Proof { c, ..proof.clone() });
        let b = E::G2::to_affine_all(&[outside::<E::G2>().unwrap() + proof.b.into()])[0];
        let moved = [a, c, Some(Proof { b, ..proof })].into_iter().flatten();
        moved.map(|proof| proof.to_json().unwrap().into_bytes())
    };
    let directory = tempfile::tempdir().unwrap();
    let refused = |name: String, proofs: Vec<Vec<u8>>, wrong: usize, reason: &str| {
        let files = Files { proofs, ..files.clone() };
        let bundle = forge(&directory.path().join(name), &files, statement.clone(), &[]);
        let error = verify(&bundle).unwrap_err().to_string();
        assert!(error.contains(&format!("(index {wrong})")) && error.contains(reason), "{error}");
    };
    for index in [0, 7, 19] {
        for (which, proof) in moved(index).enumerate() {
            assert!(Proof::<E>::from_json(std::str::from_utf8(&proof).unwrap()).is_err());
            let mut proofs = files.proofs.clone();
            proofs[index] = proof;
            refused(format!("{index}-{which}"), proofs.clone(), index, "subgroup");
            let other = if index < 10 { index + 1 } else { index - 1 };
            proofs[other] = files.proofs[(other + 3) % 20].clone();
            let first = index.min(other);
            let reason = if first == index { "subgroup" } else { "" };
            refused(format!("{index}-{which}-both"), proofs, first, reason);
        }
    }
}

#[test]
fn points_outside_the_subgroup_are_found_among_many() {
    strays::<Bn254>();
    strays::<Bls12381>();
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
