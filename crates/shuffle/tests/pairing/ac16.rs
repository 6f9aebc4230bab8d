//! AC16 on the repaired reference string.

use algebra::{AffineGroup, Bls12381, Bn254, Engine, Group, Pairing, Scalar, ScalarOf};
use shuffle::{Equation, PointList, ShuffleError, pairing::ac16::*};
use wire::{Decode, Encode};

use super::support::{outside, rng};

/// A reference string, a key and valid ballots, ballot i for `3·i`.
pub(crate) struct Poll<E: Pairing> {
    pub(crate) crs: Crs<E>,
    pub(crate) secret: SecretKey<E>,
    pub(crate) encryptor: Encryptor<E>,
    pub(crate) ballots: Vec<Ciphertext<E>>,
}

impl<E: Pairing> Poll<E> {
    pub(crate) fn new(crs: Crs<E>, n: usize) -> Self {
        let mut rng = rng(41);
        let secret = SecretKey::generate(&mut rng);
        let encryptor = Encryptor::new(&crs, &secret.public_key(&crs));
        let ballots = (0..n as u64).map(|i| encryptor.encrypt(3 * i, &mut rng)).collect();
        Self { crs, secret, encryptor, ballots }
    }

    pub(crate) fn inputs(&self) -> ValidColumn<E> {
        Column::new(&self.ballots).validate(&self.crs, &mut rng(42)).unwrap()
    }

    pub(crate) fn mix(&self) -> Mix<E> {
        let n = self.ballots.len();
        let prepared = Prepared::new(&self.crs, &self.encryptor, n, &mut rng(43)).unwrap();
        prepared.mix(&self.inputs()).unwrap()
    }

    pub(crate) fn verify(&self, mix: Mix<E>) -> Result<ValidColumn<E>, ShuffleError> {
        let key = self.secret.public_key(&self.crs);
        verify(&self.crs, &key, &self.inputs(), mix, &mut rng(44))
    }

    pub(crate) fn messages(&self, column: &ValidColumn<E>) -> Vec<u64> {
        let points = self.secret.decrypt_all(column);
        let of = |point: &E::G1| {
            (0..4000).find(|&m| self.crs.message_base.mul(&ScalarOf::<E>::from_u64(m)) == *point)
        };
        points.iter().map(|point| of(point).unwrap()).collect()
    }
}

fn poll<E: Pairing>(size: usize, n: usize) -> Poll<E> {
    Poll::new(Crs::insecure_dealer(size, &mut rng(40)).unwrap(), n)
}

fn completes<E: Engine>(size: usize, n: usize) {
    let poll = poll::<E>(size, n);
    let mix = poll.mix();
    assert_eq!(Mix::from_bytes(&mix.to_bytes()).unwrap(), mix);
    let outputs = poll.verify(mix).unwrap();
    if n <= 64 {
        let mut messages = poll.messages(&outputs);
        messages.sort_unstable();
        assert_eq!(messages, (0..n as u64).map(|i| 3 * i).collect::<Vec<_>>());
    }
    // A second mixer takes them as they are.
    let prepared = Prepared::new(&poll.crs, &poll.encryptor, n, &mut rng(45)).unwrap();
    let second = prepared.mix(&outputs).unwrap();
    let key = poll.secret.public_key(&poll.crs);
    assert!(verify(&poll.crs, &key, &outputs, second, &mut rng(46)).is_ok());
}

#[test]
fn honest_shuffles_are_accepted() {
    for (size, n) in [(4, 1), (4, 3), (4, 4), (5, 5), (64, 63), (64, 64)] {
        completes::<Bls12381>(size, n);
    }
    completes::<Bn254>(1000, 1000);
}

