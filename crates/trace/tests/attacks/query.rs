//! Attacks on a query's lists, blinded sums and agreement: list B of the specification.
use crate::support::*;
use algebra::{Group, Scalar};
use shuffle::{
    Ciphertext, Column, Equation, ShuffleError,
    sigma::{ExponentProof, ExponentStatement},
    tw::{
        self, CommittedPermutation, ListContext, ListMasks, ListStatement, Passage, Permutation,
        PermutationContext,
    },
};
use trace::{routed::*, *};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Encode};

const MESSAGES: [&str; 5] = ["a", "b", "a", "c", "b"];

fn world() -> World {
    World::new(Shape { servers: 3, threshold: 2, messages: &MESSAGES, seed: 21 })
}

fn full() -> Question {
    Question { inputs: IndexSet::all(5), outputs: IndexSet::all(5) }
}

/// Routes again with some turns replaced.
fn route(
    world: &World,
    query: &Query<G>,
    turns: &[Turn<G>],
    change: impl FnOnce(&mut Vec<Turn<G>>),
) -> Result<Routed<G>, TraceError> {
    let mut turns = turns.to_vec();
    change(&mut turns);
    Routed::verify(world.pass(query), turns)
}

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
        let purpose = query.id().as_bytes();

        let mut seed = rng(1);
        let other = Permutation::random(5, &mut seed);
        let other = CommittedPermutation::commit(other, &world.generators, &mut seed).unwrap();
        let forged = cheat.turn(&other, pass.markers(), session.as_bytes(), purpose);
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

    // Made for this query by the right permutation, but bound to another session or purpose.
    let pass = world.pass(&query);
    let server = Cheat { world: &world, query: &query, server: 1, position: 1 };
    let own = recommit(&world, 1);
    let honest = world.outputs.session().id().as_bytes().to_vec();
    let (id, mix) = (query.id().as_bytes().to_vec(), b"mix".to_vec());
    for (session, purpose) in [(vec![0; 32], id), (honest, mix)] {
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
        turns.push(cheat.turn(&own, before, &session, query.id().as_bytes()));
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

/// A blinding of every sum with a b of the server's choice, honestly proven where that is
/// possible.
fn craft_blinding(routed: &Routed<G>, server: u16, choose: impl Fn(usize) -> S) -> Blinding<G> {
    let pass = routed.pass();
    let session = *pass.ground().id();
    let sums = sums_of(routed);
    let mut bytes = (sums.len() as u32).to_le_bytes().to_vec();
    for (number, (total, base)) in sums.into_iter().enumerate() {
        let b = choose(number);
        let bases = [base, total.c1, total.c2];
        let images = bases.map(|base| base.mul(&b));
        let mut transcript = Transcript::new(b"subrosa/trace/blinding/v1");
        transcript.absorb(b"session", session.as_bytes());
        transcript.absorb(b"query", pass.query().id().as_bytes());
        transcript.absorb_u64(b"server", server.into());
        transcript.absorb_u64(b"sum", number as u64);
        let statement = ExponentStatement { bases, images };
        let proof = ExponentProof::prove(&mut transcript, &statement, &b, &mut rng(4));
        for point in [images[1], images[2], images[0]] {
            bytes.extend(Group::encode(&point));
        }
        proof.encode(&mut bytes);
    }
    Blinding::from_bytes(&bytes).unwrap()
}

/// `E_w` and `H_w` of every repeated value of the one question, in order of first occurrence.
fn sums_of(routed: &Routed<G>) -> Vec<(Ciphertext<G>, G)> {
    let outputs = routed.pass().ground();
    let list = routed.lists()[0].ciphertexts();
    let mut classes: Vec<u32> = outputs.class_of().to_vec();
    classes.sort_unstable();
    classes.dedup();
    let repeated = classes.into_iter().filter(|class| outputs.class(*class).len() > 1);
    repeated
        .map(|class| {
            let rows = outputs.class(class);
            let zero = Ciphertext::trivial(G::identity());
            let total = rows.iter().fold(zero, |sum, &row| sum + list[row as usize]);
            let value = G::encode_all(&outputs.values()[rows[0] as usize]);
            let id = routed.pass().query().id().as_bytes();
            let label = digest_of("trace/blinding/H", &[id, &0_u64.to_le_bytes(), &value]);
            (total, G::hash_to_group(label.as_bytes()))
        })
        .collect()
}

#[test]
fn blindings_that_hide_a_yes_are_refused() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let routed = || Routed::verify(world.pass(&query), turns.clone()).unwrap();
    let craft = |server: u16, b: S| craft_blinding(&routed(), server, move |_| b);
    let verify = |blindings| Blinded::verify(routed(), blindings).err();
    let (one, two, three) = (S::one(), S::from_u64(2), S::from_u64(3));

    // The tool is sound.
    assert_eq!(verify(vec![craft(1, one), craft(2, two), craft(3, three)]), None);
    // b = 0 names its server; a sum of 0 takes all of them.
    let refused = verify(vec![craft(1, one), craft(2, S::zero()), craft(3, three)]).unwrap();
    assert!(matches!(refused, TraceError::Blinding { sum: 0, server: 2, .. }));
    let cancelling = vec![craft(1, one), craft(2, two), craft(3, S::zero() - three)];
    assert_eq!(verify(cancelling), Some(TraceError::BlindingsCancel { sum: 0 }));
}

