//! Keys that somebody made on purpose.

use std::io::Cursor;

use algebra::{
    Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Engine, Group, PointForm, Scalar, ScalarOf,
};
use ceremony::{Error, Relation};
use circuit::{
    Attribution, Curve, Error as FileError,
    r1cs::{R1cs, R1csWriter},
    zkey::{Contribution, G1Query, Zkey, ZkeyWriter},
};
use wire::Blake2b;

use crate::{
    fixtures,
    support::{Files, beacon, contribute},
};

fn times<G: CurveGroup>(point: Affine<G>, scalar: &G::Scalar) -> Affine<G> {
    G::to_affine_all(&[G::from_affine(&point).mul(scalar)])[0]
}

/// A key taken apart, so that it can be put together otherwise.
struct Parts<E: Engine> {
    file: Cursor<Vec<u8>>,
    zkey: Zkey<E>,
    delta: ScalarOf<E>,
    hash: [u8; 64],
    contributions: Vec<Contribution<E>>,
}

impl<E: Engine> Parts<E> {
    fn of(key: &[u8]) -> Self {
        let mut file = Cursor::new(key.to_vec());
        let zkey = Zkey::<E>::open(&mut file).unwrap();
        let hash = zkey.circuit_hash(&mut file).unwrap();
        let all = zkey.contributions(&mut file).unwrap().map(Result::unwrap);
        let contributions = all.collect();
        Self { file, zkey, delta: ScalarOf::<E>::one(), hash, contributions }
    }

    /// Contributes `delta` with an honest proof of knowledge.
    fn contribute(&mut self, delta: u64) {
        let x = ScalarOf::<E>::from_u64(delta);
        self.delta *= x;
        let s = times::<E::G1>(E::G1::affine_generator(), &ScalarOf::<E>::from_u64(77));
        let sx = times::<E::G1>(s, &x);
        let form = PointForm::Uncompressed(algebra::Dialect::Snarkjs);
        let mut hashed = self.hash.to_vec();
        self.contributions.iter().for_each(|before| before.write_key(form, &mut hashed));
        E::G1::write_form(&[s, sx], form, &mut hashed);
        let transcript = Blake2b::digest(&hashed);
        let rx = E::G2::to_affine_all(&[E::hash_to_g2(&transcript).mul(&x)])[0];
        let before = self.contributions.last().map(|last| last.delta_after);
        let before = before.unwrap_or_else(E::G1::affine_generator);
        let (delta_after, attribution) = (times::<E::G1>(before, &x), Attribution::default());
        let contribution = Contribution { delta_after, s, sx, rx, transcript, attribution };
        self.contributions.push(contribution);
    }

    /// The key, with `K` and `H` divided by these.
    fn build(mut self, k: ScalarOf<E>, h: ScalarOf<E>) -> Vec<u8> {
        let mut header = self.zkey.header().clone();
        header.points.delta_g1 = self.contributions.last().unwrap().delta_after;
        header.points.delta_g2 = times::<E::G2>(header.points.delta_g2, &self.delta);
        let mut out = ZkeyWriter::<_, E>::new(Vec::new(), header).unwrap();
        for id in 3..=7 {
            out.copy(&mut self.file, self.zkey.table().unique(id).unwrap()).unwrap();
        }
        for (query, divisor) in [(G1Query::K, k), (G1Query::H, h)] {
            let list = self.zkey.g1(query).unwrap();
            let mut points = list.read(&mut self.file, 0, list.len() as usize).unwrap();
            E::G1::scale_all(&mut points, &divisor.invert().unwrap());
            let mut section = out.g1(query).unwrap();
            section.write(&points).unwrap();
            section.finish().unwrap().finish().unwrap();
        }
        out.contributions(&self.hash, &self.contributions).unwrap();
        out.finish().unwrap()
    }
}

fn scalar<E: Engine>(value: u64) -> ScalarOf<E> {
    ScalarOf::<E>::from_u64(value)
}

fn different_deltas<E: Engine>(curve: Curve) {
    let files = Files::of(curve);
    let first = fixtures::read(curve, "new.zkey");
    let build = |k, h| {
        let mut parts = Parts::<E>::of(&first);
        parts.contribute(5);
        parts.build(scalar::<E>(k), scalar::<E>(h))
    };
    files.verify::<E>(&build(5, 5)).unwrap();
    for (k, h, expected) in [(5, 7, G1Query::H), (7, 5, G1Query::K), (7, 7, G1Query::H)] {
        let error = files.verify::<E>(&build(k, h)).unwrap_err();
        assert!(
            matches!(error, Error::NotDivided { place, index: 0 } if place == expected.place()),
            "{error}"
        );
    }
}

#[test]
fn k_and_h_have_the_delta_of_the_header() {
    different_deltas::<Bn254>(Curve::Bn254);
    different_deltas::<Bls12381>(Curve::Bls12381);
}

/// A delta of 1 whose proof of knowledge is right.
#[test]
fn delta_one() {
    let files = Files::of(Curve::Bn254);
    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(1);
    let key = parts.build(scalar::<Bn254>(1), scalar::<Bn254>(1));
    assert!(matches!(files.verify::<Bn254>(&key), Err(Error::Forgeable)));
    let exported = ceremony::phase2::export::<Bn254>(&mut Cursor::new(&key));
    assert!(matches!(exported, Err(Error::Forgeable)));
}

