//! A verifier's verdict in a bundle: signed, said to be no proof, and refused if any word differs.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::{fs, path::Path};

use board::Identity;
use claim::{Bundle, BundleWriter, Claim, Registry, VerifyError};
use common::rng;
use serde_json::{Value as Json, json};
use vole::{
    Setup,
    circuit::{
        Accepted, Assignments, CLAIM_KIND, Circuit, NOTICE, Statement, Value, VerdictVerifier,
    },
};

const INCOME: &str = "\
subrosa-circuit 1
input income int 32
input limit int 32
enough = less limit income
none = bit 0
one = bit 1
twice = scale limit 2
output enough enough
output bits none one
output twice twice
";

/// Writes the verdict of somebody's key.
fn write(root: &Path, enough: i64) {
    let circuit = Circuit::from_text(INCOME).unwrap();
    let public: Assignments =
        [("limit".into(), Value::Int(30_000)), ("enough".into(), Value::Int(1))].into();
    let statement = Statement::new(&circuit, &public).unwrap();
    let outputs = [
        ("enough".into(), vec![enough]),
        ("bits".into(), vec![0, 1]),
        ("twice".into(), vec![60_000]),
    ];
    let accepted =
        Accepted { statement: &statement, outputs: &outputs.into(), setup: Setup::default() };
    let mut writer = BundleWriter::create(root).unwrap();
    let identity = Identity::generate(&mut rng(1));
    accepted.add_to(&mut writer, INCOME.as_bytes(), &public, &identity).unwrap();
    writer.finish().unwrap();
}

fn verify(root: &Path) -> Result<Vec<String>, VerifyError> {
    let registry = Registry::new().with(VerdictVerifier);
    let verdicts = claim::verify(&Bundle::open(root).unwrap(), &registry, &())?;
    Ok(verdicts.into_iter().flat_map(|verdict| verdict.summary).collect())
}

/// The files of an honest bundle, in a bundle of its own after a change.
fn changed(change: impl Fn(&mut [Vec<u8>; 3], &mut Json)) -> Result<Vec<String>, VerifyError> {
    let temporary = tempfile::tempdir().unwrap();
    let (honest, other) = (temporary.path().join("honest"), temporary.path().join("other"));
    write(&honest, 1);
    let roles = ["circuit", "public", "signature"];
    let mut objects = roles.map(|role| fs::read(honest.join("objects").join(role)).unwrap());
    let text = fs::read(honest.join("claims/verdict.json")).unwrap();
    let mut statement = serde_json::from_slice::<Json>(&text).unwrap()["statement"].take();
    change(&mut objects, &mut statement);
    let mut writer = BundleWriter::create(&other).unwrap();
    let objects: Vec<_> = roles
        .into_iter()
        .zip(&objects)
        .map(|(role, bytes)| (role, vec![writer.add_object(role, bytes).unwrap()]))
        .collect();
    writer.add_claim("verdict", &Claim::new(CLAIM_KIND, 1, objects, statement)).unwrap();
    writer.finish().unwrap();
    verify(&other)
}

#[test]
fn a_verdict_says_what_it_is() {
    let lines = changed(|_, _| {}).unwrap();
    assert_eq!(lines[0], NOTICE);
    assert!(lines[0].contains("not publicly verifiable"));
    assert!(lines.contains(&"bits = \"0x2\"".to_owned()), "{lines:?}");
    assert!(lines.contains(&"twice = 60000".to_owned()), "{lines:?}");
}

#[test]
fn every_other_word_is_refused() {
    let words = [
        ("notice", json!("proven")),
        ("publicly_verifiable", json!(true)),
        ("verifier", json!(Identity::generate(&mut rng(2)).id().to_string())),
        ("outputs", json!({ "enough": 0, "bits": "0x2", "twice": 60_000 })),
        ("outputs", json!({ "enough": 1, "bits": "0x2", "twice": 60_001 })),
        ("outputs", json!({ "enough": 1, "bits": "0x2" })),
        ("outputs", json!({ "enough": 1, "bits": "0x2", "twice": 60_000, "more": 1 })),
        ("gates", json!(4)),
        ("parameters", json!("no-lpn/1")),
        ("converter", json!("edabits")),
        ("soundness_bits", json!(80)),
        ("more", json!(1)),
    ];
    for (word, value) in words {
        let found = changed(|_, statement| statement[word] = value.clone());
        assert!(matches!(found, Err(VerifyError::Refused(_))), "{word}: {value}");
    }
    for object in 0..3 {
        let found = changed(|objects, _| objects[object].truncate(objects[object].len() - 1));
        assert!(matches!(found, Err(VerifyError::Refused(_))), "object {object}");
    }
    // Objects that can be read, and are not what was signed.
    let found = changed(|objects, _| objects[0].extend(b"# nothing\n"));
    assert!(matches!(found, Err(VerifyError::Refused(_))));
    let found = changed(|objects, _| objects[1] = br#"{"limit":30000}"#.to_vec());
    assert!(matches!(found, Err(VerifyError::Refused(_))));
    let found = changed(|objects, _| objects[2][5] ^= 1);
    assert!(matches!(found, Err(VerifyError::Refused(_))));
}

/// A signer that contradicts the public values is not believed either.
#[test]
fn outputs_are_what_was_claimed() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("bundle");
    write(&root, 0);
    let error = verify(&root).unwrap_err();
    assert!(error.to_string().contains("`enough` is not what was claimed"), "{error}");
}
