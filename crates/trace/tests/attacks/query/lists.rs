//! Dishonest turns: lists by another permutation, changed, or proven for something else.

use algebra::{Group, Scalar};
use shuffle::{
    Ciphertext, Column, Equation, ShuffleError,
    tw::{
        self, CommittedPermutation, ListContext, ListMasks, ListStatement, Passage, Permutation,
        PermutationContext,
    },
};
use trace::{routed::*, *};
use wire::Encode;

use super::{full, route, world};
use crate::support::*;

fn is_refused(result: Result<Routed<G>, TraceError>, expected: u16) {
    let refused = result.err().expect("refused");
    let TraceError::Shuffle { stage: "query", server, .. } = refused else { panic!("{refused}") };
    assert_eq!(server, expected);
}

/// A turn of a dishonest server: any permutation, any lists, proven as well as can be.
struct Cheat<'a> {
    world: &'a World,
    query: &'a Query<G>,
    server: u16,
    position: u32,
}

impl Cheat<'_> {
    fn turn(
        &self,
        committed: &CommittedPermutation<G>,
        before: &[Column<G>],
        session: &[u8],
        purpose: &[u8],
    ) -> Turn<G> {
        let mut rng = rng(self.server.into());
        let key = *self.world.outputs.session().keys().public_key();
        let direction = match self.query.direction() {
            Direction::In => tw::Direction::Backward,
            Direction::Out => tw::Direction::Forward,
        };
        let moved: Vec<_> = before
            .iter()
            .map(|before| tw::shuffle_column(committed, direction, &key, before, &mut rng).unwrap())
            .collect();
        let passages: Vec<_> = before
            .iter()
            .zip(&moved)
            .map(|(before, moved)| Passage { key, before, after: &moved.column })
            .collect();
        let (mixer, position) = (self.server.into(), self.position);
        let context = ListContext { study: session, mix: b"trace", purpose, mixer, position };
        let statement = ListStatement { context, direction, passages: &passages };
        let rows = before[0].len();
        let masks = ListMasks::prepare(rows, &self.world.generators, &mut rng).unwrap();
        let permutation = PermutationContext { study: session, mix: b"trace", mixer };
        let moved: Vec<_> = moved.iter().collect();
        let proof =
            tw::prove_lists(committed, &permutation, &statement, &moved, masks, &mut rng).unwrap();
        Turn { columns: moved.iter().map(|moved| moved.column.clone()).collect(), proof }
    }
}

#[test]
fn another_permutation_for_the_query_than_for_the_mix_is_refused() {
    let mut world = world();
    for direction in [Direction::In, Direction::Out] {
        let query = world.ask(direction, By::Value, vec![full()]);
        let turns = world.turns(&query);
        let session = *world.outputs.session().id();
        let pass = world.pass(&query);
        let server = if direction == Direction::Out { 1 } else { 3 };
        let cheat = Cheat { world: &world, query: &query, server, position: 1 };
        let purpose = query_purpose(&world, &query);

        let mut seed = rng(1);
        let other = Permutation::random(5, &mut seed);
        let other = CommittedPermutation::commit(other, &world.generators, &mut seed).unwrap();
        let forged = cheat.turn(&other, pass.markers(), session.as_bytes(), purpose.as_bytes());
        is_refused(route(&world, &query, &turns, |turns| turns[0] = forged), server);
    }
}

#[test]
fn a_changed_dropped_or_doubled_marker_is_refused() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    assert!(route(&world, &query, &turns, |_| {}).is_ok());
    let edit = |number: usize, edit: &dyn Fn(&mut Vec<Ciphertext<G>>)| {
        let mut turn = turns[number].clone();
        let mut rows = turn.columns[0].ciphertexts();
        edit(&mut rows);
        turn.columns[0] = Column::new(&rows);
        route(&world, &query, &turns, |turns| turns[number] = turn)
    };
    let marker = Ciphertext::trivial(G::generator());
    for number in 0..3 {
        let server = number as u16 + 1;
        is_refused(edit(number, &|rows| rows[2] = rows[2] - marker), server);
        is_refused(edit(number, &|rows| rows[2] = rows[1]), server);
        is_refused(edit(number, &|rows| _ = rows.pop()), server);
        is_refused(edit(number, &|rows| rows.push(marker)), server);
        is_refused(edit(number, &|rows| rows.swap(0, 4)), server);
    }
    let without = route(&world, &query, &turns, |turns| turns[1].columns.clear());
    is_refused(without, 2);
    let missing = route(&world, &query, &turns, |turns| drop(turns.pop())).err().unwrap();
    assert_eq!(missing, TraceError::Missing { what: "turns", expected: 3, got: 2 });
    is_refused(route(&world, &query, &turns, |turns| turns.swap(0, 1)), 1);
}

