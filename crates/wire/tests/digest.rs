//! Digests: known answers, streaming, text form.

use std::io::{Read, Write};

use proptest::prelude::*;
use wire::{Decode, Digest, DigestWriter, Encode};

/// SHA-256 of an eight-byte little-endian length, the domain and the bytes, by Python's hashlib.
#[test]
fn known_answers() {
    let cases: [(&str, &[u8], &str); 3] = [
        ("", b"", "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc"),
        ("board/entry", b"", "c346cc42b84a8b22394623b76df3d72218255a6675eb98357dbd5b9eee1b297c"),
        ("board/entry", b"abc", "4dec4a9abd50dc2553166206ca6b586d4343d8c4a5aa75a74b820c8d60b8c8ca"),
    ];
    for (domain, bytes, expected) in cases {
        assert_eq!(Digest::of(domain, bytes).to_string(), expected);
    }
}

#[test]
fn domain_and_bytes_do_not_run_together() {
    assert_ne!(Digest::of("ab", b"c"), Digest::of("a", b"bc"));
    assert_ne!(Digest::of("a", b""), Digest::of("", b"a"));
}

#[test]
fn text_is_strict() {
    let digest = Digest::of("d", b"x");
    let text = digest.to_string();
    assert_eq!(text.parse(), Ok(digest));
    assert_eq!(format!("{digest:?}"), text);
    let wrong = [
        String::new(),
        text[1..].to_owned(),
        text[2..].to_owned(),
        format!("{text}0"),
        format!("{text}00"),
        text.to_uppercase(),
        format!(" {}", &text[1..]),
        format!("+{}", &text[1..]),
        format!("g{}", &text[1..]),
        format!("é{}", &text[2..]),
    ];
    for wrong in wrong {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn streaming_is_the_same(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0..300_usize) {
        let digest = Digest::of("d", &bytes);
        let (head, tail) = bytes.split_at(at.min(bytes.len()));
        let mut writer = DigestWriter::new("d");
        writer.update(head);
        writer.write_all(tail).unwrap();
        prop_assert_eq!(writer.finish(), digest);
        prop_assert_eq!(Digest::of_reader("d", head.chain(tail)).unwrap(), digest);
        prop_assert_eq!(Digest::from_bytes(&digest.to_bytes()).unwrap(), digest);
        prop_assert_eq!(Digest::from(*digest.as_bytes()), digest);
    }
}
