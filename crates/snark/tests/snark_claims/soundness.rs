//! What does not hold is neither published nor believed.

use std::fs;

use algebra::{Bls12381, Bn254};
use claim::{Bundle, PublishError};
use serde_json::{Value, json};
use snark::claims::{Files, MAX_PROOFS, write_bundle};

use super::support::{Factors, HONEST, forge, gm17, groth16, sonic, sonic_unhelped, verify};

/// A statement that holds.
fn statement(files: &Files) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let bundle = write_bundle(&directory.path().join("bundle"), files).unwrap();
    verify(&bundle).unwrap().statement
}

fn refused(files: &Files, statement: &Value, more: &[(&str, &[u8])]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let bundle = forge(&directory.path().join("forged"), files, statement.clone(), more);
    verify(&bundle).unwrap_err().to_string()
}

/// The honest files of every system.
fn all() -> [Files; 4] {
    [groth16::<Bn254>(&[HONEST]), gm17::<Bn254>(), sonic::<Bn254>(), sonic_unhelped::<Bn254>()]
}

#[test]
fn every_member_of_a_statement_is_borne_out() {
    for files in all() {
        let honest = statement(&files);
        let others = [
            ("system", vec![json!("groth"), json!("sonic-"), Value::Null]),
            ("curve", vec![json!("BLS12-381"), json!("bn128")]),
            ("key", vec![json!("0".repeat(64)), Value::Null]),
            ("circuit", vec![json!("0".repeat(64)), json!("")]),
            (
                "public",
                vec![
                    json!([["4294967297", "10"]]),
                    json!([["4294967298", "9"]]),
                    json!([["4294967297"]]),
                    json!([["4294967297", "9", "0"]]),
                    json!([["4294967297", "09"]]),
                    json!([["4294967297", "-1"]]),
                    json!([[4_294_967_297_u64, 9]]),
                    json!([["9", "4294967297"]]),
                    // 9 and the order of BN254's groups: the same scalar in another spelling.
                    json!([[
                        "4294967297",
                        "21888242871839275222246405745257275088548364400416034343698204186575808495626"
                    ]]),
                    json!([]),
                    json!([[], []]),
                    json!({}),
                    Value::Null,
                ],
            ),
            (
                "names",
                vec![
                    json!(["product"]),
                    json!(["product", "tag", "more"]),
                    json!(["product", "product"]),
                    json!(["product", ""]),
                    json!(["product", "a b"]),
                    json!(["product", "\u{1b}[2J"]),
                    json!(["product", "x".repeat(65)]),
                    json!("product"),
                ],
            ),
        ];
        for (member, values) in others {
            for value in values {
                let mut changed = honest.clone();
                changed[member] = value.clone();
                let refused = refused(&files, &changed, &[]);
                assert!(!refused.is_empty(), "{member}: {value}");
            }
            let mut less = honest.clone();
            less.as_object_mut().unwrap().remove(member);
            refused(&files, &less, &[]);
        }
        let mut more = honest.clone();
        more["proved_by"] = json!("Ana");
        assert!(refused(&files, &more, &[]).contains("proved_by"));
    }
}

/// Files in each other's places, of other systems and curves, and cut or lengthened.
#[test]
fn other_objects_are_refused() {
    let all = all();
    let other = groth16::<Bls12381>(&[HONEST]);
    for (index, files) in all.iter().enumerate() {
        let honest = statement(files);
        let foreign = &all[(index + 1) % all.len()];
        let cut = |bytes: &[u8]| bytes[..bytes.len() - 1].to_vec();
        let wrong = [
            Files { key: foreign.key.clone(), ..files.clone() },
            Files { key: other.key.clone(), ..files.clone() },
            Files { key: cut(&files.key), ..files.clone() },
            Files { key: Vec::new(), ..files.clone() },
            Files { proofs: foreign.proofs.clone(), ..files.clone() },
            Files { proofs: other.proofs.clone(), ..files.clone() },
            Files { proofs: vec![cut(&files.proofs[0])], ..files.clone() },
            Files { proofs: vec![[&files.proofs[0][..], b"}"].concat()], ..files.clone() },
            Files { proofs: Vec::new(), ..files.clone() },
            Files { proofs: vec![vec![b' '; 5000]], ..files.clone() },
        ];
        for wrong in wrong {
            refused(&wrong, &honest, &[]);
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().join("no");
            assert!(matches!(write_bundle(&root, &wrong), Err(PublishError::Refused(_))));
            assert!(!root.exists());
        }
        let role = if files.circuit.is_some() { "note" } else { "circuit" };
        refused(files, &honest, &[(role, b"more")]);
    }
    let circuit = Files { circuit: None, ..all[2].clone() };
    assert!(refused(&circuit, &statement(&all[2]), &[]).contains("circuit"));
}

