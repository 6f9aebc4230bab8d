//! Keys that somebody made on purpose.

use std::io::Cursor;

use algebra::{
    Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Engine, Group, PointForm, Scalar, ScalarOf,
};
use ceremony::{Error, Relation, Snapshot, Trust, phase1};
use circuit::{
    Attribution, Curve,
    r1cs::{R1cs, R1csWriter},
    zkey::{Contribution, G1Query, Zkey, ZkeyWriter},
};
use wire::Blake2b;

use super::{
    fixtures,
    oracle::{with_circuit, with_first},
    support::{Files, beacon, contribute, rng},
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
    fn build(self, k: ScalarOf<E>, h: ScalarOf<E>) -> Vec<u8> {
        self.build_with(k, h, |_| {})
    }

    /// The same, with `H` altered after that.
    fn build_with(
        mut self,
        k: ScalarOf<E>,
        h: ScalarOf<E>,
        alter: impl Fn(&mut [Affine<E::G1>]),
    ) -> Vec<u8> {
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
            if query == G1Query::H {
                alter(&mut points);
            }
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
        parts.contribute(7);
        let attribution = Attribution::beacon(None, exponent, b"block".to_vec());
        parts.contributions.last_mut().unwrap().attribution = attribution;
        parts.build(scalar::<Bn254>(35), scalar::<Bn254>(35))
    };
    let error = files.verify::<Bn254>(&build(10)).unwrap_err();
    assert!(matches!(error, Error::BeaconKey { index: 1 }), "{error}");
    let error = files.verify::<Bn254>(&build(63)).unwrap_err();
    assert!(matches!(error, Error::BeaconTooLong { index: 1, exponent: 63, .. }), "{error}");
}

/// Thousands of beacons, each within the limit, kept a verifier busy for days; and a beacon was
/// hashed before the equations were looked at.
#[test]
fn beacons_are_counted_and_equations_checked_before_any_is_hashed() {
    let files = Files::of(Curve::Bn254);
    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(5);
    for hash in 0..3 {
        parts.contribute(7);
        let attribution = Attribution::beacon(None, 31, vec![hash]);
        parts.contributions.last_mut().unwrap().attribution = attribution;
    }
    let divisor = scalar::<Bn254>(5 * 7 * 7 * 7);
    let error = files.verify::<Bn254>(&parts.build(divisor, divisor)).unwrap_err();
    assert!(matches!(error, Error::BeaconsTooLong { index: 3, limit: 32 }), "{error}");

    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(5);
    let rx = parts.contributions[0].rx;
    parts.contribute(7);
    let last = parts.contributions.last_mut().unwrap();
    (last.rx, last.attribution) = (rx, Attribution::beacon(None, 32, vec![1]));
    let key = parts.build(scalar::<Bn254>(35), scalar::<Bn254>(35));
    let error = files.verify::<Bn254>(&key).unwrap_err();
    assert!(matches!(error, Error::Contribution { index: 1, .. }), "{error}");
}

/// A contribution that everybody can make counted as somebody's.
#[test]
fn a_secret_of_one_is_no_contribution() {
    let files = Files::of(Curve::Bn254);
    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(5);
    parts.contribute(1);
    let key = parts.build(scalar::<Bn254>(5), scalar::<Bn254>(5));
    let error = files.verify::<Bn254>(&key).unwrap_err();
    assert!(matches!(error, Error::Idle { index: 1, secret: "delta" }), "{error}");
}

/// Everybody can compute the secret of a key to which only beacons contributed, and forge.
#[test]
fn beacons_are_no_contributors() {
    let files = Files::of(Curve::Bn254);
    let (key, _) = beacon::<Bn254>(&fixtures::read(Curve::Bn254, "new.zkey"), b"one");
    let (key, _) = beacon::<Bn254>(&key, b"two");
    assert!(matches!(files.verify::<Bn254>(&key), Err(Error::OnlyBeacons)));
    let exported = ceremony::phase2::export::<Bn254>(&mut Cursor::new(&key));
    assert!(matches!(exported, Err(Error::OnlyBeacons)));
    let (key, _) = contribute::<Bn254>(&key, None, 1);
    files.verify::<Bn254>(&key).unwrap();
}

