//! Witnesses of a log's keeper: it is restored from old copies, and forks.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use client::{
    logs::{RemoteLog, RemoteWitness, Witnessed},
    witnessed::{Witness, WitnessedLog},
};
use log::{
    AccessError, AddCheckpoint, Evidence, FollowError, Follower, LogAccess, PartyKey, Quorum,
    note::VerifierKey,
    store::{DirectoryLog, DirectoryWitness},
};
use tempfile::TempDir;
use wire::{Decode as _, Encode as _};

use super::keeper::{BEGIN, Kept, Process, WITNESS, append, entry, origin, rng};

/// A witness of the log, as a process.
struct Watching {
    directory: TempDir,
    process: Process,
    key: VerifierKey,
}

fn watch(kept: &Kept, seed: u8) -> Watching {
    let directory = tempfile::tempdir().unwrap();
    let key = PartyKey::generate(
        &mut <rand_chacha::ChaCha20Rng as rand_core::SeedableRng>::from_seed([seed; 32]),
    );
    key.save(&directory.path().join("witness.key")).unwrap();
    let config = directory.path().join("witness.toml");
    let name = format!("witness.example/{seed}");
    let text = format!(
        "listen = \"127.0.0.1:0\"\nname = \"{name}\"\nkey = \"witness.key\"\nstate = \"state\"\n\
         logs = [\"{}\"]\n",
        kept.key()
    );
    let process = Process::start(WITNESS, &config, &text);
    let witness = log::Witness::new(name.parse().unwrap(), key.identity());
    Watching { key: witness.key(), directory, process }
}

