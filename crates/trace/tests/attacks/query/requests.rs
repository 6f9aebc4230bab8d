//! Requests that are not well formed, not signed, not admitted; several under one name.

use algebra::Embed;
use trace::{
    policy::{Hidden, Side},
    routed::*,
    *,
};
use wire::{Decode, Encode};

use super::{MESSAGES, full, world};
use crate::support::*;

#[test]
fn indices_out_of_range_or_repeated_are_refused() {
    let mut world = world();
    assert_eq!(IndexSet::new([3, 1, 3]), Err(TraceError::RepeatedIndex { index: 3 }));
    let cases = [(vec![5], vec![0], "I"), (vec![0], vec![u32::MAX], "J")];
    for (inputs, outputs, name) in cases {
        let query = world.ask(Direction::In, By::Value, vec![question(&inputs, &outputs)]);
        let refused = Pass::new(world.outputs.ground().clone(), query).err().unwrap();
        assert!(matches!(refused, TraceError::IndexRange { set, rows: 5, .. } if set == name));
    }
    for bytes in [[2_u32, 3, 3], [2, 3, 1]] {
        let bytes: Vec<u8> = bytes.into_iter().flat_map(u32::to_le_bytes).collect();
        assert!(IndexSet::from_bytes(&bytes).is_err());
    }
    assert!(IndexSet::from_bytes(&u32::MAX.to_le_bytes()).is_err());
}

#[test]
fn requests_are_for_one_session_and_signed() {
    let mut world = world();
    let query = world.ask(Direction::In, By::Value, vec![full()]);
    let other = World::new(Shape { servers: 3, threshold: 2, messages: &MESSAGES, seed: 22 });
    let refused = Pass::new(other.outputs.ground().clone(), query.clone()).err().unwrap();
    assert_eq!(refused, TraceError::ForeignRequest { request: 0 });

    // Another direction, another I, J or key, under the same signature.
    let honest = query.to_bytes();
    let mut refused = 0;
    for position in (36..honest.len()).step_by(3) {
        let mut bytes = honest.clone();
        bytes[position] ^= 1;
        let Ok(query) = Query::<G>::from_bytes(&bytes) else { continue };
        assert_ne!(query.id(), world.ask(Direction::In, By::Value, vec![full()]).id());
        assert!(Pass::new(world.outputs.ground().clone(), query).is_err(), "byte {position}");
        refused += 1;
    }
    assert!(refused > 20);
}

#[test]
fn queries_are_well_formed() {
    let mut world = world();
    let mut request = |direction, questions| {
        world.querier.request(
            world.outputs.ground(),
            direction,
            By::Value,
            questions,
            &mut world.rng,
        )
    };
    let one = request(Direction::In, vec![full()]);
    assert!(matches!(Query::<G>::new(vec![]), Err(TraceError::Query(_))));
    assert!(matches!(Query::new(vec![one.clone(), one.clone()]), Err(TraceError::Query(_))));
    let back = request(Direction::Out, vec![full()]);
    assert!(matches!(Query::new(vec![one.clone(), back]), Err(TraceError::Query(_))));
    let nothing = request(Direction::In, vec![]);
    assert!(matches!(Query::new(vec![nothing]), Err(TraceError::Query(_))));
    let many = request(Direction::In, vec![full(); MAX_QUESTIONS]);
    assert!(Query::new(vec![many.clone()]).is_ok());
    assert!(matches!(Query::new(vec![one, many]), Err(TraceError::Query(_))));
}

