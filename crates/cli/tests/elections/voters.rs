//! Voters with devices of their own: what the program says to a voter whose station or device cheats.

use std::{
    fs,
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use ::log::PartyKey;
use board::Identity;
use client::stations::Station;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use rayon::prelude::*;
use serde_json::Value;
use study::election::{
    Booth, Message, Seat, Voter,
    voter::{SealedBallot, Submission},
};
use wire::Encode as _;

use crate::{
    common::{fail, json, run, succeed},
    elections::stage::Polls,
};

#[test]
fn a_voter_seals_audits_casts_and_checks() {
    let polls = Polls::open();
    let path = polls.path();
    let roll = ["vote", "check-roll", "--board", "board", "--key", "Ben"];
    assert!(succeed(path, &roll).starts_with("you are on the roll: Ben"));
    fail(path, &[&roll[..], &["--name", "Ana"]].concat(), 1, "under the name `Ben`");
    fail(path, &[&roll[..5], &["station-1"]].concat(), 1, "the roll has no voter with the key");

    // Audited, and never cast.
    let first = polls.seal("Ana", "first", &["Stew", "Soup"]);
    assert_eq!(first["revision"], 1);
    let code = first["code"].as_str().unwrap();
    succeed(path, &["vote", "audit", "first", "--board", "board"]);
    let second_device =
        ["vote", "audit", "first.audit", "--board", "board", "--second-device", "--code"];
    let compare =
        |code: &str, ranking: &[&str]| run(path, &[&second_device[..], &[code], ranking].concat());
    for noted in [code, first["tracker"].as_str().unwrap()] {
        let ran = compare(noted, &["Stew", "Soup"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains("1. Stew, 2. Soup"), "{ran:?}");
    }
    fail(path, &polls.submit("Ana", "first", &polls.station), 2, "opened for an audit");

    // Cast, and never audited.
    let second = polls.seal("Ana", "second", &["Soup"]);
    assert_eq!(second["revision"], 2);
    fail(path, &["vote", "check", "second", "--board", "board"], 2, "this ballot is not cast yet");
    let promised = json(path, &polls.submit("Ana", "second", &polls.station));
    assert_eq!(promised["station"], 1);
    fail(path, &["vote", "audit", "second", "--board", "board"], 2, "this ballot is cast");
    assert!(!path.join("second.opening").exists());
    let (exit, found) = polls.posted("second");
    assert_eq!((exit, &found["standing"]), (0, &Value::from("counts")), "{found}");
    assert_eq!(found["code"], second["code"]);
    // A device without the file finds it by the code or the tracker, under the voter's name alone.
    for noted in ["code", "tracker"] {
        let noted = second[noted].as_str().unwrap();
        let look = ["vote", "check", "--board", "board", "--code", noted, "--voter"];
        succeed(path, &[&look[..], &["Ana"]].concat());
        fail(path, &[&look[..], &["Ben"]].concat(), 4, "is not on the board");
        fail(path, &[&look[..], &["Ben"]].concat(), 4, "on the device that cast it");
    }
    // Handed in once more, nothing changes.
    succeed(path, &polls.submit("Ana", "second", &polls.station));

    // Another vote counts, and the first ballot says so.
    polls.seal("Ana", "third", &[]);
    succeed(path, &polls.submit("Ana", "third", &polls.station));
    assert_eq!(polls.posted("third").0, 0);
    let (exit, found) = polls.check("second");
    assert_eq!((exit, &found["standing"]), (1, &Value::from("superseded")), "{found}");
    assert_eq!(found["by"]["revision"], 3);

    // A damaged list of revisions gives none of them a second time.
    let ledger = path.join("Ana.revisions");
    let lines = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, lines.replace(" 3\n", "3\n")).unwrap();
    let seal = ["vote", "seal", "Soup", "--board", "board", "--key", "Ana", "-o", "fourth"];
    fail(path, &seal, 2, "line 3 is no opening and a revision");
}

/// A device that seals for somebody else than it was told, and is audited on a second one.
#[test]
fn a_device_that_seals_another_ranking_is_caught() {
    let polls = Polls::open();
    let path = polls.path();
    // Told "Stew", it seals "Soup" and shows the code of that.
    let sealed = polls.seal("Ana", "sealed", &["Soup"]);
    let code = sealed["code"].as_str().unwrap();
    succeed(path, &["vote", "audit", "sealed", "--board", "board"]);
    let second_device = |file, code| {
        let compare = ["--board", "board", "--second-device", "--code", code, "Stew"];
        [&["vote", "audit", file][..], &compare].concat()
    };
    fail(path, &second_device("sealed.audit", code), 1, "but you voted “What for lunch? 1. Stew”");
    // It shows another ballot, which it makes when it is to be audited.
    polls.seal("Ana", "other", &["Stew"]);
    succeed(path, &["vote", "audit", "other", "--board", "board"]);
    fail(path, &second_device("other.audit", code), 1, "but it had committed to");
    // It shows what it was told in place of what it sealed: cell and seed are the file's end.
    let mut lie = fs::read(path.join("sealed.audit")).unwrap();
    let cell = lie.len() - 16;
    assert_eq!(lie[cell], 1);
    lie[cell] = 3;
    fs::write(path.join("lie.audit"), lie).unwrap();
    fail(path, &second_device("lie.audit", code), 1, "the opening makes another ballot");
}

/// A station that gives a receipt and posts nothing; the voter convicts it before everybody.
#[test]
fn a_station_that_drops_a_ballot_is_convicted() {
    let polls = Polls::open();
    let path = polls.path();
    polls.seal("Ana", "ana", &["Stew"]);
    let url = polls.cheating_station(|_, _, _| {});
    assert_eq!(json(path, &polls.submit("Ana", "ana", &url))["station"], 2);
    // Not yet: the promise is for later.
    let (exit, _) = polls.check("ana");
    assert!(exit == 4 || exit == 1, "{exit}");
    thread::sleep(Duration::from_secs(2));
    polls.seal("Ben", "ben", &["Soup"]);
    succeed(path, &polls.submit("Ben", "ben", &polls.station));
    assert_eq!(polls.posted("ben").0, 0);

    let check = ["vote", "check", "ana", "--board", "board"];
    fail(path, &check, 1, "is not on the board, although station 2 promised to post it by");
    let dispute = ["vote", "dispute", "ana.dispute", "--board", "board"];
    assert!(succeed(path, &dispute).contains("station 2 broke its promise: it did not post"));
    // A complaint that was changed convicts nobody.
    let mut forged = fs::read(path.join("ana.dispute")).unwrap();
    let last = forged.len() - 70;
    forged[last] ^= 1;
    fs::write(path.join("forged"), forged).unwrap();
    fail(
        path,
        &["vote", "dispute", "forged", "--board", "board"],
        1,
        "the complaint convicts nobody",
    );

    // Another station posts it; the first one's promise stays broken, and the ballot counts.
    succeed(path, &polls.submit("Ana", "ana", &polls.station));
    assert_eq!(polls.posted("ana").0, 0);
    assert!(succeed(path, &dispute).contains("posted the ballot"));
}

/// A station that posts the ballot with a changed signature, or another ballot in the voter's name.
#[test]
fn a_station_that_alters_a_ballot_or_votes_first_changes_nothing() {
    let polls = Polls::open();
    let path = polls.path();
    polls.seal("Ana", "ana", &["Stew"]);
    let url = polls.cheating_station(|submission, session, station| {
        let mut altered = submission.ballot.clone();
        altered.signature[20] ^= 1;
        // The voter's own ballot as another revision, which the voter did not sign.
        let mut first = submission.ballot.clone();
        first.revision = Some(7);
        let message = Message::Ballots(vec![altered, first]);
        assert!(session.post(station, &message, |_| true).unwrap());
    });
    succeed(path, &polls.submit("Ana", "ana", &url));
    let (exit, found) = polls.check("ana");
    assert!(
        exit != 0 && found["error"]["message"].as_str().unwrap().contains("in your name"),
        "{found}"
    );
    // The honest station posts it all the same, and it counts.
    succeed(path, &polls.submit("Ana", "ana", &polls.station));
    let (exit, found) = polls.posted("ana");
    assert_eq!((exit, &found["standing"]), (0, &Value::from("counts")), "{found}");
}

/// Somebody with a copy of the voter's key votes first; the voter sees it, and votes last.
#[test]
fn a_thief_who_votes_first_is_seen_and_outvoted() {
    let polls = Polls::open();
    let path = polls.path();
    fs::copy(path.join("Ana"), path.join("thief")).unwrap();
    polls.seal("Ana", "ana", &["Stew"]);
    polls.seal("thief", "stolen", &["Soup"]);
    succeed(path, &polls.submit("thief", "stolen", &polls.station));
    assert_eq!(polls.posted("stolen").0, 0);
    succeed(path, &polls.submit("Ana", "ana", &polls.station));
    let (exit, found) = polls.posted("ana");
    assert_eq!((exit, &found["standing"]), (1, &Value::from("refused")), "{found}");
    let check = ["vote", "check", "ana", "--board", "board"];
    fail(path, &check, 1, "the voter signed another ballot as revision 1");

    let again = polls.seal("Ana", "again", &["Stew"]);
    assert_eq!(again["revision"], 2);
    succeed(path, &polls.submit("Ana", "again", &polls.station));
    assert_eq!(polls.posted("again").0, 0);
    let (exit, found) = polls.check("stolen");
    assert_eq!((exit, &found["standing"]), (1, &Value::from("superseded")), "{found}");
}

const CROWD: usize = 1000;

/// Every voter's ballot of a revision, signed.
fn crowd(booth: &Booth, roll: &[Voter], voters: &[Identity], revision: u32) -> Vec<Submission> {
    let shape = booth.layout.ranking(0).unwrap();
    let cast = |(voter, credential): (usize, &Identity)| {
        let vote = shape.ranking([(voter % 3) as u8]).unwrap().into();
        let seat = Seat { voter: voter as u32, credential: credential.id(), revision };
        let mut rng = UnwrapErr(SysRng);
        let (sealed, _) = SealedBallot::seal(booth, seat, credential, &vote, &mut rng).unwrap();
        sealed.cast(booth, roll, credential).unwrap()
    };
    voters.par_iter().enumerate().map(cast).collect()
}

/// Hands ballots in by eight voters at a time; how long it takes until all are on the board.
fn hand_in(polls: &Polls, ballots: &[Submission]) -> Duration {
    let mut session = polls.session("reader");
    let start = Instant::now();
    thread::scope(|scope| {
        for own in ballots.chunks(ballots.len().div_ceil(8)) {
            scope.spawn(move || {
                let station = Station::at(&polls.station, &[]).unwrap();
                own.iter().for_each(|ballot| drop(station.hand_in(&ballot.to_bytes()).unwrap()));
            });
        }
    });
    let booth = session.election().booth().unwrap().clone();
    let is_there = |session: &study::election::Session, one: &Submission| {
        session.election().has_ballot(one.ballot.voter, &one.tracker(&booth))
    };
    while !ballots.iter().all(|one| is_there(&session, one)) {
        session.sync().unwrap();
        thread::sleep(Duration::from_millis(100));
    }
    start.elapsed()
}

/// 256 connections to the station that say nothing, and a station that posts what nobody signed as fast as the
/// keeper lets it.
#[test]
#[ignore = "takes minutes, and measures"]
fn silent_connections_and_a_flooding_station_do_not_double_the_time_of_a_thousand_ballots() {
    let voters: Vec<_> =
        (0..CROWD).map(|_| PartyKey::generate(&mut UnwrapErr(SysRng)).identity()).collect();
    let lines = voters.iter().enumerate().map(|(place, key)| format!("V{place},{}\n", key.id()));
    let polls = Polls::open_for(tempfile::tempdir().unwrap(), &lines.collect::<String>(), true);
    let session = polls.session("reader");
    let (booth, roll) = (session.election().booth().unwrap(), session.election().roll());
    let [first, second] = [1, 2].map(|revision| crowd(booth, roll, &voters, revision));
    let quiet = hand_in(&polls, &first);

    let address = polls.station.strip_prefix("http://").unwrap();
    let silent: Vec<_> = (0..256).map(|_| TcpStream::connect(address).unwrap()).collect();
    let stop = AtomicBool::new(false);
    let (loud, posted) = thread::scope(|scope| {
        let flood = scope.spawn(|| {
            let station = PartyKey::load(&polls.path().join("station-2")).unwrap().identity();
            let (mut session, mut posted) = (polls.session("station-2"), 0);
            while !stop.load(Ordering::SeqCst) {
                let mut junk: Vec<_> =
                    first.iter().take(500).map(|one| one.ballot.clone()).collect();
                junk.iter_mut().for_each(|ballot| ballot.revision = Some(1000 + posted));
                let message = Message::Ballots(junk);
                match session.post(&station, &message, |_| true) {
                    Ok(_) => posted += 1,
                    Err(_) => thread::sleep(Duration::from_millis(50)),
                }
            }
            posted
        });
        let loud = hand_in(&polls, &second);
        stop.store(true, Ordering::SeqCst);
        (loud, flood.join().unwrap())
    });
    drop(silent);
    println!("{CROWD} ballots: {quiet:?} in quiet, {loud:?} beside {posted} entries of junk");
    assert!(posted > 0 && loud < 2 * quiet, "{quiet:?}, {loud:?}, {posted}");
}