/// A coordinator who goes on without Ben's contribution makes a right key; Ben's misses it.
#[test]
fn a_contributor_who_is_dropped_is_missed() {
    let files = Files::of(Curve::Bn254);
    let (ana, _) = contribute::<Bn254>(&files.new_key::<Bn254>(), Some("Ana"), 1);
    let (ben, _) = contribute::<Bn254>(&ana, Some("Ben"), 2);
    let (eve, _) = contribute::<Bn254>(&ana, Some("Eve"), 3);
    files.verify::<Bn254>(&eve).unwrap();
    let records = |key: &[u8]| ceremony::phase2::records::<Bn254>(&mut Cursor::new(key)).unwrap();
    let continues = |new: &[u8], old: &[u8]| records(new).require_continues(&records(old), 1);
    continues(&eve, &ana).unwrap();
    assert!(matches!(continues(&eve, &ben), Err(Error::Replaced { index: 1 })));
    assert!(matches!(continues(&ana, &ben), Err(Error::Dropped { index: 1 })));
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

/// A prepared phase 1 of somebody else.
fn other_phase_1() -> Vec<u8> {
    let start = Cursor::new(fixtures::read(Curve::Bn254, "new.ptau"));
    let mut start = Snapshot::take(start, &()).unwrap();
    let (mut other, mut ptau, trust) = (Cursor::new(Vec::new()), Vec::new(), Trust::Skip);
    phase1::contribute::<Bn254>(&mut start, &mut other, None, trust, &mut rng(9), &()).unwrap();
    phase1::prepare::<Bn254>(&mut other, &mut ptau, &()).unwrap();
    ptau
}

/// A key of another phase 1 or circuit had everybody hash its beacons, before anything was compared.
#[test]
fn headers_are_compared_before_beacons_are_hashed() {
    let files = Files::of(Curve::Bn254);
    let mut parts = Parts::<Bn254>::of(&fixtures::read(Curve::Bn254, "new.zkey"));
    parts.contribute(5);
    parts.contribute(7);
    let beacon = Attribution::beacon(None, 32, vec![1]);
    parts.contributions.last_mut().unwrap().attribution = beacon;
    let key = parts.build(scalar::<Bn254>(35), scalar::<Bn254>(35));
    let other = Files { ptau: other_phase_1(), ..files };
    for refused in [
        other.verify::<Bn254>(&key).err(),
        with_circuit::<Bn254>(&key, &other, false).err(),
        with_first::<Bn254>(&key, &other.new_key::<Bn254>(), false).err(),
    ] {
        assert!(matches!(refused, Some(Error::Header { field: "alpha1" })), "{refused:?}");
    }
}

/// The same circuit over another phase 1.
#[test]
fn another_phase_1() {
    let files = Files::of(Curve::Bn254);
    let small = fixtures::read(Curve::Bn254, "prepared_07.ptau");
    let (key, _) = contribute::<Bn254>(&files.new_key::<Bn254>(), None, 1);
    // A truncated file is the same phase 1, in which the circuit fits.
    Files { ptau: small, ..files.clone() }.verify::<Bn254>(&key).unwrap();
    let other = Files { ptau: other_phase_1(), ..files.clone() };
    let error = other.verify::<Bn254>(&key).unwrap_err();
    assert!(matches!(error, Error::Header { field: "alpha1" }), "{error}");
    // In which nobody took part.
    let trivial = Files { ptau: fixtures::read(Curve::Bn254, "trivial.ptau"), ..files };
    for error in [trivial.verify::<Bn254>(&key).err(), trivial.try_new::<Bn254>().err()] {
        assert!(matches!(error, Some(Error::Phase1 { .. })), "{error:?}");
    }
}

/// The coefficient of the highest power in `H`: `2 Σ ω^(−2i−1) H_i`, and what it adds to each point
/// of `H`: `ω^(2i+1)/2n` times itself.
struct TopPower<E: Engine> {
    extract: Vec<ScalarOf<E>>,
    spread: Vec<ScalarOf<E>>,
}

impl<E: Engine> TopPower<E> {
    fn new(size: u32) -> Self {
        let root = E::root_of_unity(size.ilog2() + 1).unwrap();
        let powers = |first: ScalarOf<E>, base: ScalarOf<E>| {
            let mut powers = vec![ScalarOf::<E>::one(); size as usize];
            algebra::scale_by_powers(&mut powers, first, base * base);
            powers
        };
        let (two, inverse) = (scalar::<E>(2), root.invert().unwrap());
        let share = scalar::<E>(2 * u64::from(size)).invert().unwrap();
        Self { extract: powers(two * inverse, inverse), spread: powers(share * root, root) }
    }

    fn of(&self, h: &[Affine<E::G1>]) -> E::G1 {
        E::G1::msm_affine(&self.extract, h)
    }

    /// `H` with another coefficient.
    fn set(&self, h: &mut [Affine<E::G1>], to: E::G1) {
        let change = to - self.of(h);
        let points: Vec<E::G1> = h
            .iter()
            .zip(&self.spread)
            .map(|(point, share)| E::G1::from_affine(point) + change.mul(share))
            .collect();
        h.copy_from_slice(&E::G1::to_affine_all(&points));
    }
}

/// Whoever has the next contributor divide `IC` of some public inputs by `δ` forges a proof for
/// them. The place for it is the highest power of `H`, which makes no difference to honest proofs.
fn forgery_by_the_top_power<E: Engine>(curve: Curve) {
    let files = Files::of(curve);
    let mut parts = Parts::<E>::of(&fixtures::read(curve, "new.zkey"));
    let top = TopPower::<E>::new(parts.zkey.header().domain_size);
    let ic = parts.zkey.g1(G1Query::Ic).unwrap();
    let ic = ic.read(&mut parts.file, 0, ic.len() as usize).unwrap();
    let inputs: Vec<_> = (0..ic.len() as u64).map(|i| scalar::<E>(1 + 1000 * i)).collect();
    let statement = E::G1::msm_affine(&inputs, &ic);
    parts.contribute(5);
    let five = scalar::<E>(5);
    let evil = parts.build_with(five, five, |h| top.set(h, statement));
    let (key, _) = contribute::<E>(&evil, None, 1);

    // The forgery works, hence both keys must be refused.
    let mut file = Cursor::new(&key);
    let zkey = Zkey::<E>::open(&mut file).unwrap();
    let h = zkey.g1(G1Query::H).unwrap();
    let h = h.read(&mut file, 0, h.len() as usize).unwrap();
    let points = &zkey.header().points;
    let c = -top.of(&h).mul(&five.invert().unwrap());
    assert!(E::is_neutral(&[
        (statement, E::G2::from_affine(&points.gamma_g2)),
        (c, E::G2::from_affine(&points.delta_g2)),
    ]));
    for key in [evil, key] {
        let error = files.verify::<E>(&key).unwrap_err();
        let place = G1Query::H.place();
        assert!(
            matches!(error, Error::NotDivided { place: at, index: 0 } if at == place),
            "{error}"
        );
    }
}

#[test]
fn nothing_stands_in_place_of_the_top_power() {
    forgery_by_the_top_power::<Bn254>(Curve::Bn254);
    forgery_by_the_top_power::<Bls12381>(Curve::Bls12381);
}
