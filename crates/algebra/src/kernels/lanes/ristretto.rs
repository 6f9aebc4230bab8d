//! Encodings of ristretto255 (RFC 9496, sections 4.3.1 and 4.3.2), eight points to a vector.
//!
//! No branch depends on a value.

use super::{
    Kernel, LIMB, Lanes, MASK,
    curve25519::{Element, Reduced, constant, root_powers},
    limbs::{join, splat, split, zero},
    run,
};

/// 1.
const ONE: [u64; 5] = [1, 0, 0, 0, 0];
/// −1.
const MINUS_ONE: [u64; 5] = [
    0xf_ffff_ffff_ffec,
    0xf_ffff_ffff_ffff,
    0xf_ffff_ffff_ffff,
    0xf_ffff_ffff_ffff,
    0x0_7fff_ffff_ffff,
];
/// The curve's constant d.
const D: [u64; 5] = [
    0xb_4dca_1359_78a3,
    0x4_d414_1d8a_b75e,
    0x7_79e8_9800_700a,
    0xf_e738_cc74_0797,
    0x0_5203_6cee_2b6f,
];
/// A square root of −1.
const ROOT: [u64; 5] = [
    0xe_1b27_4a0e_a0b0,
    0x0_6ad2_fe47_8c4e,
    0xd_fbd7_a72f_4318,
    0xd_f0b2_b4d0_0993,
    0x0_2b83_2480_4fc1,
];
/// `1/√(−1 − d)`.
const INVERSE_ROOT: [u64; 5] = [
    0x8_fdaa_805d_40ea,
    0x1_75a4_172b_e99c,
    0xe_01d8_409d_2f16,
    0xf_ca21_6c27_b91f,
    0x0_786c_8905_cfaf,
];

/// X, Y, Z and T of a point in extended coordinates, in five limbs of 51 bits that need not be carried:
/// those from outside are below 2^54.
pub(crate) type Coordinates = [[u64; 5]; 4];

/// Vectors whose powers are computed side by side.
const VECTORS: usize = 2;
/// Their points.
const BLOCK: usize = 8 * VECTORS;

/// The points of encodings, or the index of the first that is none; `None` where the kernels do not run.
pub(crate) fn decode(encodings: &[[u8; 32]]) -> Option<Result<Vec<Coordinates>, usize>> {
    run(Decode(encodings))
}

/// The encodings of points; `None` where the kernels do not run.
pub(crate) fn encode(points: &[Coordinates]) -> Option<Vec<[u8; 32]>> {
    run(Encode(points))
}

/// See [`decode`].
pub(super) struct Decode<'a>(pub(super) &'a [[u8; 32]]);

/// See [`encode`].
pub(super) struct Encode<'a>(pub(super) &'a [Coordinates]);

impl Kernel for Decode<'_> {
    type Output = Result<Vec<Coordinates>, usize>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut points = Vec::with_capacity(self.0.len());
        for block in self.0.chunks(BLOCK) {
            let mut rows = [[0; 4]; BLOCK];
            for (row, encoding) in rows.iter_mut().zip(block) {
                for (word, bytes) in row.iter_mut().zip(encoding.as_chunks().0) {
                    *word = u64::from_le_bytes(*bytes);
                }
            }
            let (decoded, valid) = decode_block::<L>(&rows);
            for (index, point) in decoded.iter().take(block.len()).enumerate() {
                if valid >> index & 1 == 0 {
                    return Err(points.len());
                }
                points.push(*point);
            }
        }
        Ok(points)
    }
}

impl Kernel for Encode<'_> {
    type Output = Vec<[u8; 32]>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut encodings = Vec::with_capacity(self.0.len());
        for block in self.0.chunks(BLOCK) {
            let mut points = [[[0; 5]; 4]; BLOCK];
            points[..block.len()].copy_from_slice(block);
            for words in encode_block::<L>(&points).iter().take(block.len()) {
                let mut encoding = [0; 32];
                for (bytes, word) in encoding.as_chunks_mut().0.iter_mut().zip(words) {
                    *bytes = word.to_le_bytes();
                }
                encodings.push(encoding);
            }
        }
        encodings
    }
}

