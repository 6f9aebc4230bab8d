//! Two processes over TCP, and somebody between them who flips a bit, ends the connection or falls
//! silent, at any byte of either party's: each process ends in time and by itself, and the verifier
//! says yes only if what was touched is nothing that it goes by.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    ops::Range,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{Ran, subrosa};

/// How long a process waits for a message.
const TIMEOUT: &str = "2";
/// A process that has not ended by then hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pairs of processes at a time: most of them wait.
const WORKERS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    Prover,
    Verifier,
}

/// What happens to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// This bit of it changes.
    Flip(u32),
    /// The connection ends before it.
    Cut,
    /// Neither it nor anything that its sender says later arrives.
    Stall,
}

/// What happens to byte `at` of one party's.
#[derive(Clone, Copy, Debug)]
struct Tamper {
    sender: Sender,
    at: usize,
    fault: Fault,
}

/// Two programs that meet.
struct Job {
    prover: Vec<&'static str>,
    verifier: Vec<&'static str>,
    /// Options that say where the peer is.
    peer: fn(u16) -> Vec<String>,
    /// Whether a party also tells the other when it has come to the end of a phase, the last one
    /// included.
    phases: bool,
}

/// The program of the benches, which `cargo test --workspace` builds beside `subrosa`.
fn lab(arguments: &[&str]) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_subrosa")).with_file_name("subrosa-lab");
    assert!(program.exists(), "build subrosa-lab first, or test the whole workspace");
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

impl Job {
    /// `subrosa vole`, in the directory of [`statement`].
    fn circuit() -> Self {
        let of = |verb, own: &[&'static str]| {
            let statement = ["income.circuit", "--public", "public.json"];
            [&["vole", verb, "--timeout-seconds", TIMEOUT], &statement[..], own].concat()
        };
        Self {
            prover: of("prove", &["--witness", "witness.json", "--show", "twice"]),
            verifier: of("verify", &[]),
            peer: |port| vec!["--connect".into(), format!("tcp://127.0.0.1:{port}")],
            phases: false,
        }
    }

