//! Bundles as they are written and read, and everything that is wrong with others.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::{fs, path::Path};

use claim::{
    Bundle, BundleError, BundleWriter, Check, Claim, Findings, Kind, Objects, Refusal, Registry,
    Role, Verdict, Verifier, VerifyError,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use wire::Digest;

mod claims;
mod files;
mod forms;

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
