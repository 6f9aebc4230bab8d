//! Powers beyond the first chunk of 2^14 points, which take minutes: `scripts/test --long` runs them.

use std::{fs, io::Cursor, time::Instant};

use algebra::{Bn254, Dialect};
use ceremony::phase1::{self, Settings};
use circuit::Curve;

use super::{
    beacon, contribute,
    exchange::try_answer,
    new, prepare, rng,
    snarkjs::{directory, snarkjs},
    verify,
};

type E = Bn254;

fn timed<T>(what: &str, power: u32, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let made = run();
    println!("2^{power} {what}: {:.1?}", start.elapsed());
    made
}

/// Each command of phase 1 but the preparation, at 2^18 points.
#[test]
#[ignore = "takes minutes"]
fn long_phase_1() {
    const POWER: u32 = 18;
    let start = timed("new", POWER, || new::<E>(POWER));
    let ana = timed("verify and contribute", POWER, || contribute::<E>(&start, "Ana", 1));
    let mut last = timed("beacon", POWER, || beacon::<E>(&ana, None));
    assert!(timed("verify", POWER, || verify::<E>(&last)).unwrap().is_hash_checked);

    let mut cut = Vec::new();
    phase1::truncate::<E>(&mut Cursor::new(&last), &mut cut, POWER - 1).unwrap();
    verify::<E>(&cut).unwrap();

    let (mut challenge, mut response) = (Vec::new(), Vec::new());
    let file = &mut Cursor::new(&mut last);
    timed("export", POWER, || phase1::export_challenge::<E>(file, &mut challenge, &())).unwrap();
    timed("answer", POWER, || try_answer::<E>(&challenge, &mut response, Dialect::Snarkjs))
        .unwrap();
    let (response, new) = (&mut Cursor::new(response), &mut Cursor::new(Vec::new()));
    let (settings, rng) = (Settings::default(), &mut rng(3));
    let import = || phase1::import_response::<E>(file, response, new, None, &settings, rng, &());
    timed("import", POWER, import).unwrap();
}

/// Prepared files are accepted, by us and by snarkjs.
#[test]
#[ignore = "takes minutes"]
fn long_prepared_files() {
    for power in [14, 15, 17] {
        let last = contribute::<E>(&new::<E>(power), "Ana", 1);
        let prepared = timed("prepare", power, || prepare::<E>(&last));
        assert!(timed("verify", power, || verify::<E>(&prepared)).unwrap().is_prepared);
        let directory = &directory(Curve::Bn254, &format!("long-{power}"));
        fs::write(directory.join("prepared.ptau"), prepared).unwrap();
        let said =
            timed("snarkjs verify", power, || snarkjs(directory, &["verify", "prepared.ptau"]));
        assert!(said.contains("PowersofTauOk!"), "{said}");
    }
}
