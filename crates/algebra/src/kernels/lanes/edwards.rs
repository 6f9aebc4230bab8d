//! Sums of multiples of ristretto255's points by Pippenger's buckets, eight windows to a vector.
//!
//! Lane l has the buckets of window l, and all lanes add the same point at the same time, each to the bucket
//! that its own digit names. Sums are in extended coordinates of the twisted Edwards curve with a = −1 (Hisil,
//! Wong, Carter and Dawson, 2008, section 3.1), which have no exceptions: equal, opposite and neutral points are
//! points like others. Digits choose what is loaded: variable time.

use super::{
    Kernel, Lanes,
    curve25519::{Element, Reduced, constant},
    limbs::{splat, zero},
    ristretto::{Coordinates, coordinates, to_51},
    run,
};
use crate::kernels::buckets::{bucket_count, signed_digit};

/// 2d, of the curve's constant d.
const TWICE_D: [u64; 5] = [
    0x6_9b94_26b2_f159,
    0x9_a828_3b15_6ebd,
    0xe_f3d1_3000_e014,
    0xf_ce71_98e8_0f2e,
    0x0_2406_d9dc_56df,
];

/// Windows to a vector.
pub(crate) const WINDOWS: usize = 8;

/// What is added of a point: Y + X, Y − X, 2Z and 2dT.
pub(crate) type Addend = [[u64; 5]; 4];

/// The addends of points; `None` where the kernels do not run.
pub(crate) fn addends(points: &[Coordinates]) -> Option<Vec<Addend>> {
    run(Addends(points))
}

/// `Σ_i digit_{i, w} · point_i` for eight windows w, from `first` on, of signed digits of `width` bits; `None` where the
/// kernels do not run.
pub(crate) fn window_sums(
    points: &[Addend],
    scalars: &[[u64; 4]],
    first: usize,
    width: usize,
) -> Option<[Coordinates; WINDOWS]> {
    run(WindowSums { points, scalars, first, width })
}

/// See [`addends`].
pub(super) struct Addends<'a>(pub(super) &'a [Coordinates]);

/// See [`window_sums`].
pub(super) struct WindowSums<'a> {
    pub(super) points: &'a [Addend],
    pub(super) scalars: &'a [[u64; 4]],
    pub(super) first: usize,
    pub(super) width: usize,
}

/// A bucket of a window: the twenty limbs of X, Y, Z and T.
type Bucket = [[u64; 4]; 5];

/// X = T = 0, Y = Z = 1.
const NEUTRAL: Bucket = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]];

/// Points in extended coordinates.
#[derive(Clone, Copy)]
struct Extended<L> {
    x: Reduced<L>,
    y: Reduced<L>,
    z: Reduced<L>,
    t: Reduced<L>,
}

/// Points as they are added.
#[derive(Clone, Copy)]
struct Added<L> {
    plus: Element<L, 5>,
    minus: Element<L, 5>,
    twice_z: Element<L, 4>,
    twice_dt: Reduced<L>,
}

impl<L: Lanes> Added<L> {
    /// The same point in all lanes.
    #[inline(always)]
    fn splat([plus, minus, twice_z, twice_dt]: &Addend) -> Self {
        Self {
            plus: Element::new(splat(plus)),
            minus: Element::new(splat(minus)),
            twice_z: Element::new(splat(twice_z)),
            twice_dt: Element::new(splat(twice_dt)),
        }
    }
}

impl<L: Lanes> Extended<L> {
    /// The buckets at these places, one a lane.
    #[inline(always)]
    fn load(buckets: &[Bucket], places: &[usize; WINDOWS]) -> Self {
        let mut rows = [&NEUTRAL; WINDOWS];
        for lane in 0..WINDOWS {
            rows[lane] = &buckets[places[lane]];
        }
        let mut limbs = [L::splat(0); 20];
        for quarter in 0..5 {
            let mut words = [&rows[0][quarter]; WINDOWS];
            for lane in 1..WINDOWS {
                words[lane] = &rows[lane][quarter];
            }
            let columns = L::load_rows4(words);
            for word in 0..4 {
                limbs[4 * quarter + word] = columns[word];
            }
        }
        let mut coordinates = [zero(); 4];
        for limb in 0..20 {
            coordinates[limb / 5][limb % 5] = limbs[limb];
        }
        let [x, y, z, t] = coordinates;
        Self { x: Element::new(x), y: Element::new(y), z: Element::new(z), t: Element::new(t) }
    }

