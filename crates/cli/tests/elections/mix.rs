//! A mix by hand, from the keys to the messages, and everything that can be changed on the way.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::common::{fail, run, succeed};

/// Text that needs two columns, repeats, is empty, or looks like an escape.
const MESSAGES: [&str; 7] =
    ["rain", "", "twenty bytes of text", "rain", "\\x41", "π ≈ 3.14159", "sixteen letters!"];

const ROWS: usize = MESSAGES.len();
const COLUMNS: usize = 2;

/// A directory with keys and ciphertexts.
fn begin() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("messages"), MESSAGES.join("\n") + "\n").unwrap();
    succeed(path, &["mix", "keygen", "--secret", "secret.key", "--public", "public.key"]);
    let encrypt = ["mix", "encrypt", "--key", "public.key", "--in", "messages"];
    succeed(path, &[&encrypt[..], &["--columns", "2", "--out", "ciphertexts"]].concat());
    directory
}

fn shuffle(path: &Path, input: &str, mixer: &str, position: &str, out: &str) {
    let names = ["mix", "shuffle", "--key", "public.key", "--study", "docs", "--mix", "1"];
    let turn = ["--in", input, "--mixer", mixer, "--position", position, "--out", out];
    succeed(path, &[names, turn].concat());
}

fn verify<'a>(mixes: &[&'a str]) -> Vec<&'a str> {
    let command = ["mix", "verify", "--key", "public.key", "--in", "ciphertexts"];
    [&command[..], mixes].concat()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn all_messages_come_out_and_the_chain_verifies() {
    let directory = begin();
    let path = directory.path();
    shuffle(path, "ciphertexts", "2", "1", "a.mix");
    shuffle(path, "a.mix", "5", "2", "b.mix");

    let arguments = [vec!["--json"], verify(&["a.mix", "b.mix"])].concat();
    let object: serde_json::Value = serde_json::from_str(&succeed(path, &arguments)).unwrap();
    assert_eq!(object["verified"], true);
    assert_eq!(object["mixers"], serde_json::json!([2, 5]));
    assert_eq!((&object["rows"], &object["columns"]), (&ROWS.into(), &COLUMNS.into()));

    let decrypt = ["mix", "decrypt", "--secret", "secret.key", "--in", "b.mix", "--out"];
    let printed = succeed(path, &[&decrypt[..], &["-"]].concat());
    succeed(path, &[&decrypt[..], &["result"]].concat());
    assert_eq!(fs::read_to_string(path.join("result")).unwrap(), printed);
    let expected = MESSAGES.map(|message| message.replace("\\x41", "\\x5c783431")).join("\n");
    assert_eq!(sorted(&printed), sorted(&expected));
}

#[test]
fn nobody_votes_and_the_chain_holds() {
    let directory = begin();
    let path = directory.path();
    fs::write(path.join("none"), "").unwrap();
    fs::remove_file(path.join("ciphertexts")).unwrap();
    let encrypt = ["mix", "encrypt", "--key", "public.key", "--in", "none"];
    succeed(path, &[&encrypt[..], &["--out", "ciphertexts"]].concat());
    shuffle(path, "ciphertexts", "1", "1", "a.mix");
    succeed(path, &verify(&["a.mix"]));
    let decrypt = ["mix", "decrypt", "--secret", "secret.key", "--in", "a.mix", "--out", "-"];
    assert_eq!(succeed(path, &decrypt), "");
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_the_secret_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = begin();
    let path = directory.path().join("secret.key");
    let before = fs::read(&path).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let keygen = ["mix", "keygen", "--secret", "secret.key", "--public", "other"];
    fail(directory.path(), &keygen, 2, "secret.key: already exists");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!directory.path().join("other").exists());
}

