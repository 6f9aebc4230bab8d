//! Manifests, claims and statements have one form each.

use super::*;

#[test]
fn json_has_one_form() {
    let directory = good();
    let root = directory.path();
    let manifest = fs::read_to_string(root.join("bundle.json")).unwrap();
    let hex = manifest.split('"').rev().nth(1).unwrap();
    let compact: Value = serde_json::from_str(&manifest).unwrap();
    for changed in [
        manifest.replacen("  ", "   ", 1),
        manifest.trim_end().to_owned(),
        format!("{manifest}\n"),
        compact.to_string(),
        manifest.replace("\"version\": 2", "\"version\": 2.0"),
        manifest.replace("bundle\"", "b\\u0075ndle\""),
        manifest.replace(hex, &hex.to_uppercase()),
        manifest.replacen("{", "{\n  \"note\": 1,", 1),
        manifest.replacen("  \"version\"", "  \"version\": 1,\n  \"version\"", 1),
        manifest.replace("\"version\": 2", "\"version\": 9"),
        manifest.replace("subrosa-bundle", "subrosa-bundel"),
        String::new(),
        "null".to_owned(),
        "[".repeat(100_000),
    ] {
        assert_ne!(changed, manifest);
        fs::write(root.join("bundle.json"), &changed).unwrap();
        manifest_refused(root, "");
    }
    fs::write(root.join("bundle.json"), [0xff, 0xfe]).unwrap();
    manifest_refused(root, "");
}

#[test]
fn claims_have_one_form() {
    for (from, to) in [
        ("\n", " \n"),
        ("\"version\": 1", "\"version\": 01"),
        ("{", "{\n  \"extra\": null,"),
        ("\"kind\": \"bytes\"", "\"kind\": \"byt\\u0065s\""),
    ] {
        let directory = good();
        let root = directory.path();
        let digest = |root: &Path| {
            let bytes = fs::read(root.join("claims/first.json")).unwrap();
            Digest::of("subrosa/bundle/file", &bytes).to_string()
        };
        let old = digest(root);
        edit(root, "claims/first.json", from, to);
        edit(root, "bundle.json", &old, &digest(root));
        refused(root, &["`claims/first.json`"]);
    }
}

#[test]
fn a_claim_listed_twice_or_nowhere() {
    let directory = good();
    let twice = "\"claims/first.json\",\n    \"claims/first.json\"\n";
    edit(directory.path(), "bundle.json", "\"claims/first.json\"\n", twice);
    manifest_refused(directory.path(), "a claim is listed twice");

    let directory = good();
    let other = "\"claims/second.json\"\n";
    edit(directory.path(), "bundle.json", "\"claims/first.json\"\n", other);
    refused(directory.path(), &["`claims/second.json`"]);

    // An object is no claim.
    let directory = good();
    edit(directory.path(), "bundle.json", "\"claims/first.json\"\n", "\"objects/texts/0\"\n");
    refused(directory.path(), &["`objects/texts/0`"]);
}

/// A bundle of before, which does not say which specification it follows.
fn of_version_1(root: &Path) {
    edit(
        root,
        "bundle.json",
        "  \"version\": 2,\n  \"specification\": 1,\n",
        "  \"version\": 1,\n",
    );
}

