//! Long commands of a ceremony that are killed: no broken file in the place of a whole one, and the
//! same command makes the same bytes, and clears away what was left.

use std::{
    fs,
    path::Path,
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

use algebra::{Bn254, Engine, Scalar, ScalarOf};
use circuit::r1cs::{Constraint, R1csHeader, R1csWriter};
use tempfile::TempDir;

use crate::common::{fail, files, subrosa, succeed};

/// Large enough that every command takes longer than it takes to notice that it has begun.
const POWER: u32 = 9;
const BEACON: &str = "--hash 0102 --iterations-exp 16";
/// When commands are killed, as parts of the time that they take.
const MOMENTS: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.8];
const CIRCUIT: &str = "--circuit circuit.r1cs --phase1 prepared.ptau";

/// A command, without its output.
struct Case {
    command: String,
    out: &'static str,
    /// Whether it draws secrets, hence makes other bytes every time unless it has their seed.
    is_secret: bool,
}

fn cases() -> Vec<Case> {
    let case = |command: &str, out| Case {
        command: command.to_owned(),
        out,
        is_secret: command.contains("contribute"),
    };
    vec![
        case(&format!("phase1 new --power {}", POWER + 4), "new.ptau"),
        case("phase1 contribute --in 0.ptau --entropy text --entropy-file dice", "next.ptau"),
        case(&format!("phase1 beacon --in 1.ptau {BEACON}"), "next.ptau"),
        case("phase1 prepare --in 1.ptau", "again.ptau"),
        case("phase1 truncate --in prepared.ptau --power 8", "cut.ptau"),
        case(&format!("phase2 new {CIRCUIT}"), "new.zkey"),
        case(
            "phase2 contribute --first 0.zkey --in 0.zkey --entropy text --entropy-file dice",
            "next.zkey",
        ),
        case(&format!("phase2 beacon --in 1.zkey {BEACON}"), "next.zkey"),
        case("phase2 export --in 1.zkey", "verification_key.json"),
    ]
}

/// Commands that only read.
fn checks() -> [String; 2] {
    ["phase1 verify prepared.ptau".to_owned(), format!("phase2 verify {CIRCUIT} 1.zkey")]
}

fn words(command: &str) -> Vec<&str> {
    ["ceremony"].into_iter().chain(command.split(' ')).collect()
}

/// `x ← x²`, again and again.
fn circuit<E: Engine>() -> Vec<u8> {
    let constraints = (1 << POWER) - 2;
    let wires = constraints + 2;
    let header = R1csHeader { wires, public_outputs: 1, constraints, ..Default::default() };
    let term = |wire| vec![(wire, ScalarOf::<E>::one())];
    let row = |wire| Constraint { a: term(wire), b: term(wire), c: term(wire + 1) };
    let mut out = R1csWriter::<_, E>::new(std::io::Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints((1..=constraints).map(|wire| Ok(row(wire)))).unwrap();
    out.labels((0..wires.into()).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

/// A directory with the files that the commands take.
fn begin() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("circuit.r1cs"), circuit::<Bn254>()).unwrap();
    fs::write(path.join("dice"), "3 1 4 1 5 9").unwrap();
    let ceremony = |command: &str| drop(succeed(path, &words(command)));
    ceremony(&format!("phase1 new --power {POWER} --out 0.ptau"));
    ceremony("phase1 contribute --in 0.ptau --out 1.ptau");
    ceremony("phase1 prepare --in 1.ptau --out prepared.ptau");
    ceremony(&format!("phase2 new {CIRCUIT} --out 0.zkey"));
    ceremony("phase2 contribute --first 0.zkey --in 0.zkey --out 1.zkey");
    directory
}

/// Runs a command and kills it `later` than `is_begun`. Returns whether it was killed indeed.
fn kill(path: &Path, command: &[&str], is_begun: impl Fn() -> bool, later: Duration) -> bool {
    let mut command = subrosa(path, command);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_begun() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_micros(200));
    }
    sleep(later);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// Kills a command at several moments, requires that nothing broken is left, and makes the file.
