//! Bundles on disk that were damaged or dressed up: the verifier names the file.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use claim::{Bundle, Registry};
use study::election::ElectionVerifier;
use tempfile::TempDir;

use crate::common::{Honest, bundle_of};

struct OnDisk {
    _directory: TempDir,
    root: PathBuf,
}

impl OnDisk {
    /// A copy of one bundle: writing it anew would wait for the disk.
    fn new() -> Self {
        static BUNDLE: LazyLock<OnDisk> = LazyLock::new(|| {
            let bundle = OnDisk::empty();
            let honest = Honest::get();
            bundle_of(&bundle.root, &honest.entries, &honest.statement);
            bundle
        });
        let copy = Self::empty();
        for file in copy.files() {
            fs::create_dir_all(copy.path(&file).parent().unwrap()).unwrap();
            fs::copy(BUNDLE.path(&file), copy.path(&file)).unwrap();
        }
        copy
    }

    fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("bundle");
        Self { _directory: directory, root }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// Every file, by its path from the root.
    fn files(&self) -> Vec<String> {
        let entries = Honest::get().entries.len();
        let entries = (0..entries).map(|place| format!("objects/board/{place:08}.entry"));
        ["bundle.json", "claims/election.json"]
            .map(String::from)
            .into_iter()
            .chain(entries)
            .collect()
    }

    /// Why the bundle is refused.
    fn refusal(&self) -> Option<String> {
        let registry = Registry::new().with(ElectionVerifier::default());
        let bundle = match Bundle::open(&self.root) {
            Ok(bundle) => bundle,
            Err(error) => return Some(error.to_string()),
        };
        claim::verify(&bundle, &registry, &()).err().map(|error| error.to_string())
    }

    #[track_caller]
    fn refused(&self, why: &[&str]) {
        let refusal = self.refusal().expect("this was accepted");
        why.iter().for_each(|part| assert!(refusal.contains(part), "{refusal}"));
    }

    /// Changes a file, and the manifest with it.
    fn rewrite(&self, file: &str, bytes: &[u8]) {
        let digest = |bytes: &[u8]| wire::Digest::of("subrosa/bundle/file", bytes).to_string();
        let old = digest(&fs::read(self.path(file)).unwrap());
        fs::write(self.path(file), bytes).unwrap();
        let manifest = fs::read_to_string(self.path("bundle.json")).unwrap();
        assert!(manifest.contains(&old));
        fs::write(self.path("bundle.json"), manifest.replace(&old, &digest(bytes))).unwrap();
    }
}

#[test]
fn a_byte_flipped_in_any_file() {
    let bundle = OnDisk::new();
    assert_eq!(bundle.refusal(), None);
    for file in bundle.files() {
        let bytes = fs::read(bundle.path(&file)).unwrap();
        let places: Vec<usize> = match bytes.len() {
            len if file == "claims/election.json" => (0..len).step_by(7).collect(),
            len => [0, 1, 40, len / 3, len / 2, len - 2, len - 1].to_vec(),
        };
        for place in places {
            for flip in [0x01, 0x20, 0x80] {
                let mut changed = bytes.clone();
                changed[place] ^= flip;
                fs::write(bundle.path(&file), changed).unwrap();
                let refusal = bundle.refusal();
                let refusal = refusal.unwrap_or_else(|| panic!("{file}, byte {place} ^ {flip}"));
                // A digest in the manifest that is wrong is told by the file that it is about.
                let named = match file.as_str() {
                    "bundle.json" => ["bundle.json", "objects/", "claims/"].as_slice(),
                    file => &[file],
                };
                assert!(named.iter().any(|name| refusal.contains(name)), "{file}: {refusal}");
            }
        }
        fs::write(bundle.path(&file), bytes).unwrap();
    }
    assert_eq!(bundle.refusal(), None);
}

#[test]
fn every_byte_of_the_manifest_counts() {
    let bundle = OnDisk::new();
    let bytes = fs::read(bundle.path("bundle.json")).unwrap();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x01;
        fs::write(bundle.path("bundle.json"), changed).unwrap();
        assert!(bundle.refusal().is_some(), "byte {place}");
    }
}

/// Without the digests in the way: the entries' own signatures and proofs.
#[test]
fn a_byte_flipped_in_an_entry_and_the_manifest_corrected() {
    for (place, entry) in Honest::get().entries.iter().enumerate() {
        let file = format!("objects/board/{place:08}.entry");
        let original = wire::Encode::to_bytes(entry);
        let len = original.len();
        // Version, sequence, chain, author, kind, payload and signature.
        for at in [0, 1, 12, 50, 78, len / 2, len - 70, len - 1] {
            let bundle = OnDisk::new();
            let mut changed = original.clone();
            changed[at] ^= 1;
            bundle.rewrite(&file, &changed);
            // The claim still names the old bytes.
            bundle.refused(&[&file, "no claim speaks of this file"]);
            let claim = fs::read_to_string(bundle.path("claims/election.json")).unwrap();
            let digest = |bytes: &[u8]| wire::Digest::of("subrosa/bundle/file", bytes).to_string();
            let claim = claim.replace(&digest(&original), &digest(&changed));
            bundle.rewrite("claims/election.json", claim.as_bytes());
            // What the changed entry is, or the entry after it, which follows another one.
            let refusal = bundle.refusal().unwrap_or_else(|| panic!("entry {place}, byte {at}"));
            let named = [place, place + 1].map(|place| format!("entry {place}"));
            let is_named = named.iter().any(|name| refusal.contains(name));
            assert!(is_named || (place == 0 && refusal.contains("set-up")), "{refusal}");
        }
    }
}

#[test]
fn a_file_too_many() {
    let bundle = OnDisk::new();
    fs::write(bundle.path("objects/board/notes.txt"), "look here").unwrap();
    bundle.refused(&["`objects/board/notes.txt` is not in bundle.json"]);

    let bundle = OnDisk::new();
    fs::write(bundle.path("result.html"), "another result").unwrap();
    let digest = wire::Digest::of("subrosa/bundle/file", b"another result");
    let manifest = fs::read_to_string(bundle.path("bundle.json")).unwrap();
    let listed = manifest
        .replace("\n  }\n}\n", &format!(",\n    \"result.html\": \"{digest}\"\n  }}\n}}\n"));
    assert_ne!(manifest, listed);
    fs::write(bundle.path("bundle.json"), listed).unwrap();
    bundle.refused(&["`result.html`: no claim speaks of this file"]);
}

#[test]
fn a_file_missing_empty_or_cut_short() {
    for file in OnDisk::new().files() {
        let bundle = OnDisk::new();
        let bytes = fs::read(bundle.path(&file)).unwrap();
        for len in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            fs::write(bundle.path(&file), &bytes[..len]).unwrap();
            bundle.refused(&[&file]);
        }
        fs::write(bundle.path(&file), [&bytes[..], b"\n"].concat()).unwrap();
        bundle.refused(&[&file]);
        fs::remove_file(bundle.path(&file)).unwrap();
        bundle.refused(&[&file]);
    }
}

#[test]
fn two_files_exchanged() {
    let bundle = OnDisk::new();
    let [a, b] = [3, 4].map(|place| bundle.path(&format!("objects/board/{place:08}.entry")));
    exchange(&a, &b, &bundle.path("other"));
    bundle.refused(&["objects/board/00000003.entry"]);
}

fn exchange(a: &Path, b: &Path, other: &Path) {
    fs::rename(a, other).unwrap();
    fs::rename(b, a).unwrap();
    fs::rename(other, b).unwrap();
}