#[test]
fn blindings_of_other_servers_values_or_queries_are_refused() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let routed = Routed::verify(world.pass(&query), turns.clone()).unwrap();
    let honest = world.blindings(&routed);
    let again = world.ask(Direction::Out, By::Value, vec![full()]);
    let other = world.routed(&again);
    let other = world.blindings(&other);
    let verify = |blindings: Vec<Blinding<G>>| {
        let routed = Routed::verify(world.pass(&query), turns.clone()).unwrap();
        Blinded::verify(routed, blindings).map(|_| ())
    };
    assert_eq!(verify(honest.clone()), Ok(()));
    let is_named = |blindings, expected| {
        let refused = verify(blindings).unwrap_err();
        assert!(matches!(refused, TraceError::Blinding { server, .. } if server == expected));
    };
    let mut copied = honest.clone();
    copied[1] = honest[0].clone();
    is_named(copied, 2);
    let mut foreign = honest.clone();
    foreign[2] = other[2].clone();
    is_named(foreign, 3);

    // "a" and "b" occur twice: exchange a server's blindings of the two.
    let bytes = honest[2].to_bytes();
    let (width, start) = ((bytes.len() - 4) / 2, 4);
    let swapped = [&bytes[..start], &bytes[start + width..], &bytes[start..start + width]].concat();
    let mut exchanged = honest.clone();
    exchanged[2] = Blinding::from_bytes(&swapped).unwrap();
    is_named(exchanged, 3);
    // Every byte of a blinding counts.
    for position in (4..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[position] ^= 1;
        let Ok(changed) = Blinding::from_bytes(&changed) else { continue };
        let mut forged = honest.clone();
        forged[2] = changed;
        is_named(forged, 3);
    }

    let mut shorter = honest.clone();
    shorter[0] = Blinding::from_bytes(&0_u32.to_le_bytes()).unwrap();
    is_named(shorter, 1);
    assert!(matches!(verify(honest[..2].to_vec()), Err(TraceError::Missing { .. })));
}

