//! Bundles as they are written and read, and everything that is wrong with others.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::{collections::BTreeMap, fs, path::Path};

use claim::{
    Bundle, BundleError, BundleWriter, Check, Claim, Findings, Kind, Objects, Refusal, Registry,
    Role, Verdict, Verifier, VerifyError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;
use wire::Digest;

/// Claims that its objects, in order, are these bytes.
struct Bytes;

impl Verifier for Bytes {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 1] = [Role::any("text")];
        Kind { name: "bytes", versions: &[1], roles: &ROLES }
    }

    fn check(
        &self,
        _: &Claim,
        objects: &Objects<'_>,
        progress: &dyn wire::Progress,
    ) -> Result<Findings, Refusal> {
        progress.advance(1);
        let found = objects.all("text").collect::<Result<Vec<_>, _>>()?;
        if found.iter().any(|text| text == b"unsaid") {
            return Err(Refusal::new("reading", "what is not said").by("author").at(3));
        }
        let checks = vec![Check::new("texts", found.len() as u64)];
        Ok(Findings::new(json!(found), checks))
    }
}

/// Claims of one object with a note, of which there may be one, and of sources, of which there are
/// some.
struct One;

impl Verifier for One {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 3] = [Role::one("text"), Role::optional("note"), Role::some("source")];
        Kind { name: "one", versions: &[2, 4], roles: &ROLES }
    }

    fn check(
        &self,
        _: &Claim,
        objects: &Objects<'_>,
        _: &dyn wire::Progress,
    ) -> Result<Findings, Refusal> {
        let text = objects.only("text")?;
        let statement =
            json!({ "length": text.len(), "of": { "first": text.first(), "all": text } });
        Ok(Findings::new(statement, Vec::new()))
    }
}

fn check(root: &Path) -> Result<Vec<Verdict>, VerifyError> {
    let registry = Registry::new().with(Bytes).with(One);
    claim::verify(&Bundle::open(root).unwrap(), &registry, &())
}

/// A bundle of these texts with one claim of a kind about them.
fn bundle(kind: &str, texts: &[&str], statement: Value) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    let add = |(place, text): (usize, &&str)| {
        writer.add_object(&format!("texts/{place}"), text.as_bytes()).unwrap()
    };
    let digests: Vec<Digest> = texts.iter().enumerate().map(add).collect();
    writer.add_claim("first", &Claim::new(kind, 1, [("text", digests)], statement)).unwrap();
    writer.finish().unwrap();
    directory
}

fn good() -> TempDir {
    bundle("bytes", &["a", "b"], json!([b"a", b"b"]))
}

/// Replaces text in a file.
fn edit(root: &Path, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(root.join(file)).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(root.join(file), text.replacen(from, to, 1)).unwrap();
}

