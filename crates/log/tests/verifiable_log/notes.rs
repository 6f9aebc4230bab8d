//! Notes, checkpoints, cosignatures and quorums: one form each, and every way around a quorum.

use data_encoding::BASE64;
use log::{
    Checkpoint, Quorum, QuorumError, SignedCheckpoint, cosign,
    note::{Algorithm, KeyName, MAX_NOTE, Note, NoteError, NoteSignature, VerifierKey},
    verify_cosignature,
};
use proptest::prelude::*;

use super::{KEEPER, Kept, identity, log_key, origin};

fn witness(seed: u8, name: &str) -> VerifierKey {
    let name = name.parse().unwrap();
    VerifierKey { name, algorithm: Algorithm::Cosignature, key: identity(seed).id() }
}

fn cosigned(signed: &mut SignedCheckpoint, seed: u8, name: &str, time: u64) {
    let line = cosign(signed.note().text(), name.parse().unwrap(), &identity(seed), time);
    signed.add(line);
}

/// Whatever is changed, the note is refused, or the keeper's signature or a witness's is gone.
#[test]
fn no_byte_of_a_note_can_be_changed() {
    let mut signed = Kept::of_ticks(0..5).signed();
    cosigned(&mut signed, 2, "w.example/1", 77);
    let quorum = Quorum::new(vec![witness(2, "w.example/1")], 1).unwrap();
    let text = signed.to_text().into_bytes();
    let read = SignedCheckpoint::parse(&text).unwrap();
    assert_eq!(read, signed);
    read.verify(&log_key()).unwrap();
    assert_eq!(quorum.verify(&read), Ok(Some(77)));
    for at in 0..8 * text.len() {
        let mut changed = text.clone();
        changed[at / 8] ^= 1 << (at % 8);
        if let Ok(other) = SignedCheckpoint::parse(&changed) {
            assert_eq!(other.to_text().into_bytes(), changed);
            let accepted = other.verify(&log_key()).is_ok() && quorum.verify(&other).is_ok();
            assert!(!accepted, "bit {at}");
        }
    }
    for cut in 0..text.len() {
        let shorter = SignedCheckpoint::parse(&text[..cut]);
        assert!(!shorter.is_ok_and(|note| quorum.verify(&note).is_ok()), "the first {cut} bytes");
    }
}

#[test]
fn a_note_has_one_form() {
    let note = Kept::of_ticks(0..5).signed().to_text();
    let refused = |from: &str, to: &str| {
        let changed = note.replacen(from, to, 1);
        assert_ne!(changed, note, "{from}");
        assert!(SignedCheckpoint::parse(changed.as_bytes()).is_err(), "{from:?} to {to:?}");
    };
    for (from, to) in [
        ("\n5\n", "\n05\n"),
        ("\n5\n", "\n+5\n"),
        ("\n5\n", "\n 5\n"),
        ("\n5\n", "\n9223372036854775808\n"),
        ("\n5\n", "\n5\r\n"),
        ("\n5\n", "\n\t5\n"),
        ("example", "\u{7f}example"),
        ("=\n", "\n"),
        ("=\n", "==\n"),
        ("=\n", "=\n\n"),
        ("\n\n", "\n"),
        ("— ", "- "),
        ("— example", "—  example"),
        ("— example", "— ex+ample"),
        ("— example", "— ex\u{a0}ample"),
    ] {
        refused(from, to);
    }
    // The last characters of base64 have bits that nobody reads: they are zero.
    let root = note.lines().nth(2).unwrap();
    let loose = root.trim_end_matches('=');
    let last = loose.chars().last().unwrap();
    let next = char::from(last as u8 + 1);
    refused(root, &format!("{}{next}=", &loose[..loose.len() - 1]));
    // Padded pieces, one after the other, give the same bytes.
    let signature = note.trim_end().rsplit(' ').next().unwrap();
    for encoded in [root, signature] {
        let bytes = BASE64.decode(encoded.as_bytes()).unwrap();
        let (first, others) = bytes.split_at(1);
        let pieces = [BASE64.encode(first), BASE64.encode(others)].concat();
        assert_eq!(BASE64.decode(pieces.as_bytes()).as_ref(), Ok(&bytes));
        refused(encoded, &pieces);
    }
    assert!(Note::parse(&vec![b'a'; MAX_NOTE + 1]).is_err());
    assert!(Note::parse(b"\xff\n\n\xe2\x80\x94 a AAAAAAA=\n").is_err());
    assert!(Note::new("no newline".to_owned()).is_err());
}

#[test]
fn lines_of_others_are_ignored_and_wrong_lines_of_the_key_are_not() {
    let signed = Kept::of_ticks(0..5).signed();
    let mut with_other = signed.clone();
    let line = NoteSignature { name: log_key().name, id: [1, 2, 3, 4], signature: vec![0; 64] };
    with_other.add(line);
    with_other.verify(&log_key()).unwrap();
    let name = || log_key().name;
    let mut wrong = signed.clone();
    wrong.add(NoteSignature { name: name(), id: log_key().id(), signature: vec![0; 64] });
    assert_eq!(wrong.verify(&log_key()), Err(NoteError::Signature { name: name() }));
    let key = VerifierKey { key: identity(7).id(), ..log_key() };
    assert_eq!(signed.verify(&key), Err(NoteError::Unsigned { name: name() }));
    // A key of another log, a key for cosignatures.
    let key = VerifierKey { name: "example.com/elsewhere".parse().unwrap(), ..log_key() };
    assert!(signed.verify(&key).is_err());
    let key = VerifierKey { algorithm: Algorithm::Cosignature, ..log_key() };
    assert!(signed.verify(&key).is_err());
}