/// Two contributions that cancel.
#[test]
fn deltas_that_cancel() {
    let files = Files::of(Curve::Bn254);
    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(5);
    let inverse = scalar::<Bn254>(5).invert().unwrap();
    parts.contribute(1);
    // The second contribution with the inverse, whose proof is that of another secret.
    let last = parts.contributions.last_mut().unwrap();
    last.delta_after = times::<<Bn254 as algebra::Pairing>::G1>(last.delta_after, &inverse);
    parts.delta = scalar::<Bn254>(1);
    let key = parts.build(scalar::<Bn254>(1), scalar::<Bn254>(1));
    assert!(matches!(files.verify::<Bn254>(&key), Err(Error::Forgeable)));
}

#[test]
fn contributions_out_of_order() {
    let files = Files::of(Curve::Bn254);
    let first = files.new_key::<Bn254>();
    let (key, _) = contribute::<Bn254>(&first, Some("one"), 1);
    let (key, _) = contribute::<Bn254>(&key, Some("two"), 2);
    let (key, _) = beacon::<Bn254>(&key, b"three");
    files.verify::<Bn254>(&key).unwrap();
    let reordered = |order: &[usize]| {
        let mut parts = Parts::<Bn254>::of(&key);
        let all = parts.contributions.clone();
        parts.contributions = order.iter().map(|at| all[*at].clone()).collect();
        // The points stay as the last contribution left them.
        parts.build(scalar::<Bn254>(1), scalar::<Bn254>(1))
    };
    assert!(files.verify::<Bn254>(&reordered(&[0, 1, 2])).is_ok());
    for (order, index) in [(&[1, 0, 2][..], 0), (&[1, 2], 0), (&[0, 2], 1), (&[0, 0, 1, 2], 1)] {
        let error = files.verify::<Bn254>(&reordered(order)).unwrap_err();
        assert!(matches!(error, Error::Transcript { index: at } if at == index), "{error}");
    }
    let error = files.verify::<Bn254>(&reordered(&[0, 1])).unwrap_err();
    assert!(matches!(error, Error::KeyPoint { field: "delta2" | "delta1" }), "{error}");
}

/// Contributions of nobody: the proof of knowledge is of another secret than the change of delta.
#[test]
fn delta_without_knowledge() {
    let files = Files::of(Curve::Bn254);
    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(5);
    let last = parts.contributions.last_mut().unwrap();
    let seven = scalar::<Bn254>(7);
    last.delta_after = times::<<Bn254 as algebra::Pairing>::G1>(last.delta_after, &seven);
    parts.delta *= seven;
    let key = parts.build(scalar::<Bn254>(35), scalar::<Bn254>(35));
    let error = files.verify::<Bn254>(&key).unwrap_err();
    let expected = Relation::Delta;
    assert!(
        matches!(error, Error::Contribution { index: 0, relation } if relation == expected),
        "{error}"
    );
}

/// A participant's contribution that claims to be a beacon's, and a beacon that takes for ever.
#[test]
fn false_beacons() {
    let files = Files::of(Curve::Bn254);
    let build = |exponent| {
        let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
        parts.contribute(5);
        let attribution = Attribution::beacon(None, exponent, b"block".to_vec());
        parts.contributions.last_mut().unwrap().attribution = attribution;
        parts.build(scalar::<Bn254>(5), scalar::<Bn254>(5))
    };
    let error = files.verify::<Bn254>(&build(10)).unwrap_err();
    assert!(matches!(error, Error::BeaconKey { index: 0 }), "{error}");
    let error = files.verify::<Bn254>(&build(63)).unwrap_err();
    assert!(matches!(error, Error::BeaconTooLong { index: 0, exponent: 63, .. }), "{error}");
}

/// The same circuit but for one coefficient.
#[test]
fn another_circuit() {
    let files = Files::of(Curve::Bn254);
    let mut file = Cursor::new(&files.r1cs);
    let r1cs = R1cs::<Bn254>::open(&mut file).unwrap();
    let mut rows: Vec<_> = r1cs.constraints(&mut file).unwrap().map(Result::unwrap).collect();
    let labels: Vec<_> = r1cs.labels(&mut file).unwrap().collect();
    rows[3].c[0].1 += scalar::<Bn254>(1);
    let mut out = R1csWriter::<_, Bn254>::new(Cursor::new(Vec::new()), r1cs.header()).unwrap();
    out.constraints(rows.into_iter().map(Ok)).unwrap();
    out.header().unwrap();
    out.labels(labels).unwrap();
    let swapped = Files { r1cs: out.finish().unwrap().into_inner(), ptau: files.ptau.clone() };

    let (key, _) = contribute::<Bn254>(&swapped.new_key::<Bn254>(), None, 1);
    swapped.verify::<Bn254>(&key).unwrap();
    // A coefficient of C is in K alone.
    let error = files.verify::<Bn254>(&key).unwrap_err();
    assert!(matches!(error, Error::NotDivided { .. } | Error::NotInitial { .. }), "{error}");
}

/// The same circuit over another phase 1.
#[test]
fn another_phase_1() {
    let files = Files::of(Curve::Bn254);
    let small = fixtures::read(Curve::Bn254, "prepared_07.ptau");
    let (key, _) = contribute::<Bn254>(&files.new_key::<Bn254>(), None, 1);
    // A truncated file is the same phase 1, in which the circuit fits.
    Files { ptau: small, ..files.clone() }.verify::<Bn254>(&key).unwrap();
    let trivial = Files { ptau: fixtures::read(Curve::Bn254, "trivial.ptau"), ..files };
    let error = trivial.verify::<Bn254>(&key).unwrap_err();
    assert!(matches!(error, Error::Header { field: "alpha1" }), "{error}");
    // In which nobody took part, and every odd point is infinity.
    let error = trivial.try_new::<Bn254>().unwrap_err();
    assert!(matches!(error, Error::File(FileError::Infinity { .. })), "{error}");
}
