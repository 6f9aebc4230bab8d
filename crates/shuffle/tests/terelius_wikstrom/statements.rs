//! Honest proofs about something else, and provers who prove changed lists.

use algebra::{Group, Ristretto255 as G, Scalar};
use rand_chacha::ChaCha20Rng;
use shuffle::{
    Ciphertext, Column, Equation, PublicKey, SecretKey, ShuffleError,
    tw::{
        Direction, Generators, ListMasks, Permutation, PermutationContext, shuffle_column,
        verify_permutation,
    },
};

use super::{
    common::{encrypted_columns, rng},
    equations::{ListDeviations, permutation_digest},
    passage::{Mixer, Passed, verify_passed_chain},
};

const N: usize = 4;

struct Scene {
    generators: Generators<G>,
    mixer: Mixer<G>,
    lists: Vec<(PublicKey<G>, Column<G>)>,
    rng: ChaCha20Rng,
}

/// A mixer with a permutation without fixed points, and two columns.
fn scene() -> Scene {
    let mut rng = rng(1);
    let generators = Generators::<G>::derive(N + 1);
    let permutation = Permutation::from_map(vec![1, 2, 3, 0]).unwrap();
    let mixer = Mixer::new(7, permutation, &generators, &mut rng);
    let key = SecretKey::<G>::generate(&mut rng).public_key();
    let lists = encrypted_columns(&key, N as u64, 2, &mut rng);
    Scene { generators, mixer, lists: lists.into_iter().map(|list| (key, list)).collect(), rng }
}

impl Scene {
    fn honest(&mut self, direction: Direction) -> Passed<G> {
        let context = self.mixer.list_context(b"mix", 1);
        self.mixer.pass(context, direction, &self.lists, &self.generators, &mut self.rng)
    }

    /// A passage whose prover changes the published lists and proves the rest honestly.
    fn tampered(&mut self, tamper: impl FnOnce(&mut [Column<G>])) -> Passed<G> {
        let context = self.mixer.list_context(b"mix", 1);
        let masks = ListMasks::prepare(N, &self.generators, &mut self.rng).unwrap();
        let (lists, rng) = (&self.lists, &mut self.rng);
        self.mixer.pass_tampering(context, Direction::Forward, lists, masks, rng, tamper)
    }

    /// Checks a passage alone and as a chain of one mixer, which must not differ.
    fn verify(&self, passed: &Passed<G>) -> Result<(), ShuffleError> {
        let alone = passed.verify(&self.mixer.verified, &self.generators);
        let chain = [(&self.mixer.verified, passed)];
        assert_eq!(verify_passed_chain(&chain, &self.generators), alone);
        alone
    }

    /// The equations that fail by the tests' own evaluation.
    fn failing(&self, passed: &Passed<G>) -> Vec<Equation> {
        let a = self.mixer.verified.commitment().points();
        let digest = permutation_digest(&self.mixer.context, a);
        let passages = passed.passages();
        ListDeviations::new(&passed.statement(&passages), &digest, a, &passed.proof).failing()
    }
}

fn names(equation: Equation) -> Result<(), ShuffleError> {
    Err(ShuffleError::Equation { mixer: 7, equation })
}

fn edit(column: &mut Column<G>, edit: impl FnOnce(&mut [Ciphertext<G>])) {
    let mut rows = column.ciphertexts();
    edit(&mut rows);
    *column = Column::new(&rows);
}

fn resized(column: &Column<G>, n: usize) -> Column<G> {
    let rows = column.ciphertexts();
    Column::new(&rows.iter().copied().cycle().take(n).collect::<Vec<_>>())
}

#[test]
fn permutation_proof_of_another_study_mix_or_mixer() {
    let Scene { generators, mixer, .. } = scene();
    let right = mixer.context;
    for context in [
        PermutationContext { study: b"another study", ..right },
        PermutationContext { study: b"studym", mix: b"ix", ..right },
        PermutationContext { mix: b"another mix", ..right },
        PermutationContext { mixer: 8, ..right },
    ] {
        let commitment = mixer.verified.commitment().clone();
        let refused = verify_permutation(commitment, &mixer.proof, &generators, &context);
        let equation = Equation::RowSums;
        assert_eq!(refused, Err(ShuffleError::Equation { mixer: context.mixer, equation }));
    }
}

#[test]
fn list_proof_of_another_occasion() {
    let mut scene = scene();
    for direction in [Direction::Forward, Direction::Backward] {
        let honest = scene.honest(direction);
        let wrong: [fn(&mut Passed<G>); 5] = [
            |passed| passed.context.study = b"another study",
            |passed| passed.context.mix = b"another mix",
            |passed| passed.context.purpose = b"query 1",
            |passed| passed.context.position = 2,
            |passed| passed.keys[1] = PublicKey::new(passed.keys[1].point().double()).unwrap(),
        ];
        for change in wrong {
            let mut passed = honest.clone();
            change(&mut passed);
            assert_eq!(scene.verify(&passed), names(Equation::ListOpening));
        }
        let mut passed = honest.clone();
        passed.context.mixer = 8;
        let equation = Equation::ListOpening;
        assert_eq!(scene.verify(&passed), Err(ShuffleError::Equation { mixer: 8, equation }));
    }
}

#[test]
fn direction_reversed_or_lists_exchanged() {
    let mut scene = scene();
    let honest = scene.honest(Direction::Forward);
    let reversed = Passed { direction: Direction::Backward, ..honest.clone() };
    let exchange = |passed: &Passed<G>| Passed {
        before: passed.after.clone(),
        after: passed.before.clone(),
        ..passed.clone()
    };
    // The last has the roles of the honest one: only the direction byte differs.
    for passed in [exchange(&honest), exchange(&reversed), reversed] {
        assert_eq!(scene.verify(&passed), names(Equation::ListOpening));
    }
}

