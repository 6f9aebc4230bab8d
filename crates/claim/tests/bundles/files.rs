//! Files that are missing, changed, too many, or none of the bundle's.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

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