/// A proof is of its own inputs: two of one claim do not change places, whatever their sum.
#[test]
fn proofs_do_not_change_places() {
    let files = groth16::<Bn254>(&[HONEST, Factors { tag: 10, ..HONEST }]);
    let honest = statement(&files);
    let mut swapped = files.clone();
    swapped.proofs.reverse();
    let refused = refused(&swapped, &honest, &[]);
    assert!(refused.contains("(index 0)"), "{refused}");
}

/// An object can be named any number of times: nothing is read before it is counted.
#[test]
fn more_proofs_than_the_limit_are_not_read() {
    let files = groth16::<Bn254>(&[HONEST]);
    let public = vec![files.public[0].clone(); MAX_PROOFS + 1];
    let many = Files { proofs: vec![files.proofs[0].clone(); MAX_PROOFS + 1], public, ..files };
    let directory = tempfile::tempdir().unwrap();
    let error = write_bundle(&directory.path().join("no"), &many).unwrap_err();
    assert!(error.to_string().contains("over the limit"), "{error}");
}

/// A file that is too large is refused by one check, whether it is published or verified.
#[test]
fn larger_files_than_the_limits_are_refused() {
    for files in all() {
        let honest = statement(&files);
        // White space at the end of JSON changes nothing.
        let long =
            |bytes: &[u8], limit: usize| [bytes, &vec![b' '; limit + 1 - bytes.len()]].concat();
        let key = Files { key: long(&files.key, 1 << 24), ..files.clone() };
        let proofs = vec![long(&files.proofs[0], 1 << 12)];
        for (role, larger) in [("key", key), ("proof", Files { proofs, ..files })] {
            let directory = tempfile::tempdir().unwrap();
            let Err(PublishError::Refused(refused)) =
                write_bundle(&directory.path().join("no"), &larger)
            else {
                panic!("{role}: too large, and published");
            };
            assert_eq!((refused.check.as_str(), refused.phase.as_str()), ("CB-11", role));
            let bundle = forge(&directory.path().join("forged"), &larger, honest.clone(), &[]);
            assert_eq!(verify(&bundle).unwrap_err().check().unwrap().as_str(), "CB-11");
        }
    }
}

/// One bit of each byte of each file of a bundle.
#[test]
fn every_byte_of_a_bundle_is_bound() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write_bundle(&root, &groth16::<Bn254>(&[HONEST])).unwrap();
    let files = [
        "bundle.json",
        "claims/snark-proof.json",
        "objects/snark-proof/key",
        "objects/snark-proof/proof-1",
    ];
    let mut flipped = 0;
    for file in files.map(|file| root.join(file)) {
        let honest = fs::read(&file).unwrap();
        for at in 0..honest.len() {
            let mut bytes = honest.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&file, &bytes).unwrap();
            let accepted = Bundle::open(&root).is_ok_and(|bundle| verify(&bundle).is_ok());
            assert!(!accepted, "{}, byte {at}", file.display());
            flipped += 1;
        }
        fs::write(&file, honest).unwrap();
    }
    assert!(flipped > 4000, "{flipped}");
    assert!(verify(&Bundle::open(&root).unwrap()).is_ok());
}
