//! Claims, and statements that their proofs do not bear out.

use claim::{Bundle, BundleWriter, Claim, PublishError, Registry};
use serde_json::{Value as Json, json};

use super::{
    super::claims::{
        CLAIM_KIND, Files, MAX_ELEMENTS, SET_LIMIT, SetMembershipVerifier, digest, values,
        write_bundle,
    },
    *,
};

fn files(seed: u8) -> Files {
    let (case, parameters) = (PRIME.member(&mut rng(seed)), &PRIME.parameters);
    let (values, _) = PRIME.set(3);
    let set = circuit_values(&values);
    Files {
        key: PRIME.prover.key().to_file(parameters),
        accumulator: case.accumulator.to_file(parameters),
        commitment: case.opening.commitment(parameters).to_file(parameters),
        proof: case.proof.to_file(parameters),
        set: Some(set),
    }
}

fn circuit_values(values: &[Value]) -> Vec<u8> {
    ::circuit::json::public_to_json(values).unwrap().into_bytes()
}

fn registry() -> Registry {
    Registry::new().with(SetMembershipVerifier)
}

#[test]
fn a_statement_is_what_its_proof_bears_out() {
    let (directory, files) = (tempfile::tempdir().unwrap(), files(40));
    let bundle = write_bundle(&directory.path().join("honest"), &files).unwrap();
    let verdicts = claim::verify(&bundle, &registry(), &()).unwrap();
    let statement = verdicts[0].statement.clone();
    assert_eq!((&statement["relation"], &statement["elements"]), (&json!("membership"), &json!(3)));

    let forged = |name: &str, version, extra: Option<&str>, statement: Json| {
        let root = directory.path().join(name);
        let mut writer = BundleWriter::create(&root).unwrap();
        let mut objects = Vec::new();
        let roles = [
            ("key", &files.key),
            ("accumulator", &files.accumulator),
            ("commitment", &files.commitment),
            ("proof", &files.proof),
            ("set", files.set.as_ref().unwrap()),
        ];
        for (role, bytes) in roles {
            objects.push((role, vec![writer.add_object(role, bytes).unwrap()]));
        }
        if let Some(role) = extra {
            objects.push((role, vec![writer.add_object(role, b"more").unwrap()]));
        }
        let claim = Claim::new(CLAIM_KIND, version, objects, statement);
        writer.add_claim(CLAIM_KIND, &claim).unwrap();
        writer.finish().unwrap();
        claim::verify(&Bundle::open(&root).unwrap(), &registry(), &())
    };
    assert!(forged("same", 1, None, statement.clone()).is_ok());
    assert!(forged("version", 2, None, statement.clone()).is_err());
    assert!(forged("role", 1, Some("note"), statement.clone()).is_err());
    for field in statement.as_object().unwrap().keys() {
        let mut changed = statement.clone();
        changed[field] = json!("another");
        assert!(forged(field, 1, None, changed).is_err(), "{field}");
    }
}

#[test]
fn what_does_not_hold_is_not_published() {
    let (directory, honest, other) = (tempfile::tempdir().unwrap(), files(41), files(42));
    let root = directory.path().join("no");
    let smaller = circuit_values(&PRIME.set(2).0);
    let changes = [
        Files { commitment: other.commitment, ..honest.clone() },
        Files { set: Some(smaller), ..honest.clone() },
        Files { set: Some(b"[20]".to_vec()), ..honest.clone() },
        Files { key: HASHED.prover.key().to_file(&HASHED.parameters), ..honest.clone() },
        Files { proof: honest.key.clone(), ..honest },
    ];
    for files in changes {
        let refused = write_bundle(&root, &files);
        assert!(matches!(refused, Err(PublishError::Refused(_))));
        assert!(!root.exists());
    }
}

/// A verdict says on which key it depends: only its reader knows whose that is.
#[test]
fn a_verdict_depends_on_the_key() {
    let (directory, files) = (tempfile::tempdir().unwrap(), files(43));
    for set in [files.set.clone(), None] {
        let root = directory.path().join(if set.is_some() { "with" } else { "without" });
        let bundle = write_bundle(&root, &Files { set, ..files.clone() }).unwrap();
        let verdicts = claim::verify(&bundle, &registry(), &()).unwrap();
        let condition = format!(
            "if key {} is of a ceremony for the circuit of prime elements:",
            digest(&files.key)
        );
        assert_eq!(verdicts[0].summary[0], condition);
        assert!(verdicts[0].summary[1].contains(" is in the "));
    }
}

/// Nothing larger than a proof can be is read, whatever the manifest lists.
#[test]
fn large_objects_are_not_read() {
    let (directory, honest) = (tempfile::tempdir().unwrap(), files(44));
    let long = |bytes: &[u8], limit: usize| {
        let mut bytes = bytes.to_vec();
        bytes.resize(limit + 1, b' ');
        bytes
    };
    let roles = ["key", "accumulator", "commitment", "proof", "set"];
    for role in roles {
        let mut files = honest.clone();
        let (bytes, limit) = match role {
            "key" => (&mut files.key, 1 << 16),
            "accumulator" => (&mut files.accumulator, 1 << 16),
            "commitment" => (&mut files.commitment, 1 << 16),
            "proof" => (&mut files.proof, 1 << 16),
            _ => (files.set.as_mut().unwrap(), SET_LIMIT as usize),
        };
        // For a set, white space at the end changes nothing.
        *bytes = long(bytes, limit);
        let root = directory.path().join(role);
        // Whoever publishes reads the same check's name as whoever verifies.
        let Err(PublishError::Refused(refused)) = write_bundle(&root, &files) else {
            panic!("{role}: too large, and published");
        };
        assert_eq!((refused.check.as_str(), refused.phase.as_str()), ("CB-11", role));
        assert!(refused.reason.contains("over the limit"), "{refused}");

        let mut writer = BundleWriter::create(&root).unwrap();
        let parts = [
            &files.key,
            &files.accumulator,
            &files.commitment,
            &files.proof,
            files.set.as_ref().unwrap(),
        ];
        let objects = roles
            .into_iter()
            .zip(parts)
            .map(|(role, bytes)| (role, vec![writer.add_object(role, bytes).unwrap()]));
        let claim = Claim::new(CLAIM_KIND, 1, objects.collect::<Vec<_>>(), json!({}));
        writer.add_claim(CLAIM_KIND, &claim).unwrap();
        let refused = claim::verify(&writer.finish().unwrap(), &registry(), &()).unwrap_err();
        assert_eq!(refused.check().unwrap().as_str(), "CB-11");
        let reason = format!("files: `objects/{role}`: over the limit");
        assert!(refused.to_string().contains(&reason), "{refused}");
    }
    let many = [b"[".as_slice(), &b"\"1\",".repeat(MAX_ELEMENTS), b"\"1\"]"].concat();
    assert!(values(&many).unwrap_err().contains("more than"));
}
