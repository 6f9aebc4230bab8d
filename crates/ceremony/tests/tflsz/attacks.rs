//! What a dishonest participant or coordinator might try.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, CurveGroup, Engine, Group, Pairing, Scalar, ScalarOf};
use ceremony::{Error, Relation, tflsz::Round};
use circuit::native::{TflszCrs, TflszPoints, TflszWriter};

use super::{contribute, new, phase1, rng, try_contribute, verify, whole};

/// A file in parts: contributions by their bytes.
#[derive(Clone)]
pub struct Contents<E: Engine> {
    pub points: TflszPoints<E>,
    phase1: Vec<u8>,
    first: Vec<Vec<u8>>,
    second: Vec<Vec<u8>>,
}

/// All names have three letters.
const NAME: usize = 4 + 3;
/// And the digest of the file that was contributed to.
const SAID: usize = NAME + 32;

impl<E: Engine> Contents<E> {
    pub fn read(bytes: &[u8]) -> Self {
        let file = &mut Cursor::new(bytes);
        let (crs, transcript) = TflszCrs::<E>::open_ceremony(file).unwrap();
        let points = TflszPoints::read_lists(&crs, file).unwrap();
        let (phase1, rest) = transcript.split_at(64);
        let (first, rest) = split(rest, SAID + 4 * (2 * E::G1::ENCODED_LEN + 32));
        let (second, rest) = split(rest, SAID + 2 * E::G2::ENCODED_LEN + 32);
        assert!(rest.is_empty());
        Self { points, phase1: phase1.to_vec(), first, second }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut transcript = self.phase1.clone();
        for contributions in [&self.first, &self.second] {
            transcript.extend((contributions.len() as u32).to_le_bytes());
            transcript.extend(contributions.concat());
        }
        let out = TflszWriter::ceremony(Vec::new(), self.points.size(), &transcript).unwrap();
        self.points.write_lists(out).unwrap()
    }

    fn refused(&self, ptau: &[u8]) -> Error {
        verify::<E>(&self.write(), ptau).unwrap_err()
    }
}

fn split(bytes: &[u8], len: usize) -> (Vec<Vec<u8>>, &[u8]) {
    let count = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let (records, rest) = bytes[4..].split_at(count * len);
    (records.chunks(len).map(<[u8]>::to_vec).collect(), rest)
}

/// The contribution that an error names.
fn culprit(error: &Error) -> Option<usize> {
    match error {
        Error::Contribution { index, .. } => Some(*index),
        _ => None,
    }
}

fn contributions_reordered_dropped_doubled<E: Engine>() {
    let ptau = phase1::<E>(2, 1);
    let honest = Contents::<E>::read(&whole::<E>(&ptau, 2));
    assert_eq!(honest.write(), whole::<E>(&ptau, 2));

    let mut contents = honest.clone();
    contents.first.swap(0, 1);
    assert_eq!(culprit(&contents.refused(&ptau)), Some(0));
    let mut contents = honest.clone();
    contents.second.swap(0, 1);
    assert_eq!(culprit(&contents.refused(&ptau)), Some(2));

    for index in 0..2 {
        let mut contents = honest.clone();
        contents.first.remove(index);
        let error = contents.refused(&ptau);
        // Without the last of a round, the points are not those that the others left.
        let is_found = culprit(&error) == Some(0) || matches!(error, Error::Singular { .. });
        assert!(is_found, "{error}");
        let mut contents = honest.clone();
        contents.second.remove(index);
        let error = contents.refused(&ptau);
        let is_found = culprit(&error) == Some(2) || matches!(error, Error::Singular { .. });
        assert!(is_found, "{error}");
    }
    let mut contents = honest.clone();
    contents.first.clear();
    assert!(matches!(contents.refused(&ptau), Error::NoContributions));
    let mut contents = honest.clone();
    contents.second.clear();
    assert!(matches!(contents.refused(&ptau), Error::Singular { index: 5, .. }));

    let mut contents = honest.clone();
    contents.first.push(honest.first[1].clone());
    assert_eq!(culprit(&contents.refused(&ptau)), Some(2));
    let mut contents = honest.clone();
    contents.second.push(honest.second[1].clone());
    assert_eq!(culprit(&contents.refused(&ptau)), Some(4));

    // A name that somebody else put there.
    let mut contents = honest;
    contents.first[1][4..NAME].copy_from_slice(b"Eve");
    assert_eq!(culprit(&contents.refused(&ptau)), Some(1));
}

#[test]
fn contributions_stay_where_they_were_made() {
    contributions_reordered_dropped_doubled::<Bn254>();
    contributions_reordered_dropped_doubled::<Bls12381>();
}