#[test]
fn a_server_signs_one_digest_for_a_query() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let routed = |world: &World| Routed::verify(world.pass(&query), turns.clone()).unwrap();
    // Two sets of blindings, shown to two servers.
    let (left, right) = (routed(&world), routed(&world));
    let (first, second) = (world.blindings(&left), world.blindings(&right));
    let left = Blinded::verify(left, first).unwrap();
    let right = Blinded::verify(right, second).unwrap();
    assert_ne!(left.digest(), right.digest());
    let (server, journal) = (&mut world.servers[0], &mut world.journals[0]);
    let signature = server.sign_query(&left, journal).unwrap();
    assert_eq!(server.sign_query(&left, journal), Ok(signature));
    let committed = TraceError::Committed { server: 1, what: "the query" };
    assert_eq!(server.sign_query(&right, journal), Err(committed.clone()));

    // A retry is another query: no second turn or blinding under this id.
    let pass = world.pass(&query);
    let (server, journal) = (&mut world.servers[0], &mut world.journals[0]);
    let again = server.pass_on(&pass, &[], journal, &mut world.rng);
    assert_eq!(again.err(), Some(committed.clone()));
    let rerouted = Routed::verify(pass, turns.clone()).unwrap();
    let again = server.blind(&rerouted, journal, &mut world.rng);
    assert_eq!(again.err(), Some(committed));
}

#[test]
fn two_requests_under_one_query_id_do_not_agree() {
    // Servers 1 and 2 are shown (I, J), server 3 another J. Whatever id the board shows, the
    // digests differ, and no server accepts the others' signatures.
    let mut world = world();
    let [left, right] = [[0], [1]].map(|outputs| {
        let query = world.ask(Direction::Out, By::Position, vec![question(&[0], &outputs)]);
        world.blinded(&query)
    });
    assert_ne!(left.routed().pass().query().id(), right.routed().pass().query().id());
    let mut sign = |server: usize, blinded: &Blinded<G>| {
        world.servers[server].sign_query(blinded, &mut world.journals[server]).unwrap()
    };
    let signatures = vec![sign(0, &left), sign(1, &left), sign(2, &right)];
    let refused = Agreed::verify(left, Agreement::new(signatures)).err().unwrap();
    assert_eq!(refused, TraceError::Disagreement { what: "query", server: 3 });
}

#[test]
fn the_policy_decides_and_the_log_remembers() {
    let messages = &["a", "b", "c", "d", "e", "f", "g"];
    let mut world = World::new(Shape { servers: 3, threshold: 2, messages, seed: 21 });
    let floors = Floors { side: Side::Inputs, rows: 2, values: 2, coalition: 1 };
    let policy = Policy {
        queriers: vec![world.querier.id()],
        max_questions: 3,
        cut: Cut::One(floors),
        by_position: false,
    };
    let classes = world.outputs.class_of().to_vec();
    let mut log = QueryLog::default();
    let mut admit = |world: &mut World, direction, by, inputs: &[u32], outputs: &[u32]| {
        let query = world.ask(direction, by, vec![question(inputs, outputs)]);
        log.admit(&policy, &query, &classes).map(|()| query)
    };
    let is_policy = |result: Result<Query<G>, TraceError>, why: &str| {
        let refused = result.unwrap_err();
        assert!(matches!(refused, TraceError::Policy { request: 0, .. }));
        assert!(refused.to_string().contains(why), "{refused}");
    };
    let (inside, out, value) = (Direction::In, Direction::Out, By::Value);
    is_policy(admit(&mut world, out, By::Position, &[0, 1], &[0, 1]), "by position");
    // Two inputs, of which one may be known; and all but two.
    is_policy(admit(&mut world, out, value, &[0, 1], &[0, 1]), "inputs apart down to 1 beside 1");
    is_policy(admit(&mut world, out, value, &[0, 1, 2, 3, 4], &[0]), "apart down to 1");
    is_policy(admit(&mut world, inside, value, &[0, 1], &[0, 1, 2]), "of this mix only inputs are");
    assert!(admit(&mut world, out, value, &[0, 1, 2], &[0, 1]).is_ok());
    // With the first, this one would single out input 3.
    is_policy(admit(&mut world, out, value, &[0, 1, 2, 3], &[4]), "apart down to 0");
    // Nothing is told by what everybody knows.
    let constant = admit(&mut world, inside, value, &[4], &[0, 1, 2, 3, 4, 5, 6]).unwrap();
    admit(&mut world, out, value, &[], &[0, 1]).unwrap();
    is_policy(admit(&mut world, out, value, &[0, 1, 2], &[0]), "over the limit of questions, 3");
    assert!(log.admit(&policy, &constant, &classes).is_ok(), "after a restart");
    assert_eq!((log.queries().len(), log.questions()), (3, 3));
    let exposure = log.exposure();
    assert_eq!(*exposure, Exposure::of(log.queries(), &classes));
    assert_eq!((exposure.questions(), exposure.constant()), (3, 2));
    assert_eq!(exposure.cells(Side::Outputs), None);
    assert_eq!(exposure.hidden(Side::Inputs, &classes, 0), Some(Hidden { rows: 3, values: 3 }));

    let nobody = Policy { queriers: vec![], ..policy.clone() };
    let full = || Question { inputs: IndexSet::all(7), outputs: IndexSet::all(7) };
    let query = world.ask(out, value, vec![full()]);
    let refused = QueryLog::default().admit(&nobody, &query, &classes).unwrap_err();
    assert!(refused.to_string().contains("may not ask"), "{refused}");
    // The same request in another query is the same question asked twice.
    let request =
        world.querier.request(world.outputs.ground(), out, value, vec![full()], &mut world.rng);
    let other =
        world.querier.request(world.outputs.ground(), out, value, vec![full()], &mut world.rng);
    let mut log = QueryLog::default();
    let wide = Policy { max_questions: 10, ..policy };
    log.admit(&wide, &Query::new(vec![request.clone()]).unwrap(), &classes).unwrap();
    let again = Query::new(vec![other, request]).unwrap();
    let refused = log.admit(&wide, &again, &classes).unwrap_err();
    assert!(refused.to_string().contains("asked before"), "{refused}");
}

