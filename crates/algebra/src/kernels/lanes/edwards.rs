//! Sums of ristretto255's points: sums of multiples by Pippenger's buckets, eight windows in a vector, and sums of
//! lists, eight lists in a vector.
//!
//! With buckets, lane l has the buckets of window l. All lanes add the same point at the same time, each to the bucket
//! of its own digit. With lists, each lane adds a point of its own. Sums are in extended coordinates of the twisted
//! Edwards curve with a = −1 (Hisil, Wong, Carter and Dawson, 2008, section 3.1). These formulas have no exceptions:
//! they also hold for equal, opposite and neutral points. Digits and terms choose what is loaded, so the time is
//! variable.

use super::{
    Kernel, Lanes, NEGATIVE,
    curve25519::{Element, Reduced, constant},
    limbs::zero,
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

/// Twenty limbs, those of four coordinates one after the other.
type Packed = [[u64; 4]; 5];

/// What is added of a point: Y + X, Y − X, 2Z and 2dT.
pub(crate) type Addend = Packed;

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

/// The sums of lists of terms: of the addends at their indices, subtracted where a term has the bit [`NEGATIVE`]. List i
/// has the terms from `starts[i]` to `starts[i + 1]`. `None` where the kernels do not run.
pub(crate) fn list_sums(
    points: &[Addend],
    terms: &[u32],
    starts: &[u32],
) -> Option<Vec<Coordinates>> {
    run(ListSums { points, terms, starts })
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

/// See [`list_sums`].
pub(super) struct ListSums<'a> {
    pub(super) points: &'a [Addend],
    pub(super) terms: &'a [u32],
    pub(super) starts: &'a [u32],
}

/// A bucket of a window: X, Y, Z and T.
type Bucket = Packed;

/// X = T = 0, Y = Z = 1.
const NEUTRAL: Bucket = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]];
/// What is added of the neutral element: 1, 1, 2 and 0.
pub(super) const NEUTRAL_ADDEND: Addend =
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]];

/// Points in extended coordinates.
#[derive(Clone, Copy)]
pub(super) struct Extended<L> {
    x: Reduced<L>,
    y: Reduced<L>,
    z: Reduced<L>,
    t: Reduced<L>,
}

/// Points as they are added.
#[derive(Clone, Copy)]
pub(super) struct Added<L> {
    plus: Element<L, 5>,
    minus: Element<L, 5>,
    twice_z: Element<L, 4>,
    twice_dt: Reduced<L>,
}

impl<L: Lanes> Added<L> {
    /// The same point in all lanes.
    #[inline(always)]
    pub(super) fn splat(addend: &Addend) -> Self {
        let mut limbs = [L::splat(0); 20];
        for limb in 0..20 {
            limbs[limb] = L::splat(addend[limb / 4][limb % 4]);
        }
        Self::new(coordinate_by_coordinate(&limbs))
    }

    /// A point for each lane.
    #[inline(always)]
    fn load(rows: [&Addend; WINDOWS]) -> Self {
        Self::new(load_packed(rows))
    }

    #[inline(always)]
    fn new([plus, minus, twice_z, twice_dt]: [[L; 5]; 4]) -> Self {
        Self {
            plus: Element::new(plus),
            minus: Element::new(minus),
            twice_z: Element::new(twice_z),
            twice_dt: Element::new(twice_dt),
        }
    }

    /// Lanes of `yes` where the mask has ones, of `no` elsewhere.
    #[inline(always)]
    pub(super) fn select(mask: u8, yes: &Self, no: &Self) -> Self {
        Self {
            plus: Element::select(mask, &yes.plus, &no.plus),
            minus: Element::select(mask, &yes.minus, &no.minus),
            twice_z: Element::select(mask, &yes.twice_z, &no.twice_z),
            twice_dt: Element::select(mask, &yes.twice_dt, &no.twice_dt),
        }
    }
}

impl<L: Lanes> Extended<L> {
    /// Eight points.
    #[inline(always)]
    pub(super) fn enter(points: &[Coordinates; WINDOWS]) -> Self {
        let [x, y, z, t] = coordinates::<L>(points, 0);
        Self { x, y, z, t }
    }

    /// The buckets at these places, one a lane.
    #[inline(always)]
    fn load(buckets: &[Bucket], places: &[usize; WINDOWS]) -> Self {
        let mut rows = [&NEUTRAL; WINDOWS];
        for lane in 0..WINDOWS {
            rows[lane] = &buckets[places[lane]];
        }
        Self::new(load_packed(rows))
    }