/// Who does not know the factor cannot claim the outcome: Bob shows Ana's state as his own, then
/// Ana's proof under his name.
#[test]
fn somebody_elses_secrets() {
    let ptau = phase1::<Bn254>(2, 1);
    let start = new::<Bn254>(&ptau, 2);
    let ana = Contents::<Bn254>::read(&contribute::<Bn254>(&start, Round::First, "Ana", 11));
    let mut stolen = ana.clone();
    stolen.first[0][4..NAME].copy_from_slice(b"Bob");
    let error = stolen.refused(&ptau);
    let expected = Relation::KnowsTheta;
    assert!(matches!(error, Error::Contribution { index: 0, relation } if relation == expected));

    // Contributions to another phase 1, with the right points of χ for this one.
    let other = phase1::<Bn254>(2, 2);
    assert!(matches!(ana.refused(&other), Error::OtherPhase1));
    let mut moved = ana.clone();
    moved.phase1 = Contents::<Bn254>::read(&new::<Bn254>(&other, 2)).phase1;
    assert!(matches!(moved.refused(&other), Error::NotPhase1 { index: 0, .. }));
    moved.points = Contents::<Bn254>::read(&new::<Bn254>(&other, 2)).points;
    assert_eq!(culprit(&moved.refused(&other)), Some(0));
}

/// A share of zero makes points neutral, which no file may have.
#[test]
fn a_share_of_zero() {
    type E = Bn254;
    let ptau = phase1::<E>(2, 1);
    let honest = Contents::<E>::read(&whole::<E>(&ptau, 2));
    let infinity = <E as Pairing>::G1::identity().encode();
    for step in 0..4 {
        let mut contents = honest.clone();
        let at = SAID + step * (2 * infinity.len() + 32);
        contents.first[1][at..][..infinity.len()].copy_from_slice(&infinity);
        let error = contents.refused(&ptau);
        assert!(
            matches!(error, Error::File(_)) && error.to_string().contains("infinity"),
            "{error}"
        );
    }
    let mut contents = honest;
    let identity = <E as Pairing>::G1::affine_identity();
    contents.points.q_over_rho = vec![identity; 3];
    let error = contents.refused(&ptau);
    assert!(error.to_string().contains("infinity"), "{error}");
}

/// A participant of round 2 multiplies the summands of `γβP_i + γβ̂P̂_i` by different factors, which would let
/// commitments to `P_i` and `P̂_i` differ.
#[test]
fn different_factors_in_a_sum() {
    type E = Bn254;
    type G1 = <E as Pairing>::G1;
    let ptau = phase1::<E>(2, 1);
    let first = contribute::<E>(&new::<E>(&ptau, 2), Round::First, "Ana", 11);
    let before = Contents::<E>::read(&first).points;
    let mut contents = Contents::<E>::read(&contribute::<E>(&first, Round::Second, "Bob", 12));
    let gamma = ScalarOf::<E>::random(&mut rng(12));
    let twisted = before.mixed.iter().zip(&before.beta_hat_theta).map(|(&sum, &term)| {
        let (sum, term): (G1, G1) = (sum.into(), term.into());
        (sum - term + term.double()).mul(&gamma)
    });
    contents.points.mixed = G1::precompute(&twisted.collect::<Vec<_>>());
    let error = contents.refused(&ptau);
    assert!(matches!(error, Error::Unrelated { index: 0, .. }), "{error}");
}

#[test]
fn rounds_are_in_their_order() {
    let ptau = phase1::<Bn254>(2, 1);
    let contribute =
        |file: &[u8], round| try_contribute::<Bn254>(file, &ptau, round, "Eve", 1).unwrap_err();
    let error = contribute(&new::<Bn254>(&ptau, 2), Round::Second);
    assert!(matches!(error, Error::RoundEmpty { round: 1 }), "{error}");
    let error = contribute(&whole::<Bn254>(&ptau, 2), Round::First);
    assert!(matches!(error, Error::RoundOver), "{error}");
    assert!(matches!(verify::<Bn254>(&new::<Bn254>(&ptau, 2), &ptau), Err(Error::NoContributions)));
}

/// The same generator with another name makes another mask: two proofs under one mask and two
/// challenges would give the secret away.
#[test]
fn no_mask_is_used_twice() {
    type E = Bn254;
    let start = new::<E>(&phase1::<E>(2, 1), 2);
    let commitment = |name| {
        let contents = Contents::<E>::read(&contribute::<E>(&start, Round::First, name, 11));
        let len = <E as Pairing>::G1::ENCODED_LEN;
        let point = |index: usize| contents.first[0][SAID + index * len..][..len].to_vec();
        (point(0), point(1))
    };
    let (ana, bob) = (commitment("Ana"), commitment("Bob"));
    assert_eq!(ana.0, bob.0, "the same secret");
    assert_ne!(ana.1, bob.1, "another mask");
    assert_eq!(ana, commitment("Ana"));
}
