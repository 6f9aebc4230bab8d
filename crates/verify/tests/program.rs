//! The program itself, on bundles that are none, damaged or of unknown kinds. That its verdicts are those
//! of `subrosa verify` is seen wherever the tests of the command line verify a bundle.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

#[path = "mutants/mod.rs"]
mod mutants;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use claim::{BundleWriter, Claim};
use serde_json::{Value, json};

fn run(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_subrosa-verify"));
    let Output { status, stdout, stderr } =
        command.current_dir(directory).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A bundle with one claim about one object.
fn bundle(root: &Path, kind: &str, version: u16, role: &str) {
    let mut writer = BundleWriter::create(root).unwrap();
    let object = writer.add_object("object", b"bytes").unwrap();
    let claim = Claim::new(kind, version, [(role, vec![object])], json!({}));
    writer.add_claim("first", &claim).unwrap();
    writer.finish().unwrap();
}

#[test]
fn what_is_no_bundle_is_no_false_claim() {
    let directory = tempfile::tempdir().unwrap();
    let (code, out, err) = run(directory.path(), &["nowhere"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: nowhere/bundle.json: not a bundle: "), "{err}");
    assert!(err.ends_with("\n  name the directory that holds bundle.json\n"), "{err}");

    let (code, out, _) = run(directory.path(), &["--json", "nowhere"]);
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, said["error"]["kind"].as_str()), (2, Some("input")));
    for misuse in [&[][..], &["a", "b"], &["--expect", "12", "a"], &["--what"]] {
        let (code, out, err) = run(directory.path(), misuse);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.starts_with("error: "), "{err}");
        let (code, out, _) = run(directory.path(), &[misuse, &["--json"]].concat());
        assert_eq!(code, 2);
        assert!(serde_json::from_str::<Value>(&out).unwrap()["error"]["message"].is_string());
    }
    for asked in ["--help", "--version"] {
        let (code, out, err) = run(directory.path(), &[asked]);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.contains("bundle") || out.starts_with("subrosa-verify "), "{out}");
    }
}

#[test]
fn unknown_kinds_and_versions_are_not_checked_and_unknown_roles_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (kind, known, version) in [
        ("election", "1 or 2 or 3", 1),
        ("election-trace", "2 or 3", 2),
        ("trace", "3 or 4", 3),
        ("vole-verdict", "1 or 2", 2),
        ("set-membership", "1", 1),
        ("snark-proof", "1", 1),
        ("ceremony", "1", 1),
        ("table-answer", "1", 1),
        ("table-lookup", "1", 1),
        ("table-absence", "1", 1),
        ("table-audit", "1", 1),
        ("table-audit-part", "1", 1),
        ("table-evidence", "1", 1),
        ("table-records", "1", 1),
        ("table-erased", "1", 1),
        ("table-question", "1", 1),
        ("table-questions", "1", 1),
        ("table-successor", "1", 1),
    ] {
        let verifies = format!("of `{kind}`; this program verifies version {known}");
        let newer = "  a newer version of this program may be able to check it\n";
        for (version, role, code, said) in [
            (0, "board", 4, format!("version 0 {verifies}\n{newer}")),
            (999, "board", 4, format!("version 999 {verifies}\n{newer}")),
            (version, "bord", 1, format!("`bord` is no role of the kind `{kind}`\n")),
        ] {
            let name = format!("{kind}-{version}-{role}");
            bundle(&directory.path().join(&name), kind, version, role);
            let (ended, out, err) = run(directory.path(), &[&name]);
            assert_eq!((ended, out.as_str()), (code, ""));
            let begun = match code {
                4 => "not established: `claims/first.json`: ",
                _ => "refused: claim: ",
            };
            assert_eq!(err, format!("{begun}{said}"));
        }
    }
    bundle(&directory.path().join("magic"), "magic", 1, "board");
    let (code, _, err) = run(directory.path(), &["magic"]);
    assert_eq!(code, 4);
    assert!(err.contains("no verifier for claims of kind `magic`"), "{err}");
    let (_, out, _) = run(directory.path(), &["--json", "magic"]);
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(said["error"]["kind"], "unestablished");
}