/// A server that stops a query after others signed it: the querier asks again, and its budget is as it
/// was. Another querier's question counts, and so does anything that differs.
#[test]
fn a_stopped_query_is_asked_again_on_the_same_budget() {
    let mut world =
        World::new(Shape { servers: 3, threshold: 2, messages: &["a", "b", "c"], seed: 23 });
    let policy = Policy { max_questions: 1, ..world.policy.clone() };
    let classes = world.outputs.class_of().to_vec();
    let mut log = QueryLog::default();
    let mut admit = |direction, by, inputs: &[u32]| {
        let query = world.ask(direction, by, vec![question(inputs, &[0, 1])]);
        log.admit(&policy, &query, &classes).map_err(|error| error.to_string())
    };
    let (out, value) = (Direction::Out, By::Value);
    for _ in 0..MAX_REPEATS {
        assert_eq!(admit(out, value, &[0, 1]), Ok(()));
    }
    assert!(admit(out, value, &[0, 1]).unwrap_err().contains("16 times"));
    for (direction, by, inputs) in
        [(out, value, [0, 2]), (Direction::In, value, [0, 1]), (out, By::Position, [0, 1])]
    {
        assert!(
            admit(direction, by, &inputs).unwrap_err().contains("over the limit of questions, 1")
        );
    }
    assert_eq!((log.queries().len(), log.questions()), (MAX_REPEATS, 1));
}

/// The two ways to put questions together that single somebody out: executed where everything is
/// answered, and refused by the rule.
struct Victim {
    world: World,
    log: QueryLog<G>,
    policy: Policy,
}

impl Victim {
    /// Twelve senders of two values; every row stays among three, of whom one may be known.
    fn new() -> Self {
        let messages =
            ["yes", "no", "yes", "no", "yes", "no", "no", "yes", "no", "yes", "no", "yes"];
        let world = World::new(Shape { servers: 3, threshold: 2, messages: &messages, seed: 22 });
        let floors = Floors { side: Side::Inputs, rows: 3, values: 1, coalition: 1 };
        let policy = Policy { max_questions: 10, cut: Cut::One(floors), ..world.policy.clone() };
        Self { world, log: QueryLog::default(), policy }
    }