#[test]
fn permutation_verified_in_another_context_or_of_another_mixer() {
    let mut scene = scene();
    let honest = scene.honest(Direction::Forward);
    let same = scene.mixer.committed.permutation().clone();
    let other = Mixer::new(7, same, &scene.generators, &mut scene.rng);
    let refused = honest.verify(&other.verified, &scene.generators);
    assert_eq!(refused, names(Equation::ListOpening));
}

#[test]
fn lists_shortened_or_lengthened() {
    let mut scene = scene();
    let honest = scene.honest(Direction::Forward);
    for got in [0, N - 1, N + 1] {
        for (published, column) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
            let mut passed = honest.clone();
            let lists = if published { &mut passed.after } else { &mut passed.before };
            let list = &mut lists[column];
            *list = resized(list, got);
            let length = ShuffleError::Length { what: "list", expected: N, got };
            assert_eq!(scene.verify(&passed), Err(length));
        }
    }
    let mut fewer = honest;
    fewer.keys.pop();
    let length = ShuffleError::Length { what: "announcements", expected: 1, got: 2 };
    assert_eq!(scene.verify(&fewer), Err(length));
    fewer.keys.clear();
    assert_eq!(scene.verify(&fewer), Err(ShuffleError::Empty));
}

#[test]
fn messages_of_a_proof_left_out_or_added() {
    let mut scene = scene();
    let honest = scene.honest(Direction::Forward);
    let (zero, pair) = (<G as Group>::Scalar::zero(), [G::identity(); 2]);
    type Change<'a> = &'a dyn Fn(&mut Passed<G>);
    let changes: [(&str, usize, usize, Change<'_>); 6] = [
        ("responses", N, N - 1, &|passed| passed.proof.responses.challenges.truncate(N - 1)),
        ("responses", N, N + 1, &|passed| passed.proof.responses.challenges.push(zero)),
        ("announcements", 2, 1, &|passed| passed.proof.columns.truncate(1)),
        ("announcements", 2, 3, &|passed| passed.proof.columns.push(pair)),
        ("responses", 2, 1, &|passed| passed.proof.responses.columns.truncate(1)),
        ("responses", 2, 3, &|passed| passed.proof.responses.columns.push(zero)),
    ];
    for (what, expected, got, change) in changes {
        let mut passed = honest.clone();
        change(&mut passed);
        assert_eq!(scene.verify(&passed), Err(ShuffleError::Length { what, expected, got }));
    }
    let Scene { generators, mixer, .. } = scene;
    let mut proof = mixer.proof;
    proof.responses.bridging.pop();
    let commitment = mixer.verified.commitment().clone();
    let refused = verify_permutation(commitment, &proof, &generators, &mixer.context);
    let length = ShuffleError::Length { what: "permutation proof", expected: N, got: N - 1 };
    assert_eq!(refused, Err(length));
}

/// Lists changed after the proof: the challenges change, and (L0) notices first.
#[test]
fn lists_changed_under_the_proof() {
    let mut scene = scene();
    let honest = scene.honest(Direction::Forward);
    let changes: [fn(&mut [Column<G>]); 4] = [
        |lists| edit(&mut lists[1], |rows| rows[2].c2 += G::generator()),
        |lists| edit(&mut lists[0], |rows| rows[1] = rows[0]),
        |lists| edit(&mut lists[0], |rows| rows.swap(0, 3)),
        |lists| lists.swap(0, 1),
    ];
    for change in changes {
        let (mut before, mut after) = (honest.clone(), honest.clone());
        change(&mut before.before);
        change(&mut after.after);
        for passed in [before, after] {
            assert_eq!(scene.verify(&passed), names(Equation::ListOpening));
        }
    }
}

/// Lists changed by the prover, who proves the rest honestly: exactly the equations of what was
/// changed fail.
#[test]
fn lists_changed_by_the_prover() {
    let column = |column| [1, 2].map(|component| Equation::ListColumn { column, component });
    let [first, second] = [column(0), column(1)];
    let both = [first, second].concat();
    type Attack = (fn(&mut [Column<G>]), Vec<Equation>);
    let attacks: [Attack; 5] = [
        (|lists| edit(&mut lists[1], |rows| rows[2].c2 += G::generator()), vec![second[1]]),
        (|lists| edit(&mut lists[0], |rows| rows[2].c1 += G::generator()), vec![first[0]]),
        (|lists| edit(&mut lists[0], |rows| rows[1] = rows[0]), first.to_vec()),
        (|lists| edit(&mut lists[1], |rows| rows.swap(0, 3)), second.to_vec()),
        (|lists| lists.swap(0, 1), both),
    ];
    for (tamper, failing) in attacks {
        let mut scene = scene();
        let passed = scene.tampered(tamper);
        assert_eq!(scene.failing(&passed), failing);
        assert_eq!(scene.verify(&passed), names(failing[0]));
    }
}

/// The ballots' second halves move by another permutation than the first: rows are torn apart.
#[test]
fn second_column_moved_by_another_permutation() {
    let mut scene = scene();
    let other = Permutation::from_map(vec![1, 2, 0, 3]).unwrap();
    let other = Mixer::new(7, other, &scene.generators, &mut scene.rng);
    let (key, list) = scene.lists[1].clone();
    let forward = Direction::Forward;
    let moved = shuffle_column(&other.committed, forward, &key, &list, &mut scene.rng).unwrap();
    let passed = scene.tampered(|lists| lists[1] = moved.column);
    let failing = [1, 2].map(|component| Equation::ListColumn { column: 1, component });
    assert_eq!(scene.failing(&passed), failing);
    assert_eq!(scene.verify(&passed), names(failing[0]));
}
