//! Every message of every proof changed, one at a time.

use algebra::{Group, Ristretto255 as G, Scalar};
use shuffle::{
    Equation, Mix, MixClaim, PointList, SecretKey, ShuffleError,
    tw::{Direction, Generators, ListProof, PermutationProof, verify_permutation},
    verify_mixes,
};
use wire::{Decode, Encode};

use super::{
    common::{encrypted_columns, rng, turn},
    equations::{ListDeviations, failing_in_permutation},
    passage::{Mixer, verify_passed_chain},
};

type S = <G as Group>::Scalar;
type Change<P> = (Equation, Box<dyn Fn(&mut P)>);

fn add_generator(point: &mut G) {
    *point += G::generator();
}

fn add_generator_at(list: &mut PointList<G>, index: usize) {
    let mut points = list.points().to_vec();
    add_generator(&mut points[index]);
    *list = PointList::new(points);
}

fn add_one(scalar: &mut S) {
    *scalar += S::one();
}

type Committed = (PointList<G>, PermutationProof<G>);

fn committed(named: Equation, change: impl Fn(&mut Committed) + 'static) -> Change<Committed> {
    (named, Box::new(change))
}

fn listed(named: Equation, change: impl Fn(&mut ListProof<G>) + 'static) -> Change<ListProof<G>> {
    (named, Box::new(change))
}

/// A change before c makes (P1) fail first; of the responses, each breaks its own equation.
fn permutation_changes(n: usize) -> Vec<Change<Committed>> {
    use Equation::{Bridging, Opening, Product, RowSums};
    let mut changes = vec![
        committed(RowSums, |(_, proof)| add_generator(&mut proof.announcements.row_sums)),
        committed(RowSums, |(_, proof)| add_generator(&mut proof.announcements.opening)),
        committed(RowSums, |(_, proof)| add_generator(&mut proof.announcements.product)),
        committed(RowSums, |(_, proof)| add_one(&mut proof.responses.row_sums)),
        committed(Opening, |(_, proof)| add_one(&mut proof.responses.opening)),
        committed(Product, |(_, proof)| add_one(&mut proof.responses.product)),
    ];
    for index in 0..n {
        changes.extend([
            committed(RowSums, move |(a, _)| add_generator_at(a, index)),
            committed(RowSums, move |(_, proof)| add_generator_at(&mut proof.bridging, index)),
            committed(RowSums, move |(_, proof)| {
                add_generator_at(&mut proof.announcements.bridging, index);
            }),
            committed(Opening, move |(_, proof)| add_one(&mut proof.responses.challenges[index])),
            committed(Bridging { index }, move |(_, proof)| {
                add_one(&mut proof.responses.bridging[index]);
            }),
        ]);
    }
    changes
}

/// A change before c makes (L0) fail first; of the responses, `z_u` breaks its column only.
fn list_changes(n: usize, columns: usize) -> Vec<Change<ListProof<G>>> {
    use Equation::{ListColumn, ListOpening};
    let mut changes = vec![
        listed(ListOpening, |proof| add_generator(&mut proof.opening)),
        listed(ListOpening, |proof| add_one(&mut proof.responses.opening)),
    ];
    for index in 0..n {
        changes.push(listed(ListOpening, move |proof| {
            add_one(&mut proof.responses.challenges[index])
        }));
    }
    for column in 0..columns {
        for component in 0..2 {
            changes.push(listed(ListOpening, move |proof| {
                add_generator(&mut proof.columns[column][component]);
            }));
        }
        changes.push(listed(ListColumn { column, component: 1 }, move |proof| {
            add_one(&mut proof.responses.columns[column]);
        }));
    }
    changes
}

#[test]
fn every_message_of_the_permutation_proof_changed() {
    for n in 1..=4 {
        let mut rng = rng(n as u64);
        let generators = Generators::<G>::derive(n);
        let mixer = Mixer::random(3, n, &generators, &mut rng);
        let honest = (mixer.verified.commitment().clone(), mixer.proof);
        assert_eq!(failing_in_permutation(&mixer.context, &honest.0, &honest.1), []);
        for (equation, change) in permutation_changes(n) {
            let mut changed = honest.clone();
            change(&mut changed);
            let (commitment, proof) = changed;
            let failing = failing_in_permutation(&mixer.context, &commitment, &proof);
            assert_eq!(failing.first(), Some(&equation));
            let refused = verify_permutation(commitment, &proof, &generators, &mixer.context);
            assert_eq!(refused, Err(ShuffleError::Equation { mixer: 3, equation }));
        }
    }
}

#[test]
fn every_message_of_the_list_proof_changed() {
    for (n, columns, direction) in
        [(1, 1, Direction::Forward), (2, 2, Direction::Backward), (3, 3, Direction::Forward)]
    {
        let mut rng = rng(n as u64);
        let generators = Generators::<G>::derive(n);
        let mixer = Mixer::random(3, n, &generators, &mut rng);
        let key = SecretKey::<G>::generate(&mut rng).public_key();
        let lists = encrypted_columns(&key, n as u64, columns, &mut rng);
        let lists: Vec<_> = lists.into_iter().map(|list| (key, list)).collect();
        let context = mixer.list_context(b"mix", 1);
        let honest = mixer.pass(context, direction, &lists, &generators, &mut rng);
        let failing = |proof: &ListProof<G>| {
            let passages = honest.passages();
            let statement = honest.statement(&passages);
            let a = mixer.verified.commitment().points();
            let digest = super::equations::permutation_digest(&mixer.context, a);
            ListDeviations::new(&statement, &digest, a, proof).failing()
        };
        assert_eq!(failing(&honest.proof), []);
        for (equation, change) in list_changes(n, columns as usize) {
            let mut changed = honest.clone();
            change(&mut changed.proof);
            assert_eq!(failing(&changed.proof).first(), Some(&equation));
            let refused = Err(ShuffleError::Equation { mixer: 3, equation });
            assert_eq!(changed.verify(&mixer.verified, &generators), refused);
            let chain = [(&mixer.verified, &changed)];
            assert_eq!(verify_passed_chain(&chain, &generators), refused);
        }
    }
}

/// Whatever bit of a published mix flips, the bytes are no mix or the mix is no honest one.
#[test]
fn one_bit_of_any_byte_of_a_mix_flipped() {
    let mut rng = rng(1);
    let generators = Generators::<G>::derive(3);
    let key = SecretKey::generate(&mut rng).public_key();
    let inputs = encrypted_columns(&key, 3, 2, &mut rng);
    let mix = Mix::new(&key, &inputs, &generators, &turn(1), &mut rng).unwrap();
    let verify = |mix: &Mix<G>| {
        verify_mixes(&key, &inputs, &[MixClaim { context: turn(1), mix }], &generators)
    };
    assert_eq!(verify(&mix), Ok(()));
    let bytes = mix.to_bytes();
    let mut decoded = 0;
    for index in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[index] ^= 1 << (index % 8);
        if let Ok(mix) = Mix::from_bytes(&flipped) {
            decoded += 1;
            assert!(matches!(verify(&mix), Err(ShuffleError::Equation { mixer: 1, .. })));
        }
    }
    assert!(decoded > bytes.len() / 5, "scalars at least still decode");
}
