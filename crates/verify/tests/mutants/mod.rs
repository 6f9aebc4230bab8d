//! For each check of the specification a wrong bundle that it refuses: `vectors/mutants.json`, of which
//! `docs/spec/mutants.md` is the table. Verifiers in other languages read the same file.

mod again;
mod edit;
mod forge;
mod more;
mod own;
mod patch;
mod reasons;
mod relog;
mod search;
mod table;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use board::Identity;
use serde::{Deserialize, Serialize};
use verifier::{Expected, Report};

use edit::{Edit, Files};

/// What a folder is whose files are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// A bundle; it is not said.
    #[default]
    Bundle,
    /// A user's keys, row and receipts, which the look-up of the same row is held to as well.
    OwnRow,
}

impl Kind {
    fn is_bundle(&self) -> bool {
        *self == Self::Bundle
    }
}

/// A wrong bundle: a right one, what is changed in it, and the check that refuses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    check: String,
    #[serde(default, skip_serializing_if = "Kind::is_bundle")]
    kind: Kind,
    /// The directory of the right bundle.
    bundle: String,
    edit: Edit,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn mutants() -> Vec<Mutant> {
    serde_json::from_slice(&fs::read(root().join("vectors/mutants.json")).unwrap()).unwrap()
}

/// The keys of the parties of a bundle's board, where they stand beside it.
fn seeds(bundle: &str) -> BTreeMap<String, Identity> {
    let Ok(text) = fs::read(root().join(format!("{bundle}-keys.json"))) else {
        return BTreeMap::new();
    };
    let seeds: BTreeMap<String, String> = serde_json::from_slice(&text).unwrap();
    let identity = |seed: &str| {
        let digits = seed.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        let bytes: Vec<u8> = digits.map(|two| u8::from_str_radix(two, 16).unwrap()).collect();
        Identity::from_seed(&bytes.try_into().unwrap())
    };
    seeds.iter().map(|(party, seed)| (party.clone(), identity(seed))).collect()
}

fn check(bundle: &Path) -> Result<Report, verifier::CheckError> {
    verifier::check(bundle, Expected::default(), &())
}

/// The check that refuses a bundle, if one does.
fn refused_by(files: &Files) -> Option<&'static str> {
    let directory = tempfile::tempdir().unwrap();
    edit::write(directory.path(), files);
    let error = check(directory.path()).err()?;
    assert!(error.is_false(), "{error}");
    Some(error.check().unwrap().as_str())
}

#[test]
fn every_mutant_is_refused_by_its_check() {
    let mutants = mutants();
    let mut right: BTreeMap<&str, Files> = BTreeMap::new();
    for Mutant { check, kind, bundle, edit } in &mutants {
        let read = || edit::read(&root().join(bundle));
        let files = right.entry(bundle.as_str()).or_insert_with(read);
        let wrong = edit.apply(files, &seeds(bundle));
        let found = match kind {
            Kind::Bundle => refused_by(&wrong),
            Kind::OwnRow => own::refused_by(&wrong),
        };
        assert_eq!(found, Some(check.as_str()), "{bundle}: {edit:?}");
    }
    let distinct: BTreeSet<String> =
        mutants.iter().map(|Mutant { bundle, edit, .. }| format!("{bundle}: {edit:?}")).collect();
    assert_eq!(distinct.len(), mutants.len(), "none is there twice");
}

#[test]
fn further_mutants_are_made_again() {
    let all = mutants();
    for mutant in more::mutants() {
        assert!(all.contains(&mutant), "run `scripts/vectors`: {mutant:?}");
    }
}

/// The page and the mutants are made together, and no check is left out.
#[test]
fn the_table_has_every_check() {
    let (page, mutants) =
        (fs::read_to_string(root().join("docs/spec/mutants.md")).unwrap(), mutants());
    assert_eq!(page, table::page(&mutants), "run `scripts/vectors`");
    let has_one = |check: &&str| mutants.iter().any(|mutant| mutant.check == *check);
    assert_eq!(reasons::named().find(has_one), None, "it has a mutant");
}

/// Reasons name tests of the programs, some with their module.
#[test]
fn tests_that_the_table_names_exist() {
    let page = table::page(&mutants());
    let (_, reasons) = page.split_once("## Checks without a mutant").unwrap();
    let is_test = |name: &&str| {
        let of_names = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c);
        name.matches('_').count() > 1 && name.chars().all(of_names)
    };
    let sources = edit::read(&root().join("crates"));
    let mut names: Vec<&str> = reasons.split('`').filter(is_test).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let (module, test) = name.rsplit_once("::").unwrap_or(("", name));
        let (file, line) = (format!("{module}.rs"), format!("fn {test}()"));
        let is_there = |(path, text): (&String, &Vec<u8>)| {
            path.ends_with(&file) && String::from_utf8_lossy(text).contains(&line)
        };
        assert!(sources.iter().filter(|(path, _)| path.ends_with(".rs")).any(is_there), "{name}");
    }
}

#[test]
fn vectors_are_small() {
    let size = |bundle: &String| -> usize {
        edit::read(&root().join(bundle)).values().map(Vec::len).sum()
    };
    for bundle in search::bundles() {
        assert!(size(&bundle) <= 200_000, "{bundle}");
    }
}

/// What is printed exists in the specification, and is said of all vectors that are right.
#[test]
fn every_check_that_is_explained_is_specified() {
    let specified = table::specified();
    for bundle in search::bundles() {
        let report =
            check(&root().join(&bundle)).unwrap_or_else(|error| panic!("{bundle}: {error}"));
        let explained = report.explained_json();
        let claims = explained["claims"].as_array().unwrap().iter();
        let of_claims = claims.flat_map(|claim| claim["explained"].as_array().unwrap());
        let of_bundle = explained["explained"].as_array().unwrap();
        let mut names = BTreeSet::new();
        for one in of_bundle.iter().chain(of_claims) {
            let name = one["check"].as_str().unwrap();
            assert!(specified.iter().any(|known| known == name), "{bundle}: {name}");
            assert!(one["count"].as_u64().unwrap() > 0, "{bundle}: {one}");
            names.insert(name.to_owned());
        }
        let own = names.iter().filter(|name| !name.starts_with("CB-")).count();
        assert!(own >= 2, "{bundle}: {names:?}");
        let lines = report.explained_lines().join("\n");
        assert!(names.iter().all(|name| lines.contains(name.as_str())), "{lines}");
    }
}

/// Searches for mutants again, and writes them and their table. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn mutants_are_made() {
    let mutants = search::all();
    let mut json = serde_json::to_vec_pretty(&mutants).unwrap();
    json.push(b'\n');
    fs::write(root().join("vectors/mutants.json"), json).unwrap();
    fs::write(root().join("docs/spec/mutants.md"), table::page(&mutants)).unwrap();
}
