//! A ceremony by hand: every step, and what is refused.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{fail, files, run, succeed};

const PHASE1: [&str; 2] = ["ceremony", "phase1"];

fn phase1(path: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["--json"], &PHASE1[..], arguments].concat();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

fn refused(path: &Path, arguments: &[&str], code: i32, message: &str) {
    fail(path, &[&PHASE1[..], arguments].concat(), code, message);
}

/// A directory with the file that a ceremony begins with.
fn begin(curve: &str, power: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["new", "--curve", curve, "--power", power, "--out", "0.ptau"];
    phase1(directory.path(), &arguments);
    directory
}

#[test]
fn from_the_first_file_to_the_prepared_one() {
    for curve in ["bn254", "bls12-381"] {
        let directory = begin(curve, "3");
        let path = directory.path();
        fs::write(path.join("dice"), "3 1 4 1 5 9").unwrap();
        let own = ["--name", "Ana", "--entropy", "some text", "--entropy-file", "dice"];
        let ana = ["contribute", "--in", "0.ptau", "--out", "1.ptau"];
        let ana = phase1(path, &[&ana[..], &own].concat());
        phase1(path, &["contribute", "--in", "1.ptau", "--out", "2.ptau"]);
        let hash = ["--hash", "0102030405060708090A0B0C0D0E0F10", "--iterations-exp", "10"];
        let beacon = ["beacon", "--in", "2.ptau", "--out", "3.ptau", "--name", "noise"];
        phase1(path, &[&beacon[..], &hash].concat());
        phase1(path, &["prepare", "--in", "3.ptau", "--out", "prepared.ptau"]);
        phase1(path, &["truncate", "--in", "prepared.ptau", "--power", "2", "--out", "2of3.ptau"]);

        for (file, power, prepared, hashed) in [
            ("3.ptau", 3, false, true),
            ("prepared.ptau", 3, true, true),
            ("2of3.ptau", 2, true, false),
        ] {
            if !hashed {
                let cut = ["ceremony", "phase1", "verify", file];
                fail(path, &cut, 4, "the hashes of the last contribution were not checked");
            }
            let verified = phase1(path, &["verify", file, "--truncated"]);
            assert_eq!(verified["verified"], true);
            assert_eq!(
                (&verified["power"], &verified["ceremony_power"]),
                (&power.into(), &3.into())
            );
            assert_eq!(verified["prepared"], prepared);
            assert_eq!(verified["hash_checked"], hashed);
            let contributions = &verified["contributions"];
            assert_eq!(contributions[0]["response_hash"], ana["response_hash"]);
            assert_eq!(contributions[0]["name"], "Ana");
            assert_eq!(contributions[1]["name"], Value::Null);
            assert_eq!(contributions[2]["beacon"]["iterations_exp"], 10);
            assert_eq!(phase1(path, &["info", file])["contributions"], *contributions);
        }
        let mut expected = ["0.ptau", "1.ptau", "2.ptau", "2of3.ptau", "3.ptau", "dice"].to_vec();
        expected.push("prepared.ptau");
        assert_eq!(files(path), expected, "no seed is left, and nothing unfinished");
    }
}

/// People read the hash in four lines of four words.
#[test]
fn hashes_are_printed_as_people_publish_them() {
    let directory = begin("bn254", "2");
    let path = directory.path();
    let contribute = ["contribute", "--in", "0.ptau", "--out", "1.ptau", "--name", "\u{1b}[31mEve"];
    let printed = succeed(path, &[&PHASE1[..], &contribute].concat());
    let verified = succeed(path, &[&PHASE1[..], &["verify", "1.ptau"]].concat());
    let words = |line: &str| {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let is_hex = |word: &String| word.len() == 8 && u32::from_str_radix(word, 16).is_ok();
        (words.len() == 4 && words.iter().all(is_hex)).then_some(words)
    };
    let announced: Vec<_> = printed.lines().filter_map(words).take(4).collect();
    let found: Vec<_> = verified.lines().filter_map(words).take(4).collect();
    assert_eq!(announced, found);
    assert!(!verified.contains('\u{1b}'), "a name does not reach the terminal as it is");
}