/// A configuration with these witnesses, all of which must have cosigned.
fn watched(kept: &mut Kept, witnesses: &[&Watching]) -> Quorum {
    kept.options = format!("quorum = {}\nappend_milliseconds = 10\n", witnesses.len());
    for witness in witnesses {
        kept.options +=
            &format!("[[witness]]\nkey = \"{}\"\nurl = \"{}\"\n", witness.key, witness.process.url);
    }
    let keys = witnesses.iter().map(|witness| witness.key.clone()).collect();
    Quorum::new(keys, witnesses.len()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Restores an old copy of the keeper's directory so many times: it signs nothing.
fn restore(times: u64) {
    let mut kept = Kept::new("");
    let witness = watch(&kept, 41);
    let quorum = watched(&mut kept, &[&witness]);
    let mut reader = Follower::new(kept.key(), Some(quorum)).unwrap();
    let old = kept.directory.path().join("old");
    for round in 0..times {
        let process = kept.start();
        let log = kept.connect(&process);
        append_settled(&log, round * 10);
        drop(process);
        fs::remove_dir_all(&old).ok();
        copy(&kept.path(), &old);
        let process = kept.start();
        let log = kept.connect(&process);
        append_settled(&log, round * 10 + 1);
        reader.follow(&log).unwrap();
        drop(process);
        // An hour later somebody restores it.
        let true_one = kept.directory.path().join("true");
        fs::rename(kept.path(), &true_one).unwrap();
        copy(&old, &kept.path());
        let process = kept.start();
        let log = kept.connect(&process);
        let start = Instant::now();
        while !process.notices().contains("must not sign") {
            assert!(start.elapsed() < BEGIN, "{}", process.notices());
            thread::sleep(Duration::from_millis(20));
        }
        assert!(log.submit(&entry(9, round * 10 + 2, b""), b"").is_err());
        drop(process);
        let journal = |path: &Path| fs::read(path.join("journal")).unwrap();
        assert_eq!(journal(&kept.path()), journal(&old), "it signed");
        fs::remove_file(kept.directory.path().join("keeper.notices")).unwrap();
        fs::remove_dir_all(kept.path()).unwrap();
        fs::rename(&true_one, kept.path()).unwrap();
    }
    let process = kept.start();
    let log = kept.connect(&process);
    append_settled(&log, u64::MAX);
    assert!(reader.follow(&log).unwrap() > 0);
    let state = witness.directory.path().join("state");
    let evidence = state.join(format!("{}.evidence", DirectoryWitness::name(&origin())));
    assert!(!evidence.exists(), "an honest keeper is convicted of nothing");
}

/// Hands in when the keeper has asked its witnesses.
fn append_settled(log: &RemoteLog, subject: u64) {
    let start = Instant::now();
    while log.submit(&entry(9, subject, b"x"), b"x").is_err() {
        assert!(start.elapsed() < BEGIN, "the keeper does not ask its witnesses");
        thread::sleep(Duration::from_millis(50));
    }
    append(log, 9, subject, b"x");
}

#[test]
fn an_old_copy_of_a_keeper_signs_nothing() {
    restore(1);
}

#[test]
#[ignore = "takes minutes"]
fn old_copies_of_a_keeper_sign_nothing_20_times() {
    restore(20);
}

/// A keeper shows two histories to two witnesses. As soon as one of them sees what the other saw, the
/// keeper is named, with what convicts it.
#[test]
fn a_keeper_that_forks_is_named_by_its_witnesses() {
    let kept = Kept::new("");
    let witnesses = [watch(&kept, 51), watch(&kept, 52)];
    let other = kept.directory.path().join("other");
    copy(&kept.path(), &other);
    let sides = [kept.path(), other].map(|path| DirectoryLog::open(&path).unwrap());
    let mut latest = Vec::new();
    for (side, log) in sides.iter().enumerate() {
        for at in 0..3 + side as u64 {
            let payload = [side as u8];
            log.submit(&entry(9, at, &payload), &payload).unwrap();
        }
        let signed = log.latest().unwrap().unwrap();
        let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: signed.clone() };
        let witness = RemoteWitness::new(&witnesses[side].process.url, &[]).unwrap();
        let answer = witness.add_checkpoint(&request).unwrap();
        assert!(matches!(answer, Witnessed::Cosigned(_)));
        latest.push(signed);
    }
    // The first witness is asked to cosign what the second saw.
    let witness = RemoteWitness::new(&witnesses[0].process.url, &[]).unwrap();
    let old = latest[0].checkpoint().size;
    let proof = sides[1].consistency(old, latest[1].checkpoint().size).unwrap();
    let request = AddCheckpoint { old, proof, checkpoint: latest[1].clone() };
    assert!(matches!(witness.add_checkpoint(&request), Ok(Witnessed::Refused(_))));
    let notices = witnesses[0].process.notices();
    assert!(notices.contains("the keeper of example.com/kept is convicted (fork)"), "{notices}");
    let name = DirectoryWitness::name(&origin());
    let path = witnesses[0].directory.path().join("state").join(format!("{name}.evidence"));
    let evidence = Evidence::from_bytes(&fs::read(&path).unwrap()).unwrap();
    evidence.verify().unwrap();
    assert_eq!(evidence.log, kept.key());
    // Everybody may fetch it.
    let mut stream = TcpStream::connect(witnesses[0].process.address()).unwrap();
    let head =
        format!("GET /v1/logs/{name}/evidence HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.ends_with(&evidence.to_bytes()));
    // Of one size: two roots.
    let request = AddCheckpoint { old: 3, proof: Vec::new(), checkpoint: at_three(&sides[1]) };
    assert_eq!(witness.add_checkpoint(&request), Ok(Witnessed::Conflict(3)));
}

/// A keeper shows two histories to two parties who count on one witness: who comes second learns what convicts the
/// keeper, whether its history is longer, shorter or of one size.
#[test]
fn a_keeper_that_forks_between_two_parties_is_convicted() {
    for (round, lengths) in [[3, 5], [5, 3], [4, 4], [4, 8]].into_iter().enumerate() {
        let kept = Kept::new("");
        let witness = watch(&kept, 61 + round as u8);
        let other = kept.directory.path().join("other");
        copy(&kept.path(), &other);
        let sides = [kept.path(), other].map(|path| DirectoryLog::open(&path).unwrap());
        for (side, log) in sides.iter().enumerate() {
            for at in 0..lengths[side] {
                let payload = [side as u8];
                log.submit(&entry(9, at, &payload), &payload).unwrap();
            }
        }
        let relying = |log| {
            let remote = RemoteWitness::new(&witness.process.url, &[]).unwrap();
            let trusted = Witness { key: witness.key.clone(), remote: Some(remote) };
            WitnessedLog::new(log, vec![trusted], 1).unwrap()
        };
        let [one, two] = sides.each_ref().map(relying);
        let mut first = kept.reader();
        assert_eq!(first.follow(&one).unwrap() as u64, lengths[0]);
        assert!(log::cosigned_at(first.signed().unwrap(), &witness.key).is_some());
        // As often as it is asked.
        assert_eq!(first.follow(&one), Ok(0));
        assert_eq!(kept.reader().follow(&relying(&sides[0])).unwrap() as u64, lengths[0]);
        let refused = kept.reader().follow(&two).unwrap_err();
        // An older state of another history looks like one that is only old, until it grows.
        if lengths[1] < lengths[0] {
            let FollowError::Access(AccessError::Unreachable { reason, .. }) = &refused else {
                panic!("{refused}")
            };
            assert!(reason.contains("it saw a log of 5 leaves"), "{reason}");
            for at in 10..14 {
                sides[1].submit(&entry(9, at, b"more"), b"more").unwrap();
            }
        }
        let refused = kept.reader().follow(&two).unwrap_err();
        let FollowError::Access(AccessError::Convicted(evidence)) = &refused else {
            panic!("{refused}")
        };
        evidence.verify().unwrap();
        assert_eq!(evidence.log, kept.key());
        // The party with the true history goes on.
        sides[0].submit(&entry(9, 99, b"on"), b"on").unwrap();
        assert_eq!(first.follow(&one), Ok(1));
    }
}

/// Of three witnesses two are enough, also while the third is gone; one is not.
#[test]
fn parties_see_what_enough_witnesses_cosigned() {
    let kept = Kept::new("");
    let mut witnesses = [watch(&kept, 71), watch(&kept, 72), watch(&kept, 73)];
    let log = DirectoryLog::open(&kept.path()).unwrap();
    log.submit(&entry(9, 0, b"x"), b"x").unwrap();
    let remote = |url: &str| RemoteWitness::new(url, &[]).unwrap();
    let relying = |witnesses: &[Watching], threshold| {
        let trusted = witnesses.iter().map(|witness| Witness {
            key: witness.key.clone(),
            remote: Some(remote(&witness.process.url)),
        });
        WitnessedLog::new(&log, trusted.collect(), threshold).unwrap()
    };
    let two = relying(&witnesses, 2);
    assert_eq!(kept.reader().follow(&two), Ok(1));
    assert_eq!(log::LogAccess::witnesses(&two).len(), 3);
    witnesses[2].process.kill();
    log.submit(&entry(9, 1, b"y"), b"y").unwrap();
    assert_eq!(kept.reader().follow(&two), Ok(2));
    let cosigned = two.latest().unwrap().unwrap();
    let lines = witnesses.iter().filter(|one| log::cosigned_at(&cosigned, &one.key).is_some());
    assert_eq!(lines.count(), 2);
    let three = relying(&witnesses, 3);
    let refused = kept.reader().follow(&three).unwrap_err().to_string();
    assert!(refused.contains("too few witnesses cosigned: 2, but 3 are needed"), "{refused}");
    // Lines that the keeper does not show are not asked for without an address; another's line is none.
    let silent = |key: &VerifierKey| Witness { key: key.clone(), remote: None };
    let shown = WitnessedLog::new(&log, vec![silent(&witnesses[0].key)], 1).unwrap();
    let refused = shown.latest().unwrap_err().to_string();
    assert!(refused.contains("the keeper shows no line of it"), "{refused}");
    let mistaken =
        Witness { key: witnesses[0].key.clone(), remote: Some(remote(&witnesses[1].process.url)) };
    let mistaken = WitnessedLog::new(&log, vec![mistaken], 1).unwrap();
    let refused = mistaken.latest().unwrap_err().to_string();
    assert!(refused.contains("its line is not its cosignature"), "{refused}");
}

/// Two processes over one witness's memory would cosign two histories: the second does not begin.
#[test]
fn two_witnesses_do_not_share_a_memory() {
    let kept = Kept::new("");
    let witness = watch(&kept, 81);
    let config = witness.directory.path().join("second.toml");
    fs::copy(witness.directory.path().join("witness.toml"), &config).unwrap();
    let mut second = Command::new(std::env::current_exe().unwrap())
        .args(["server_process", "--exact", "--nocapture"])
        .env(WITNESS, &config)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(!second.wait().unwrap().success(), "it ends, and says why");
    assert!(!config.with_extension("address").exists(), "it never listened");
    let state = witness.directory.path().join("state");
    let held = DirectoryWitness::open(&state).err().unwrap();
    assert!(matches!(held, log::store::StoreError::Serving { .. }), "{held}");
}

/// The second history when it had three entries.
fn at_three(log: &DirectoryLog) -> log::SignedCheckpoint {
    let leaves: Vec<_> = log.leaves(0, 3).unwrap().iter().map(|leaf| leaf.to_bytes()).collect();
    let checkpoint = log::Checkpoint::new(origin(), 3, log::merkle::root(&leaves));
    checkpoint.sign(&PartyKey::generate(&mut rng()).identity()).unwrap()
}