fn kill_and_repeat(path: &Path, case: &Case) {
    let Case { command, out, is_secret } = case;
    let command = format!("{command} --out {out}");
    let command = words(&command);
    let (file, seed) = (path.join(out), path.join(format!("{out}.seed")));
    let before = files(path);

    let start = Instant::now();
    succeed(path, &command);
    let lasts = start.elapsed();
    let expected = fs::read(&file).unwrap();
    assert_eq!(files(path).len(), before.len() + 1, "{command:?}");
    fs::remove_file(&file).unwrap();

    let is_begun = || files(path).iter().any(|name| name.ends_with(".part"));
    let mut killed = 0;
    // A short command on a busy machine may always be over before it is killed: more tries.
    for (attempt, later) in MOMENTS.into_iter().cycle().take(60).enumerate() {
        if attempt >= MOMENTS.len() && killed > 0 {
            break;
        }
        let was_killed = kill(path, &command, is_begun, lasts.mul_f64(later));
        if file.exists() {
            // Too late: the file is whole, and a secret's seed may still be there.
            assert!(*is_secret || fs::read(&file).unwrap() == expected, "{command:?}");
            fail(path, &command, 2, "already exists");
            fs::remove_file(&file).unwrap();
            fs::remove_file(&seed).ok();
        } else {
            killed += usize::from(was_killed);
        }
    }
    assert!(killed > 0, "{command:?} was never killed before its end");
    let kept = seed.exists().then(|| fs::read(&seed).unwrap());
    succeed(path, &command);
    let made = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(files(path), before, "{command:?} left something");
    if !is_secret {
        assert!(made == expected, "{command:?}");
    } else if let Some(kept) = kept {
        // The seed that the killed command left is what the file was made of.
        fs::write(&seed, kept).unwrap();
        succeed(path, &command);
        assert!(fs::read(&file).unwrap() == made && made != expected, "{command:?}");
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_killed_command_leaves_nothing_broken_and_is_repeated() {
    let directory = begin();
    for case in cases() {
        kill_and_repeat(directory.path(), &case);
    }
}

#[test]
fn a_killed_check_leaves_nothing() {
    let directory = begin();
    let path = directory.path();
    let before = files(path);
    for check in checks() {
        let check = words(&check);
        kill(path, &check, || true, Duration::from_millis(30));
        assert_eq!(files(path), before);
        succeed(path, &check);
    }
}

/// The seed of a killed contribution makes the contribution that was begun, whatever else is said,
/// and a file that verifies.
#[test]
fn a_killed_contribution_is_the_one_that_is_made() {
    let directory = begin();
    let path = directory.path();
    for (turn, out) in [
        ("phase1 contribute --in 0.ptau", "2.ptau"),
        ("phase2 contribute --first 0.zkey --in 0.zkey", "2.zkey"),
    ] {
        let command = format!("{turn} --out {out}");
        let seed = path.join(format!("{out}.seed"));
        let kill_early = || {
            kill(path, &words(&command), || seed.exists(), Duration::ZERO);
            let is_late = path.join(out).exists();
            if is_late {
                fs::remove_file(path.join(out)).unwrap();
                fs::remove_file(&seed).ok();
            }
            !is_late && seed.exists()
        };
        assert!((0..20).any(|_| kill_early()), "{turn}: always killed too late or too early");
        let kept = fs::read(&seed).unwrap();
        let ran = subrosa(path, &words(&format!("{command} --entropy more"))).output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.success() && said.contains("was not finished"), "{said}");
        assert!(!seed.exists());

        let made = fs::read(path.join(out)).unwrap();
        fs::remove_file(path.join(out)).unwrap();
        fs::write(&seed, kept).unwrap();
        succeed(path, &words(&command));
        assert!(fs::read(path.join(out)).unwrap() == made);
    }
    succeed(path, &words("phase1 verify 2.ptau"));
    succeed(path, &words(&format!("phase2 verify {CIRCUIT} 2.zkey")));
}