#[test]
fn what_does_not_hold_is_refused_and_named() {
    let directory = begin("bn254", "3");
    let path = directory.path();
    phase1(path, &["contribute", "--in", "0.ptau", "--out", "1.ptau"]);
    refused(path, &["verify", "0.ptau"], 1, "nobody has contributed");
    let honest = fs::read(path.join("1.ptau")).unwrap();
    // The container's header, section 1 and the header of section 2; then points of 64 bytes.
    let section_2 = 12 + 12 + 44 + 12;
    for (changed, code, message) in [
        (honest[..honest.len() - 1].to_vec(), 2, "where the file has"),
        ([&honest[..], b"x"].concat(), 2, "follow the last section"),
        (honest[..5].to_vec(), 2, "the file ends in the header"),
        (
            {
                // Points 3 and 4 change places.
                let mut changed = honest.clone();
                let (left, right) = changed[section_2 + 3 * 64..].split_at_mut(64);
                left.swap_with_slice(&mut right[..64]);
                changed
            },
            1,
            "section 2 (tauG1), point 3: not tau times the point before it",
        ),
        (
            {
                let mut changed = honest.clone();
                changed[section_2 + 5 * 64] ^= 1;
                changed
            },
            1,
            "section 2 (tauG1), point 5: not a canonical encoding",
        ),
    ] {
        fs::write(path.join("changed.ptau"), changed).unwrap();
        let ran = run(path, &[&PHASE1[..], &["verify", "changed.ptau"]].concat());
        assert!(ran.code == code && ran.err.contains(message), "{message}: {ran:?}");
    }
}

#[test]
fn nothing_is_overwritten() {
    let directory = begin("bn254", "2");
    let path = directory.path();
    let before = fs::read(path.join("0.ptau")).unwrap();
    refused(path, &["new", "--power", "2", "--out", "0.ptau"], 2, "already exists");
    refused(path, &["contribute", "--in", "0.ptau", "--out", "0.ptau"], 2, "already exists");
    assert_eq!(fs::read(path.join("0.ptau")).unwrap(), before);
    let nowhere = ["contribute", "--in", "0.ptau", "--out", "nowhere/1.ptau"];
    refused(path, &nowhere, 2, "nowhere/1.ptau: ");
    assert_eq!(files(path), ["0.ptau"]);
}

#[cfg(unix)]
#[test]
fn a_kept_seed_is_private_and_makes_the_same_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = begin("bn254", "2");
    let path = directory.path();
    let contribute = ["contribute", "--in", "0.ptau", "--keep-seed", "--out"];
    phase1(path, &[&contribute[..], &["1.ptau"]].concat());
    let seed = path.join("1.ptau.seed");
    assert_eq!(seed.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // The file is complete: what is left to do with the seed is to delete it.
    refused(
        path,
        &[&contribute[..], &["1.ptau"]].concat(),
        2,
        "1.ptau.seed still holds its secrets",
    );
    assert!(seed.exists());
    let made = fs::read(path.join("1.ptau")).unwrap();
    fs::rename(path.join("1.ptau"), path.join("first.ptau")).unwrap();
    let again = phase1(path, &[&contribute[..], &["1.ptau"]].concat());
    assert_eq!((&again["input_verified"], &again["seed"]), (&true.into(), &"1.ptau.seed".into()));
    assert!(fs::read(path.join("1.ptau")).unwrap() == made);

    // For another new file it is of no use.
    fs::copy(&seed, path.join("again.ptau.seed")).unwrap();
    let other = ["contribute", "--in", "0.ptau", "--out", "again.ptau"];
    refused(path, &other, 2, "made for a new file of another name");

    // Nor for another file to contribute to.
    fs::copy(&seed, path.join("2.ptau.seed")).unwrap();
    let other = ["contribute", "--in", "1.ptau", "--out", "2.ptau"];
    refused(path, &other, 2, "2.ptau.seed: ");
    assert!(path.join("2.ptau.seed").exists() && !path.join("2.ptau").exists());
}