#[test]
fn a_proof_of_another_query_session_or_order_of_columns_is_refused() {
    let mut world = world();
    let two = vec![question(&[0, 1], &[0]), question(&[2], &[1])];
    let query = world.ask(Direction::Out, By::Position, two.clone());
    let turns = world.turns(&query);

    // The very same questions, asked again: another nonce, another id.
    let again = world.ask(Direction::Out, By::Position, two);
    assert_ne!(query.id(), again.id());
    is_refused(Routed::verify(world.pass(&again), turns.clone()), 1);

    let swapped = route(&world, &query, &turns, |turns| turns[0].columns.swap(0, 1));
    is_refused(swapped, 1);
    let swapped = route(&world, &query, &turns, |turns| {
        turns.iter_mut().for_each(|turn| turn.columns.swap(0, 1));
    });
    is_refused(swapped, 1);

    // Made for this query by the right permutation, but bound to another session or purpose, or to no
    // finished mix.
    let pass = world.pass(&query);
    let server = Cheat { world: &world, query: &query, server: 1, position: 1 };
    let own = recommit(&world, 1);
    let honest = world.outputs.session().id().as_bytes().to_vec();
    let id = query.id().as_bytes().to_vec();
    let own_purpose = query_purpose(&world, &query).as_bytes().to_vec();
    let mix = mix_purpose(world.outputs.mixed().inputs(), world.outputs.mixed().messages());
    let mix = mix.as_bytes().to_vec();
    for (session, purpose) in [(vec![0; 32], own_purpose), (honest.clone(), id), (honest, mix)] {
        let forged = server.turn(&own, pass.markers(), &session, &purpose);
        is_refused(route(&world, &query, &turns, |turns| turns[0] = forged), 1);
    }
}

/// A server's permutation with its true commitment, derived as the server derives it.
fn recommit(world: &World, server: u16) -> CommittedPermutation<G> {
    let own = world.committed(server);
    let published = &world.outputs.mixed().messages()[usize::from(server) - 1].commitment;
    assert_eq!(own.commitment(), published);
    own
}

#[test]
fn the_cheats_tool_is_sound() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let pass = world.pass(&query);
    let session = world.outputs.session().id().as_bytes().to_vec();
    let mut turns: Vec<Turn<G>> = Vec::new();
    for server in 1..=3 {
        let cheat = Cheat { world: &world, query: &query, server, position: server.into() };
        let before = turns.last().map_or(pass.markers(), |turn| &turn.columns);
        let own = recommit(&world, server);
        turns.push(cheat.turn(&own, before, &session, query_purpose(&world, &query).as_bytes()));
    }
    assert!(Routed::verify(pass, turns).is_ok());
}

#[test]
fn errors_of_two_servers_that_cancel_are_found() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let error = G::generator();
    let forged = route(&world, &query, &turns, |turns| {
        turns[0].proof.opening += error;
        turns[1].proof.opening -= error;
    });
    is_refused(forged, 1);
    let forged = route(&world, &query, &turns, |turns| {
        turns[1].proof.responses.opening += S::one();
        turns[2].proof.responses.opening -= S::one();
    });
    is_refused(forged, 2);
}

#[test]
fn every_part_of_a_list_proof_counts() {
    let mut world = world();
    let query = world.ask(Direction::In, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let forge = |change: &dyn Fn(&mut shuffle::tw::ListProof<G>)| {
        is_refused(route(&world, &query, &turns, |turns| change(&mut turns[1].proof)), 2);
    };
    forge(&|proof| proof.opening += G::generator());
    forge(&|proof| proof.columns[0][0] += G::generator());
    forge(&|proof| proof.columns[0][1] += G::generator());
    forge(&|proof| proof.responses.opening += S::one());
    forge(&|proof| proof.responses.challenges[4] += S::one());
    forge(&|proof| proof.responses.columns[0] += S::one());
    forge(&|proof| _ = proof.responses.challenges.pop());
    forge(&|proof| _ = proof.responses.columns.pop());
    forge(&|proof| _ = proof.columns.pop());
}

#[test]
fn challenges_drawn_before_the_output_list_do_not_help() {
    // Had e not absorbed the outputs, a server could move a marker's difference orthogonally to
    // e. Here it knows the e of its honest list, adds differences with sum e_i·d_i = 0 to that
    // list, and keeps the honest proof, which would verify under the same e.
    let mut world = world();
    let query = world.ask(Direction::Out, By::Position, vec![full()]);
    let turns = world.turns(&query);
    let differ = |scalars: [S; 2]| {
        route(&world, &query, &turns, |turns| {
            let mut rows = turns[2].columns[0].ciphertexts();
            rows[0].c2 += G::mul_generator(&scalars[0]);
            rows[1].c2 += G::mul_generator(&scalars[1]);
            turns[2].columns[0] = Column::new(&rows);
        })
    };
    // The permuted challenges as the verifier's equation uses them: T = .. + sum z_i·out[i].
    let z = &turns[2].proof.responses.challenges;
    let orthogonal = [z[1], S::zero() - z[0]];
    let refused = differ(orthogonal).err().unwrap();
    let TraceError::Shuffle { server: 3, error, .. } = refused else { panic!("{refused}") };
    assert!(matches!(error, ShuffleError::Equation { equation: Equation::ListOpening, .. }));
}

#[test]
fn all_servers_together_cannot_answer_wrongly() {
    // They agree on everything, sign everything, and route one marker elsewhere.
    let mut world = world();
    let query = world.ask(Direction::Out, By::Position, vec![question(&[0], &[0, 1, 2, 3, 4])]);
    let agreed = world.agreed(&query);
    let mut record = QueryRecord::of(&agreed);
    let mut rows = record.turns[2].columns[0].ciphertexts();
    rows.swap(0, 1);
    record.turns[2].columns[0] = Column::new(&rows);
    let digest = {
        let outputs = &world.outputs;
        let mut parts = vec![
            outputs.session().id().as_bytes().to_vec(),
            outputs.digest().as_bytes().to_vec(),
            query.to_bytes(),
        ];
        parts.extend(record.turns.iter().map(Encode::to_bytes));
        parts.extend(record.blindings.iter().map(Encode::to_bytes));
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        digest_of("trace/agreed", &parts)
    };
    let domain = "subrosa/trace/agreement/query/v1";
    let sign = |server| world.identity(server).sign(domain, digest);
    record.agreement = Agreement::new((1..=3).map(sign).collect());
    let refused = record.verify(world.outputs.ground()).err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "query", server: 3, .. }), "{refused}");
}