    /// The neutral element in all lanes.
    #[inline(always)]
    pub(super) fn neutral() -> Self {
        Self::load(&[NEUTRAL], &[0; WINDOWS])
    }

    #[inline(always)]
    fn new([x, y, z, t]: [[L; 5]; 4]) -> Self {
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

    /// The coordinates of each lane.
    #[inline(always)]
    pub(super) fn coordinates(&self) -> [Coordinates; WINDOWS] {
        lane_by_lane(&[
            to_51(self.x.limbs()),
            to_51(self.y.limbs()),
            to_51(self.z.limbs()),
            to_51(self.t.limbs()),
        ])
    }

    #[inline(always)]
    pub(super) fn added(&self) -> Added<L> {
        Added {
            plus: self.y.add(&self.x),
            minus: self.y.sub(&self.x),
            twice_z: self.z.add(&self.z),
            twice_dt: self.t.mul(&constant(&TWICE_D)),
        }
    }

    /// The sum, or the difference in lanes of the mask.
    #[inline(always)]
    pub(super) fn add(&self, other: &Added<L>, negative: u8) -> Self {
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

    /// Twice the points: four squares and four products, of which T's is left out where nobody takes T.
    #[inline(always)]
    pub(super) fn double(&self) -> Self {
        let (a, b, square) = (self.x.square(), self.y.square(), self.z.square());
        let (sum, c): (Element<L, 4>, Element<L, 4>) = (self.x.add(&self.y), square.add(&square));
        let (g, h): (Element<L, 5>, Element<L, 4>) = (a.sub(&b), a.add(&b));
        let (e, f): (Element<L, 7>, Element<L, 9>) = (h.sub(&sum.square()), c.add(&g));
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
            let Added { plus, minus, twice_z, twice_dt } = Extended::<L>::enter(&points).added();
            let values = [*plus.limbs(), *minus.limbs(), *twice_z.limbs(), *twice_dt.limbs()];
            addends.extend(lane_by_lane(&values)[..block.len()].iter().map(packed));
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
        let (mut running, mut sum) = (Extended::neutral(), Extended::neutral());
        for bucket in (1..=count).rev() {
            let rows = &buckets[WINDOWS * bucket..WINDOWS * (bucket + 1)];
            running = running.add(&Extended::<L>::load(rows, &places).added(), 0);
            sum = sum.add(&running.added(), 0);
        }
        sum.coordinates()
    }
}

impl Kernel for ListSums<'_> {
    type Output = Vec<Coordinates>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let count = self.starts.len().saturating_sub(1);
        let mut sums = Vec::with_capacity(count);
        while sums.len() < count {
            let block = (count - sums.len()).min(WINDOWS);
            let (mut lists, mut longest) = ([&self.terms[..0]; WINDOWS], 0);
            for lane in 0..block {
                let list = sums.len() + lane;
                lists[lane] =
                    &self.terms[self.starts[list] as usize..self.starts[list + 1] as usize];
                longest = longest.max(lists[lane].len());
            }
            let mut sum = Extended::<L>::neutral();
            for index in 0..longest {
                let (mut rows, mut negative) = ([&NEUTRAL_ADDEND; WINDOWS], 0);
                for lane in 0..block {
                    // A list that has ended adds the neutral element.
                    if let Some(term) = lists[lane].get(index) {
                        rows[lane] = &self.points[(term & !NEGATIVE) as usize];
                        negative |= u8::from(term & NEGATIVE != 0) << lane;
                    }
                }
                sum = sum.add(&Added::load(rows), negative);
            }
            sums.extend_from_slice(&sum.coordinates()[..block]);
        }
        sums
    }
}

/// The limbs of rows, one row a lane.
#[inline(always)]
fn load_packed<L: Lanes>(rows: [&Packed; WINDOWS]) -> [[L; 5]; 4] {
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
    coordinate_by_coordinate(&limbs)
}

/// The limbs of each of four coordinates.
#[inline(always)]
fn coordinate_by_coordinate<L: Lanes>(limbs: &[L; 20]) -> [[L; 5]; 4] {
    let mut coordinates = [zero(); 4];
    for limb in 0..20 {
        coordinates[limb / 5][limb % 5] = limbs[limb];
    }
    coordinates
}

/// The limbs of four coordinates, one after the other.
fn packed(coordinates: &[[u64; 5]; 4]) -> Packed {
    let mut packed = [[0; 4]; 5];
    for limb in 0..20 {
        packed[limb / 4][limb % 4] = coordinates[limb / 5][limb % 5];
    }
    packed
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
