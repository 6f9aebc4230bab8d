//! What is left of a party when its run has ended: its key file, which says nothing of what it drew.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use board::{Identity, MemoryStore, Store as _};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};
use study::{
    election::{Message, Mixer, Role, Trustee},
    replay::{Party as _, SessionError},
    secrets::{
        FileSecret, MemorySecret, RunSecret, RunSecrets, SecretError, SecretStore, erase_expired,
    },
};
use wire::{Digest, Encode as _};

use crate::common::{Honest, Said, World, draft, party};

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(77)
}

/// The honest election's board before the first entry of this kind, and what its author said then.
fn before(kind: &str) -> (World, &'static Said) {
    let honest = Honest::get();
    let world = World { store: MemoryStore::new(), ..World::new(draft(), 7) };
    let at = honest.script.iter().position(|said| said.kind == kind).unwrap();
    for entry in &honest.entries[..at] {
        world.store.append(entry.sequence(), &entry.to_bytes()).unwrap();
    }
    (world, &honest.script[at])
}

/// What a mixer with these secrets says on that board.
fn mixed(world: &World, secrets: RunSecrets) -> Vec<u8> {
    let session = world.session();
    let mut mixer = Mixer::new(secrets, session.election()).unwrap();
    let task = mixer.awaited(session.election()).unwrap();
    let mix: Message = mixer.perform(task, session.election(), &mut rng()).unwrap();
    mix.to_bytes()
}

/// Who has a mixer's state links what it mixed, and who has its key file when the run has ended does not.
#[test]
fn a_key_file_gives_no_permutation_away() {
    let (world, said) = before("mix");
    let id = world.session().id();
    assert_eq!(mixed(&world, world.secrets(said.by, id)), said.payload, "its state is enough");
    let key = || RunSecrets::new(world.identity(said.by), id, MemorySecret::default());
    assert_ne!(mixed(&world, key()), said.payload);
    let ended = world.secrets(said.by, id);
    assert_eq!(ended.end(0).unwrap(), None);
    assert!(matches!(ended.rng("mix", &[]), Err(SecretError::Gone)));
    // Nor does the state without the key file.
    let stranger = world.secrets(party(Role::Mixer, 3), id);
    let other = |secrets: &RunSecrets| secrets.rng("mix", &[]).unwrap().next_u64();
    assert_ne!(other(&stranger), other(&world.secrets(said.by, id)));
    let drawn = || MemorySecret::of(RunSecret::from_bytes(&[7; 32]));
    let of = |identity, board| RunSecrets::new(identity, board, drawn());
    let own = of(world.identity(said.by), id);
    assert_ne!(other(&own), other(&of(world.identity(party(Role::Mixer, 3)), id)));
    assert_ne!(other(&own), other(&of(world.identity(said.by), [1; 32].into())));
}

/// Who has a trustee's state decrypts, and who has its key file when the run has ended does not.
#[test]
fn a_key_file_decrypts_nothing() {
    let (world, said) = before("decryption");
    let session = world.session();
    let decrypt = |secrets| {
        let mut trustee = Trustee::new(secrets, session.election()).unwrap();
        let task = trustee.awaited(session.election()).unwrap();
        let decryption: Result<Message, _> = trustee.perform(task, session.election(), &mut rng());
        decryption.map(|message| message.to_bytes())
    };
    let kept = world.secrets(said.by, session.id());
    assert_eq!(decrypt(kept.clone()).unwrap(), said.payload, "its state is enough");
    kept.erase().unwrap();
    assert!(matches!(decrypt(kept).unwrap_err(), SessionError::Secret(SecretError::Gone)));
    // Other secrets are not those of the key on the board.
    let key = RunSecrets::new(world.identity(said.by), session.id(), MemorySecret::default());
    key.begin(&mut rng()).unwrap();
    let refused = decrypt(key).unwrap_err();
    assert!(matches!(refused, SessionError::Party(_)), "{refused}");
}