#[test]
fn sizes_must_fit() {
    for size in 0..4 {
        let error = Crs::<Bn254>::insecure_dealer(size, &mut rng(1)).err().unwrap();
        assert!(matches!(error, ShuffleError::Length { expected: 4, .. }));
    }
    let poll = poll::<Bn254>(4, 4);
    let prepare = |n| Prepared::new(&poll.crs, &poll.encryptor, n, &mut rng(1)).err();
    assert_eq!(prepare(0), Some(ShuffleError::Empty));
    assert_eq!(prepare(5), Some(ShuffleError::ReferenceString { available: 4, needed: 5 }));
    let three = Prepared::new(&poll.crs, &poll.encryptor, 3, &mut rng(1)).unwrap();
    let length = ShuffleError::Length { what: "list", expected: 3, got: 4 };
    assert_eq!(three.mix(&poll.inputs()).err(), Some(length));
}

/// The same exponent in both groups is what the argument assumes of the inputs.
#[test]
fn input_ciphertexts_must_be_valid() {
    let poll = poll::<Bn254>(4, 4);
    type E = Bn254;
    for row in 0..4 {
        for component in 0..3 {
            let mut rows = poll.ballots.clone();
            rows[row].g1[component] += <E as Pairing>::G1::generator();
            let mut others = poll.ballots.clone();
            others[row].g2[component] += <E as Pairing>::G2::generator();
            for rows in [rows, others] {
                let verdict = Column::new(&rows).validate(&poll.crs, &mut rng(2));
                let equation = Equation::Validity { index: Some(row) };
                assert_eq!(verdict, Err(ShuffleError::Equation { mixer: 0, equation }));
            }
        }
    }
    // Errors of two rows do not cancel.
    let mut rows = poll.ballots.clone();
    let shift = <E as Pairing>::G2::generator();
    rows[1].g2[2] += shift;
    rows[2].g2[2] -= shift;
    assert!(Column::new(&rows).validate(&poll.crs, &mut rng(2)).is_err());
}

fn moved<G: Group>(list: &PointList<G>, index: usize) -> PointList<G> {
    let mut points = list.points().to_vec();
    points[index] += G::generator();
    PointList::new(points)
}

#[test]
fn every_point_of_the_proof_and_the_outputs_counts() {
    type E = Bn254;
    let (g1, g2) = (<E as Pairing>::G1::generator(), <E as Pairing>::G2::generator());
    let poll = poll::<E>(5, 5);
    let honest = poll.mix();
    let refused = |equation, change: &dyn Fn(&mut Mix<E>)| {
        let mut mix = honest.clone();
        change(&mut mix);
        let verdict = poll.verify(mix).map(|_| ());
        assert_eq!(verdict, Err(ShuffleError::Equation { mixer: 1, equation }));
    };
    for index in 0..4 {
        let unit = Equation::UnitVector { index };
        refused(unit, &|mix| mix.proof.a1 = moved(&honest.proof.a1, index));
        refused(unit, &|mix| mix.proof.a2 = moved(&honest.proof.a2, index));
    }
    for index in 0..5 {
        let unit = Equation::UnitVector { index };
        refused(unit, &|mix| mix.proof.pi = moved(&honest.proof.pi, index));
    }
    let consistency = |component| Equation::Consistency { column: 0, component };
    refused(consistency(1), &|mix| mix.proof.c1[0] += g2);
    refused(consistency(2), &|mix| mix.proof.c1[1] += g2);
    for component in 0..3 {
        refused(Equation::Validity { index: None }, &|mix| mix.proof.c2.g1[component] += g1);
        refused(Equation::Validity { index: None }, &|mix| mix.proof.c2.g2[component] += g2);
        for row in 0..5 {
            let invalid = Equation::Validity { index: Some(row) };
            let change = |change: &dyn Fn(&mut Ciphertext<E>)| {
                let mut rows = honest.outputs.ciphertexts();
                change(&mut rows[row]);
                Column::new(&rows)
            };
            let (first, second) =
                (change(&|c| c.g1[component] += g1), change(&|c| c.g2[component] += g2));
            refused(invalid, &|mix| mix.outputs = first.clone());
            refused(invalid, &|mix| mix.outputs = second.clone());
            // Valid, but of another message or randomness.
            let valid = change(&|c| {
                c.g1[component] += poll.crs.message_base;
                c.g2[component] += g2;
            });
            refused(consistency(component + 1), &|mix| mix.outputs = valid.clone());
        }
    }
    let mut rows = honest.outputs.ciphertexts();
    rows.swap(0, 1);
    refused(consistency(1), &|mix| mix.outputs = Column::new(&rows));
}