/// `1/√element` of those that are squares, 0 of 0, and the lanes that are squares other than 0. The sign
/// is left open, because no encoding depends on it.
#[inline(always)]
fn inverse_roots<L: Lanes>(
    elements: &[Reduced<L>; VECTORS],
) -> ([Reduced<L>; VECTORS], [u8; VECTORS]) {
    let (mut cubes, mut sevenths) = (*elements, *elements);
    for k in 0..VECTORS {
        cubes[k] = elements[k].square().mul(&elements[k]);
        sevenths[k] = cubes[k].square().mul(&elements[k]);
    }
    let mut roots = root_powers(&sevenths);
    let mut squares = [0; VECTORS];
    for k in 0..VECTORS {
        let root = roots[k].mul(&cubes[k]);
        let check = root.square().mul(&elements[k]);
        let negative = check.equals(&splat(&MINUS_ONE));
        squares[k] = check.equals(&splat(&ONE)) | negative;
        roots[k] = Element::select(negative, &root.mul(&constant(&ROOT)), &root);
    }
    (roots, squares)
}

/// What [`decode_block`] knows of a vector before its root.
#[derive(Clone, Copy)]
struct Half<L> {
    s: Element<L, 2>,
    canonical: u8,
    u1: Element<L, 4>,
    u2: Element<L, 3>,
    v: Reduced<L>,
}

impl<L: Lanes> Half<L> {
    /// Of an encoding's words, and what the root is taken of.
    #[inline(always)]
    fn new(rows: [&[u64; 4]; 8]) -> (Self, Reduced<L>) {
        let s: Element<L, 2> = Element::new(split(&L::load_rows4(rows)));
        let canonical = s.equals(s.limbs()) & !s.odd();
        let square = s.square();
        let u1: Element<L, 4> = constant(&ONE).sub(&square);
        let u2: Element<L, 3> = constant(&ONE).add(&square);
        let square2 = u2.square();
        let sum: Element<L, 4> = u1.square().mul(&constant(&D)).add(&square2);
        let v = sum.negate_where::<5>(u8::MAX).shrink();
        (Self { s, canonical, u1, u2, v }, v.mul(&square2))
    }

    /// x, y, their product, and the lanes that are points, by the root.
    #[inline(always)]
    fn finish(&self, root: &Reduced<L>, square: u8) -> ([Reduced<L>; 3], u8) {
        let denominator = root.mul(&self.u2);
        let twice: Element<L, 4> = self.s.add(&self.s);
        let x = twice.mul(&denominator);
        let x = x.negate_where::<3>(x.odd()).shrink();
        let y = self.u1.mul(&root.mul(&denominator).mul(&self.v));
        let product = x.mul(&y);
        let valid = self.canonical & square & !product.odd() & !y.equals(&zero());
        ([x, y, product], valid)
    }
}

/// The points of encodings, and which are valid.
#[inline(always)]
fn decode_block<L: Lanes>(rows: &[[u64; 4]; BLOCK]) -> ([Coordinates; BLOCK], u32) {
    let first = Half::<L>::new(eight(rows, 0));
    let (mut halves, mut radicands) = ([first.0; VECTORS], [first.1; VECTORS]);
    for k in 1..VECTORS {
        (halves[k], radicands[k]) = Half::new(eight(rows, k));
    }
    let (roots, squares) = inverse_roots(&radicands);
    let (mut points, mut all_valid) = ([[[0; 5]; 4]; BLOCK], 0);
    for k in 0..VECTORS {
        let ([x, y, product], valid) = halves[k].finish(&roots[k], squares[k]);
        all_valid |= u32::from(valid) << (8 * k);
        for (coordinate, value) in [(0, x), (1, y), (3, product)] {
            let limbs = to_51(value.limbs());
            for i in 0..5 {
                let lanes = limbs[i].store();
                for lane in 0..8 {
                    points[8 * k + lane][coordinate][i] = lanes[lane];
                }
            }
        }
        for lane in 0..8 {
            points[8 * k + lane][2] = ONE;
        }
    }
    (points, all_valid)
}

