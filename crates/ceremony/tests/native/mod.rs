//! Native ceremonies: whole, against every alteration, and with snarkjs.
//!
//! The tests with snarkjs need `node` and `npm`. The tools are those of the tests of `circuit`, in the
//! same directory.

mod oracle;
mod phase1;
mod phase1_hostile;
mod phase2;
mod phase2_hostile;
mod snarkjs;

use test_support::snarkjs as fixtures;

use algebra::{Affine, CurveGroup, Dialect, PointForm, Scalar};
use ceremony::phase1::Beacon;
use circuit::PointList;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn some_beacon() -> Beacon {
    Beacon::new((1..=16).collect(), 10).unwrap()
}

/// The secret that a contributor's generator gives next.
fn draw<S: Scalar>(rng: &mut ChaCha20Rng) -> S {
    S::random(rng)
}

/// Another point of the group.
fn other<G: CurveGroup>(point: &Affine<G>) -> Affine<G> {
    let sum = Into::<G>::into(*point) + G::generator().double().double();
    G::precompute(&[sum])[0]
}

/// A point of the curve outside the prime-order subgroup; none on BN254's G1.
fn outside<G: CurveGroup>() -> Option<Affine<G>> {
    let candidate = |x: u8| {
        let mut bytes = vec![0; G::COORDINATE_LEN];
        *bytes.last_mut().unwrap() = x;
        let points = G::read_form(&bytes, PointForm::Compressed(Dialect::Snarkjs)).ok()?;
        G::check_subgroup(&points).err().map(|_| points[0])
    };
    (1..=40).find_map(candidate)
}

/// The file with another point, infinity, and a point outside the subgroup, at a place of a list.
fn wrong_points<G: CurveGroup>(list: &PointList<G>, bytes: &[u8], index: u64) -> Vec<Vec<u8>> {
    let point = list.read(&mut std::io::Cursor::new(bytes), index, 1).unwrap()[0];
    let wrong = [Some(other::<G>(&point)), Some(G::affine_identity()), outside::<G>()];
    let put = |wrong: Affine<G>| {
        let (mut bytes, mut encoded) = (bytes.to_vec(), Vec::new());
        G::write_form(&[wrong], PointForm::Montgomery, &mut encoded);
        bytes[list.offset_of(index) as usize..][..encoded.len()].copy_from_slice(&encoded);
        bytes
    };
    wrong.into_iter().flatten().filter(|wrong| *wrong != point).map(put).collect()
}

/// The first byte of each of the fields, which follow each other behind `start`.
fn offsets(start: usize, lengths: &[usize]) -> Vec<usize> {
    let ends = lengths.iter().scan(start, |end, len| {
        let start = *end;
        *end += len;
        Some(start)
    });
    ends.collect()
}

/// Puts the encoding of another point in the place of one in a record.
fn alter<G: CurveGroup>(record: &mut [u8], offset: usize) {
    let field = &mut record[offset..][..G::ENCODED_LEN];
    let point = G::decode(field).unwrap() + G::generator();
    field.copy_from_slice(&point.encode());
}

/// Puts the neutral element there: what a secret of zero leaves.
fn annul<G: CurveGroup>(record: &mut [u8], offset: usize) {
    record[offset..][..G::ENCODED_LEN].copy_from_slice(&G::identity().encode());
}