#[track_caller]
fn manifest_refused(root: &Path, why: &str) {
    match Bundle::open(root) {
        Err(BundleError::Manifest { reason, .. }) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(root: &Path, why: &[&str]) {
    match check(root) {
        Err(VerifyError::Refused(refusal)) => {
            assert_eq!(refusal.phase, "files");
            why.iter().for_each(|part| assert!(refusal.reason.contains(part), "{refusal}"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_written_is_read_and_verified() {
    let directory = good();
    let verdicts = check(directory.path()).unwrap();
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0].claim, "claims/first.json");
    assert_eq!(verdicts[0].checks, [Check::new("texts", 2)]);
    let bundle = Bundle::open(directory.path()).unwrap();
    assert_eq!((bundle.len(), bundle.is_empty()), (3, false));
    let same = Bundle::open(good().path()).unwrap();
    assert_eq!(bundle.digest().unwrap(), same.digest().unwrap());
    let other = self::bundle("bytes", &["a", "c"], json!([b"a", b"c"]));
    let other = Bundle::open(other.path()).unwrap();
    assert_ne!(bundle.digest().unwrap(), other.digest().unwrap());
}

#[test]
fn a_refusal_is_in_the_verifiers_words() {
    let directory = bundle("bytes", &["unsaid"], json!([b"unsaid"]));
    let refusal = check(directory.path()).unwrap_err();
    assert_eq!(refusal.to_string(), "reading: author: what is not said (index 3)");
}

#[test]
fn the_order_of_objects_is_part_of_the_claim() {
    let directory = bundle("bytes", &["b", "a"], json!([b"a", b"b"]));
    assert!(check(directory.path()).is_err());
}

#[test]
fn an_unknown_kind_is_never_passed_over() {
    let directory = bundle("magic", &["a"], json!(null));
    match check(directory.path()).unwrap_err() {
        VerifyError::UnknownKind { claim, kind } => {
            assert_eq!((claim.as_str(), kind.as_str()), ("claims/first.json", "magic"));
        }
        other => panic!("{other}"),
    }
    // Not even beside one that is known.
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    for (name, kind) in [("a", "bytes"), ("b", "magic")] {
        writer.add_claim(name, &Claim::new(kind, 1, [], json!([]))).unwrap();
    }
    writer.finish().unwrap();
    assert!(matches!(check(directory.path()), Err(VerifyError::UnknownKind { .. })));
}

#[test]
fn a_bundle_without_claims_proves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    BundleWriter::create(directory.path()).unwrap().finish().unwrap();
    assert!(matches!(check(directory.path()), Err(VerifyError::NoClaims)));
}

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

#[test]
fn equal_objects_under_two_names() {
    let directory = bundle("bytes", &["a", "a"], json!([b"a", b"a"]));
    assert!(check(directory.path()).is_ok());
    for name in ["0", "1"] {
        let file = directory.path().join("objects/texts").join(name);
        fs::write(&file, "b").unwrap();
        refused(directory.path(), &[&format!("`objects/texts/{name}`"), "digest"]);
        fs::write(&file, "a").unwrap();
    }
}

#[test]
fn an_object_that_the_bundle_does_not_hold() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    let nowhere = Digest::of("subrosa/bundle/file", b"a");
    let claim = Claim::new("bytes", 1, [("text", vec![nowhere])], json!([b"a"]));
    writer.add_claim("first", &claim).unwrap();
    writer.finish().unwrap();
    refused(directory.path(), &["no file has the digest", &nowhere.to_string()]);
}

#[test]
fn a_file_that_no_claim_speaks_of() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    writer.add_object("junk", b"believe me").unwrap();
    writer.add_claim("first", &Claim::new("bytes", 1, [], json!([]))).unwrap();
    writer.finish().unwrap();
    refused(directory.path(), &["`objects/junk`: no claim speaks of this file"]);
}

#[test]
fn files_missing_changed_or_too_many() {
    let directory = good();
    let root = directory.path();
    let object = root.join("objects/texts/0");
    for bytes in [&b""[..], b"A", b"ab"] {
        fs::write(&object, bytes).unwrap();
        refused(root, &["`objects/texts/0`", "digest"]);
    }
    fs::remove_file(&object).unwrap();
    refused(root, &["`objects/texts/0`"]);
    fs::create_dir(&object).unwrap();
    refused(root, &["`objects/texts/0`"]);
    fs::remove_dir(&object).unwrap();
    fs::write(&object, "a").unwrap();
    assert!(check(root).is_ok());

    fs::write(root.join("claims/.hidden"), "").unwrap();
    refused(root, &["`claims/.hidden` is not in bundle.json"]);
}

/// The manifest as everybody may write it.
#[derive(Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u16,
    specification: u16,
    claims: Vec<String>,
    files: BTreeMap<String, String>,
}

/// Lists the first object under another path, too.
fn list(root: &Path, path: &str) {
    let manifest = fs::read(root.join("bundle.json")).unwrap();
    let mut manifest: Manifest = serde_json::from_slice(&manifest).unwrap();
    let digest = manifest.files["objects/texts/0"].clone();
    manifest.files.insert(path.to_owned(), digest);
    let manifest = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    fs::write(root.join("bundle.json"), manifest).unwrap();
}

#[test]
fn paths_that_lead_out_of_the_bundle() {
    for path in ["../texts/0", "objects/../../x", "/etc/passwd", "objects/texts/..", "..", "a\\b"] {
        let directory = good();
        list(directory.path(), path);
        manifest_refused(directory.path(), "is not a path inside the bundle");
    }
    // Paths that mean the same as one that is listed, and are none that a writer makes.
    for path in ["objects//texts/0", "objects/texts/0/", "objects/texts/./0", ""] {
        let directory = good();
        list(directory.path(), path);
        manifest_refused(directory.path(), "is not a path inside the bundle");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(&directory.path().join("bundle")).unwrap();
    for path in ["../../escaped", "..", "a/../../../escaped"] {
        assert!(matches!(writer.add_object(path, b"x"), Err(BundleError::Write { .. })), "{path}");
    }
    assert!(!directory.path().join("escaped").exists());
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_no_files_of_a_bundle() {
    use std::{os::unix::fs::symlink, process::Command};

    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("a"), "a").unwrap();
    for file in ["objects/texts/0", "bundle.json", "claims/first.json"] {
        let directory = good();
        let path = directory.path().join(file);
        let copy = elsewhere.path().join("copy");
        fs::copy(&path, &copy).unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&copy, &path).unwrap();
        let opened = Bundle::open(directory.path());
        assert!(opened.is_err() || check(directory.path()).is_err(), "{file}");
        // A pipe would be read for ever.
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let opened = Bundle::open(directory.path());
        assert!(opened.is_err() || check(directory.path()).is_err(), "{file}");
    }
    let directory = good();
    fs::rename(directory.path().join("objects"), elsewhere.path().join("objects")).unwrap();
    symlink(elsewhere.path().join("objects"), directory.path().join("objects")).unwrap();
    refused(directory.path(), &["objects: not a plain file"]);
}

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

#[test]
fn nothing_is_overwritten() {
    let directory = good();
    assert!(matches!(BundleWriter::create(directory.path()), Err(BundleError::Write { .. })));
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    writer.add_object("a", b"1").unwrap();
    assert!(matches!(writer.add_object("a", b"2"), Err(BundleError::Write { .. })));
}

#[test]
fn an_interrupted_bundle_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BundleWriter::create(directory.path()).unwrap();
    writer.add_object("a", b"1").unwrap();
    drop(writer);
    let error = Bundle::open(directory.path()).unwrap_err();
    assert!(matches!(&error, BundleError::NotABundle { .. }));
    assert!(error.is_usage());
    let error = Bundle::open(&directory.path().join("nowhere")).unwrap_err();
    assert!(error.is_usage());
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

#[test]
fn refusals_name_their_checks() {
    let refused_by = |root: &Path| check(root).unwrap_err().check().unwrap();
    assert_eq!(refused_by(bundle("bytes", &["unsaid"], json!([])).path()).as_str(), "CB-11");
    assert_eq!(refused_by(bundle("bytes", &["a"], json!([])).path()).as_str(), "CB-12");
    let directory = good();
    fs::write(directory.path().join("more"), "").unwrap();
    assert_eq!(refused_by(directory.path()).as_str(), "CB-4");
    let directory = good();
    edit(directory.path(), "objects/texts/0", "a", "b");
    assert_eq!(refused_by(directory.path()).as_str(), "CB-5");
    for role in ["text", "teyt"] {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = BundleWriter::create(directory.path()).unwrap();
        let nowhere = Digest::from([7; 32]);
        let claim = Claim::new("bytes", 1, [(role, vec![nowhere])], json!([]));
        writer.add_claim("first", &claim).unwrap();
        writer.finish().unwrap();
        let expected = if role == "text" { "CB-10" } else { "CB-9" };
        assert_eq!(refused_by(directory.path()).as_str(), expected);
    }
}
