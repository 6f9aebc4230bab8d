//! The keeper of a log over HTTP: read and written, flooded, and killed.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::Duration,
};

use client::logs::RemoteLog;
use log::{
    AccessError, FollowError, Follower, Header, LogAccess as _, Standing, store::DirectoryLog,
};
use wire::{Decode as _, Encode as _};

use super::keeper::{Kept, PARTY, Process, append, entry, identity, origin, rng};

#[test]
fn a_log_is_written_and_read_over_http() {
    let author = identity(9).id();
    let kept = Kept::new(&format!(
        "heartbeat_seconds = 1\n[admission]\nknown = [\"{author}\"]\nstranger_entries = 2\n\
         payload_bytes = 3000000\n"
    ));
    let mut process = kept.start();
    let log = kept.connect(&process);
    let mut reader = kept.reader();
    assert_eq!(reader.follow(&log), Ok(0));
    assert!(!log.wait_beyond(0, Duration::from_millis(50)).unwrap());
    for (subject, length) in [0, 1, 70_000, 2_999_999].into_iter().enumerate() {
        let payload: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        append(&log, 9, subject as u64, &payload);
        reader.follow(&log).unwrap();
        let leaf = reader.leaves().iter().find(|leaf| leaf.header.length() == length).unwrap();
        assert_eq!(log.payload(&leaf.header).unwrap().unwrap(), payload);
        // Again: it is where it is.
        assert!(matches!(log.submit(&leaf.header, &payload), Ok(Standing::Logged(_))));
    }
    // The log's time goes on.
    let size = reader.leaves().len() as u64;
    assert!(log.wait_beyond(size, Duration::from_secs(10)).unwrap());
    reader.follow(&log).unwrap();
    assert!(reader.leaves().iter().any(|leaf| leaf.is_tick(&kept.key().key)));
    let proof = log.consistency(2, 4).unwrap();
    let root = |size: usize| {
        let leaves: Vec<_> = reader.leaves()[..size].iter().map(|leaf| leaf.to_bytes()).collect();
        log::merkle::root(&leaves)
    };
    log::merkle::verify_consistency((2, &root(2)), (4, &root(4)), &proof).unwrap();
    // What is refused, and why.
    let refused = |log: &RemoteLog, header: &Header, payload: &[u8]| match log
        .submit(header, payload)
        .unwrap_err()
    {
        AccessError::Refused { reason, .. } => reason,
        other => other.to_string(),
    };
    let large = vec![0; 3_000_001];
    assert!(refused(&log, &entry(9, 50, &large), &large).contains("limit of 3000000"));
    append(&log, 7, 0, b"");
    append(&log, 7, 1, b"");
    assert!(refused(&log, &entry(7, 2, b""), b"").contains("quota"));
    assert!(refused(&log, &entry(8, 3, b""), b"").contains("quota"), "strangers share it");
    append(&log, 9, 60, b"known parties have their own");
    let mut forged = entry(9, 70, b"x").to_bytes();
    *forged.last_mut().unwrap() ^= 1;
    let forged = Header::from_bytes(&forged).unwrap();
    assert!(refused(&log, &forged, b"x").contains("signature"));
    let tick = Header::tick(&identity(9), &origin(), 1).unwrap();
    assert!(refused(&log, &tick, b"").contains("reserved for the keeper"));
    assert_eq!(log.standing(&forged.digest()), Ok(None));
    assert_eq!(log.payload(&forged), Ok(None));
    // Another log than the one that was asked for.
    let other = log::log_key(&origin(), identity(1).id()).unwrap();
    assert!(RemoteLog::connect(&process.url, Some(other), &[]).is_err());
    // Static files are those of C2SP.
    let get = |path: &str| {
        let mut stream = TcpStream::connect(process.address()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    assert!(get("/checkpoint").contains("example.com/kept\n"));
    let size = reader.signed().unwrap().checkpoint().size;
    for content in ["0", "entries"] {
        let path = format!("/tile/{content}/000.p/{size}");
        assert!(get(&path).starts_with("HTTP/1.1 200"), "{path}");
    }
    for missing in ["/tile/0/001", "/tile/9/000", "/tile/../keeper.key", "/keeper.key", "/tile/x"] {
        assert!(get(missing).starts_with("HTTP/1.1 404"), "{missing}");
    }
    // Killed and begun again, it is the same log.
    process.kill();
    let process = kept.start();
    let log = kept.connect(&process);
    reader.follow(&log).unwrap();
    append(&log, 9, 80, b"after");
    assert!(reader.follow(&log).unwrap() > 0);
}

/// The first entry is the operator's, and nobody else's.
#[test]
fn the_operator_begins_the_log() {
    let (operator, author) = (identity(3).id(), identity(9).id());
    let kept = Kept::new(&format!(
        "operator = \"{operator}\"\n[admission]\nknown = [\"{author}\"]\nstranger_entries = 0\n"
    ));
    let process = kept.start();
    let log = kept.connect(&process);
    let refused = |author| {
        let refused = log.submit(&entry(author, 0, b""), b"").unwrap_err();
        assert!(refused.to_string().contains("may not write to this log"), "{refused}");
    };
    refused(9);
    append(&log, 3, 0, b"first");
    refused(3);
    append(&log, 9, 1, b"then the parties");
}

/// 256 connections that say nothing, payloads that were announced and never come, and an author that
/// sends as much as it can: honest entries are in the log within a second.
#[test]
fn honest_entries_are_appended_beside_hostile_connections() {
    let author = identity(9).id();
    let kept = Kept::new(&format!(
        "[admission]\nknown = [\"{author}\"]\nstranger_entries = 100000\n\
         stranger_bytes = 2000000000\nopen = 64\npayload_bytes = 16777216\n"
    ));
    let process = kept.start();
    let log = kept.connect(&process);
    let silent: Vec<_> = (0..256).map(|_| TcpStream::connect(process.address()).unwrap()).collect();
    let announced: Vec<_> = (0..64).map(|at| announce(&process, at)).collect();
    let (stop, flooded) = (AtomicBool::new(false), AtomicU64::new(0));
    let slowest = thread::scope(|scope| {
        for flooder in 0..2_u64 {
            let (log, stop, flooded) = (kept.connect(&process), &stop, &flooded);
            scope.spawn(move || {
                let payload = vec![7; 100_000];
                for at in 0.. {
                    if stop.load(Relaxed) {
                        return;
                    }
                    let header = entry(20, 1_000_000 * (flooder + 1) + at, &payload);
                    let sent = log.submit(&header, &payload);
                    flooded.fetch_add(u64::from(sent.is_ok()), Relaxed);
                }
            });
        }
        let times: Vec<_> = (0..20).map(|at| append(&log, 9, at, b"honest")).collect();
        stop.store(true, Relaxed);
        times.into_iter().max().unwrap()
    });
    let memory = process.peak_memory();
    println!(
        "slowest of 20: {slowest:?}; keeper's memory: {} MiB; entries of the flood: {}",
        memory >> 20,
        flooded.load(Relaxed)
    );
    assert!(memory < 200 << 20, "{memory}");
    // On a machine that is busy with other tests, too.
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    drop((silent, announced));
}

/// A payload of 16 MB that was announced, of which a little comes.
fn announce(process: &Process, at: u64) -> TcpStream {
    let payload = vec![1; 16 << 20];
    let header = entry(21, at, &payload).to_bytes();
    let mut stream = TcpStream::connect(process.address()).unwrap();
    let head = |method: &str, path: &str, length: usize| {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/octet-stream\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    stream.write_all(head("POST", "/v1/headers", header.len()).as_bytes()).unwrap();
    stream.write_all(&header).unwrap();
    let mut answer = [0; 1024];
    let read = stream.read(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    let Some((_, seat)) = answer.split_once("\r\n\r\n") else { return stream };
    if answer.starts_with("HTTP/1.1 202") {
        let entry = Header::from_bytes(&header).unwrap().digest();
        let path = format!("/v1/entries/{entry}?seat={}", seat.trim());
        stream.write_all(head("PUT", &path, payload.len()).as_bytes()).unwrap();
        stream.write_all(&payload[..300_000]).unwrap();
    }
    stream
}

/// Kills the keeper so many times while authors write: one history, and every promise is kept.
fn kill(times: usize) {
    let kept = Kept::new("append_milliseconds = 10\n[admission]\nstranger_entries = 1000000\n");
    let mut reader = kept.reader();
    let mut promised = Vec::new();
    for round in 0..times as u64 {
        let mut process = kept.start();
        let stop = AtomicBool::new(false);
        let accepted = thread::scope(|scope| {
            let writers: Vec<_> = (0..2_u64)
                .map(|writer| {
                    let (log, stop) = (kept.connect(&process), &stop);
                    scope.spawn(move || write_on(&log, writer, round, stop))
                })
                .collect();
            let log = kept.connect(&process);
            thread::sleep(Duration::from_millis(20 + 7 * (round % 13)));
            match reader.follow(&log) {
                Ok(_) | Err(FollowError::Access(_)) => {}
                Err(error) => panic!("round {round}: {error}"),
            }
            process.kill();
            stop.store(true, Relaxed);
            let accepted = writers.into_iter().flat_map(|writer| writer.join().unwrap());
            accepted.collect::<Vec<_>>()
        });
        promised.extend(accepted);
    }
    let process = kept.start();
    let log = kept.connect(&process);
    append(&log, 9, u64::MAX, b"the last");
    reader.follow(&log).unwrap();
    for header in &promised {
        let standing = log.standing(&header.digest()).unwrap();
        assert!(matches!(standing, Some(Standing::Logged(_))), "a promise is broken");
    }
    println!("{times} kills, {} promises kept, {} leaves", promised.len(), reader.leaves().len());
}

/// Hands in entries until the keeper is gone; those that it promised.
fn write_on(log: &RemoteLog, writer: u64, round: u64, stop: &AtomicBool) -> Vec<Header> {
    let mut promised = Vec::new();
    for at in 0.. {
        let payload = at.to_string().into_bytes();
        let header = entry(30, (writer << 48) | (round << 24) | at, &payload);
        match log.submit(&header, &payload) {
            Ok(_) => promised.push(header),
            Err(_) => return promised,
        }
        if stop.load(Relaxed) {
            return promised;
        }
    }
    promised
}

#[test]
fn a_keeper_that_is_killed_keeps_one_history() {
    kill(6);
}

#[test]
#[ignore = "takes minutes"]
fn a_keeper_that_is_killed_200_times_keeps_one_history() {
    kill(200);
}

/// Kills a party so many times, and then restores old copies of its outbox: no slot is filled twice, and a
/// restored party is out.
fn kill_party(times: usize, restores: usize) {
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("log");
    let rng = &mut rng();
    DirectoryLog::create(&kept, &origin(), rng).unwrap();
    let [outbox, old, out] = ["outbox", "old", "out"].map(|name| directory.path().join(name));
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["server_process", "--exact", "--nocapture"])
            .env(PARTY, directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut slots = 0;
    for round in 0..times {
        let mut party = start();
        thread::sleep(Duration::from_millis(20 + 11 * (round as u64 % 17)));
        party.kill().unwrap();
        party.wait().unwrap();
        slots = one_in_a_slot(&kept);
    }
    for _ in 0..restores {
        fs::copy(&outbox, &old).unwrap();
        assert!(start().wait().unwrap().success());
        fs::rename(&outbox, directory.path().join("true")).unwrap();
        fs::copy(&old, &outbox).unwrap();
        assert!(start().wait().unwrap().success());
        fs::remove_file(&out).expect("a restored party must be out");
        // Of its run, which it began before it knew, the true outbox knows nothing: that party is over.
        slots = one_in_a_slot(&kept);
        fs::remove_dir_all(&kept).unwrap();
        fs::remove_file(&outbox).unwrap();
        DirectoryLog::create(&kept, &origin(), rng).unwrap();
        assert!(start().wait().unwrap().success());
    }
    println!("{times} kills, {restores} restored copies, {slots} slots");
    assert!(slots > 0);
}

/// The slots of a log, each of which was filled once.
fn one_in_a_slot(directory: &Path) -> usize {
    let log = DirectoryLog::open(directory).unwrap();
    let mut reader = Follower::new(log.key().clone(), None).unwrap();
    reader.follow(&log).unwrap();
    let slots = reader.leaves().iter().filter(|leaf| leaf.header.kind() == "test/slot");
    let slots: Vec<_> = slots.map(|leaf| leaf.header.subject()).collect();
    let distinct: std::collections::BTreeSet<_> = slots.iter().collect();
    assert_eq!(slots.len(), distinct.len(), "two entries in one slot");
    slots.len()
}

#[test]
fn a_party_that_is_killed_fills_no_slot_twice() {
    kill_party(6, 1);
}

#[test]
#[ignore = "takes minutes"]
fn a_party_that_is_killed_200_times_fills_no_slot_twice() {
    kill_party(200, 20);
}

/// A keeper with a certificate: over TLS only who trusts it is answered.
#[test]
fn a_log_is_kept_over_tls() {
    let kept = Kept::new("[tls]\ncertificate = \"chain.pem\"\nkey = \"key.pem\"\n");
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let chain = certified.cert.pem();
    fs::write(kept.directory.path().join("chain.pem"), &chain).unwrap();
    let key = certified.signing_key.serialize_pem();
    fs::write(kept.directory.path().join("key.pem"), key).unwrap();
    let process = kept.start();
    let url = process.url.replace("http://127.0.0.1", "https://localhost");
    let log = RemoteLog::connect(&url, Some(kept.key()), chain.as_bytes()).unwrap();
    let payload = vec![3; 300_000];
    append(&log, 9, 0, &payload);
    let mut reader = kept.reader();
    assert!(reader.follow(&log).unwrap() > 0);
    assert_eq!(log.payload(&entry(9, 0, &payload)).unwrap().unwrap(), payload);
    assert!(RemoteLog::connect(&url, Some(kept.key()), &[]).is_err(), "nobody is trusted");
}
