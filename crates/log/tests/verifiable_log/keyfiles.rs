//! Key files, with a passphrase and without.

use std::{fs, io};

use log::{KeyError, PartyKey};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use zeroize::Zeroizing;

/// A file of the kind that every release has written: the same public key for ever.
#[test]
fn a_plain_key_file_gives_the_key_that_it_gave() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("party.key");
    let bytes = [b"SUBROSA\0partykey\x01\x00".as_slice(), &[7; 32]].concat();
    fs::write(&path, &bytes).unwrap();
    let key = PartyKey::load(&path).unwrap();
    assert_eq!(
        key.identity().id().to_string(),
        "627bbc548090548ecb6c222a499d6b729f66a07106438c79f27dbd69745c4c75"
    );
    let copy = directory.path().join("copy.key");
    key.save(&copy).unwrap();
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    let taken = key.save(&copy).unwrap_err();
    assert!(matches!(taken, KeyError::File(error) if error.kind() == io::ErrorKind::AlreadyExists));
    for at in 0..bytes.len() {
        fs::write(&path, &bytes[..at]).unwrap();
        assert!(matches!(PartyKey::load(&path), Err(KeyError::Malformed(_))), "{at}");
    }
    fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    assert!(matches!(PartyKey::load(&path), Err(KeyError::Malformed(_))));
}

#[test]
fn a_passphrase_opens_what_it_sealed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("party.key");
    let rng = &mut ChaCha20Rng::seed_from_u64(3);
    let key = PartyKey::generate(rng);
    key.save_sealed(&path, "correct horse", rng).unwrap();
    let open =
        |passphrase: &str| PartyKey::load_with(&path, || Ok(Zeroizing::new(passphrase.to_owned())));
    assert_eq!(open("correct horse").unwrap().identity().id(), key.identity().id());
    assert!(matches!(open("correct hors"), Err(KeyError::Passphrase)));
    assert!(matches!(PartyKey::load(&path), Err(KeyError::Sealed)));
    let bytes = fs::read(&path).unwrap();
    // The salt, the cost, the sealed bytes and their tag; a cost that nobody should pay is not paid.
    let start = b"SUBROSA\0partykey\x02\x00".len();
    for (at, bit) in
        [(start, 1), (start + 16, 4), (start + 20, 1), (start + 28, 1), (bytes.len() - 1, 1)]
    {
        let mut changed = bytes.clone();
        changed[at] ^= bit;
        fs::write(&path, &changed).unwrap();
        assert!(open("correct horse").is_err(), "{at}");
    }
    let mut greedy = bytes.clone();
    greedy[start + 16..start + 20].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&path, &greedy).unwrap();
    assert!(matches!(open("correct horse"), Err(KeyError::Malformed(_))));
}
