//! Bundles: their manifests, and every kind of claim with objects whose digests are right.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use claim::{Bundle, BundleWriter, Claim};
use serde_json::Value;
use tempfile::TempDir;
use wire::Digest;

use crate::{
    pieces::{files_below, root},
    sessions::{join, split},
    target::{Target, is_read, readers},
};

/// Every kind of claim.
const KINDS: [&str; 18] = [
    "election",
    "election-trace",
    "trace",
    "vole-verdict",
    "set-membership",
    "snark-proof",
    "ceremony",
    "table-answer",
    "table-lookup",
    "table-absence",
    "table-audit",
    "table-audit-part",
    "table-erased",
    "table-evidence",
    "table-question",
    "table-questions",
    "table-records",
    "table-successor",
];
/// What a bundle's files are hashed under.
const DOMAIN: &str = "subrosa/bundle/file";
/// Larger bundles are no seeds.
const MAX_LEN: usize = 1 << 18;

pub fn targets() -> Vec<Target> {
    let of_kind = |kind: &'static str| {
        let folder = folder();
        let check = move |input: &[u8]| check(folder.path(), kind, input);
        Target::new(&format!("claim-{kind}"), readers![check]).with_seeds(move || claims_of(kind))
    };
    let folder = folder();
    let bundle = Target::new("claim-bundles", readers![move |input| bundle(folder.path(), input)]);
    let bundle = bundle.with_seeds(bundles);
    KINDS.into_iter().map(of_kind).chain([bundle]).collect()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a directory for bundles")
}

/// Verifies a claim of a kind. The input is its version and the roles of its objects, a line for each; its statement;
/// and the objects.
fn check(folder: &Path, kind: &str, input: &[u8]) -> bool {
    let parts = split(input);
    let [head, statement, objects @ ..] = parts.as_slice() else { return false };
    let Ok(statement) = serde_json::from_slice::<Value>(statement) else { return false };
    let Ok(head) = str::from_utf8(head) else { return false };
    let mut lines = head.lines();
    let Some(version) = lines.next().and_then(|line| line.parse().ok()) else { return false };
    let root = folder.join("bundle");
    // The bundle before this one; the first time there is none.
    let _ = fs::remove_dir_all(&root);
    let mut writer = BundleWriter::create(&root).expect("a bundle is begun");
    let mut roles: BTreeMap<&str, Vec<Digest>> = BTreeMap::new();
    for (number, (role, object)) in lines.zip(objects).enumerate() {
        let digest = writer.add_object(&number.to_string(), object).expect("an object is added");
        roles.entry(role).or_default().push(digest);
    }
    let claim = Claim::new(kind, version, roles, statement);
    // A statement may have what no claim's file can hold: a number that is no integer.
    if writer.add_claim("claim", &claim).is_err() {
        return false;
    }
    writer.finish().expect("the bundle is written");
    is_read(verifier::check(&root, verifier::Expected::default(), &()))
}

/// Opens and verifies a bundle: of a manifest alone, or of a claim's file and objects with a right manifest.
fn bundle(folder: &Path, input: &[u8]) -> bool {
    let parts = split(input);
    let [manifest, others @ ..] = parts.as_slice() else { return false };
    let root = folder.join("bundle");
    // As above.
    let _ = fs::remove_dir_all(&root);
    let mut files = Vec::new();
    for (number, bytes) in others.iter().enumerate() {
        let path =
            if number == 0 { "claim.json".to_owned() } else { format!("object-{number:03}") };
        fs::create_dir_all(&root).expect("the bundle's directory");
        fs::write(root.join(&path), bytes).expect("a file is written");
        files.push(format!("    \"{path}\": \"{}\"", Digest::of(DOMAIN, bytes)));
    }
    fs::create_dir_all(&root).expect("the bundle's directory");
    let right = format!(
        "{{\n  \"format\": \"subrosa-bundle\",\n  \"version\": 2,\n  \"specification\": 1,\n  \"claims\": [\n    \
         \"claim.json\"\n  ],\n  \"files\": {{\n{}\n  }}\n}}\n",
        files.join(",\n")
    );
    let manifest = if others.is_empty() { manifest } else { right.as_bytes() };
    fs::write(root.join("bundle.json"), manifest).expect("the manifest is written");
    if let Ok(bundle) = Bundle::open(&root) {
        let _ = is_read(bundle.digest());
    }
    is_read(verifier::check(&root, verifier::Expected::default(), &()))
}

/// A claim of the vectors: its file, and its objects in the order of their roles.
struct Seed {
    file: Vec<u8>,
    json: Value,
    roles: Vec<String>,
    objects: Vec<Vec<u8>>,
}

/// Directories of the vectors that are bundles.
fn vectors() -> Vec<PathBuf> {
    let files = files_below(&root().join("vectors"));
    let manifests = files.into_iter().filter(|path| path.ends_with("bundle.json"));
    manifests.filter_map(|path| path.parent().map(Path::to_owned)).collect()
}

fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for bundle in vectors() {
        let files =
            files_below(&bundle).into_iter().map(|path| fs::read(path).expect("a file is read"));
        let files: BTreeMap<String, Vec<u8>> =
            files.map(|bytes| (Digest::of(DOMAIN, &bytes).to_string(), bytes)).collect();
        for file in files_below(&bundle.join("claims")) {
            let file = fs::read(file).expect("a claim is read");
            let json: Value = serde_json::from_slice(&file).expect("a claim is JSON");
            let (mut roles, mut objects) = (Vec::new(), Vec::new());
            for (role, digests) in json["objects"].as_object().expect("roles") {
                for digest in digests.as_array().expect("digests") {
                    let Some(object) = files.get(digest.as_str().unwrap_or_default()) else {
                        continue;
                    };
                    roles.push(role.clone());
                    objects.push(object.clone());
                }
            }
            if objects.iter().map(Vec::len).sum::<usize>() <= MAX_LEN {
                seeds.push(Seed { file, json, roles, objects });
            }
        }
    }
    seeds
}

fn claims_of(kind: &str) -> Vec<Vec<u8>> {
    let of_kind = seeds().into_iter().filter(|seed| seed.json["kind"] == kind);
    let input = |seed: Seed| {
        let head = format!("{}\n{}\n", seed.json["version"], seed.roles.join("\n"));
        let statement = seed.json["statement"].to_string();
        join(&[vec![head.into_bytes(), statement.into_bytes()], seed.objects].concat())
    };
    of_kind.map(input).collect()
}

fn bundles() -> Vec<Vec<u8>> {
    let manifests = vectors()
        .into_iter()
        .map(|bundle| join(&[fs::read(bundle.join("bundle.json")).expect("a manifest is read")]));
    let short = seeds().into_iter().filter(|seed| seed.objects.len() < 10);
    let claims = short.map(|seed| join(&[vec![Vec::new(), seed.file], seed.objects].concat()));
    manifests.chain(claims).collect()
}