/// What cannot be checked hides nothing that is false, whichever comes first.
#[test]
fn a_false_claim_beside_one_that_is_not_checked_is_false() {
    let directory = tempfile::tempdir().unwrap();
    for (name, first, second) in [("before", "magic", "election"), ("after", "election", "magic")] {
        let mut writer = BundleWriter::create(&directory.path().join(name)).unwrap();
        let object = writer.add_object("object", b"bytes").unwrap();
        for (claim, kind) in [("first", first), ("second", second)] {
            let claimed = Claim::new(kind, 1, [("bord", vec![object])], json!({}));
            writer.add_claim(claim, &claimed).unwrap();
        }
        writer.finish().unwrap();
        let (code, _, err) = run(directory.path(), &[name]);
        assert_eq!(code, 1, "{err}");
        assert!(err.starts_with("refused: claim: `bord`"), "{err}");
    }
}

/// What is open of a bundle among the vectors.
fn open(bundle: &str) -> (i32, Vec<String>) {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let (code, out, _) = run(&vectors, &["--json", bundle]);
    let said: Value = serde_json::from_str(&out).unwrap();
    let names = said["open"].as_array().unwrap().iter();
    (code, names.map(|open| open["name"].as_str().unwrap().to_owned()).collect())
}

/// A proof's key is somebody's word; with its ceremony in the bundle, its contributors' names are.
#[test]
fn a_ceremony_takes_the_place_of_the_word_for_a_key() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let (code, bare) = open("snark/groth16");
    assert_eq!((code, bare.len()), (4, 1));
    assert!(bare[0].starts_with("key:"), "{bare:?}");
    assert_eq!(run(&vectors, &["snark/groth16", "--accept", &bare[0]]).0, 0);

    for bundle in ["ceremony/proof", "ceremony/record"] {
        let (code, shown) = open(bundle);
        assert_eq!((code, shown.len()), (4, 1));
        assert!(shown[0].starts_with("parameters:"), "{shown:?}");
        let (code, out, _) = run(&vectors, &[bundle, "--accept", &shown[0]]);
        assert_eq!(code, 0);
        assert!(
            out.contains("Shown by claims/ceremony.json: that this key is of the circuit"),
            "{out}"
        );
        assert!(out.contains("contribution 1: Ben: "), "{out}");
        // Whoever accepts another key has accepted nothing.
        assert_eq!(run(&vectors, &[bundle, "--accept", &bare[0]]).0, 4);
    }
    let (code, phase1) = open("ceremony/phase1");
    assert_eq!((code, phase1.len()), (4, 1));
}

#[test]
fn premises_have_names() {
    let directory = tempfile::tempdir().unwrap();
    for premise in ["audited", "word", "word:", "unaudited:1", "key"] {
        let (code, _, err) = run(directory.path(), &["nowhere", "--accept", premise]);
        assert_eq!(code, 2);
        assert!(
            err.contains("not `unaudited`, `word:KEY`, `key:DIGEST` or `parameters:DIGEST`"),
            "{err}"
        );
    }
}

#[test]
fn damage_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    bundle(&root, "election", 1, "board");
    fs::write(root.join("objects/object"), "bytez").unwrap();
    let (code, out, _) = run(directory.path(), &["--json", "bundle"]);
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, said["error"]["kind"].as_str()), (1, Some("refused")));
    assert!(said["error"]["message"].as_str().unwrap().contains("objects/object"));
}

#[test]
fn nothing_that_a_verifier_needs_not_is_in_it() {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--locked", "--package", "subrosa-verify"]);
    tree.args(["--edges", "normal", "--prefix", "none", "--format", "{lib}"]);
    let tree = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    let packages: Vec<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(packages.contains(&"verifier") && packages.len() > 50, "{packages:?}");
    let foreign = [
        "axum",
        "gmp_mpfr_sys",
        "hyper",
        "plotters",
        "redb",
        "ring",
        "rug",
        "rustls",
        "sqlparser",
        "sqlx",
        "tokio",
        "ureq",
    ];
    for package in foreign {
        assert!(!packages.contains(&package), "{package}");
    }
}
