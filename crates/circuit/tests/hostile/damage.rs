//! Cuts, flips and random bytes.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine};
use circuit::{Error, bellman::PowersKind, synthesis::ConstraintSystem};
use proptest::prelude::*;
use wire::SectionError;

use super::samples;
use crate::rewrite;

#[test]
fn samples_are_canonical() {
    fn check<E: Engine>() {
        for (name, bytes, rewrite) in samples::all::<E>() {
            assert!(rewrite(&bytes).unwrap() == bytes, "{name}");
        }
    }
    check::<Bn254>();
    check::<Bls12381>();
}

#[test]
fn every_truncation_is_refused() {
    fn check<E: Engine>(step: usize) {
        for (name, bytes, rewrite) in samples::all::<E>() {
            // Parameters are whole without their ceremony.
            let len = if name.ends_with("parameters") { bytes.len() - 1 } else { bytes.len() };
            let ceremony = 64 + 4 + 3 * 2 * E::BASE_LEN + 4 * E::BASE_LEN + 64;
            for cut in (0..len).step_by(step) {
                let whole = name.ends_with("parameters") && cut == bytes.len() - ceremony;
                assert_eq!(rewrite(&bytes[..cut]).is_ok(), whole, "{name} {cut}");
            }
            let mut longer = bytes.clone();
            longer.push(0);
            assert!(rewrite(&longer).is_err(), "{name}");
        }
    }
    check::<Bn254>(1);
    // Prime to the lengths of points: cut everywhere in one.
    check::<Bls12381>(5);
}

/// A file with one bit changed is refused, or is itself canonical. Nothing is reserved for a
/// changed length, or this would take terabytes.
fn check_every_byte<E: Engine>(step: usize) {
    for (name, bytes, rewrite) in samples::all::<E>() {
        let mut changed = bytes.clone();
        for at in (0..bytes.len()).step_by(step) {
            let flip = if at % 3 == 0 { 0x80 } else { 1 };
            changed[at] ^= flip;
            if let Ok(again) = rewrite(&changed) {
                assert!(again == changed, "{name} {at}");
            }
            changed[at] ^= flip;
        }
    }
}

#[test]
fn every_byte() {
    check_every_byte::<Bn254>(1);
}

#[test]
fn every_byte_of_larger_points() {
    check_every_byte::<Bls12381>(5);
}

/// Where the content of a section begins.
fn section(bytes: &[u8], id: u32) -> usize {
    let mut at = 12;
    loop {
        let found = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let len = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap());
        if found == id {
            return at + 12;
        }
        at += 12 + len as usize;
    }
}

#[test]
fn every_header_field() {
    type Rewrite = fn(&[u8]) -> Result<Vec<u8>, Error>;
    let ptau = samples::ptau::<Bn254>(false);
    let zkey = samples::zkey::<Bn254>();
    let r1cs = samples::r1cs::<Bn254>();
    let wtns = samples::wtns::<Bn254>();
    let (ptau_header, zkey_header) = (section(&ptau, 1), section(&zkey, 2));
    let (r1cs_header, wtns_header) = (section(&r1cs, 1), section(&wtns, 1));
    // A file, where in it a 32-bit field stands, and values it must not have.
    let cases: [(&[u8], Rewrite, usize, &[u32]); 17] = [
        (&ptau, rewrite::ptau::<Bn254>, ptau_header, &[0, 31, 33, 48]),
        (&ptau, rewrite::ptau::<Bn254>, ptau_header + 36, &[0, 1, 3, 29, 64, u32::MAX]),
        (&ptau, rewrite::ptau::<Bn254>, ptau_header + 40, &[0, 1, 29, u32::MAX]),
        (&ptau, rewrite::ptau::<Bn254>, section(&ptau, 7), &[0, 1, 3, u32::MAX]),
        (&zkey, rewrite::zkey::<Bn254>, section(&zkey, 1), &[0, 2, 10]),
        (&zkey, rewrite::zkey::<Bn254>, zkey_header, &[0, 48]),
        (&zkey, rewrite::zkey::<Bn254>, zkey_header + 36, &[0, 48]),
        (&zkey, rewrite::zkey::<Bn254>, zkey_header + 72, &[0, 5, 7, u32::MAX]),
        (&zkey, rewrite::zkey::<Bn254>, zkey_header + 76, &[1, 3, 6, u32::MAX]),
        (&zkey, rewrite::zkey::<Bn254>, zkey_header + 80, &[0, 7, 16, 1 << 31]),
        (&zkey, rewrite::zkey::<Bn254>, section(&zkey, 4), &[0, 2, 4, u32::MAX]),
        (&zkey, rewrite::zkey::<Bn254>, section(&zkey, 10) + 64, &[0, 1, 3, u32::MAX]),
        (&r1cs, rewrite::r1cs::<Bn254>, r1cs_header + 36, &[0, 1, 4, 6, u32::MAX]),
        (&r1cs, rewrite::r1cs::<Bn254>, r1cs_header + 40, &[4, u32::MAX]),
        (&r1cs, rewrite::r1cs::<Bn254>, r1cs_header + 60, &[0, 1, 3, u32::MAX]),
        (&wtns, rewrite::wtns::<Bn254>, wtns_header, &[0, 31, u32::MAX]),
        (&wtns, rewrite::wtns::<Bn254>, wtns_header + 36, &[0, 4, 6, u32::MAX]),
    ];
    for (bytes, rewrite, at, values) in cases {
        for value in values {
            let mut changed = bytes.to_vec();
            changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
            let error = rewrite(&changed).expect_err("a refusal").to_string();
            assert!(error.contains("section"), "{at} {value}: {error}");
        }
    }
}

