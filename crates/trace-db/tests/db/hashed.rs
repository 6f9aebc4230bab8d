//! Linking by T' in DB-SM, as an algorithm: what a querier does with a proof that fails, if it knows
//! the logarithms of the points outside J, and that it knows none.

use algebra::{Group, Scalar};
use trace::Direction;
use trace_db::{F, G1, G2, Side};

use super::support::*;

/// A point outside J that the querier knows the logarithm s of, and the output's value v': for the row
/// behind it, `σ~ = b·s·G` and `T' = b·G − v'·σ~`, so that `T' = (1/s − v')·σ~`.
struct Known {
    logarithm: F,
    value: F,
}

/// All outputs whose point may be behind a blinded signature, from T'.
fn link(blinded: &G1, failing: &G1, known: &[Known]) -> Vec<usize> {
    let is_behind = |known: &Known| {
        let factor = known.logarithm.invert().unwrap() - known.value;
        blinded.mul(&factor) == *failing
    };
    known.iter().enumerate().filter(|(_, known)| is_behind(known)).map(|(j, _)| j).collect()
}

/// Fakes with logarithms that the querier knows would give away every row outside the answer.
#[test]
fn the_attack_finds_points_of_known_logarithm() {
    let mut rng = rng(41);
    let known: Vec<Known> = (0..6)
        .map(|v| Known { logarithm: F::random(&mut rng), value: F::from_u64(v / 2) })
        .collect();
    for (j, Known { logarithm, value }) in known.iter().enumerate() {
        let b = F::random(&mut rng);
        let blinded = G1::generator().mul(&(b * *logarithm));
        let failing = G1::generator().mul(&b) - blinded.mul(value);
        assert_eq!(link(&blinded, &failing, &known), [j]);
    }
}

#[test]
fn the_attack_finds_nothing_behind_hashed_points() {
    let values = [4, 5, 6, 7];
    let mut world = World::new(2, &values, Keys::Dealt);
    let query = world.query(Direction::In, &[0, 1, 2, 3], &[0, 1]);
    let pass = world.pass(&query, Side::Asked);
    let x = F::random(&mut world.rng.clone());
    let (query, key) = world.sm_query(pass.clone());
    assert_eq!(key.public(), G2::generator().mul(&x), "the test knows the querier's key");

    // Points outside J are hashes to the group, of the pass, the key and the row.
    let points = query.list()[0].components()[1].points().to_vec();
    // All values are different, so that J is closed: outputs 0 and 1 have the querier's signatures.
    let signed = |j: usize| j < 2;
    for j in (0..4).filter(|&j| !signed(j)) {
        let row = (j as u64).to_le_bytes();
        let parts: [&[u8]; 3] = [pass.id().as_bytes(), &key.public().encode(), &row];
        let hashed = G1::hash_to_group(digest_of("trace/db/fake", &parts).as_bytes());
        assert_eq!(points[j], hashed);
    }

    // What the querier knows: its own signatures' logarithms, and what they would be elsewhere.
    let outputs = world.outputs.values().to_vec();
    let known: Vec<Known> = outputs
        .iter()
        .map(|&value| Known { logarithm: (x + value).invert().unwrap(), value })
        .collect();
    let small: Vec<Known> = outputs
        .iter()
        .flat_map(|&value| (1..50).map(move |s| Known { logarithm: F::from_u64(s), value }))
        .collect();

    let opened = world.sm_open(query);
    let (announcements, proof) = world.sm_proof(&opened);
    let reading = proof.read(&key);
    let (c, z) = (announcements.challenge().scalar(), proof.responses());
    for (i, &own) in values.iter().enumerate() {
        let blinded = proof.statement().blinded().points()[i];
        // R1 = z_b·G − z_v·σ~ + c·T'.
        let linear = G1::generator().mul(&z[2][i]) - blinded.mul(&z[0][i]);
        let announced = announcements.sums().points()[i];
        let failing = (announced - linear).mul(&c.invert().unwrap());
        let asked = outputs.iter().position(|&output| output == value(own)).unwrap();
        assert_eq!(reading.proven[i], signed(asked));
        // T' = x·σ~ for members: the attack computes what it means to, and fits every output alike.
        let found = link(&blinded, &failing, &known);
        let expected = if signed(asked) { vec![0, 1, 2, 3] } else { vec![] };
        assert_eq!(found, expected, "row {i}");
        assert_eq!(link(&blinded, &failing, &small), [] as [usize; 0], "row {i}");
    }
}