/// The canonical encodings of points, as words.
#[inline(always)]
fn encode_block<L: Lanes>(points: &[Coordinates; BLOCK]) -> [[u64; 4]; BLOCK] {
    let first = coordinates::<L>(points, 0);
    let (mut all, mut u1, mut u2) = ([first; VECTORS], [first[0]; VECTORS], [first[0]; VECTORS]);
    let mut radicands = [first[0]; VECTORS];
    for k in 0..VECTORS {
        all[k] = coordinates(points, k);
        let [x, y, z, _] = all[k];
        u1[k] = z.add::<2, 4>(&y).mul(&z.sub::<2, 5>(&y));
        u2[k] = x.mul(&y);
        radicands[k] = u2[k].square().mul(&u1[k]);
    }
    let (roots, _) = inverse_roots(&radicands);
    let mut words = [[0; 4]; BLOCK];
    for k in 0..VECTORS {
        let [x, y, z, t] = all[k];
        let (den1, den2) = (roots[k].mul(&u1[k]), roots[k].mul(&u2[k]));
        let z_inverse = den1.mul(&den2).mul(&t);
        let rotate = t.mul(&z_inverse).odd();
        let root = constant(&ROOT);
        let (turned_x, turned_y) = (y.mul(&root), x.mul(&root));
        let x = Element::select(rotate, &turned_x, &x);
        let y = Element::select(rotate, &turned_y, &y);
        let den = Element::select(rotate, &den1.mul(&constant(&INVERSE_ROOT)), &den2);
        let y = y.negate_where::<3>(x.mul(&z_inverse).odd());
        let s = den.mul(&z.sub::<3, 6>(&y));
        let s = s.negate_where::<3>(s.odd()).canonical();
        let rows = L::store_rows4(join(s.limbs()));
        words[8 * k..8 * k + 8].copy_from_slice(&rows);
    }
    words
}

/// A vector's rows.
#[inline(always)]
fn eight(rows: &[[u64; 4]; BLOCK], vector: usize) -> [&[u64; 4]; 8] {
    let mut out = [&rows[8 * vector]; 8];
    for lane in 1..8 {
        out[lane] = &rows[8 * vector + lane];
    }
    out
}

/// A vector's coordinates.
#[inline(always)]
pub(super) fn coordinates<L: Lanes>(points: &[Coordinates], vector: usize) -> [Reduced<L>; 4] {
    let mut out = [Element::new(zero()); 4];
    for coordinate in 0..4 {
        let mut limbs = zero();
        for i in 0..5 {
            let mut lanes = [0; 8];
            for lane in 0..8 {
                lanes[lane] = points[8 * vector + lane][coordinate][i];
            }
            limbs[i] = L::load(&lanes);
        }
        // Below 2^258 and a little.
        out[coordinate] = Element::<L, 9>::new(from_51(limbs)).shrink();
    }
    out
}

/// Limbs of 51 bits from those of 52.
#[inline(always)]
pub(super) fn to_51<L: Lanes>(limbs: &[L; 5]) -> [L; 5] {
    let mask = L::splat((1 << 51) - 1);
    let mut out = *limbs;
    out[0] = limbs[0].and(mask);
    for i in 1..5 {
        let limb = limbs[i - 1].shr(LIMB - i as u32).or(limbs[i].shl(i as u32));
        // The highest keeps what the value exceeds 2^255 by.
        out[i] = if i < 4 { limb.and(mask) } else { limb };
    }
    out
}

/// Limbs of 52 bits from those of 51, which are below 2^54.
#[inline(always)]
fn from_51<L: Lanes>(mut limbs: [L; 5]) -> [L; 5] {
    let mask = L::splat((1 << 51) - 1);
    for i in 0..4 {
        limbs[i + 1] = limbs[i + 1].add(limbs[i].shr(51));
        limbs[i] = limbs[i].and(mask);
    }
    let mut out = zero();
    for i in 0..4 {
        let above = limbs[i + 1].shl(51 - i as u32).and(L::splat(MASK));
        out[i] = limbs[i].shr(i as u32).or(above);
    }
    out[4] = limbs[4].shr(4);
    out
}