fn in_file(directory: &Path, until: Option<u64>) -> RunSecrets {
    let identity = Identity::from_seed(&[5; 32]);
    let store = FileSecret::open(directory, Digest::from([1; 32]), identity.id(), until).unwrap();
    RunSecrets::new(identity, Digest::from([1; 32]), store)
}

fn only_file(directory: &Path) -> std::path::PathBuf {
    let mut files = fs::read_dir(directory).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

#[test]
fn a_file_has_the_secrets_of_a_run_until_it_ends() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let secrets = in_file(path, None);
    assert!(matches!(secrets.rng("mix", &[]), Err(SecretError::Gone)));
    secrets.begin(&mut rng()).unwrap();
    let drawn = |secrets: &RunSecrets| secrets.rng("mix", b"state").unwrap().next_u64();
    let (first, file) = (drawn(&secrets), only_file(path));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Begun again, by this process or another, the run is the same.
    let again = in_file(path, None);
    again.begin(&mut ChaCha20Rng::seed_from_u64(78)).unwrap();
    assert_eq!(drawn(&again), first);
    assert_ne!(again.rng("mix", b"other").unwrap().next_u64(), first);

    // Overwritten before it is removed: who has the file open reads zeros.
    let mut open = File::open(&file).unwrap();
    assert_eq!(again.end(1_000).unwrap(), None);
    let mut bytes = Vec::new();
    open.read_to_end(&mut bytes).unwrap();
    assert!(bytes.len() > 100 && bytes.iter().all(|byte| *byte == 0));
    assert!(!file.exists() && !secrets.are_kept().unwrap());
    again.end(1_000).unwrap();
    // Killed between the two it is gone, too.
    fs::write(&file, &bytes).unwrap();
    assert!(!again.are_kept().unwrap());
}

#[test]
fn secrets_are_kept_until_their_time_and_no_longer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    in_file(path, None).begin(&mut rng()).unwrap();
    // What is kept for the run only is not swept up.
    assert_eq!(erase_expired(path, Some(1 << 40)).unwrap(), 0);
    // Nor what a run that has not ended needs, whatever its time was meant to be.
    let secrets = in_file(path, Some(2_000));
    assert_eq!(erase_expired(path, Some(1 << 40)).unwrap(), 0);
    assert_eq!(secrets.end(1_999).unwrap(), Some(2_000));
    assert_eq!(in_file(path, None).end(1_999).unwrap(), Some(2_000), "the file remembers it");
    fs::write(path.join("x.outbox"), b"another file").unwrap();
    assert_eq!(erase_expired(path, Some(1_999)).unwrap(), 0);
    assert_eq!(erase_expired(path, Some(2_000)).unwrap(), 1);
    assert!(!secrets.are_kept().unwrap() && path.join("x.outbox").exists());
    // Before their time, because somebody says so.
    in_file(path, Some(5_000)).begin(&mut rng()).unwrap();
    assert_eq!(erase_expired(path, None).unwrap(), 1);
    assert_eq!(erase_expired(&path.join("nowhere"), None).unwrap(), 0);
}

#[test]
fn the_file_of_another_run_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    in_file(path, None).begin(&mut rng()).unwrap();
    let file = only_file(path);
    let whole = fs::read(&file).unwrap();
    // Every byte but those of the time and of the secret itself says what it is.
    for at in (0..18).chain(27..91) {
        let mut other = whole.clone();
        other[at] ^= 1;
        fs::write(&file, &other).unwrap();
        let party = Identity::from_seed(&[5; 32]).id();
        let refused = FileSecret::open(path, Digest::from([1; 32]), party, None).err().unwrap();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "byte {at}");
    }
    for length in [0, 18, whole.len() - 1] {
        fs::write(&file, &whole[..length]).unwrap();
        let party = Identity::from_seed(&[5; 32]).id();
        let opened = FileSecret::open(path, Digest::from([1; 32]), party, None);
        assert_eq!(opened.is_ok_and(|kept| kept.load().is_ok()), length == 0);
    }
}