#[test]
fn a_bundle_names_the_specification_that_it_follows() {
    let directory = good();
    let manifest = fs::read_to_string(directory.path().join("bundle.json")).unwrap();
    let begun =
        "{\n  \"format\": \"subrosa-bundle\",\n  \"version\": 2,\n  \"specification\": 1,\n";
    assert!(manifest.starts_with(begun), "{manifest}");

    let before = good();
    of_version_1(before.path());
    assert!(check(before.path()).is_ok());
    for (from, to, why) in [
        ("\"specification\": 1", "\"specification\": 2", "version 2 of the specification"),
        ("  \"specification\": 1,\n", "", "another version's members"),
        ("\"version\": 2", "\"version\": 1", "another version's members"),
        ("\"version\": 2", "\"version\": 3", "another version's members"),
    ] {
        let directory = good();
        edit(directory.path(), "bundle.json", from, to);
        match Bundle::open(directory.path()) {
            Err(error @ BundleError::Manifest { .. }) => {
                assert_eq!(error.check().unwrap().as_str(), "CB-1");
                assert!(error.to_string().contains(why) || to.ends_with('3'), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The canonical form by RFC 8785, as far as statements go: numbers are integers that it leaves exact.
fn by_rfc_8785(value: &Value) -> String {
    let joined = |items: Vec<String>, open, close| format!("{open}{}{close}", items.join(","));
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            let pair = |(name, value): (&String, &Value)| {
                format!("{}:{}", by_rfc_8785(&json!(name)), by_rfc_8785(value))
            };
            joined(members.into_iter().map(pair).collect(), '{', '}')
        }
        Value::Array(items) => joined(items.iter().map(by_rfc_8785).collect(), '[', ']'),
        Value::String(text) => {
            let escaped = |c: char| match c {
                '"' | '\\' => format!("\\{c}"),
                '\u{8}' => "\\b".to_owned(),
                '\t' => "\\t".to_owned(),
                '\n' => "\\n".to_owned(),
                '\u{c}' => "\\f".to_owned(),
                '\r' => "\\r".to_owned(),
                control if u32::from(control) < 0x20 => format!("\\u{:04x}", u32::from(control)),
                other => other.to_string(),
            };
            format!("\"{}\"", text.chars().map(escaped).collect::<String>())
        }
        other => other.to_string(),
    }
}

/// The statement as it stands in a claim, without what stands between its values.
fn stated(root: &Path) -> String {
    let claim = fs::read_to_string(root.join("claims/first.json")).unwrap();
    let (_, statement) = claim.split_once("\"statement\": ").unwrap();
    let lines = statement.strip_suffix("\n}\n").unwrap().lines();
    lines.map(|line| line.trim_start().replacen("\": ", "\":", 1)).collect()
}

#[test]
fn statements_are_canonical_by_rfc_8785() {
    // The names of the standard's own example of an order, but for two that sort otherwise by bytes.
    let statement = json!({
        "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "1": "One", "\u{80}": "Control\u{7f}",
        "\u{f6}": "Latin Small Letter O With Diaeresis", "</script>": "Browser Challenge",
        "numbers": [0, -1, 9_007_199_254_740_991_u64], "literals": [null, true, false],
        "string": "\u{20ac}$\u{f}\nA'\u{42}\"\\\"/",
    });
    let directory = bundle("bytes", &[], statement.clone());
    assert_eq!(stated(directory.path()), by_rfc_8785(&statement));

    let written = |statement: Value| {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = BundleWriter::create(directory.path()).unwrap();
        writer.add_claim("first", &Claim::new("bytes", 1, [], statement))
    };
    // By bytes the first of these comes first, by units of UTF-16 the second.
    let names = json!({ "\u{fb33}": 1, "\u{1f600}": 2 });
    for other in [names, json!([1.5]), json!({ "a": [{ "b": 1e300 }] })] {
        assert!(matches!(written(other.clone()), Err(BundleError::Write { .. })), "{other}");
    }
    // What a program of before wrote is read; in a bundle of today it is refused.
    let directory = bundle("bytes", &[], json!(["x"]));
    let claim = directory.path().join("claims/first.json");
    let bytes = fs::read_to_string(&claim).unwrap().replace("\"x\"", "1.5");
    let digest = |text: &str| Digest::of("subrosa/bundle/file", text.as_bytes()).to_string();
    let listed = digest(&fs::read_to_string(&claim).unwrap());
    fs::write(&claim, &bytes).unwrap();
    edit(directory.path(), "bundle.json", &listed, &digest(&bytes));
    let refused_by = |root: &Path| check(root).unwrap_err().check().unwrap();
    assert_eq!(refused_by(directory.path()).as_str(), "CB-6");
    of_version_1(directory.path());
    assert_eq!(refused_by(directory.path()).as_str(), "CB-12");
}
