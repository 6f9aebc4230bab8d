//! What a querier can compute from a proof that fails (B16), and that it finds nothing.

use algebra::{Group, Scalar};
use trace::*;
use trace_db::{rsm::*, *};

use super::support::*;

fn hashed(label: &str) -> G1 {
    G1::hash_to_group(format!("subrosa/trace/db/{label}").as_bytes())
}

/// The output's input, from the servers' point of view: values are all different.
fn origins(world: &World, values: &[u64]) -> Vec<usize> {
    let outputs = world.outputs.values().iter();
    outputs.map(|v| values.iter().position(|&own| value(own) == *v).unwrap()).collect()
}

#[test]
fn outside_the_answer_the_unblinded_tuple_tells_nothing() {
    let values = [4, 5, 6, 7];
    let mut world = World::new(2, &values, Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 1], &[0, 1, 2, 3]);
    let pass = world.pass(&query, Side::Asked);
    let x = F::random(&mut world.rng.clone());
    let key = BbsKey::generate(&mut world.rng);
    assert_eq!(key.public().1, G1::generator().mul(&x));
    let offer = BbsOffer::new(&pass, &key, &world.identity).unwrap();
    let query = RsmQuery::verify(pass, offer).unwrap();
    let opened = world.rsm_open(query);
    let (announcements, proof) = world.rsm_proof(&opened);
    let reading = proof.read(&key);
    let origins = origins(&world, &values);
    let (statement, z) = (proof.statement(), proof.responses());
    let c = announcements.challenge().scalar();
    let [blinded_c, blinded_r] = statement.tuples().numbers();
    let image = key.public().1;
    let (f, h) = (hashed("F"), hashed("H"));
    let mut distinct = Vec::new();
    for (j, &origin) in origins.iter().enumerate() {
        // R1 = V·(−c) + first(z): V is the right side for the true witness, whatever the left is.
        let point = statement.tuples().points()[j];
        let announced = announcements.sums().points()[j];
        let first = image.mul(&z[0][j])
            + G1::generator().mul(&(z[0][j] * blinded_c[j] - z[4][j]))
            + point.mul(&z[1][j])
            - h.mul(&z[2][j]);
        let linear = (announced - first).mul(&c.invert().unwrap());
        // U = (x + c)·S − (r̂ + r)·H: the blinding is gone.
        let unblinded = point.mul(&(x + blinded_c[j])) - h.mul(&blinded_r[j]) - linear;
        let committed = f + G1::generator().mul(&world.outputs.values()[j]);
        // For members U is F + v'·G: the attack computes what it means to compute.
        assert_eq!(reading.proven[j], origin < 2);
        assert_eq!(unblinded == committed, origin < 2);
        if origin >= 2 {
            // A fake known to the querier would make U + γ_i − v'·G a point that it knows for
            // exactly i = π(j). The points are secrets of both servers instead.
            for &gamma in world.outputs.commitments() {
                let rest = unblinded + gamma - G1::generator().mul(&world.outputs.values()[j]);
                assert!(![G1::identity(), G1::generator(), f, h, image].contains(&rest));
            }
            distinct.push(unblinded);
        }
    }
    assert_ne!(distinct[0], distinct[1]);

    // The same query again: the points outside I are others, so that nothing adds up over time.
    let again = world.query(Direction::Out, &[0, 1], &[0, 1, 2, 3]);
    let pass = world.pass(&again, Side::Asked);
    let (query, _) = world.rsm_query(pass);
    let first = world.rsm_fakes(&query);
    let once_more = world.query(Direction::Out, &[0, 1], &[0, 1, 2, 3]);
    let pass = world.pass(&once_more, Side::Asked);
    let (query, _) = world.rsm_query(pass);
    assert_ne!(first, world.rsm_fakes(&query));
    assert!(RsmStart::verify(query, &first).is_err());
}

#[test]
fn fakes_going_in_are_hashes_of_the_pass() {
    // For rows outside J, σ_j is a hash that everybody recomputes: it differs from pass to pass and
    // key to key, and its logarithm is nobody's. T' = b·(G − v·σ_j) then is one side of a DDH
    // problem in G1, for which the pairing does not help.
    let values = [4, 5, 6];
    let mut world = World::new(2, &values, Keys::Dealt);
    let mut lists = Vec::new();
    for _ in 0..2 {
        let query = world.query(Direction::In, &[0, 1, 2], &[0]);
        let pass = world.pass(&query, Side::Asked);
        let (query, _) = world.sm_query(pass);
        let list = query.list()[0].components().map(|list| list.points().to_vec());
        // Randomness 0, for everybody to see.
        assert!(list[0].iter().all(Group::is_identity));
        assert!(list[1].iter().all(|point| !point.is_identity()));
        lists.push(list[1].clone());
    }
    let mut pairs = lists[0].iter().zip(&lists[1]);
    assert!(pairs.all(|(first, second)| first != second));
}