    /// The answer, and what the policy says of the question after those before.
    fn ask(
        &mut self,
        direction: Direction,
        inputs: &[u32],
        outputs: &[u32],
    ) -> (IndexSet, Result<(), TraceError>) {
        let query = self.world.ask(direction, By::Position, vec![question(inputs, outputs)]);
        let judged = self.log.admit(&self.policy, &query, self.world.outputs.class_of());
        let agreed = self.world.agreed(&query);
        let shares = self.world.shares(&agreed, 0);
        let answer = self.world.querier.read(&agreed, 0, &shares).unwrap().answer.unwrap();
        (answer.yes[0].clone(), judged)
    }

    /// Outputs that say this.
    fn saying(&self, text: &str) -> Vec<u32> {
        let value = G::embed(text.as_bytes()).unwrap();
        let outputs = (0_u32..).zip(self.world.outputs.values());
        outputs.filter(|(_, blocks)| blocks[0] == value).map(|(row, _)| row).collect()
    }
}

/// Six inputs among the outputs that say yes, then five of them among the others: no output is asked
/// about twice, each could come from six or five inputs, and the numbers say what the sixth said.
#[test]
fn two_sets_of_inputs_that_differ_by_one_are_not_played_off_against_each_other() {
    let mut victim = Victim::new();
    let (yes, no) = (victim.saying("yes"), victim.saying("no"));
    let (six, five): ([u32; 6], [u32; 5]) = ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4]);
    let (first, judged) = victim.ask(Direction::Out, &six, &yes);
    judged.unwrap();
    let (second, judged) = victim.ask(Direction::Out, &five, &no);
    // All six are found, or one is missing: input 5, where it would be if it said no.
    assert_eq!(first.len() + second.len(), 5, "input 5 said no");
    let refused = judged.unwrap_err();
    assert!(refused.to_string().contains("inputs apart down to 0 beside 1"), "{refused}");
}

/// A question about half of the inputs, then one about outputs that the first told apart: both sides
/// have large sets, and a row is known.
#[test]
fn questions_about_inputs_and_about_outputs_are_not_crossed() {
    let mut victim = Victim::new();
    let (all, half): (Vec<u32>, Vec<u32>) = ((0..12).collect(), (0..6).collect());
    let (from_half, judged) = victim.ask(Direction::Out, &half, &all);
    judged.unwrap();
    // One output of the half, and five of the others.
    let own = from_half.iter().next().unwrap();
    let others = all.iter().copied().filter(|row| !from_half.contains(*row)).take(5);
    let crossing: Vec<u32> = std::iter::once(own).chain(others).collect();
    let (among, judged) = victim.ask(Direction::In, &all, &crossing);
    let singled: Vec<u32> = among.iter().filter(|row| half.contains(row)).collect();
    assert_eq!(singled.len(), 1, "whose output it is");
    let refused = judged.unwrap_err();
    assert!(refused.to_string().contains("of this mix only inputs are"), "{refused}");
}

/// Two outputs of one value have one answer by value: J is what all of them make.
#[test]
fn equal_outputs_cannot_be_played_off_against_each_other() {
    let messages = ["w", "x", "w", "y", "z", "u"];
    let mut world = World::new(Shape { servers: 3, threshold: 2, messages: &messages, seed: 22 });
    let classes = world.outputs.class_of().to_vec();
    let twin = (0..6).find(|row| classes.iter().filter(|c| **c == classes[*row]).count() == 2);
    let others: Vec<u32> =
        (0..6).filter(|row| classes[*row as usize] != classes[twin.unwrap()]).collect();
    let floors = Floors { side: Side::Outputs, rows: 2, values: 2, coalition: 0 };
    let policy = Policy { cut: Cut::One(floors), ..world.policy.clone() };
    let mut admit = |by, outputs: &[u32]| {
        let query = world.ask(Direction::In, by, vec![question(&[0, 1], outputs)]);
        QueryLog::default().admit(&policy, &query, &classes)
    };
    // A twin and another row are three rows, and three are left.
    let with_twin = [&[twin.unwrap() as u32], &others[..1]].concat();
    admit(By::Value, &with_twin).unwrap();
    // With two more, one row is left by value; by position, the other twin too.
    let with_more = [&[twin.unwrap() as u32], &others[..3]].concat();
    let refused = admit(By::Value, &with_more).unwrap_err();
    assert!(refused.to_string().contains("outputs apart down to 1"), "{refused}");
    admit(By::Position, &with_more).unwrap();
    // Both twins are two rows of one value.
    let twins = admit(By::Value, &[twin.unwrap() as u32]).unwrap_err();
    assert!(twins.to_string().contains("may have as few values as 1"), "{twins}");
}

