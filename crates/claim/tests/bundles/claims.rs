//! What a claim says of its objects, and what its kind wants of it.

use super::*;

/// What becomes of a claim of kind `one` about a text `ab` and others, with a version, roles (of so
/// many objects) and a statement.
fn check_one(
    version: u16,
    roles: &[(&str, usize)],
    statement: Value,
) -> Result<Vec<Verdict>, VerifyError> {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    let objects: Vec<_> = roles
        .iter()
        .map(|&(role, count)| {
            let add = |place| writer.add_object(&format!("{role}/{place}"), b"ab").unwrap();
            (role, (0..count).map(add).collect::<Vec<_>>())
        })
        .collect();
    writer.add_claim("first", &Claim::new("one", version, objects, statement)).unwrap();
    writer.finish().unwrap();
    check(directory.path())
}

fn honest() -> Value {
    json!({ "length": 2, "of": { "first": 97, "all": [97, 98] } })
}

#[test]
fn a_claim_has_the_version_and_the_roles_of_its_kind() {
    for roles in [
        &[("source", 1), ("text", 1)][..],
        &[("source", 3), ("text", 1)],
        &[("note", 1), ("source", 1), ("text", 1)],
        &[("note", 0), ("source", 1), ("text", 1)],
    ] {
        assert!(check_one(2, roles, honest()).is_ok(), "{roles:?}");
        assert!(check_one(4, roles, honest()).is_ok(), "{roles:?}");
        // Other versions, older ones too.
        for version in [0, 1, 3, 5, u16::MAX] {
            let refused = check_one(version, roles, honest()).unwrap_err().to_string();
            let expected = format!(
                "`claims/first.json`: version {version} of `one`; this program verifies version 2 or 4"
            );
            assert_eq!(refused, expected);
        }
    }
    for (roles, expected) in [
        (&[("source", 1)][..], "names one object as `text`, not 0"),
        (&[("source", 1), ("text", 0)], "names one object as `text`, not 0"),
        (&[("source", 1), ("text", 2)], "names one object as `text`, not 2"),
        (&[("note", 2), ("source", 1), ("text", 1)], "names at most one object as `note`, not 2"),
        (&[("text", 1)], "names at least one object as `source`, not 0"),
        (&[("source", 0), ("text", 1)], "names at least one object as `source`, not 0"),
        (&[("source", 1), ("text", 1), ("texts", 1)], "`texts` is no role of the kind `one`"),
        (&[("", 0), ("source", 1), ("text", 1)], "`` is no role of the kind `one`"),
    ] {
        let refused = check_one(2, roles, honest()).unwrap_err().to_string();
        assert!(refused.starts_with("claim: ") && refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_claim_states_what_its_objects_bear_out() {
    let roles = [("source", 1), ("text", 1)];
    let verdicts = check_one(2, &roles, honest()).unwrap();
    assert_eq!(verdicts[0].statement, honest());
    for (place, stated, why) in [
        ("/length", json!(3), "`length` is 2 by the objects, not as stated"),
        ("/length", json!("2"), "`length` is 2 by the objects, not as stated"),
        ("/length", json!(null), "`length` is 2 by the objects, not as stated"),
        ("/of/first", json!(98), "`of.first` is 97 by the objects, not as stated"),
        ("/of/all/1", json!(99), "`of.all[1]` is 98 by the objects, not as stated"),
        ("/of/all", json!([97]), "`of.all` is [97,98] by the objects, not as stated"),
        ("", json!(null), "`statement` is {"),
    ] {
        let mut statement = honest();
        *statement.pointer_mut(place).unwrap() = stated;
        let refused = check_one(2, &roles, statement).unwrap_err().to_string();
        assert!(refused.starts_with("claim: ") && refused.contains(why), "{refused}");
    }
    // Nothing is missing, and nothing is added.
    for (place, name) in [("", "length"), ("", "of"), ("/of", "all")] {
        let mut statement = honest();
        let parent = statement.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
        parent.remove(name);
        let refused = check_one(2, &roles, statement).unwrap_err().to_string();
        assert!(refused.contains(&format!("{name}` is ")), "{refused}");
    }
    for (place, why) in [("", "`audited` is stated"), ("/of", "`of.audited` is stated")] {
        let mut statement = honest();
        let parent = statement.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
        parent.insert("audited".to_owned(), json!(true));
        let refused = check_one(2, &roles, statement).unwrap_err().to_string();
        assert!(refused.contains(why) && refused.contains("no object bears it out"), "{refused}");
    }
}

#[test]
fn a_role_is_named_once() {
    let directory = good();
    let root = directory.path();
    let claim = fs::read_to_string(root.join("claims/first.json")).unwrap();
    let digest = |text: &str| Digest::of("subrosa/bundle/file", text.as_bytes()).to_string();
    // The same role again, empty: whoever reads the last one sees other objects.
    let twice = claim.replacen("    \"text\": [", "    \"text\": [],\n    \"text\": [", 1);
    assert_ne!(twice, claim);
    fs::write(root.join("claims/first.json"), &twice).unwrap();
    edit(root, "bundle.json", &digest(&claim), &digest(&twice));
    refused(root, &["`claims/first.json`", "not in canonical form"]);
}