/// The sections of a mix file (`docs/formats/mix-files.md`): name, bytes, and the exit code when a
/// bit of it is flipped: 2 if the file is none of this kind or not whole, 1 if the mixer published
/// what does not hold. Other counts move the sections, and can look like either.
const SECTIONS: [(&str, usize, &[i32]); 32] = [
    ("magic", 8, &[2]),
    ("kind", 8, &[2]),
    ("version", 2, &[2]),
    ("length of the group's name", 4, &[2]),
    ("group", 12, &[2]),
    ("key", 32, &[2]),
    ("length of the study", 4, &[2]),
    ("study", 4, &[1]),
    ("length of the mix", 4, &[2]),
    ("mix", 1, &[1]),
    ("mixer", 4, &[1]),
    ("position", 4, &[2]),
    ("rows", 4, &[1, 2]),
    ("columns", 4, &[1, 2]),
    ("first column, c1", 32 * ROWS, &[1]),
    ("first column, c2", 32 * ROWS, &[1]),
    ("second column, c1", 32 * ROWS, &[1]),
    ("second column, c2", 32 * ROWS, &[1]),
    ("a", 32 * ROWS, &[1]),
    ("B", 32 * ROWS, &[1]),
    ("T_B", 32 * ROWS, &[1]),
    ("T_t, T_k, T_w", 32 * 3, &[1]),
    ("z_e", 32 * ROWS, &[1]),
    ("z_s", 32 * ROWS, &[1]),
    ("z_t", 32, &[1]),
    ("z_k", 32, &[1]),
    ("z_w", 32, &[1]),
    ("T_k of the lists", 32, &[1]),
    ("T_l", 32 * 2 * COLUMNS, &[1]),
    ("z_i", 32 * ROWS, &[1]),
    ("z_k of the lists", 32, &[1]),
    ("z_u", 32 * COLUMNS, &[1]),
];

#[test]
fn a_flipped_bit_in_any_section_is_refused() {
    let directory = begin();
    let path = directory.path();
    shuffle(path, "ciphertexts", "1", "1", "a.mix");
    let honest = fs::read(path.join("a.mix")).unwrap();
    let total: usize = SECTIONS.iter().map(|(_, bytes, _)| bytes).sum();
    assert_eq!(honest.len(), total, "the sections are the whole file");

    let mut start = 0;
    for (name, bytes, codes) in SECTIONS {
        // The last byte of a length or a count says how many times 2^24.
        for at in [start, start + bytes / 2, start + bytes - 1] {
            let mut changed = honest.clone();
            changed[at] ^= 1;
            fs::write(path.join("changed.mix"), changed).unwrap();
            let ran = run(path, &verify(&["changed.mix"]));
            assert!(codes.contains(&ran.code), "{name}, byte {at}: {ran:?}");
            let culprit = if ran.code == 1 { "refused: mixer " } else { "error: " };
            assert!(ran.err.starts_with(culprit), "{name}, byte {at}: {ran:?}");
        }
        start += bytes;
    }
}

#[test]
fn a_file_that_is_not_whole_is_refused() {
    let directory = begin();
    let path = directory.path();
    shuffle(path, "ciphertexts", "1", "1", "a.mix");
    let honest = fs::read(path.join("a.mix")).unwrap();
    let mut longer = honest.clone();
    longer.push(0);
    for changed in [&honest[..0], &honest[..40], &honest[..honest.len() - 1], &longer] {
        fs::write(path.join("changed.mix"), changed).unwrap();
        fail(path, &verify(&["changed.mix"]), 2, "changed.mix: ");
    }
}

#[test]
fn the_second_mixer_is_named() {
    let directory = begin();
    let path = directory.path();
    shuffle(path, "ciphertexts", "1", "1", "a.mix");
    shuffle(path, "a.mix", "2", "2", "b.mix");
    let mut changed = fs::read(path.join("b.mix")).unwrap();
    let last = changed.len() - 32;
    changed[last] ^= 1;
    fs::write(path.join("b.mix"), changed).unwrap();
    fail(path, &verify(&["a.mix", "b.mix"]), 1, "mixer 2: equation (L1)");
}
