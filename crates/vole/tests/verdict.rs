//! A verifier's verdict in a bundle: signed, said to be no proof, and refused if any word differs.

use std::{fs, path::Path};

use crate::common::rng;
use board::Identity;
use claim::{Bundle, BundleWriter, Claim, Registry, VerifyError};
use serde_json::{Value as Json, json};
use vole::{
    Setup,
    circuit::{
        Accepted, Assignments, CLAIM_KIND, Circuit, Circumstances, NOTICE, Statement, Subject,
        Value, VerdictVerifier, read_assignments,
    },
};
use wire::Digest;

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

/// A session with the holder of a key.
fn circumstances() -> Circumstances {
    Circumstances {
        session: Digest::of("test", b"session"),
        subject: Subject::Prover(Identity::generate(&mut rng(3)).id()),
        time: 1_790_000_000,
        nonce: Some("c0ffee".into()),
    }
}

#[test]
fn values_with_a_name_twice_are_refused() {
    // Whoever takes the last value would verify another statement than whoever takes the first.
    let json = br#"{"limit": 30000, "enough": 1, "limit": 1}"#;
    let last: Assignments = serde_json::from_slice(json).unwrap();
    assert!(last["limit"] == Value::Int(1));
    let error = read_assignments(json).err().unwrap();
    assert!(error.to_string().starts_with("the name `limit` is there twice"), "{error}");
    assert_eq!(read_assignments(br#"{"limit": [1], "enough": "0x1"}"#).unwrap().len(), 2);
    assert!(read_assignments(b"[]").is_err() && read_assignments(b"{} {}").is_err());
}

/// Writes the verdict of somebody's key.
fn write(root: &Path, enough: i64) {
    write_of(root, enough, circumstances());
}

fn write_of(root: &Path, enough: i64, circumstances: Circumstances) {
    let circuit = Circuit::from_text(INCOME).unwrap();
    let public: Assignments =
        [("limit".into(), Value::Int(30_000)), ("enough".into(), Value::Int(1))].into();
    let statement = Statement::new(&circuit, &public).unwrap();
    let outputs = [
        ("enough".into(), vec![enough]),
        ("bits".into(), vec![0, 1]),
        ("twice".into(), vec![60_000]),
    ];
    let outputs = outputs.into();
    let setup = Setup::default();
    let accepted = Accepted { statement: &statement, outputs: &outputs, setup, circumstances };
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
    changed_to(2, change)
}

/// As a claim of that version.
fn changed_to(
    version: u16,
    change: impl Fn(&mut [Vec<u8>; 3], &mut Json),
) -> Result<Vec<String>, VerifyError> {
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
    writer.add_claim("verdict", &Claim::new(CLAIM_KIND, version, objects, statement)).unwrap();
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
    let prover = Identity::generate(&mut rng(3)).id();
    let session = Digest::of("test", b"session");
    for line in [
        format!("prover: {prover}"),
        format!("session: {session}"),
        "time: 1790000000".into(),
        "nonce: c0ffee".into(),
        "soundness_bits: 56".into(),
    ] {
        assert!(lines.contains(&line), "{line}: {lines:?}");
    }
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
        ("converter", json!("cheddabits-v1-xor8maj7")),
        ("soundness_bits", json!(80)),
        ("soundness", json!("80")),
        ("assumptions", json!([])),
        ("prover", json!(Identity::generate(&mut rng(2)).id().to_string())),
        ("prover", json!("somebody")),
        ("subject", json!("somebody")),
        ("session", json!(Digest::of("test", b"another").to_string())),
        ("session", Json::Null),
        ("time", json!(1_790_000_001)),
        ("time", json!("1790000000")),
        ("nonce", json!("c0ffef")),
        ("nonce", json!("C0FFEE")),
        ("nonce", Json::Null),
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

/// Two sessions about the same with the same outcome, which version 1 did not tell apart.
#[test]
fn two_sessions_never_give_equal_bundles() {
    let temporary = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| temporary.path().join(name));
    write(&first, 1);
    let session = Digest::of("test", b"another");
    write_of(&second, 1, Circumstances { session, ..circumstances() });
    verify(&first).unwrap();
    verify(&second).unwrap();
    for file in ["claims/verdict.json", "objects/signature"] {
        assert_ne!(fs::read(first.join(file)).unwrap(), fs::read(second.join(file)).unwrap());
    }
    // The signature of one is none of the other.
    fs::copy(first.join("objects/signature"), second.join("objects/signature")).unwrap();
    verify(&second).unwrap_err();
}

/// A verdict says of whom it speaks, by a key or in words.
#[test]
fn a_prover_without_a_key_has_a_name() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("bundle");
    let subject = Subject::Named("whoever sat in room 4".into());
    write_of(&root, 1, Circumstances { subject, nonce: None, ..circumstances() });
    let lines = verify(&root).unwrap();
    assert!(lines.contains(&"subject: whoever sat in room 4".to_owned()), "{lines:?}");
}

/// A verdict as the program signed it before sessions had names: it still holds, and says what it
/// lacks. It does not become one of today by its number, nor the reverse.
#[test]
fn verdicts_of_version_1_still_hold() {
    let old = |objects: &mut [Vec<u8>; 3], statement: &mut Json| {
        let identity = Identity::generate(&mut rng(1));
        let words = statement.as_object_mut().unwrap();
        for word in ["session", "prover", "time", "nonce", "soundness", "assumptions"] {
            words.remove(word);
        }
        let scratch = tempfile::tempdir().unwrap();
        let mut writer = BundleWriter::create(&scratch.path().join("bundle")).unwrap();
        let [circuit, public] = [("circuit", 0), ("public", 1)]
            .map(|(role, number)| writer.add_object(role, &objects[number]).unwrap().to_string());
        let text = json!([circuit, public, statement]).to_string();
        let domain = "subrosa/vole/verdict";
        objects[2] = identity.sign(domain, Digest::of(domain, text.as_bytes())).to_vec();
    };
    let lines = changed_to(1, old).unwrap();
    assert!(lines.iter().any(|line| line.contains("names neither the prover")), "{lines:?}");
    assert!(changed_to(2, old).is_err());
    assert!(changed_to(1, |_, _| {}).is_err());
}
