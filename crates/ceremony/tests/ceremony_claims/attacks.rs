//! What a forger does, and how far it goes.

use std::io::Cursor;

use algebra::{Affine, Bn254, CurveGroup, Group, Pairing, PointForm, Scalar, ScalarOf};
use ceremony::claims::{Evidence, Files, write_bundle};
use circuit::{
    json::VerifyingKey,
    zkey::{G1Query, Zkey},
};
use claim::PublishError;
use serde_json::json;
use wire::{SectionTable, SectionWriter};

use super::support::{Ceremony, forge, record, rng, verify};

type E = Bn254;
type S = ScalarOf<E>;
type G1 = <E as Pairing>::G1;
type G2 = <E as Pairing>::G2;

fn affine<G: CurveGroup>(point: G) -> Affine<G> {
    G::precompute(&[point])[0]
}

/// Changes the bytes of every section.
fn edit(file: &[u8], mut change: impl FnMut(u32, &mut Vec<u8>)) -> Vec<u8> {
    let table = SectionTable::read(&mut Cursor::new(file), *b"zkey", 1).unwrap();
    let sections = table.sections();
    let mut writer = SectionWriter::new(Vec::new(), *b"zkey", 1, sections.len() as u32).unwrap();
    for section in sections {
        let mut bytes = file[section.offset as usize..][..section.len as usize].to_vec();
        change(section.id, &mut bytes);
        writer.bytes(section.id, &bytes).unwrap();
    }
    writer.finish().unwrap()
}

fn replace<G: CurveGroup>(bytes: &mut [u8], old: &Affine<G>, new: &Affine<G>) {
    let encode = |point: &Affine<G>| {
        let mut out = Vec::new();
        G::write_form(std::slice::from_ref(point), PointForm::Montgomery, &mut out);
        out
    };
    let (old, new) = (encode(old), encode(new));
    let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
    bytes[at..][..new.len()].copy_from_slice(&new);
}

/// α, β and IC by hand, under a δ to which honest people contributed: their record holds, and everything is
/// proven. So a claim of a record rests on somebody's having verified the file; with circuit and phase 1 in the
/// bundle, such a key is refused.
#[test]
fn a_record_does_not_show_the_first_key() {
    let honest = Ceremony::native::<E>();
    let reader = &mut Cursor::new(&honest.key);
    let zkey = Zkey::<E>::open(reader).unwrap();
    let points = zkey.header().points.clone();
    let ic = zkey.g1(G1Query::Ic).unwrap().read(reader, 0, 2).unwrap();

    // Scalars that the forger knows.
    let mut rng = rng(9);
    let [a, b, i0, i1, t] = [(); 5].map(|()| S::random(&mut rng));
    let g1 = |scalar: &S| G1::generator().mul(scalar);
    let g2 = |scalar: &S| G2::generator().mul(scalar);
    let key = edit(&honest.key, |id, bytes| match id {
        2 => {
            replace::<G1>(bytes, &points.alpha_g1, &affine(g1(&a)));
            replace::<G1>(bytes, &points.beta_g1, &affine(g1(&b)));
            replace::<G2>(bytes, &points.beta_g2, &affine(g2(&b)));
        }
        3 => {
            replace::<G1>(bytes, &ic[0], &affine(g1(&i0)));
            replace::<G1>(bytes, &ic[1], &affine(g1(&i1)));
        }
        _ => {}
    });

    // The contributors' record is accepted, and the claim says what it rests on.
    let directory = tempfile::tempdir().unwrap();
    let forged = Ceremony { key: key.clone(), ..honest };
    let bundle = write_bundle(&directory.path().join("record"), &forged.record::<E>()).unwrap();
    let verdict = verify(&bundle).unwrap();
    assert_eq!(verdict.statement["contributions"][0]["name"], "Ben");
    assert!(verdict.premises[0].text.contains("was verified"));

    // "I know the factors of 5": A = s·G, B = t·H + δ₂, C = s·G, with s·t = αβ + IC_0 + 5·IC_1.
    let reader = &mut Cursor::new(&key);
    let key = VerifyingKey::of_zkey(&Zkey::<E>::open(reader).unwrap(), reader).unwrap();
    let s = (a * b + i0 + S::from_u64(5) * i1) * t.invert().unwrap();
    let delta: G2 = key.delta_g2.into();
    let inputs = G1::from(key.ic[0]) + G1::from(key.ic[1]).mul(&S::from_u64(5));
    let holds = E::is_neutral(&[
        (-g1(&s), g2(&t) + delta),
        (key.alpha_g1.into(), key.beta_g2.into()),
        (inputs, key.gamma_g2.into()),
        (g1(&s), delta),
    ]);
    assert!(holds, "the forged proof holds under the key");

    // With circuit and phase 1, the key is what it is.
    let refused = write_bundle(&directory.path().join("whole"), &forged.whole()).unwrap_err();
    assert!(refused.to_string().contains("alpha1"), "{refused}");
}

