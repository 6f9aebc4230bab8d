//! What a dishonest mixer may try.

use algebra::{Bn254, Group, Pairing};
use shuffle::{
    Column, Equation, MixContext, PointList, ShuffleError,
    pairing::{PairingClaim, PairingMix, Scheme, verify_mixes},
};

use super::support::{Election, context, crs, rng};

type E = Bn254;
type G1 = <E as Pairing>::G1;

const SCHEMES: [Scheme; 2] = [Scheme::Flsz17, Scheme::Tflsz];

fn election(scheme: Scheme) -> Election<E> {
    Election::new(crs(scheme, 5), 5, 2)
}

fn refused(mixer: u32, equation: Equation) -> Result<(), ShuffleError> {
    Err(ShuffleError::Equation { mixer, equation })
}

#[test]
fn a_ballot_cannot_stand_for_two() {
    for scheme in SCHEMES {
        let election = election(scheme);
        let mut mix = election.chain(1).remove(0);
        // Row 0 becomes row 1 in every list: two inputs with one output, each row flawless.
        fn doubled<G: Group>(list: &mut PointList<G>) {
            let mut points = list.points().to_vec();
            points[0] = points[1];
            *list = PointList::new(points);
        }
        let proof = mix.proof.as_mut().unwrap();
        doubled(&mut proof.a);
        doubled(&mut proof.b);
        doubled(&mut proof.a_hat);
        doubled(&mut proof.unit);
        doubled(&mut proof.same);
        let equation = match scheme {
            Scheme::Flsz17 => Equation::UnitVector { index: 4 },
            Scheme::Tflsz => Equation::SameMessage { index: 4 },
        };
        assert_eq!(election.verify(&[mix]), refused(1, equation));
    }
}

#[test]
fn outputs_cannot_be_exchanged_copied_or_moved_apart() {
    for scheme in SCHEMES {
        let election = election(scheme);
        let honest = election.chain(1).remove(0);
        let fails = |outputs: Vec<Column<_>>, column| {
            let mix = PairingMix { outputs, ..honest.clone() };
            assert_eq!(
                election.verify(&[mix]),
                refused(1, Equation::Consistency { column, component: 1 })
            );
        };
        let edit = |edit: &dyn Fn(&mut Vec<_>)| {
            let mut rows = honest.outputs[0].ciphertexts();
            edit(&mut rows);
            vec![Column::new(&rows), honest.outputs[1].clone()]
        };
        fails(edit(&|rows| rows.swap(1, 3)), 0);
        fails(edit(&|rows| rows[2] = rows[0]), 0);
        fails(vec![honest.outputs[1].clone(), honest.outputs[0].clone()], 0);
        // The second column by another permutation than the first.
        let prover = election.prover();
        let other = PairingMix::new(&prover, &election.inputs, &context(1), &mut rng(77)).unwrap();
        fails(vec![honest.outputs[0].clone(), other.outputs[1].clone()], 1);
        fails(vec![other.outputs[0].clone(), honest.outputs[1].clone()], 0);
    }
}

#[test]
fn errors_of_two_mixers_do_not_cancel() {
    for scheme in SCHEMES {
        let election = election(scheme);
        let mut mixes = election.chain(2);
        let shift = G1::hash_to_group(b"shift");
        for (mix, shift) in mixes.iter_mut().zip([shift, -shift]) {
            let t = &mut mix.proof.as_mut().unwrap().t;
            let mut points = t.points().to_vec();
            points[0] += shift;
            *t = PointList::new(points);
        }
        let equation = Equation::Consistency { column: 0, component: 1 };
        assert_eq!(election.verify(&mixes), refused(1, equation));
    }
}