#[test]
fn sections_missing_or_doubled() {
    let bytes = samples::zkey::<Bn254>();
    for (from, to) in [(9, 11), (9, 8), (4, 3), (10, 1)] {
        let mut changed = bytes.clone();
        let at = section(&bytes, from) - 12;
        changed[at..at + 4].copy_from_slice(&u32::to_le_bytes(to));
        let error = rewrite::zkey::<Bn254>(&changed).unwrap_err();
        let expected =
            matches!(error, Error::Section(SectionError::Missing(_) | SectionError::Duplicate(_)));
        assert!(expected, "{error}");
    }
}

/// A container with more sections behind its own.
fn with_sections(bytes: &[u8], more: &[(u32, &[u8])]) -> Vec<u8> {
    let count = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) + more.len() as u32;
    let mut out = bytes.to_vec();
    out[8..12].copy_from_slice(&count.to_le_bytes());
    for (id, content) in more {
        out.extend(id.to_le_bytes());
        out.extend((content.len() as u64).to_le_bytes());
        out.extend(*content);
    }
    out
}

/// A section that is there twice is two things to two readers. Custom gates in one did not count as
/// any: the circuit lost what they state.
#[test]
fn no_file_has_a_section_twice() {
    let gate = [&1_u32.to_le_bytes()[..], &[0; 40]].concat();
    let r1cs = samples::r1cs::<Bn254>();
    let read = |bytes: Vec<u8>| ConstraintSystem::read::<Bn254>(&mut Cursor::new(bytes));
    assert!(read(with_sections(&r1cs, &[(4, &[0; 4])])).is_ok());
    let custom = read(with_sections(&r1cs, &[(4, &gate)])).unwrap_err();
    assert!(custom.to_string().contains("custom gates"), "{custom}");
    let hidden = read(with_sections(&r1cs, &[(4, &gate), (4, &gate)])).unwrap_err();
    assert!(matches!(hidden, Error::Section(SectionError::Duplicate(4))), "{hidden}");

    type Rewrite = fn(&[u8]) -> Result<Vec<u8>, Error>;
    let files: [(Vec<u8>, Rewrite, &[u32]); 4] = [
        (r1cs, rewrite::r1cs::<Bn254>, &[1, 2, 3]),
        (samples::wtns::<Bn254>(), rewrite::wtns::<Bn254>, &[1, 2]),
        (samples::zkey::<Bn254>(), rewrite::zkey::<Bn254>, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        (samples::ptau::<Bn254>(true), rewrite::ptau::<Bn254>, &[1, 2, 3, 4, 5, 6, 7, 12, 15]),
    ];
    for (bytes, rewrite, ids) in files {
        // As it is there, and empty; and one that no reader asks for.
        for id in ids {
            let at = section(&bytes, *id);
            let len = u64::from_le_bytes(bytes[at - 8..at].try_into().unwrap()) as usize;
            for content in [&bytes[at..at + len], &[]] {
                let refused = rewrite(&with_sections(&bytes, &[(*id, content)])).unwrap_err();
                let named =
                    matches!(refused, Error::Section(SectionError::Duplicate(d)) if d == *id);
                assert!(named, "{id}: {refused}");
            }
        }
        let refused = rewrite(&with_sections(&bytes, &[(99, &[1]), (99, &[2])]));
        assert!(matches!(refused, Err(Error::Section(SectionError::Duplicate(99)))));
    }
}

#[test]
fn names_and_beacons() {
    use circuit::Attribution;
    let ptau = samples::ptau::<Bn254>(false);
    let name = ptau.windows(3).position(|window| window == b"Ana").unwrap();
    // Tag, length, text; before them the length of the parameters and the type.
    for (at, value) in [
        (name, 0xff),
        (name - 1, 2),
        (name - 1, 200),
        (name - 2, 2),
        (name - 2, 4),
        (name - 3, 1),
        (name - 6, 4),
        (name - 10, 1),
        (name - 10, 2),
    ] {
        let mut changed = ptau.clone();
        changed[at] = value;
        let error = rewrite::ptau::<Bn254>(&changed).unwrap_err();
        assert!(matches!(error, Error::Entry { .. } | Error::Record { .. }), "{at}: {error}");
    }
    let long = |len| Attribution::participant(Some("ä".repeat(len)));
    for (attribution, fits) in [
        (long(64), true),
        (long(65), false),
        (long(0), false),
        (Attribution::beacon(None, 9, vec![]), false),
        (Attribution::beacon(None, 64, vec![]), false),
        (Attribution::beacon(None, 10, vec![0; 255]), true),
        (Attribution::beacon(None, 10, vec![0; 256]), false),
    ] {
        let mut file = std::io::Cursor::new(&ptau);
        let open = circuit::ptau::Ptau::<Bn254>::open(&mut file).unwrap();
        let mut one = open.contributions(&mut file).unwrap().next().unwrap().unwrap();
        one.attribution = attribution;
        let header = open.header();
        let out = circuit::ptau::PtauWriter::<_, Bn254>::new(Vec::new(), header, false);
        assert_eq!(out.unwrap().contributions(&[one]).is_ok(), fits);
    }
}

proptest! {
    #[test]
    fn random_damage(seed in any::<u64>(), at in any::<usize>(), junk in prop::collection::vec(any::<u8>(), 1..40)) {
        let samples = samples::all::<Bn254>();
        let (_, bytes, rewrite) = &samples[seed as usize % samples.len()];
        let mut changed = bytes.clone();
        let at = at % bytes.len();
        let end = bytes.len().min(at + junk.len());
        changed[at..end].copy_from_slice(&junk[..end - at]);
        if let Ok(again) = rewrite(&changed) {
            prop_assert!(again == changed);
        }
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..500), magic in 0..5_usize) {
        let mut bytes = bytes;
        let heads: [&[u8]; 5] = [
            b"",
            b"ptau\x01\0\0\0\x02\0\0\0",
            b"zkey\x01\0\0\0\x01\0\0\0",
            b"r1cs\x01\0\0\0\x01\0\0\0",
            b"wtns\x02\0\0\0\x01\0\0\0",
        ];
        bytes.splice(0..0, heads[magic].iter().copied());
        for (_, _, rewrite) in samples::all::<Bn254>() {
            prop_assert!(rewrite(&bytes).is_err());
        }
    }
}

/// Lengths of the ceremonies of Zcash, at 2^21 powers.
#[test]
fn zcash_lengths() {
    use circuit::bellman::PowersFile;
    for (kind, len) in [(PowersKind::Challenge, 1_207_959_712), (PowersKind::Response, 603_981_040)]
    {
        assert_eq!(PowersFile::<Bls12381>::power_of_len(kind, len), Some(21));
        assert_eq!(PowersFile::<Bls12381>::power_of_len(kind, len + 1), None);
    }
}