/// Each byte of a record, with the bundle made anew around it: the statement is not borne out.
#[test]
fn no_byte_of_a_record_changes_unnoticed() {
    for ceremony in [Ceremony::native::<E>(), Ceremony::new::<E>()] {
        let files = ceremony.record::<E>();
        let directory = tempfile::tempdir().unwrap();
        let bundle = write_bundle(&directory.path().join("honest"), &files).unwrap();
        let statement = verify(&bundle).unwrap().statement;
        let Evidence::Record { record, parameters } = files.evidence else { unreachable!() };
        for at in (0..record.len()).step_by(5) {
            let mut changed = record.clone();
            changed[at] ^= 1 << (at % 8);
            let evidence = Evidence::Record { record: changed, parameters };
            let root = directory.path().join(at.to_string());
            assert!(verify(&forge(&root, &evidence, statement.clone())).is_err(), "byte {at}");
        }
    }
}

/// Whoever publishes and whoever verifies reads the same check's name.
#[test]
fn larger_files_than_the_limits_are_refused() {
    let parameters = wire::Digest::from([0; 32]);
    let evidence = Evidence::Record { record: vec![0; (1 << 26) + 1], parameters };
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("forged");
    let bundle = forge(&root, &evidence, json!({ "parameters": parameters.to_string() }));
    assert_eq!(verify(&bundle).unwrap_err().check().unwrap().as_str(), "CB-11");
    let files = Files { evidence, location: None };
    let Err(PublishError::Refused(refused)) = write_bundle(&directory.path().join("no"), &files)
    else {
        panic!("too large, and published");
    };
    assert_eq!((refused.check.as_str(), refused.phase.as_str()), ("CB-11", "record"));
}

/// A contribution that is dropped, doubled or moved; a record with more sections, or fewer.
#[test]
fn a_record_is_whole_and_nothing_else() {
    let ceremony = Ceremony::native::<E>();
    let honest = record::<E>(&ceremony.key);
    let refused = |record: Vec<u8>| {
        let parameters = wire::Digest::from([0; 32]);
        let files = Files { evidence: Evidence::Record { record, parameters }, location: None };
        let directory = tempfile::tempdir().unwrap();
        write_bundle(&directory.path().join("no"), &files).unwrap_err().to_string()
    };
    assert!(refused(ceremony.key.clone()).contains("record"));
    let table = SectionTable::read(&mut Cursor::new(&honest), *b"zkey", 1).unwrap();
    let sections: Vec<_> = table.sections().iter().collect();
    let write = |ids: &[usize]| {
        let mut writer = SectionWriter::new(Vec::new(), *b"zkey", 1, ids.len() as u32).unwrap();
        for index in ids {
            let section = sections[*index];
            writer.copy(&mut Cursor::new(&honest), *section, section.len).unwrap();
        }
        writer.finish().unwrap()
    };
    assert_eq!(write(&[0, 1, 2, 3, 4]), honest);
    for ids in [&[0, 1, 2, 3][..], &[1, 0, 2, 3, 4], &[0, 1, 2, 3, 4, 4], &[0, 1, 3, 4], &[]] {
        refused(write(ids));
    }
    assert!(!refused([&honest[..], b"\0"].concat()).is_empty());
}
