//! Files: headers, whole-or-absent writing, bounded reading.

use std::{fs, io, io::Write, path::Path, thread};

use wire::{
    DecodeError, Encode, FileHeader, NewFile, Reader, read_bounded, write_atomic, write_new,
    write_secret,
};

const HEADER: FileHeader = FileHeader::new("bundle", 3);

fn only(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn header_bytes() {
    assert_eq!(HEADER.to_bytes(), b"SUBROSA\0bundle\0\0\x03\0");
    let bytes = [&HEADER.to_bytes()[..], b"rest"].concat();
    let mut reader = Reader::new(&bytes);
    HEADER.expect(&mut reader).unwrap();
    assert_eq!(reader.take_rest(), b"rest");
}

#[test]
fn header_of_another_kind_or_version() {
    let refuse = |bytes: &[u8]| HEADER.expect(&mut Reader::new(bytes)).unwrap_err();
    let kind = DecodeError::Kind { expected: "bundle" };
    for other in ["bundl", "bundles", "Bundle", "claim", "bundle12"] {
        assert_eq!(refuse(&FileHeader::new(other, 3).to_bytes()), kind);
    }
    for version in [0, 2, 4, u16::MAX] {
        let expected = DecodeError::Version { kind: "bundle", got: version, expected: 3 };
        assert_eq!(refuse(&FileHeader::new("bundle", version).to_bytes()), expected);
    }
    let bytes = HEADER.to_bytes();
    for len in 0..16 {
        assert_eq!(refuse(&bytes[..len]), kind);
    }
    for len in 16..18 {
        assert!(matches!(refuse(&bytes[..len]), DecodeError::Truncated { .. }));
    }
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        refuse(&bytes);
    }
}

#[test]
#[should_panic(expected = "one to eight")]
fn a_long_kind_is_not_cut() {
    FileHeader { kind: "bundles-9", version: 1 }.to_bytes();
}

#[test]
fn replacing_leaves_nothing_beside() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    write_atomic(&path, b"old").unwrap();
    write_atomic(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(only(directory.path()), ["file"]);
}

#[test]
#[cfg(unix)]
fn a_file_whose_permissions_cannot_be_read_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("circle");
    std::os::unix::fs::symlink(&path, &path).unwrap();
    write_atomic(&path, b"readable by everybody").unwrap_err();
    assert!(path.symlink_metadata().unwrap().is_symlink());
    assert_eq!(only(directory.path()), ["circle"]);
}

#[test]
fn readers_see_the_old_file_or_the_new_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let content = |byte: u8| vec![byte; 100_000];
    write_atomic(&path, &content(0)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| (1..20).for_each(|byte| write_atomic(&path, &content(byte)).unwrap()));
        for _ in 0..100 {
            let seen = fs::read(&path).unwrap();
            assert_eq!(seen, content(seen[0]));
        }
    });
}

#[test]
fn new_files_replace_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    write_new(&path, b"first").unwrap();
    for write in [write_new, write_secret] {
        let error = write(&path, b"second").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(only(directory.path()), ["file"]);
}

#[test]
fn one_of_many_writers_creates_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let won: usize = thread::scope(|scope| {
        let write = |byte: u8| write_new(&path, &[byte; 1000]).is_ok();
        let writers: Vec<_> = (0..8).map(|byte| scope.spawn(move || write(byte))).collect();
        writers.into_iter().map(|writer| usize::from(writer.join().unwrap())).sum()
    });
    assert_eq!(won, 1);
    assert_eq!(only(directory.path()), ["file"]);
}

/// What a killed command left is removed; what a living one works on is not, nor anything else.
#[test]
fn leftovers_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let left = |name: &str| fs::write(directory.path().join(name), b"left").unwrap();
    left(".subrosa-file-abcdef.part");
    let mut first = NewFile::create(&path).unwrap();
    first.write_all(b"first").unwrap();
    let living = only(directory.path());
    assert!(living.len() == 1 && living[0] != ".subrosa-file-abcdef.part", "{living:?}");

    let others = [".subrosa-file-2-abcdef.part", ".subrosa-file-abcdef", "file-abcdef.part"];
    others.into_iter().for_each(left);
    left(".subrosa-file-ABCDEF.part");
    let second = NewFile::create(&path).unwrap();
    let names = only(directory.path());
    assert!(names.len() == 5 && names.contains(&living[0]), "{names:?}");
    assert!(!names.contains(&".subrosa-file-ABCDEF.part".to_owned()));
    first.finish().unwrap();
    assert_eq!(second.finish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"first");
    let mut names = only(directory.path());
    names.sort();
    assert_eq!(names, [others[0], others[1], "file", others[2]]);
}

#[cfg(unix)]
#[test]
fn secrets_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    write_secret(&path, b"secret").unwrap();
    assert_eq!(mode(), 0o600);
    // Replacing the secret does not publish it.
    write_atomic(&path, b"other secret").unwrap();
    assert_eq!(mode(), 0o600);
}

#[test]
fn reading_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    write_new(&path, b"12345").unwrap();
    assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
    assert_eq!(read_bounded(&path, u64::MAX).unwrap(), b"12345");
    assert_eq!(read_bounded(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    let absent = read_bounded(&directory.path().join("none"), 4).unwrap_err();
    assert_eq!(absent.kind(), io::ErrorKind::NotFound);
}