#[test]
fn every_element_of_the_reference_string_counts() {
    type E = Bn254;
    type Change = Box<dyn Fn(&mut Crs<E>)>;
    let (g1, g2) = (<E as Pairing>::G1::generator(), <E as Pairing>::G2::generator());
    let honest = poll::<E>(4, 4);
    let mix = honest.mix();
    let affine1 = <E as Pairing>::G1::to_affine_all(&[g1])[0];
    let affine2 = <E as Pairing>::G2::to_affine_all(&[g2])[0];
    let mut changes: Vec<Change> = vec![
        Box::new(move |crs| crs.p0 += g1),
        Box::new(move |crs| crs.alpha_plus_p0 += g1),
        Box::new(move |crs| crs.p0_minus_alpha += g2),
        Box::new(move |crs| crs.rho1 += g1),
        Box::new(move |crs| crs.rho2 += g2),
        Box::new(move |crs| crs.beta += g2),
        Box::new(move |crs| crs.message_base += g1),
        Box::new(move |crs| crs.target += E::pairing(&g1, &g2)),
    ];
    for index in 0..4 {
        changes.push(Box::new(move |crs| crs.p1[index] = affine1));
        changes.push(Box::new(move |crs| crs.p2[index] = affine2));
        changes.push(Box::new(move |crs| crs.q_over_rho[index] = affine1));
    }
    for (number, change) in changes.iter().enumerate() {
        let mut crs = honest.crs.clone();
        change(&mut crs);
        // A verifier with a changed string, or a prover with one.
        let key = honest.secret.public_key(&honest.crs);
        let verdict = verify(&crs, &key, &honest.inputs(), mix.clone(), &mut rng(9));
        let encryptor = Encryptor::new(&crs, &key);
        let prepared = Prepared::new(&crs, &encryptor, 4, &mut rng(10)).unwrap();
        let made = honest.verify(prepared.mix(&honest.inputs()).unwrap());
        assert!(verdict.is_err() || made.is_err(), "change {number}");
    }
}

#[test]
fn hostile_bytes_are_refused() {
    type E = Bls12381;
    let poll = poll::<E>(4, 3);
    let bytes = poll.mix().to_bytes();
    let (len1, len2) = (48, 96);
    let lists =
        [(9, len1), (9, len2), (2, len1), (2, len2), (3, len1), (2, len2), (3, len1), (3, len2)];
    let mut at = 5;
    let (outside1, outside2) =
        (outside::<<E as Pairing>::G1>().unwrap(), outside::<<E as Pairing>::G2>().unwrap());
    for (count, len) in lists {
        for _ in 0..count {
            let mut changed = bytes.clone();
            let outside = if len == len1 { &outside1 } else { &outside2 };
            changed[at..at + len].copy_from_slice(outside);
            let error = Mix::<E>::from_bytes(&changed).err().unwrap().to_string();
            assert!(error.contains("subgroup"), "{error}");
            at += len;
        }
    }
    assert_eq!(at, bytes.len());
    for len in 0..bytes.len() {
        assert!(Mix::<E>::from_bytes(&bytes[..len]).is_err());
    }
    for (at, value) in [(0, 2), (1, 0), (1, 2), (4, 0xff)] {
        let mut changed = bytes.clone();
        changed[at] = value;
        assert!(Mix::<E>::from_bytes(&changed).is_err());
    }
    let error = Mix::<E>::from_bytes(&[1, 0, 0, 0, 0]).err().unwrap().to_string();
    assert!(error.contains("at least one"), "{error}");
}
