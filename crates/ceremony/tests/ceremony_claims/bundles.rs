//! Honest claims, and their statements with anything else in them.

use algebra::{Bls12381, Bn254, Engine};
use ceremony::claims::{Evidence, Files, write_bundle};
use circuit::{json::VerifyingKey, zkey::Zkey};
use claim::Verdict;
use serde_json::{Value, json};

use super::support::{Ceremony, forge, forge_roles, verify};

fn verdict(files: &Files) -> Verdict {
    let directory = tempfile::tempdir().unwrap();
    verify(&write_bundle(&directory.path().join("bundle"), files).unwrap()).unwrap()
}

fn holds<E: Engine>(ceremony: &Ceremony, form: &str) {
    let key = &mut std::io::Cursor::new(&ceremony.key);
    let zkey = Zkey::<E>::open(key).unwrap();
    let key = format!("key:{}", VerifyingKey::of_zkey(&zkey, key).unwrap().digest());

    let [phase1, whole, record] =
        [ceremony.phase1(), ceremony.whole(), ceremony.record::<E>()].map(|files| verdict(&files));
    for verdict in [&phase1, &whole, &record] {
        let statement = &verdict.statement;
        assert_eq!(statement["form"], form);
        let premise = format!("parameters:{}", statement["parameters"].as_str().unwrap());
        assert_eq!(verdict.premises[0].name, premise);
        assert_eq!(statement["contributions"].as_array().unwrap().len(), 2);
        assert_eq!(statement["contributions"][1]["beacon"]["iterations_exp"], 10);
    }
    assert_eq!((&phase1.statement["power"], phase1.shows.len()), (&json!(3), 0));
    assert_eq!(phase1.statement["contributions"][0]["name"], "Ana");
    for verdict in [&whole, &record] {
        assert_eq!(verdict.statement["contributions"][0]["name"], "Ben");
        assert_eq!(verdict.shows, std::slice::from_ref(&key));
    }
    assert_eq!(whole.statement["phase1"]["contributions"], phase1.statement["contributions"]);
    assert_eq!(whole.statement["phase1"]["parameters"], phase1.statement["parameters"]);
    for member in ["parameters", "key", "circuit_hash", "contributions", "wires", "rows"] {
        assert_eq!(whole.statement[member], record.statement[member], "{member}");
    }
    assert!(!whole.premises[0].text.contains("was verified"));
    assert!(record.premises[0].text.contains("was verified"));
}

#[test]
fn ceremonies_of_both_forms_are_claims() {
    holds::<Bn254>(&Ceremony::new::<Bn254>(), "snarkjs");
    holds::<Bn254>(&Ceremony::native::<Bn254>(), "native");
    holds::<Bls12381>(&Ceremony::new::<Bls12381>(), "snarkjs");
    holds::<Bls12381>(&Ceremony::native::<Bls12381>(), "native");
}

/// Every member of a statement, changed and left out; but where the file lies, and of a record which file it
/// is of, is the publisher's word.
#[test]
fn every_member_of_a_statement_is_borne_out() {
    let ceremony = Ceremony::native::<Bn254>();
    for (files, words) in [
        (ceremony.phase1(), &["location"][..]),
        (ceremony.whole(), &["location"]),
        (ceremony.record::<Bn254>(), &["location", "parameters"]),
    ] {
        let honest = verdict(&files).statement;
        let refused = |statement: Value, member: &str| {
            let directory = tempfile::tempdir().unwrap();
            let bundle = forge(&directory.path().join("forged"), &files.evidence, statement);
            assert!(verify(&bundle).is_err(), "{member}");
        };
        for member in honest.as_object().unwrap().keys() {
            let mut changed = honest.clone();
            changed[member] = match &honest[member] {
                Value::String(_) if words.contains(&member.as_str()) => json!("not visible\u{7}"),
                Value::Null if words.contains(&member.as_str()) => json!(""),
                Value::Null => json!("0"),
                Value::String(text) => json!(text.replace(|c: char| c != 'x', "x")),
                Value::Number(number) => json!(number.as_u64().unwrap() + 1),
                Value::Bool(value) => json!(!value),
                Value::Array(_) => json!([]),
                Value::Object(_) => json!({}),
            };
            refused(changed, member);
            let mut less = honest.clone();
            less.as_object_mut().unwrap().remove(member);
            refused(less, member);
        }
        let mut renamed = honest.clone();
        renamed["contributions"][0]["name"] = json!("Eve");
        refused(renamed, "name");
        let mut more = honest.clone();
        more["audited"] = json!(true);
        refused(more, "more");
    }
}

#[test]
fn objects_of_other_claims_are_refused() {
    let (one, other) = (Ceremony::native::<Bn254>(), Ceremony::new::<Bn254>());
    let curve = Ceremony::native::<Bls12381>();
    let statement = verdict(&one.whole()).statement;
    let record = match one.record::<Bn254>().evidence {
        Evidence::Record { record, .. } => record,
        _ => unreachable!(),
    };
    let Ceremony { circuit, phase1, key } = &one;
    let wrong: &[&[(&str, &[u8])]] = &[
        &[],
        &[("parameters", key)],
        &[("parameters", phase1), ("circuit", circuit), ("phase1", phase1)],
        &[("parameters", key), ("circuit", circuit)],
        &[("parameters", key), ("phase1", phase1)],
        &[("parameters", key), ("circuit", circuit), ("phase1", key)],
        &[("parameters", key), ("circuit", circuit), ("phase1", &other.phase1)],
        &[("parameters", &other.key), ("circuit", circuit), ("phase1", phase1)],
        &[("parameters", key), ("circuit", &curve.circuit), ("phase1", phase1)],
        &[("parameters", key), ("circuit", circuit), ("phase1", phase1), ("record", &record)],
        &[("parameters", &record), ("circuit", circuit), ("phase1", phase1)],
        &[("record", key)],
        &[("record", phase1)],
        &[("record", b"")],
        &[("note", b"more")],
    ];
    for (index, roles) in wrong.iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        let bundle = forge_roles(&directory.path().join("forged"), roles, statement.clone());
        assert!(verify(&bundle).is_err(), "{index}");
    }
}
