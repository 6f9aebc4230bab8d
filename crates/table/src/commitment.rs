//! Pedersen commitments over ristretto255 and their two encodings (`docs/spec/table.md`).
//!
//! A leaf's commitment `C` is sent as `enc(C)`. A sum of several commitments, and every root, is sent as `enc(2C)`,
//! because doubled points can be encoded in bulk for a tenth of the cost. The number of rows below a node determines
//! which of the two it is, never a message. Doubling is a bijection of the group, so `enc(2C)` binds like `enc(C)`. But
//! equations about such nodes are equations about `2C`, and a verifier that forgets the factor accepts twice the sum.

use std::sync::LazyLock;

use algebra::{FixedBaseTable, Group as _, Ristretto255, Scalar as _};

use crate::Fault;

/// A group element.
pub(crate) type Point = Ristretto255;
/// An integer modulo the group order `l`.
pub(crate) type Scalar = <Ristretto255 as algebra::Group>::Scalar;

/// An encoded point.
pub type Encoded = [u8; 32];

/// The bases of commitments: `C(v, r) = v·G + r·H`.
pub(crate) struct Bases {
    /// `G`, multiplied by values.
    pub(crate) value: Point,
    /// `H`, multiplied by blindings.
    pub(crate) blinding: Point,
    half_value: FixedBaseTable<Point>,
    half_blinding: FixedBaseTable<Point>,
}

/// The bases, derived by hashing: nobody knows a relation between them.
pub(crate) static BASES: LazyLock<Bases> = LazyLock::new(|| {
    let value = Point::hash_to_group(b"subrosa/table/v1/G");
    let blinding = Point::hash_to_group(b"subrosa/table/v1/H");
    let half = Scalar::from_u64(2).invert();
    let table = |base: &Point| FixedBaseTable::new(&base.mul(&half));
    let (half_value, half_blinding) = (table(&value), table(&blinding));
    Bases { value, blinding, half_value, half_blinding }
});

/// `v·G + r·H`, in constant time: for a user's own row.
pub(crate) fn commit(value: &Scalar, blinding: &Scalar) -> Point {
    BASES.value.mul(value) + BASES.blinding.mul(blinding)
}

/// Half of `v·G + r·H`, by tables and in variable time: for the server's bulk work on its own
/// machine, where bulk encoding doubles it.
pub(crate) fn commit_half(value: &Scalar, blinding: &Scalar) -> Point {
    let bases = &*BASES;
    bases.half_blinding.add_mul(bases.half_value.mul(value), blinding)
}

/// [`commit_half`] of many, on all threads.
pub(crate) fn commit_halves(values: &[Scalar], blindings: &[Scalar]) -> Vec<Point> {
    let mut halves = value_halves(values);
    hide_halves(&mut halves, blindings);
    halves
}

/// Half of `v·G` of many values: commitments to be hidden.
pub(crate) fn value_halves(values: &[Scalar]) -> Vec<Point> {
    let mut halves = vec![Point::default(); values.len()];
    BASES.half_value.add_mul_all(&mut halves, values);
    halves
}

/// Adds half of `r·H` to each.
pub(crate) fn hide_halves(halves: &mut [Point], blindings: &[Scalar]) {
    BASES.half_blinding.add_mul_all(halves, blindings);
}

/// Half of `r·H`, doubled: a one-time mask, by table.
pub(crate) fn mask(blinding: &Scalar) -> Point {
    BASES.half_blinding.mul(blinding).double()
}

/// Decodes a point of a proof.
pub(crate) fn decode(what: &'static str, encoded: &Encoded) -> Result<Point, Fault> {
    Point::decode(encoded).map_err(|_| Fault::Encoding { what })
}

/// Encodes a single point.
pub(crate) fn encode(point: &Point) -> Encoded {
    point.compress().to_bytes()
}

/// `v, v², …, v^count`.
pub(crate) fn powers(value: u64, count: u8) -> impl Iterator<Item = Scalar> {
    let value = Scalar::from_u64(value);
    std::iter::successors(Some(value), move |power| Some(*power * value)).take(count.into())
}
