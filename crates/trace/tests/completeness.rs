//! Honest sessions over sizes, duplicates, thresholds and sets: every answer against the truth.

use crate::support::*;
use trace::*;

const ALL: [(Direction, By); 4] = [
    (Direction::In, By::Value),
    (Direction::In, By::Position),
    (Direction::Out, By::Value),
    (Direction::Out, By::Position),
];

/// The answer, computed from all servers' permutations.
fn truth(
    routes: &[u32],
    messages: &[&str],
    (direction, by): (Direction, By),
    inputs: &[u32],
    outputs: &[u32],
) -> IndexSet {
    let value = |j: u32| messages[routes[j as usize] as usize];
    let place = |i: u32| (0..).find(|&j: &u32| routes[j as usize] == i).unwrap();
    let is_in = |&i: &u32| match by {
        By::Position => outputs.contains(&place(i)),
        By::Value => outputs.iter().any(|&j| value(j) == messages[i as usize]),
    };
    let is_out = |&j: &u32| match by {
        By::Position => inputs.contains(&routes[j as usize]),
        By::Value => inputs.iter().any(|&i| messages[i as usize] == value(j)),
    };
    set(&match direction {
        Direction::In => inputs.iter().copied().filter(is_in).collect::<Vec<_>>(),
        Direction::Out => outputs.iter().copied().filter(is_out).collect(),
    })
}

fn check(servers: u8, threshold: u16, messages: &[&str], sets: &[(&[u32], &[u32])]) {
    let mut world = World::new(Shape { servers, threshold, messages, seed: 1 });
    let routes = world.routes();
    for (j, value) in world.outputs.values().iter().enumerate() {
        use algebra::Embed;
        let text = value[0].extract().unwrap();
        let expected = messages[routes[j] as usize].as_bytes();
        assert!(text.starts_with(expected), "output {j}");
    }
    for kind in ALL {
        for (inputs, outputs) in sets {
            let expected = truth(&routes, messages, kind, inputs, outputs);
            let answer = world.trace(kind.0, kind.1, inputs, outputs);
            assert_eq!(answer, expected, "{kind:?} I = {inputs:?}, J = {outputs:?}");
        }
    }
}

#[test]
fn one_submission() {
    check(2, 2, &["only"], &[(&[0], &[0]), (&[], &[0]), (&[0], &[]), (&[], &[])]);
}

#[test]
fn subsets_of_an_odd_number_with_duplicates() {
    let messages = ["a", "b", "a", "c", "b", "a", "d"];
    let full: &[u32] = &[0, 1, 2, 3, 4, 5, 6];
    let sets: [(&[u32], &[u32]); 6] = [
        (full, full),
        (full, &[2]),
        (&[3], full),
        (&[0, 1, 4], &[1, 2, 6]),
        (&[], full),
        (full, &[]),
    ];
    check(3, 2, &messages, &sets);
}

#[test]
fn all_the_same() {
    let full: &[u32] = &[0, 1, 2, 3];
    check(2, 1, &["x"; 4], &[(full, full), (&[1], &[2]), (&[0, 3], full)]);
}

#[test]
fn one_server() {
    check(1, 1, &["a", "b"], &[(&[0], &[0, 1])]);
}

#[test]
fn seven_servers_of_which_four_decrypt() {
    check(7, 4, &["a", "b", "c"], &[(&[0, 2], &[1, 2])]);
}

#[test]
fn several_requests_with_several_questions_ride_in_one_pass() {
    let messages = ["a", "b", "a", "c", "b"];
    let mut world = World::new(Shape { servers: 2, threshold: 2, messages: &messages, seed: 2 });
    let routes = world.routes();
    for direction in [Direction::In, Direction::Out] {
        let questions = [
            vec![(vec![0, 1], vec![0, 3]), (vec![2], vec![0, 1, 2, 3, 4])],
            vec![(vec![4, 0], vec![2, 1])],
        ];
        let kinds = [By::Value, By::Position];
        let requests = questions.iter().zip(kinds).map(|(questions, by)| {
            let questions = questions.iter().map(|(i, j)| question(i, j)).collect();
            world.querier.request(world.outputs.ground(), direction, by, questions, &mut world.rng)
        });
        let query = Query::new(requests.collect()).unwrap();
        let agreed = world.agreed(&query);
        for (request, by) in kinds.into_iter().enumerate() {
            let shares = world.shares(&agreed, request);
            let answer = world.querier.read(&agreed, request, &shares).unwrap().answer.unwrap();
            for ((inputs, outputs), yes) in questions[request].iter().zip(&answer.yes) {
                let mut sorted = outputs.clone();
                sorted.sort_unstable();
                assert_eq!(*yes, truth(&routes, &messages, (direction, by), inputs, &sorted));
            }
            assert_eq!(answer.yes.len(), questions[request].len());
        }
    }
}

#[test]
fn ballots_of_several_blocks_replace_each_other() {
    use algebra::{Embed, Group};
    use std::sync::Arc;
    use trace::routed::*;
    let seeds = seeds(2, 3);
    let session = session(&seeds, 2, 2, 2);
    let mut rng = rng(3);
    let block = |text: &str| G::embed(text.as_bytes()).unwrap();
    let mut seal = |sender: &[u8], number, first: &str| {
        let blocks = [block(first), G::identity()];
        Submission::seal(&session, sender, number, &blocks, &mut rng).unwrap()
    };
    let submissions = vec![seal(b"ann", 1, "no"), seal(b"bob", 1, "yes"), seal(b"ann", 2, "yes")];
    let inputs = Arc::new(Inputs::collect(session.clone(), submissions).unwrap());
    assert_eq!(inputs.rows(), 2);
    assert_eq!(inputs.submission(0).unwrap().sender(), b"bob");
    assert_eq!(inputs.submission(1).unwrap().number(), 2);
    assert_eq!(inputs.columns().len(), 2);
}

#[test]
fn published_answers_are_verified_by_anybody() {
    use algebra::Ristretto255;
    use trace::routed::*;
    use wire::Encode;
    let messages = ["a", "b", "a"];
    let mut world = World::new(Shape { servers: 2, threshold: 2, messages: &messages, seed: 4 });
    let query = world.ask(Direction::Out, By::Value, vec![question(&[0], &[0, 1, 2])]);
    let agreed = world.agreed(&query);
    let shares = world.shares(&agreed, 0);
    let reading = world.querier.read(&agreed, 0, &shares).unwrap();
    let record =
        AnswerRecord { query: QueryRecord::of(&agreed), request: 0, shares: reading.shares };
    let session = SessionRecord::of(&world.outputs).to_bytes();

    type Routed = RoutedEngine<Ristretto255>;
    let verified = Routed::verify_session(&session).unwrap();
    let summary = Routed::summarize(&verified);
    assert_eq!((summary.rows, summary.servers, summary.threshold), (3, 2, 2));
    let published = Routed::verify_answer(&verified, &record.to_bytes()).unwrap();
    assert_eq!((published.query, published.answer.by), (*query.id(), By::Value));
    assert_eq!(published.answer, reading.answer.unwrap());
}