#[test]
fn a_blinded_sum_hides_the_count() {
    // Both values occur twice; all inputs are marked, so both counts are 2, or one is 1. The
    // opened points are multiples of nobody's b alone, and never G or 2G.
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let routed = world.routed(&query);
    let first = world.blindings(&routed);
    let second = world.blindings(&routed);
    // Fresh for every attempt: no server keeps its b over a retry.
    for (first, second) in first.iter().zip(&second) {
        let (first, second) = (first.to_bytes(), second.to_bytes());
        assert_ne!(first[4..36], second[4..36]);
        assert_ne!(first[68..100], second[68..100]);
    }
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
    let mixed = world.servers[0].mix(&inputs, &[], &world.generators, &mut rng(9)).unwrap();
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
fn the_policy_decides_and_the_log_remembers() {
    let messages = &["a", "b", "c", "d", "e"];
    let mut world = World::new(Shape { servers: 3, threshold: 2, messages, seed: 21 });
    let policy = Policy {
        queriers: vec![world.querier.id()],
        max_questions: 2,
        min_inputs: 1,
        min_outputs: 2,
        min_anonymity: 2,
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
    let (out, value) = (Direction::Out, By::Value);
    is_policy(admit(&mut world, out, By::Position, &[0, 1], &[0, 1]), "by position");
    is_policy(admit(&mut world, out, value, &[], &[0, 1]), "0 inputs");
    is_policy(admit(&mut world, out, value, &[0, 1], &[0]), "1 outputs");
    // All inputs but one are as telling as that one.
    is_policy(admit(&mut world, out, value, &[0, 1, 2, 3], &[0, 1]), "1 candidates");
    assert!(admit(&mut world, out, value, &[0, 1], &[0, 1]).is_ok());
    // Together with the first, this one would single out input 0.
    is_policy(admit(&mut world, out, value, &[0, 2], &[0, 1]), "1 candidates");
    let second = admit(&mut world, out, value, &[2, 3], &[2, 3]).unwrap();
    is_policy(admit(&mut world, out, value, &[2, 3], &[2, 3]), "over 2 questions");
    assert!(log.admit(&policy, &second, &classes).is_ok(), "after a restart");
    assert_eq!((log.queries().len(), log.questions()), (2, 2));

    let exposure = Exposure::of(log.queries(), &classes);
    assert_eq!(exposure.questions, 2);
    assert_eq!(exposure.inputs, None);
    assert_eq!(exposure.outputs.unwrap().set, 2);
    assert_eq!(exposure.smallest(5), 2);

    let nobody = Policy { queriers: vec![], ..policy.clone() };
    let query = world.ask(out, value, vec![full()]);
    let refused = QueryLog::default().admit(&nobody, &query, &classes).unwrap_err();
    assert!(refused.to_string().contains("may not ask"), "{refused}");
    // The same request in another query is the same question asked twice.
    let request =
        world.querier.request(world.outputs.ground(), out, value, vec![full()], &mut world.rng);
    let other =
        world.querier.request(world.outputs.ground(), out, value, vec![full()], &mut world.rng);
    let mut log = QueryLog::default();
    let wide = Policy { max_questions: 10, min_anonymity: 1, ..policy };
    log.admit(&wide, &Query::new(vec![request.clone()]).unwrap(), &classes).unwrap();
    let again = Query::new(vec![other, request]).unwrap();
    let refused = log.admit(&wide, &again, &classes).unwrap_err();
    assert!(refused.to_string().contains("asked before"), "{refused}");
}

/// Two outputs of one plaintext get the same bit by value: asking about each of them in a question
/// of its own must count as asking twice about both.
#[test]
fn equal_outputs_cannot_be_played_off_against_each_other() {
    let messages = &["w", "x", "w", "y", "z", "u"];
    let mut world = World::new(Shape { servers: 3, threshold: 2, messages, seed: 22 });
    let classes = world.outputs.class_of().to_vec();
    let class = |row: u32| classes[row as usize];
    let occurs_twice = |row: &u32| (0..6).filter(|&other| class(other) == class(*row)).count() == 2;
    let (twins, others): (Vec<u32>, Vec<u32>) = (0..6).partition(occurs_twice);
    let (first, second, other) = (twins[0], twins[1], others[0]);
    let policy = Policy { max_questions: 10, min_anonymity: 2, ..world.policy.clone() };
    let mut log = QueryLog::default();
    let mut admit = |by, inputs: &[u32], output| {
        let query = world.ask(Direction::Out, by, vec![question(inputs, &[output])]);
        log.admit(&policy, &query, &classes)
    };
    admit(By::Value, &[0, 1, 2], first).unwrap();
    // The difference to the first is what input 2 says.
    let refused = admit(By::Value, &[0, 1], second).unwrap_err();
    assert!(refused.to_string().contains("1 candidates"), "{refused}");
    // About another value it is another question.
    admit(By::Value, &[0, 1], other).unwrap();
    let exposure = Exposure::of(log.queries(), &classes);
    assert_eq!(exposure.outputs.unwrap().set, 2);
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
    let [first, second] = [0; 2].map(|_| world.ask(Direction::Out, By::Value, vec![full()]));
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
        assert!(refused.to_string().contains("over 1 questions"), "{refused}");
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
