//! Bundles about tables: verified offline by the registry that the command line uses.

use std::path::Path;

use crate::support::*;
use claim::{Bundle, BundleWriter, Registry, VerifyError};
use table::{
    claims::{TableWriter, verifiers},
    query::{Query, Rank, Region, Statistic},
    *,
};

fn registry() -> Registry {
    verifiers().fold(Registry::new(), Registry::with)
}

fn verify(root: &Path) -> Result<Vec<claim::Verdict>, VerifyError> {
    claim::verify(&Bundle::open(root).unwrap(), &registry(), &())
}

/// A bundle with a claim of every kind.
fn write(root: &Path) {
    let mut schema = schema();
    schema.policy.min_count = 0;
    let world = World::audited(schema.clone(), &[entries(&schema, 12, 6, 1)]);
    let (table, signed) = (&world.setup.table, world.newest());
    let mut writer = BundleWriter::create(root).unwrap();
    let mut tables = TableWriter::new(&mut writer, table, &signed).unwrap();
    let region = Region::all(table.schema(), 10, 10);
    for (name, statistic) in [
        ("sum", Statistic::Moments),
        ("min", Statistic::Order(Rank::Min)),
        ("cuts", Statistic::Histogram),
    ] {
        let query = Query { column: 0, region: region.clone(), statistic };
        tables.answer(name, &world.ask(query).unwrap()).unwrap();
    }
    let key = &world.epochs[0].columns[0].keys[0];
    let (pseudonym, built) = (key.rows[0].pseudonym, &world.epochs[0]);
    let lookup = Lookup::find(built, world.logged(0, 1), 0, &pseudonym).unwrap();
    tables.lookup("lookup", &lookup).unwrap();
    let stranger = [9; 32].into();
    let absence = AbsenceProof::show(built, world.logged(0, 1), 0, stranger).unwrap();
    tables.absence("absence", &absence).unwrap();
    tables.audit(&world.headers[0], &world.bundles[0], &()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn bundles_verify_and_no_file_can_be_exchanged() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write(&root);
    let verdicts = verify(&root).unwrap();
    let kinds: Vec<&str> = verdicts.iter().map(|verdict| verdict.kind.as_str()).collect();
    assert!(kinds.contains(&"table-answer") && kinds.contains(&"table-audit"));
    assert!(kinds.contains(&"table-lookup") && kinds.contains(&"table-absence"));
    assert!(verdicts.iter().all(|verdict| !verdict.summary.is_empty()));
    // A statement that says more than its proof: rewritten with a consistent manifest.
    for (file, from, to) in [
        ("claims/sum.json", "\"count\": 12", "\"count\": 13"),
        (
            "claims/min.json",
            "\"assurance\": \"committed, not audited\"",
            "\"assurance\": \"audited\"",
        ),
        ("claims/audit-10.json", "\"rows\": 12", "\"rows\": 120"),
        ("claims/absence.json", "\"present\": false", "\"present\": true"),
        ("claims/lookup.json", "\"epoch\": 10", "\"epoch\": 11"),
    ] {
        let copy = directory.path().join("copy");
        rewrite(&root, &copy, file, from, to);
        let refused = verify(&copy).unwrap_err().to_string();
        assert!(refused.contains("by the objects, not as stated"), "{file}: {refused}");
        std::fs::remove_dir_all(&copy).unwrap();
    }
    // A damaged object is refused by the manifest.
    std::fs::write(root.join("objects/table/sum.proof"), b"").unwrap();
    assert!(verify(&root).is_err());
}

/// Copies a bundle with a text replaced in one claim.
fn rewrite(root: &Path, copy: &Path, file: &str, from: &str, to: &str) {
    let mut writer = BundleWriter::create(copy).unwrap();
    for object in std::fs::read_dir(root.join("objects/table")).unwrap() {
        let path = object.unwrap().path();
        let name = format!("table/{}", path.file_name().unwrap().to_str().unwrap());
        writer.add_object(&name, &std::fs::read(&path).unwrap()).unwrap();
    }
    for claim in std::fs::read_dir(root.join("claims")).unwrap() {
        let path = claim.unwrap().path();
        let mut text = std::fs::read_to_string(&path).unwrap();
        if path.ends_with(Path::new(file).file_name().unwrap()) {
            assert!(text.contains(from), "{file}");
            text = text.replace(from, to);
        }
        let claim: claim::Claim = serde_json::from_str(&text).unwrap();
        writer.add_claim(path.file_stem().unwrap().to_str().unwrap(), &claim).unwrap();
    }
    writer.finish().unwrap();
}

/// Attack H and its kin: another user's leaf, and rows that are not the user's own.
#[test]
fn users_find_their_own_rows_only() {
    let schema = schema();
    let world = World::new(schema.clone(), &[entries(&schema, 20, 2, 1)]);
    let (table, signed, built) = (&world.setup.table, world.newest(), &world.epochs[0]);
    let column = &built.columns[0];
    let rows: Vec<_> = column
        .keys
        .iter()
        .flat_map(|key| key.rows.iter())
        .map(|row| (row, &built.entries[row.entry as usize]))
        .collect();
    for (row, entry) in &rows {
        let logged = || world.logged(0, 1);
        let lookup = Lookup::find(built, logged(), 0, &row.pseudonym).unwrap();
        let bytes = wire::Encode::to_bytes(&lookup);
        assert_eq!(<Lookup as wire::Decode>::from_bytes(&bytes).unwrap(), lookup);
        assert_eq!(lookup.verify_own(table, &signed, &entry.row, &entry.keys), Ok(()));
        let light = LightLookup::find(built, logged(), 0, &row.pseudonym).unwrap();
        assert_eq!(light.verify_own(table, &signed, &entry.row, &entry.keys), Ok(()));
        assert!(AbsenceProof::show(built, logged(), 0, row.pseudonym).is_none());
        let (whole, light_bytes) = (bytes, wire::Encode::to_bytes(&light));
        let shows =
            |bytes: &[u8], of: &Hash| bytes.windows(32).any(|window| window == of.as_bytes());
        assert!(shows(&whole, &row.pseudonym));
        for (other, stranger) in rows.iter().filter(|(other, _)| other.entry != row.entry) {
            assert!(lookup.verify_own(table, &signed, &stranger.row, &stranger.keys).is_err());
            assert!(light.verify_own(table, &signed, &stranger.row, &stranger.keys).is_err());
            assert_ne!(other.pseudonym, row.pseudonym);
            assert!(!shows(&whole, &other.pseudonym) && !shows(&light_bytes, &other.pseudonym));
        }
        let mut changed = entry.row.clone();
        changed.values[1] ^= 1;
        assert!(lookup.verify_own(table, &signed, &changed, &entry.keys).is_err());
    }
    // Nobody but the asker is named, and nobody's key or rank.
    let absence = AbsenceProof::show(built, world.logged(0, 1), 0, [9; 32].into()).unwrap();
    let bytes = wire::Encode::to_bytes(&absence);
    let shown = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    assert!(rows.iter().all(|(row, _)| !shown(row.pseudonym.as_bytes())));
    for at in (0..bytes.len()).step_by(3) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        // Another pseudonym that is not there either may well have the same neighbour.
        let changed = <AbsenceProof as wire::Decode>::from_bytes(&bytes).ok();
        if let Some(changed) = changed.filter(|changed| changed.pseudonym == absence.pseudonym) {
            assert!(changed.verify(table, &signed).is_err(), "byte {at}");
        }
    }
}

/// The regulator's key for a user is the user's own, or the fingerprints differ.
#[test]
fn fingerprints_tell_identity_keys_apart() {
    let schema = schema();
    let rows = entries(&schema, 3, 2, 1);
    let (table, user) = ([1; 32].into(), b"meter 1");
    let own = rows[0].keys.identity_fingerprint(&table, 0, user);
    assert_eq!(own, rows[0].keys.identity_fingerprint(&table, 0, user));
    for other in [
        rows[1].keys.identity_fingerprint(&table, 0, user),
        rows[0].keys.identity_fingerprint(&table, 1, user),
        rows[0].keys.identity_fingerprint(&[2; 32].into(), 0, user),
        rows[0].keys.identity_fingerprint(&table, 0, b"meter 2"),
    ] {
        assert_ne!(own, other);
    }
    // It says nothing about the key for blindings.
    let mut bytes = rows[0].keys.to_bytes();
    bytes[0] ^= 1;
    assert_eq!(UserKeys::from_bytes(&bytes).identity_fingerprint(&table, 0, user), own);
}