#[test]
fn verifier_keys_have_one_form() {
    let text = log_key().to_string();
    assert_eq!(text.parse(), Ok(log_key()));
    for changed in [
        text.replace("+", "-"),
        text.replace(".com", ".org"),
        text.to_uppercase(),
        format!("{text}="),
        format!("{text}+"),
        String::new(),
    ] {
        assert!(changed != text && changed.parse::<VerifierKey>().is_err(), "{changed}");
    }
    for name in ["", "a b", "a+b", "a\u{2003}b", "a\nb", &"a".repeat(256)] {
        assert!(name.parse::<KeyName>().is_err(), "{name}");
    }
}

/// Forged quorums: one key under two names, one witness twice, another checkpoint's line, a keeper's
/// signature in place of a cosignature, a time moved.
#[test]
fn a_quorum_counts_witnesses_and_nothing_else() {
    let log = Kept::of_ticks(0..5);
    let pair = || vec![witness(2, "w.example/1"), witness(3, "w.example/2")];
    let twice = vec![witness(2, "w.example/1"), witness(2, "w.example/2")];
    assert_eq!(Quorum::new(twice, 2), Err(QuorumError::Keys));
    assert_eq!(Quorum::new(vec![log_key()], 1), Err(QuorumError::Keys));
    let too_many = Quorum::new(pair(), 3);
    assert_eq!(too_many, Err(QuorumError::Threshold { threshold: 3, witnesses: 2 }));
    let quorum = Quorum::new(pair(), 2).unwrap();
    let few = |got| Err(QuorumError::TooFew { got, threshold: 2 });
    let mut signed = log.signed();
    assert_eq!(quorum.verify(&signed), few(0));
    cosigned(&mut signed, 2, "w.example/1", 10);
    cosigned(&mut signed, 2, "w.example/1", 20);
    assert_eq!(quorum.verify(&signed), few(1));
    // Under the other's name the key has another identifier: nobody's line.
    cosigned(&mut signed, 2, "w.example/2", 20);
    assert_eq!(quorum.verify(&signed), few(1));
    cosigned(&mut signed, 3, "w.example/2", 15);
    assert_eq!(quorum.verify(&signed), Ok(Some(15)));
    assert_eq!(Quorum::new(pair(), 1).unwrap().verify(&signed), Ok(Some(20)));
    assert_eq!(Quorum::new(Vec::new(), 0).unwrap().verify(&signed), Ok(None));

    let key = witness(3, "w.example/2");
    let wrong = Err(QuorumError::Cosignature { name: key.name.clone() });
    let refused = |line: NoteSignature| {
        assert_eq!(verify_cosignature(log.signed().note().text(), &line, &key), None);
        let mut forged = signed.clone();
        forged.add(line);
        assert_eq!(quorum.verify(&forged), wrong);
    };
    let genuine = signed.note().signatures().last().unwrap().clone();
    refused(cosign(log.signed_at(4).note().text(), key.name.clone(), &identity(3), 15));
    let mut moved = genuine.clone();
    moved.signature[7] += 1;
    refused(moved);
    refused(NoteSignature { signature: genuine.signature[..71].to_vec(), ..genuine.clone() });
    refused(NoteSignature { signature: vec![0; 72], ..genuine.clone() });
    let mut note = Note::new(log.signed().note().text().to_owned()).unwrap();
    note.sign(key.name.clone(), &identity(3));
    let plain = note.signatures()[0].signature.clone();
    refused(NoteSignature { signature: [&[0; 8][..], &plain].concat(), ..genuine });
}

#[test]
fn extension_lines_are_signed_and_cosigned() {
    let log = Kept::of_ticks(0..5).signed();
    let mut checkpoint = log.checkpoint().clone();
    checkpoint.extensions = vec!["opaque line".to_owned()];
    let mut signed = checkpoint.clone().sign(&identity(KEEPER)).unwrap();
    cosigned(&mut signed, 2, "w.example/1", 10);
    let read = SignedCheckpoint::parse(signed.to_text().as_bytes()).unwrap();
    read.verify(&log_key()).unwrap();
    assert_eq!(read.checkpoint(), &checkpoint);
    let quorum = Quorum::new(vec![witness(2, "w.example/1")], 1).unwrap();
    assert_eq!(quorum.verify(&read), Ok(Some(10)));
    let without = read.to_text().replace("opaque line\n", "");
    let without = SignedCheckpoint::parse(without.as_bytes()).unwrap();
    assert!(without.verify(&log_key()).is_err() && quorum.verify(&without).is_err());
    let empty = Checkpoint { extensions: vec![String::new()], ..checkpoint };
    assert!(Checkpoint::from_text(&empty.to_text()).is_err());
    assert_eq!(log.checkpoint().origin, origin());
}

proptest! {
    /// Whatever is read has one form, and nothing panics.
    #[test]
    fn hostile_notes_are_refused_or_canonical(
        text in "([ -~\u{e8}\n]{0,40}\n){0,4}",
        lines in prop::collection::vec("(— [a-z+ ]{0,6} [A-Za-z0-9+/=]{0,16}\n|[ -~\n—]{0,12})", 0..4),
    ) {
        let note = format!("{text}\n{}", lines.concat());
        if let Ok(read) = Note::parse(note.as_bytes()) {
            prop_assert_eq!(read.to_text(), note.clone());
        }
        if let Ok(read) = SignedCheckpoint::parse(note.as_bytes()) {
            prop_assert_eq!(read.to_text(), note.clone());
        }
        if let Ok(read) = note.parse::<VerifierKey>() {
            prop_assert_eq!(read.to_string(), note);
        }
    }
}