    #[inline(always)]
    fn store(&self, buckets: &mut [Bucket], places: &[usize; WINDOWS]) {
        let mut limbs = [L::splat(0); 20];
        let coordinates = [self.x.limbs(), self.y.limbs(), self.z.limbs(), self.t.limbs()];
        for limb in 0..20 {
            limbs[limb] = coordinates[limb / 5][limb % 5];
        }
        for quarter in 0..5 {
            let mut words = [limbs[0]; 4];
            for word in 0..4 {
                words[word] = limbs[4 * quarter + word];
            }
            let rows = L::store_rows4(words);
            for lane in 0..WINDOWS {
                buckets[places[lane]][quarter] = rows[lane];
            }
        }
    }

    #[inline(always)]
    fn added(&self) -> Added<L> {
        Added {
            plus: self.y.add(&self.x),
            minus: self.y.sub(&self.x),
            twice_z: self.z.add(&self.z),
            twice_dt: self.t.mul(&constant(&TWICE_D)),
        }
    }

    /// The sum, or the difference in lanes of the mask.
    #[inline(always)]
    fn add(&self, other: &Added<L>, negative: u8) -> Self {
        let (minus, plus): (Element<L, 5>, Element<L, 4>) =
            (self.y.sub(&self.x), self.y.add(&self.x));
        let a = minus.mul(&Element::select(negative, &other.plus, &other.minus));
        let b = plus.mul(&Element::select(negative, &other.minus, &other.plus));
        let c = self.t.mul(&other.twice_dt);
        let d = self.z.mul(&other.twice_z);
        let (e, h): (Element<L, 5>, Element<L, 4>) = (b.sub(&a), b.add(&a));
        let (less, more): (Element<L, 5>, Element<L, 5>) = (d.sub(&c), d.add(&c));
        let f = Element::select(negative, &more, &less);
        let g = Element::select(negative, &less, &more);
        Self { x: e.mul(&f), y: g.mul(&h), z: f.mul(&g), t: e.mul(&h) }
    }
}

impl Kernel for Addends<'_> {
    type Output = Vec<Addend>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut addends = Vec::with_capacity(self.0.len());
        for block in self.0.chunks(8) {
            let mut points = [[[0; 5]; 4]; 8];
            points[..block.len()].copy_from_slice(block);
            let [x, y, z, t] = coordinates::<L>(&points, 0);
            let Added { plus, minus, twice_z, twice_dt } = Extended { x, y, z, t }.added();
            let values = [*plus.limbs(), *minus.limbs(), *twice_z.limbs(), *twice_dt.limbs()];
            addends.extend_from_slice(&lane_by_lane(&values)[..block.len()]);
        }
        addends
    }
}

impl Kernel for WindowSums<'_> {
    type Output = [Coordinates; WINDOWS];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let count = bucket_count(self.width);
        // What has the digit 0 goes to bucket 0, which counts nothing.
        let mut buckets = vec![NEUTRAL; WINDOWS * (count + 1)];
        for (point, scalar) in self.points.iter().zip(self.scalars) {
            let (mut places, mut negative) = ([0; WINDOWS], 0);
            for lane in 0..WINDOWS {
                let digit = signed_digit(scalar, self.first + lane, self.width);
                places[lane] = WINDOWS * digit.unsigned_abs() + lane;
                negative |= u8::from(digit < 0) << lane;
            }
            let sum = Extended::<L>::load(&buckets, &places).add(&Added::splat(point), negative);
            sum.store(&mut buckets, &places);
        }
        // Bucket d counts d times because it is in the running sum d times.
        let mut places = [0; WINDOWS];
        for lane in 0..WINDOWS {
            places[lane] = lane;
        }
        let neutral = Extended::load(&[NEUTRAL], &[0; WINDOWS]);
        let (mut running, mut sum) = (neutral, neutral);
        for bucket in (1..=count).rev() {
            let rows = &buckets[WINDOWS * bucket..WINDOWS * (bucket + 1)];
            running = running.add(&Extended::<L>::load(rows, &places).added(), 0);
            sum = sum.add(&running.added(), 0);
        }
        lane_by_lane(&[
            to_51(sum.x.limbs()),
            to_51(sum.y.limbs()),
            to_51(sum.z.limbs()),
            to_51(sum.t.limbs()),
        ])
    }
}

/// Four values of eight lanes each, by lanes.
#[inline(always)]
fn lane_by_lane<L: Lanes>(values: &[[L; 5]; 4]) -> [[[u64; 5]; 4]; 8] {
    let mut out = [[[0; 5]; 4]; 8];
    for value in 0..4 {
        for i in 0..5 {
            let lanes = values[value][i].store();
            for lane in 0..8 {
                out[lane][value][i] = lanes[lane];
            }
        }
    }
    out
}
