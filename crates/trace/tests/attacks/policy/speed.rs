//! How fast the rule judges.

use std::time::Duration;

use board::Identity;
use cpu_time::ThreadTime;
use shuffle::SecretKey;
use trace::{policy::Side, *};
use wire::Digest;

use crate::support::{G, rng};

/// Queries, by turns of half of the rows and a stretch more, that leave cells of a hundred and more.
fn queries(rows: u32, count: u32) -> Vec<Query<G>> {
    let mut rng = rng(5);
    let identity = Identity::from_seed(&[5; 32]);
    let key = SecretKey::<G>::generate(&mut rng).public_key();
    let query = |number: u32| {
        let outputs = IndexSet::new((0..rows).filter(|row| row % 1000 < 10 * number)).unwrap();
        let questions = vec![Question { inputs: IndexSet::all(rows), outputs }];
        let (direction, by) = (Direction::In, By::Position);
        let (session, querier) = (Digest::from([0; 32]), identity.id());
        let request = Request { session, direction, by, questions, key, querier, nonce: [0; 32] };
        Query::new(vec![SignedRequest::sign(request, &identity, &mut rng)]).unwrap()
    };
    (1..=count).map(query).collect()
}

#[test]
fn a_hundred_queries_on_a_hundred_thousand_rows_are_judged_in_a_second() {
    const ROWS: u32 = 100_000;
    let queries = queries(ROWS, 100);
    let class_of: Vec<u32> = (0..ROWS).map(|row| row.wrapping_mul(7919) % 1000).collect();
    let floors = Floors { side: Side::Outputs, rows: 500, values: 9, coalition: 100 };
    let policy = Policy {
        queriers: vec![Identity::from_seed(&[5; 32]).id()],
        max_questions: 100,
        cut: Cut::One(floors),
        by_position: true,
    };
    let judge = || {
        let (mut log, start) = (QueryLog::default(), ThreadTime::now());
        queries.iter().for_each(|query| log.admit(&policy, query, &class_of).unwrap());
        assert_eq!(log.exposure().cells(Side::Outputs).unwrap().count(), 100);
        start.elapsed()
    };
    // This thread's time: other tests run meanwhile.
    let time = judge();
    println!("100 queries on {ROWS} rows: {time:?}");
    assert!(time < Duration::from_secs(1), "{time:?}");
}