    /// `subrosa-lab bench`.
    fn bench(task: &[&'static str]) -> Self {
        let of =
            |party| [&["bench"], task, &["--timeout-seconds", TIMEOUT, "--party", party]].concat();
        Self {
            prover: of("prover"),
            verifier: of("verifier"),
            peer: |port| {
                ["--host", "127.0.0.1", "--port", &port.to_string()].map(Into::into).to_vec()
            },
            phases: true,
        }
    }

    /// Runs both, each of which connects to somebody between them.
    fn meet(&self, directory: &Path, tamper: Option<Tamper>) -> Meeting {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = listeners.each_ref().map(|of| of.local_addr().unwrap().port());
        let between = thread::spawn(move || relay(listeners, tamper));
        let start = |arguments: &[&str], port| {
            let peer = (self.peer)(port);
            let mut command =
                if self.phases { lab(arguments) } else { subrosa(directory, arguments) };
            command.args(peer).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        let [of_prover, of_verifier] = ports;
        let parties = [start(&self.prover, of_prover), start(&self.verifier, of_verifier)];
        let [prover, verifier] = parties.map(end);
        // Whoever did not come is not waited for.
        ports.iter().for_each(|port| drop(TcpStream::connect(("127.0.0.1", *port))));
        Meeting { prover, verifier, sent: between.join().unwrap() }
    }

    /// Where anything may happen without the verifier's noticing: it is nothing that it goes by.
    fn cannot_matter(&self, Place { tamper, frame, honest, number, is_last }: &Place) -> bool {
        let flips = matches!(tamper.fault, Fault::Flip(_)) && tamper.at >= frame.start + 4;
        // The end of a phase, of which the time counts and not the byte.
        if flips && self.phases && honest == &[0] {
            return true;
        }
        match tamper.sender {
            // Of each pair of a tree's level sums, the verifier reads one.
            Sender::Prover => flips && *number == 2,
            Sender::Verifier => {
                // Its share of coins that no code needs; level sums of which the prover reads one of
                // two; and its last word comes after its verdict.
                let share = honest.len() == 32 && tamper.at >= frame.end - 16;
                let sums = honest.len() > 10_000 && *number > 3;
                *is_last || flips && (share || sums)
            }
        }
    }
}

/// What came of it, and what each party sent.
struct Meeting {
    prover: Ran,
    verifier: Ran,
    sent: [Vec<u8>; 2],
}

/// A place to tamper with, in a message of an honest run.
struct Place {
    tamper: Tamper,
    /// The message with its length, in the stream of its sender.
    frame: Range<usize>,
    /// The message without its length.
    honest: Vec<u8>,
    number: usize,
    /// Whether its sender says nothing after it.
    is_last: bool,
}

fn end(mut party: Child) -> Ran {
    let start = Instant::now();
    while party.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            party.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    }
    // One that was killed has no exit code, and fails here.
    party.wait_with_output().unwrap().into()
}

/// Carries what both parties say, and returns it as it was said.
fn relay(listeners: [TcpListener; 2], tamper: Option<Tamper>) -> [Vec<u8>; 2] {
    let sockets = listeners.map(|listener| listener.accept().unwrap().0);
    sockets.iter().for_each(|socket| socket.set_nodelay(true).unwrap());
    let [prover, verifier] = &sockets;
    thread::scope(|scope| {
        let ways = [(Sender::Prover, prover, verifier), (Sender::Verifier, verifier, prover)];
        let ways = ways.map(|(sender, from, to)| {
            let tamper = tamper.filter(|tamper| tamper.sender == sender);
            scope.spawn(move || carry(from, to, tamper))
        });
        ways.map(|way| way.join().unwrap())
    })
}

fn carry(mut from: &TcpStream, mut to: &TcpStream, tamper: Option<Tamper>) -> Vec<u8> {
    let mut said = Vec::new();
    let mut buffer = [0; 1 << 14];
    let mut silent = false;
    while let Ok(len @ 1..) = from.read(&mut buffer) {
        let start = said.len();
        let piece = &mut buffer[..len];
        said.extend_from_slice(piece);
        let here = tamper.filter(|tamper| (start..start + len).contains(&tamper.at));
        let mut arrives = if silent { 0 } else { len };
        if let Some(Tamper { at, fault, .. }) = here {
            match fault {
                Fault::Flip(bit) => piece[at - start] ^= 1 << bit,
                Fault::Cut | Fault::Stall => arrives = at - start,
            }
            silent |= fault == Fault::Stall;
        }
        let cut = here.is_some_and(|tamper| tamper.fault == Fault::Cut);
        if to.write_all(&piece[..arrives]).is_err() || cut {
            for socket in [from, to] {
                // It may be gone.
                let _ = socket.shutdown(Shutdown::Both);
            }
            return said;
        }
    }
    if !silent {
        let _ = to.shutdown(Shutdown::Write);
    }
    said
}

/// A stream's messages: 4 bytes of length, and so many bytes.
fn frames(stream: &[u8]) -> Vec<Range<usize>> {
    let mut frames = Vec::new();
    let mut start = 0;
    while let Some(length) = stream[start..].first_chunk() {
        let end = start + 4 + u32::from_le_bytes(*length) as usize;
        frames.push(start..end);
        start = end;
    }
    assert_eq!(start, stream.len(), "messages are whole");
    frames
}

/// Places in each message of both parties, its length included: the ends and so many more for flips,
/// so many for cuts and for silence.
fn places(sent: &[Vec<u8>; 2], [flips, cuts, stalls]: [usize; 3]) -> Vec<Place> {
    let mut places = Vec::new();
    for (sender, stream) in [Sender::Prover, Sender::Verifier].into_iter().zip(sent) {
        let frames = frames(stream);
        for (number, frame) in frames.iter().enumerate() {
            let spread = |count: usize| {
                let last = frame.len() - 1;
                (0..count).map(move |i| frame.start + last * (2 * i + 1) / (2 * count))
            };
            let bit = |at: usize| Fault::Flip((at + number) as u32 % 8);
            let ends = [frame.start, frame.start + 3, frame.start + 4, frame.end - 1];
            let flips: BTreeSet<_> = ends.into_iter().chain(spread(flips)).collect();
            let flips = flips.into_iter().map(|at| (at, bit(at)));
            let cuts = spread(cuts).map(|at| (at, Fault::Cut));
            let stalls = spread(stalls).map(|at| (at, Fault::Stall));
            places.extend(flips.chain(cuts).chain(stalls).map(|(at, fault)| Place {
                tamper: Tamper { sender, at, fault },
                frame: frame.clone(),
                honest: stream[frame.start + 4..frame.end].to_vec(),
                number,
                is_last: number + 1 == frames.len(),
            }));
        }
    }
    places
}

/// Runs a job once for each place, after an honest run: how many verifiers found the prover wrong.
fn tamper_everywhere(directory: &Path, job: &Job, counts: [usize; 3]) -> usize {
    let honest = job.meet(directory, None);
    assert_eq!((honest.prover.code, honest.verifier.code), (0, 0));
    let places = &places(&honest.sent, counts);
    thread::scope(|scope| {
        let worker = |first: usize| {
            let own = places.iter().skip(first).step_by(WORKERS);
            move || own.filter(|place| is_refused(directory, job, place)).count()
        };
        let workers: Vec<_> = (0..WORKERS).map(|first| scope.spawn(worker(first))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    })
}

/// Whether the verifier found the prover wrong, of all that may come of it.
fn is_refused(directory: &Path, job: &Job, place: &Place) -> bool {
    let Place { tamper, number, is_last, .. } = place;
    let meet = || job.meet(directory, Some(*tamper));
    let mut meeting = meet();
    // A correction counts as many times as a digit of the verifier's key says, which is not at all
    // for one key in 32 at most.
    for _ in 0..3 {
        let by_key = tamper.sender == Sender::Prover && !job.cannot_matter(place);
        if meeting.verifier.code == 0 && by_key {
            meeting = meet();
        }
    }
    let Meeting { prover, verifier, .. } = meeting;
    let what = format!("{tamper:?} in message {number}: {prover:?} {verifier:?}");
    for party in [&prover, &verifier] {
        assert!([0, 1, 2, 3].contains(&party.code) && !party.err.contains("panicked"), "{what}");
    }
    assert!(verifier.code != 0 || job.cannot_matter(place), "{what}");
    let by_prover = tamper.sender == Sender::Prover;
    // Only when it has heard the verdict, a prover of the bench has one more word to say.
    let heard = job.phases && by_prover && *is_last;
    assert!(prover.code != 0 || verifier.code == 0 || heard, "{what}");
    if !job.phases {
        // The verifier's last word is its verdict.
        assert!(prover.code != 0 || by_prover || !is_last, "{what}");
        // A session that was cut short is no verdict.
        if !matches!(tamper.fault, Fault::Flip(_)) {
            let is_no_verdict = |party: &Ran| [2, 3].contains(&party.code);
            let heard_all = *is_last && !by_prover && verifier.code == 0;
            assert!(is_no_verdict(&prover) && (heard_all || is_no_verdict(&verifier)), "{what}");
        }
    }
    verifier.code == 1
}

/// A claim, a number that is shown, and what the prover knows.
fn statement() -> tempfile::TempDir {
    let temporary = tempfile::tempdir().unwrap();
    let circuit = "\
subrosa-circuit 1
input income int 32
input limit int 32
enough = less limit income
twice = scale income 2
output enough enough
output twice twice
";
    for (name, text) in [
        ("income.circuit", circuit),
        ("witness.json", r#"{"income": 41250}"#),
        ("public.json", r#"{"limit": 30000, "enough": 1}"#),
    ] {
        fs::write(temporary.path().join(name), text).unwrap();
    }
    temporary
}

#[test]
fn a_tampered_circuit_is_not_accepted() {
    let directory = statement();
    let refused = tamper_everywhere(directory.path(), &Job::circuit(), [1, 1, 1]);
    assert!(refused > 10, "{refused}");
}

/// Enough numbers for correlations from trees and codes.
#[test]
fn a_tampered_conversion_is_not_accepted() {
    let task = ["conv", "--num", "2000", "--bit-size", "8"];
    let directory = tempfile::tempdir().unwrap();
    let refused = tamper_everywhere(directory.path(), &Job::bench(&task), [0, 1, 0]);
    assert!(refused > 10, "{refused}");
}

/// Every protocol and task, at many more places.
#[test]
#[ignore = "an hour: two processes for each of some 10,000 places"]
fn everything_tampered_with_is_not_accepted() {
    let directory = statement();
    tamper_everywhere(directory.path(), &Job::circuit(), [60, 20, 4]);
    let protocols = [
        "edabits",
        "cheddabits-v1-tspa",
        "cheddabits-v2-tspa",
        "cheddabits-v1-xor4maj7",
        "cheddabits-v2-xor4maj7",
        "cheddabits-v1-xor8maj7",
        "cheddabits-v2-xor8maj7",
    ];
    let tasks = [
        &["conv", "--num", "100", "--bit-size", "12"][..],
        &["conv", "--num", "2000", "--bit-size", "8"],
        &["fpm", "--num", "60", "--integer-size", "20", "--fraction-size", "8"],
    ];
    for protocol in protocols {
        for task in tasks {
            let job = Job::bench(&[task, &["--protocol", protocol]].concat());
            tamper_everywhere(directory.path(), &job, [8, 3, 1]);
        }
    }
}