#[test]
fn the_failing_mixer_of_a_chain_is_named() {
    for scheme in SCHEMES {
        let election = election(scheme);
        let honest = election.chain(3);
        assert_eq!(election.verify(&honest), Ok(()));
        let mut mixes = honest.clone();
        let unit = &mut mixes[1].proof.as_mut().unwrap().unit;
        let mut points = unit.points().to_vec();
        points.swap(2, 3);
        *unit = PointList::new(points);
        assert_eq!(election.verify(&mixes), refused(2, Equation::UnitVector { index: 2 }));
        // Left out, exchanged, from another chain.
        let statement = |mixer| Err(ShuffleError::Statement { mixer });
        let [first, second, third] = honest.try_into().unwrap();
        assert_eq!(election.verify(&[first.clone(), third.clone()]), statement(2));
        assert_eq!(election.verify(&[second.clone(), first.clone()]), statement(1));
        assert_eq!(election.verify(&[first, second, third.clone(), third]), statement(4));
    }
}

#[test]
fn a_mix_is_bound_to_its_place() {
    for scheme in SCHEMES {
        let election = election(scheme);
        let mix = election.chain(1).remove(0);
        let verify = |context: MixContext<'_>, election: &Election<E>| {
            let claim = PairingClaim { context, mix: &mix };
            let Election { crs, key, inputs, .. } = election;
            verify_mixes(crs, key, inputs, &[claim], &mut rng(5))
        };
        let right = context(1);
        assert_eq!(verify(right, &election), Ok(()));
        for wrong in [
            MixContext { study: b"other", ..right },
            MixContext { mix: b"2", ..right },
            MixContext { mixer: 2, ..right },
            MixContext { position: 2, ..right },
        ] {
            let statement = ShuffleError::Statement { mixer: wrong.mixer };
            assert_eq!(verify(wrong, &election), Err(statement));
        }
        let statement = Err(ShuffleError::Statement { mixer: 1 });
        let mut other = self::election(scheme);
        other.key = shuffle::SecretKey::generate(&mut rng(6)).public_key();
        assert_eq!(verify(right, &other), statement);
        // The same, the statement claimed.
        let mut claimed = mix.clone();
        claimed.statement = other.chain(1)[0].statement;
        assert_eq!(
            other.verify(&[claimed]),
            refused(1, Equation::Consistency { column: 0, component: 2 })
        );
        let other_scheme = SCHEMES.into_iter().find(|&other| other != scheme).unwrap();
        assert_eq!(verify(right, &self::election(other_scheme)), statement);
    }
}

#[test]
fn lengths_must_fit() {
    for scheme in SCHEMES {
        let election = election(scheme);
        let honest = election.chain(1).remove(0);
        let verify = |change: &dyn Fn(&mut PairingMix<E>)| {
            let mut mix = honest.clone();
            change(&mut mix);
            election.verify(&[mix]).unwrap_err()
        };
        let shorter = |list: &PointList<G1>| PointList::new(list.points()[1..].to_vec());
        let is = |error: ShuffleError, what: &str| {
            assert!(matches!(error, ShuffleError::Length { what: w, .. } if w == what), "{error}");
        };
        is(verify(&|mix| drop(mix.outputs.pop())), "columns");
        is(verify(&|mix| mix.outputs[1] = Column::new(&mix.outputs[1].ciphertexts()[1..])), "list");
        is(verify(&|mix| edit(mix, |proof| proof.a = shorter(&proof.a))), "A");
        is(verify(&|mix| edit(mix, |proof| proof.a_hat = shorter(&proof.a_hat))), "A hat");
        is(verify(&|mix| edit(mix, |proof| proof.unit = shorter(&proof.unit))), "C");
        is(verify(&|mix| edit(mix, |proof| proof.same = shorter(&proof.same))), "D");
        is(verify(&|mix| edit(mix, |proof| proof.t = shorter(&proof.t))), "t");
        is(
            verify(&|mix| {
                edit(mix, |proof| proof.b = PointList::new(proof.b.points()[1..].to_vec()));
            }),
            "B",
        );
        is(
            verify(&|mix| {
                edit(mix, |proof| proof.n = Column::new(&proof.n.ciphertexts()[1..]));
            }),
            "N",
        );
        let missing = ShuffleError::Proof { mixer: 1, rows: true };
        assert_eq!(verify(&|mix| mix.proof = None), missing);
    }
}

fn edit(mix: &mut PairingMix<E>, change: impl Fn(&mut shuffle::pairing::ShuffleProof<E>)) {
    change(mix.proof.as_mut().unwrap());
}
