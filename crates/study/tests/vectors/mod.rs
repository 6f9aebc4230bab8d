//! Bundles of elections and of traceable mixes, made from seeds: `vectors/election` and `vectors/trace`. Beside
//! each are the keys of its parties, so that wrong entries can be made that are rightly signed.

mod elections;
mod traces;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use board::Identity;
use tempfile::TempDir;

/// The files of a folder by their paths.
type Files = BTreeMap<String, Vec<u8>>;

/// What makes a vector.
type Maker = fn() -> Made;

/// Each vector, below `vectors`.
const VECTORS: [(&str, Maker); 7] = [
    ("election/dinner", elections::dinner),
    ("election/banquet", elections::banquet),
    ("election/brunch", elections::brunch),
    ("election/picnic", elections::picnic),
    ("election/buffet", elections::buffet),
    ("trace/routed", traces::routed),
    ("trace/db", traces::db),
];

/// A bundle that was made, and its parties' keys by name.
struct Made {
    directory: TempDir,
    keys: Vec<(String, Identity)>,
}

impl Made {
    fn new(keys: Vec<(String, Identity)>, write: impl FnOnce(&Path)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        write(&directory.path().join("bundle"));
        Self { directory, keys }
    }

    fn files(&self) -> Files {
        read(&self.directory.path().join("bundle"))
    }

    /// The keys' seeds in the form of `lunch-keys.json`.
    fn keys(&self) -> Vec<u8> {
        let digits = |identity: &Identity| -> String {
            identity.to_seed().iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let seeds: BTreeMap<&str, String> =
            self.keys.iter().map(|(name, key)| (name.as_str(), digits(key))).collect();
        let mut json = serde_json::to_vec_pretty(&seeds).unwrap();
        json.push(b'\n');
        json
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name)
}

fn keys_file(name: &str) -> PathBuf {
    folder(&format!("{name}-keys.json"))
}

fn read(root: &Path) -> Files {
    let (mut files, mut folders) = (Files::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn the_vectors_of_elections_and_traces_are_made_again() {
    for (name, make) in VECTORS {
        let (made, kept) = (make(), read(&folder(name)));
        assert_eq!(made.keys(), fs::read(keys_file(name)).unwrap(), "{name}: the keys");
        for (path, bytes) in made.files() {
            assert!(kept.get(&path) == Some(&bytes), "{name}/{path}: `scripts/vectors`");
        }
        assert_eq!(made.files().len(), kept.len(), "{name}");
    }
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_elections_and_traces_are_made() {
    for (name, make) in VECTORS {
        let (made, root) = (make(), folder(name));
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        for (path, bytes) in made.files() {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        fs::write(keys_file(name), made.keys()).unwrap();
    }
}
