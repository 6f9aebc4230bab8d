//! Every point of an honest proof, of its outputs and of the reference string, changed.

use algebra::{Bls12381, Bn254, Engine, Group, Pairing};
use shuffle::{
    Column, Equation, PointList, ShuffleError,
    pairing::{Crs, PairingMix, Scheme},
};
use wire::{Decode, Encode};

use super::support::{Election, crs};

const N: usize = 4;
const COLUMNS: usize = 2;

fn refused(equation: Equation) -> Result<(), ShuffleError> {
    Err(ShuffleError::Equation { mixer: 1, equation })
}

/// Each list with one point moved, and the index of that point.
fn changes<G: Group>(list: &PointList<G>) -> impl Iterator<Item = (usize, PointList<G>)> {
    (0..list.len()).map(|index| {
        let mut points = list.points().to_vec();
        points[index] += G::generator();
        (index, PointList::new(points))
    })
}

/// Each column with one point moved, its row, and its component counted from 1.
fn column_changes<G: Group>(column: &Column<G>) -> impl Iterator<Item = (usize, usize, Column<G>)> {
    (0..2 * column.len()).map(|index| {
        let (row, component) = (index / 2, index % 2);
        let mut rows = column.ciphertexts();
        let point = if component == 0 { &mut rows[row].c1 } else { &mut rows[row].c2 };
        *point += G::generator();
        (row, component + 1, Column::new(&rows))
    })
}

fn every_point_counts<E: Engine>(scheme: Scheme) {
    let election = Election::<E>::new(crs(scheme, N), N, COLUMNS);
    let honest = election.chain(1).remove(0);
    let proof = honest.proof.clone().unwrap();
    let verify = |change: &dyn Fn(&mut PairingMix<E>)| {
        let mut mix = honest.clone();
        change(&mut mix);
        assert_ne!(mix, honest);
        election.verify(&[mix])
    };

    for (index, list) in changes(&proof.a) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().a = list.clone());
        assert_eq!(verdict, refused(Equation::UnitVector { index }));
    }
    for (index, list) in changes(&proof.b) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().b = list.clone());
        assert_eq!(verdict, refused(Equation::UnitVector { index }));
    }
    for (index, list) in changes(&proof.unit) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().unit = list.clone());
        assert_eq!(verdict, refused(Equation::UnitVector { index }));
    }
    for (index, list) in changes(&proof.a_hat) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().a_hat = list.clone());
        assert_eq!(verdict, refused(Equation::SameMessage { index }));
    }
    for (index, list) in changes(&proof.same) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().same = list.clone());
        assert_eq!(verdict, refused(Equation::SameMessage { index }));
    }
    for (column, list) in changes(&proof.t) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().t = list.clone());
        assert_eq!(verdict, refused(Equation::Consistency { column, component: 1 }));
    }
    for (column, component, list) in column_changes(&proof.n) {
        let verdict = verify(&|mix| mix.proof.as_mut().unwrap().n = list.clone());
        assert_eq!(verdict, refused(Equation::Consistency { column, component }));
    }
    for column in 0..COLUMNS {
        for (_, component, list) in column_changes(&honest.outputs[column]) {
            let verdict = verify(&|mix| mix.outputs[column] = list.clone());
            assert_eq!(verdict, refused(Equation::Consistency { column, component }));
        }
    }
}

#[test]
fn every_point_of_proof_and_outputs_counts() {
    every_point_counts::<Bn254>(Scheme::Flsz17);
    every_point_counts::<Bls12381>(Scheme::Tflsz);
}

#[test]
fn every_point_of_the_inputs_counts() {
    for scheme in [Scheme::Flsz17, Scheme::Tflsz] {
        let election = Election::<Bn254>::new(crs(scheme, N), N, COLUMNS);
        let honest = election.chain(1).remove(0);
        for column in 0..COLUMNS {
            for (_, component, list) in column_changes(&election.inputs[column]) {
                let mut other = Election::<Bn254>::new(election.crs.clone(), N, COLUMNS);
                other.inputs[column] = list;
                let statement = Err(ShuffleError::Statement { mixer: 1 });
                assert_eq!(other.verify(std::slice::from_ref(&honest)), statement);
                // As if the mixer had claimed these inputs.
                let mut mix = honest.clone();
                mix.statement = other.chain(1)[0].statement;
                let equation = Equation::Consistency { column, component };
                assert_eq!(other.verify(&[mix]), refused(equation));
            }
        }
    }
}

/// A prover with a reference string in which one point is another does not satisfy a verifier with
/// the right one, or the other way around.
fn every_point_of_the_reference_string<E: Engine>(scheme: Scheme) {
    let right = crs::<E>(scheme, 3);
    let bytes = right.to_bytes();
    let (len1, len2) = (<E as Pairing>::G1::ENCODED_LEN, <E as Pairing>::G2::ENCODED_LEN);
    let firsts = (0..4 * 3 + 5).map(|i| (6 + i * len1, true));
    let start = 6 + (4 * 3 + 5) * len1;
    let seconds = (0..3 + 4).map(|i| (start + i * len2, false));
    let honest = Election::<E>::new(right.clone(), 3, 1);
    let mix = honest.chain(1).remove(0);
    for (at, in_g1) in firsts.chain(seconds) {
        let mut changed = bytes.clone();
        match in_g1 {
            true => move_point::<E::G1>(&mut changed[at..at + len1]),
            false => move_point::<E::G2>(&mut changed[at..at + len2]),
        }
        let wrong = Crs::<E>::from_bytes(&changed).unwrap();
        assert_ne!(wrong.digest(), right.digest());
        let other = Election::<E>::new(wrong, 3, 1);
        assert_eq!(
            other.verify(std::slice::from_ref(&mix)),
            Err(ShuffleError::Statement { mixer: 1 })
        );
        let mut made_with_wrong = other.chain(1).remove(0);
        let mut made_with_right = mix.clone();
        std::mem::swap(&mut made_with_wrong.statement, &mut made_with_right.statement);
        let verdicts = [honest.verify(&[made_with_wrong]), other.verify(&[made_with_right])];
        let refused =
            |verdict: &Result<_, _>| matches!(verdict, Err(ShuffleError::Equation { .. }));
        assert!(verdicts.iter().any(refused), "{scheme}, the point at byte {at}");
    }
}

fn move_point<G: Group>(bytes: &mut [u8]) {
    let point = G::decode(bytes).unwrap() + G::generator();
    bytes.copy_from_slice(&point.encode());
}

#[test]
fn every_point_of_the_reference_string_counts() {
    every_point_of_the_reference_string::<Bn254>(Scheme::Flsz17);
    every_point_of_the_reference_string::<Bn254>(Scheme::Tflsz);
}