#[test]
fn a_restored_snapshot_repeats_no_randomness() {
    // The same server secret, journal and system randomness, twice: two queries share nothing.
    let mut world = world();
    let questions = [vec![full()], vec![question(&[0], &[0, 1])]];
    let queries = questions.map(|questions| world.ask(Direction::Out, By::Value, questions));
    let [first, second] = [0, 1].map(|query: usize| {
        let pass = world.pass(&queries[query]);
        let journal = world.journals[0].clone();
        world.servers[0].pass_on(&pass, &[], &journal, &mut rng(9)).unwrap()
    });
    // Markers are public: equal randomness would show as equal first components, and equal masks
    // as equal announcements.
    let [left, right] = [&first, &second].map(|turn| turn.columns[0].ciphertexts());
    for (left, right) in left.iter().zip(&right) {
        assert_ne!(left.c1, right.c1);
    }
    assert_ne!(first.proof.opening, second.proof.opening);
    // Nor do two columns of one query.
    let two = world.ask(Direction::Out, By::Value, vec![full(), full()]);
    let pass = world.pass(&two);
    let journal = world.journals[0].clone();
    let turn = world.servers[0].pass_on(&pass, &[], &journal, &mut rng(9)).unwrap();
    let [left, right] = [0, 1].map(|column: usize| turn.columns[column].ciphertexts());
    for (left, right) in left.iter().zip(&right) {
        assert_ne!(left.c1, right.c1);
    }
    // Nor mix and query.
    let inputs = world.outputs.mixed().inputs().clone();
    let messages = world.outputs.mixed().messages();
    let (server, generators) = (&world.servers[0], &world.generators);
    let mixed = server.mix(&inputs, messages, &[], generators, &mut rng(9)).unwrap();
    assert_ne!(mixed.proof.opening, turn.proof.opening);
    assert_ne!(mixed.proof.opening, first.proof.opening);
}

#[test]
fn servers_act_in_turn() {
    let mut world = world();
    let query = world.ask(Direction::In, By::Value, vec![full()]);
    let pass = world.pass(&query);
    let journal = world.journals[0].clone();
    // Going in, server 3 comes first.
    let refused = world.servers[0].pass_on(&pass, &[], &journal, &mut world.rng).err();
    assert_eq!(refused, Some(TraceError::Missing { what: "turns", expected: 2, got: 0 }));
}

#[test]
fn a_server_names_who_passed_on_lists_of_another_shape() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let mut before = world.turns(&query);
    before.truncate(1);
    let mut rows = before[0].columns[0].ciphertexts();
    rows.pop();
    before[0].columns[0] = Column::new(&rows);
    let (pass, journal) = (world.pass(&query), MemoryJournal::default());
    let refused = world.servers[1].pass_on(&pass, &before, &journal, &mut world.rng).err().unwrap();
    assert_eq!(refused.culprit(), Some(1), "{refused}");
}

/// B13: a permutation is proven once in a session. A query adds one response for each row of a list,
/// and no bridging commitment; it is verified against the session's permutations, proven there.
#[test]
fn a_query_proves_no_permutation_again() {
    let sizes = |rows: u32| {
        let messages = vec!["a"; rows as usize];
        let shape = Shape { servers: 3, threshold: 2, messages: &messages, seed: 23 };
        let mut world = World::new(shape);
        let everything = Question { inputs: IndexSet::all(rows), outputs: IndexSet::all(rows) };
        let query = world.ask(Direction::In, By::Value, vec![everything]);
        let turns = world.turns(&query);
        let query_proof = turns[0].proof.to_bytes().len();
        assert!(Routed::verify(world.pass(&query), turns).is_ok());
        let proof = &world.outputs.mixed().messages()[0].proof;
        [query_proof, proof.to_bytes().len()]
    };
    let ([five, once_five], [nine, once_nine]) = (sizes(5), sizes(9));
    assert_eq!(nine - five, 4 * 32, "one scalar a row");
    assert_eq!(once_nine - once_five, 4 * (2 + 2) * 32, "a bridging list in the session's proof");
}