#[test]
fn floors_that_protect_nobody_are_none() {
    let floors = Floors { side: Side::Inputs, rows: 2, values: 2, coalition: 1 };
    floors.check().unwrap();
    for (low, field) in [
        (Floors { rows: 1, ..floors }, "min_rows = 1"),
        (Floors { values: 1, ..floors }, "min_values = 1"),
        (Floors { coalition: 0, ..floors }, "coalition = 0"),
    ] {
        assert!(low.check().unwrap_err().contains(field), "{low:?}");
    }
}

#[test]
fn servers_answer_only_what_their_policy_admits() {
    let mut world = world();
    world.policy.queriers.clear();
    let secret = ServerSecret::from_seed(&world.seeds[0]);
    let mixed = world.outputs.mixed().clone();
    let session = mixed.inputs().session().clone();
    let mut strict = Server::new(secret, session, world.policy.clone()).unwrap();
    strict.commit(mixed.inputs(), &world.generators, &mut world.journals[0]).unwrap();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let pass = world.pass(&query);
    let refused = strict.pass_on(&pass, &[], &world.journals[0], &mut world.rng).err().unwrap();
    assert!(matches!(refused, TraceError::Policy { .. }));
    let agreed = world.agreed(&query);
    let mut lost = MemoryJournal::default();
    let refused = strict.share(&agreed, 0, &mut lost, &mut world.rng).err().unwrap();
    assert!(matches!(refused, TraceError::Policy { .. }));
}

#[test]
fn a_signed_query_counts_in_every_process_with_the_same_journal() {
    let mut world = world();
    world.policy.max_questions = 1;
    let questions = [full(), question(&[0, 1], &[0, 1])];
    let [first, second] =
        questions.map(|question| world.ask(Direction::Out, By::Value, vec![question]));
    let (one, other) = (world.blinded(&first), world.blinded(&second));
    let mixed = world.outputs.mixed().clone();
    let mut journal = MemoryJournal::default();
    let start = |world: &World, journal: &mut MemoryJournal| {
        let secret = ServerSecret::from_seed(&world.seeds[0]);
        let session = mixed.inputs().session().clone();
        let mut server = Server::new(secret, session, world.policy.clone()).unwrap();
        server.commit(mixed.inputs(), &world.generators, journal).unwrap();
        server
    };
    let is_over = |refused: Option<TraceError>| {
        let refused = refused.unwrap();
        assert!(matches!(refused, TraceError::Policy { .. }), "{refused}");
        assert!(refused.to_string().contains("over the limit of questions, 1"), "{refused}");
    };
    let (mut server, mut twin) = (start(&world, &mut journal), start(&world, &mut journal));
    // What is not signed does not count: its sender may fail.
    for query in [&first, &second] {
        let pass = world.pass(query);
        assert!(server.pass_on(&pass, &[], &journal, &mut world.rng).is_ok());
        assert!(twin.pass_on(&pass, &[], &journal, &mut world.rng).is_ok());
    }
    server.sign_query(&one, &mut journal).unwrap();
    assert_eq!(server.log().queries(), std::slice::from_ref(&first));
    is_over(server.sign_query(&other, &mut journal).err());
    is_over(twin.sign_query(&other, &mut journal).err());
    let mut restarted = start(&world, &mut journal);
    is_over(restarted.pass_on(&world.pass(&second), &[], &journal, &mut world.rng).err());
    assert_eq!(restarted.log().queries(), [first]);
    assert!(restarted.sign_query(&one, &mut journal).is_ok(), "the same again");
}
