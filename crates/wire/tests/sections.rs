//! The section container.

use std::io::{Cursor, Write as _};

use proptest::prelude::*;
use wire::{SectionError, SectionTable, SectionWriter};

const MAGIC: [u8; 4] = *b"test";

fn read(bytes: &[u8]) -> Result<SectionTable, SectionError> {
    SectionTable::read(&mut Cursor::new(bytes), MAGIC, 1)
}

fn write(sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let count = sections.len() as u32;
    let mut out = SectionWriter::new(Vec::new(), MAGIC, 1, count).unwrap();
    sections.iter().for_each(|(id, bytes)| out.bytes(*id, bytes).unwrap());
    out.finish().unwrap()
}

fn three() -> Vec<u8> {
    write(&[(2, vec![1, 2, 3]), (1, vec![]), (9, vec![4; 30])])
}

#[test]
fn any_order() {
    let table = read(&three()).unwrap();
    let ids: Vec<u32> = table.sections().iter().map(|section| section.id).collect();
    assert_eq!(ids, [2, 1, 9]);
    assert_eq!(table.unique(2).unwrap().offset, 24);
    assert_eq!(table.unique(1).unwrap().len, 0);
    assert!(table.has(9) && !table.has(3));
    assert!(matches!(table.unique(3), Err(SectionError::Missing(3))));
}

/// Of any kind, known or not, next to each other or not, empty or not.
#[test]
fn repeated_sections_are_refused() {
    for sections in [
        vec![(1, vec![]), (1, vec![])],
        vec![(1, vec![]), (2, vec![3]), (1, vec![])],
        vec![(7, vec![1]), (77, vec![2]), (77, vec![2])],
    ] {
        let repeated = sections.last().unwrap().0;
        let refused = read(&write(&sections));
        assert!(matches!(refused, Err(SectionError::Duplicate(id)) if id == repeated));
    }
}

#[test]
fn every_truncation_is_refused() {
    let bytes = three();
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "{len}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(read(&longer), Err(SectionError::Trailing(1))));
}

#[test]
fn header_fields() {
    let with = |at: usize, bytes: &[u8]| {
        let mut file = three();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        read(&file)
    };
    assert!(matches!(with(0, b"T"), Err(SectionError::Magic { .. })));
    assert!(matches!(with(4, &[2]), Err(SectionError::Version { got: 2, expected: 1 })));
    assert!(matches!(with(8, &[2]), Err(SectionError::Trailing(_))));
    assert!(matches!(with(8, &[4]), Err(SectionError::HeaderTruncated { index: 3, count: 4 })));
    assert!(matches!(with(8, &[0xff; 4]), Err(SectionError::TooMany(u32::MAX))));
    assert!(matches!(
        with(16, &[0xff; 8]),
        Err(SectionError::Truncated { id: 2, len: u64::MAX, .. })
    ));
}

#[test]
fn writers_hold_to_what_they_announce() {
    let mut out = SectionWriter::new(Vec::new(), MAGIC, 1, 1).unwrap();
    let mut section = out.section(1, 3).unwrap();
    section.write_all(&[1, 2]).unwrap();
    assert!(section.write_all(&[3, 4]).is_err());
    assert!(matches!(section.finish(), Err(SectionError::WrittenLen { id: 1, .. })));
    assert!(matches!(out.bytes(2, &[]), Err(SectionError::WrittenCount { .. })));
    let out = SectionWriter::new(Vec::new(), MAGIC, 1, 1).unwrap();
    let announced = SectionError::WrittenCount { announced: 1, written: 0 };
    assert_eq!(out.finish().unwrap_err().to_string(), announced.to_string());
}

#[test]
fn patched_and_copied() {
    let bytes = three();
    let table = read(&bytes).unwrap();
    let mut out = SectionWriter::new(Cursor::new(Vec::new()), MAGIC, 1, 3).unwrap();
    let patched = out.patched(2, |writer| Ok::<(), SectionError>(writer.write_all(&[1, 2, 3])?));
    patched.unwrap();
    out.bytes(1, &[]).unwrap();
    out.copy(&mut Cursor::new(&bytes), table.unique(9).unwrap(), 30).unwrap();
    assert_eq!(out.finish().unwrap().into_inner(), bytes);

    let mut out = SectionWriter::new(Vec::new(), MAGIC, 1, 1).unwrap();
    let short = out.copy(&mut Cursor::new(&bytes), table.unique(9).unwrap(), 31);
    assert!(matches!(short, Err(SectionError::WrittenLen { id: 9, announced: 31, written: 30 })));
}

/// Sections that end before, at and behind the end of what is copied at a time.
#[test]
fn copies_of_every_length() {
    const CHUNK: usize = 1 << 16;
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1] {
        let content: Vec<u8> = (0..len).map(|at| (at * 31 + at / 251) as u8).collect();
        let bytes = write(&[(1, vec![7; 5]), (2, content.clone()), (3, vec![8; 5])]);
        let section = read(&bytes).unwrap().unique(2).unwrap();
        for kept in [len, len.saturating_sub(1)] {
            let mut out = SectionWriter::new(Vec::new(), MAGIC, 1, 1).unwrap();
            out.copy(&mut Cursor::new(&bytes), section, kept as u64).unwrap();
            assert!(out.finish().unwrap() == write(&[(2, content[..kept].to_vec())]), "{kept}");
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        sections in prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u8>(), 0..50)), 0..10),
    ) {
        let bytes = write(&sections);
        let table = read(&bytes).unwrap();
        for (section, (id, content)) in table.sections().iter().zip(&sections) {
            let (start, end) = (section.offset as usize, (section.offset + section.len) as usize);
            prop_assert_eq!((section.id, &bytes[start..end]), (*id, &content[..]));
        }
    }

    #[test]
    fn nothing_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..200), valid in any::<bool>()) {
        if valid && bytes.len() >= 12 {
            bytes[..12].copy_from_slice(b"test\x01\0\0\0\x03\0\0\0");
        }
        let _ = read(&bytes);
    }
}
