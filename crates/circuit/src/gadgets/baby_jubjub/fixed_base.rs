//! Multiples of a point that is known in advance.

use super::{Fr, JubjubPoint, JubjubScalar, JubjubWires, ScalarWires, scalar::BITS};
use crate::synthesis::{Linear, Synthesizer};

/// Bits that choose an entry.
const WINDOW: usize = 3;
/// Entries of a window.
const ENTRIES: usize = 1 << WINDOW;

/// Tables of a point: for each window of three bits, the eight multiples of the point that these
/// bits can stand for.
#[derive(Clone, Debug)]
pub struct FixedBase {
    windows: Vec<[[Fr; 2]; ENTRIES]>,
    points: Vec<[JubjubPoint; ENTRIES]>,
}

impl FixedBase {
    /// Computes the tables.
    pub fn new(base: JubjubPoint) -> Self {
        let (mut windows, mut points, mut start) = (Vec::new(), Vec::new(), base);
        for _ in 0..BITS.div_ceil(WINDOW) {
            let mut entries = [JubjubPoint::identity(); ENTRIES];
            let mut multiple = JubjubPoint::identity();
            for entry in &mut entries {
                *entry = multiple;
                multiple = multiple.add(&start);
            }
            start = multiple;
            let mut affine = [[Fr::default(); 2]; ENTRIES];
            affine.iter_mut().zip(JubjubPoint::coordinates(&entries)).for_each(|(a, c)| *a = c);
            windows.push(affine);
            points.push(entries);
        }
        Self { windows, points }
    }

    /// `scalar · base`.
    pub fn mul(&self, scalar: &JubjubScalar) -> JubjubPoint {
        let bits = scalar.bits();
        let windows = bits.chunks(WINDOW).zip(&self.points);
        windows.fold(JubjubPoint::identity(), |sum, (bits, entries)| {
            let index = bits.iter().rev().fold(0, |index, &bit| index << 1 | usize::from(bit));
            entries.get(index).map_or(sum, |entry| sum.add(entry))
        })
    }

    /// For each window, the entry that the bits of `scalar` choose; their sum is `scalar · base`.
    /// Three constraints a window.
    pub(super) fn lookup(
        &self,
        cs: &mut Synthesizer<Fr>,
        scalar: &ScalarWires,
    ) -> Vec<JubjubWires> {
        let windows = scalar.bits().chunks(WINDOW).zip(&self.windows);
        windows
            .map(|(bits, entries)| {
                let bit =
                    |at: usize| bits.get(at).map_or_else(Linear::zero, |b| b.linear().clone());
                let bits = [bit(0), bit(1), bit(2)];
                let both = cs.product(&bits[0], &bits[1]);
                let [xs, ys] = [entries.map(|[x, _]| x), entries.map(|[_, y]| y)];
                let [x, y] = [xs, ys].map(|entries| select(cs, &bits, &both, &entries));
                JubjubWires { x, y }
            })
            .collect()
    }
}

/// The entry that three bits choose, as the multilinear polynomial in them. One constraint.
fn select(
    cs: &mut Synthesizer<Fr>,
    [b0, b1, b2]: &[Linear<Fr>; WINDOW],
    b01: &Linear<Fr>,
    entries: &[Fr; ENTRIES],
) -> Linear<Fr> {
    let one = Linear::one();
    let among_four = |[e0, e1, e2, e3]: [Fr; 4]| {
        Linear::sum([(e0, &one), (e1 - e0, b0), (e2 - e0, b1), (e3 - e2 - e1 + e0, b01)])
    };
    let [e0, e1, e2, e3, e4, e5, e6, e7] = *entries;
    let low = among_four([e0, e1, e2, e3]);
    let high_minus_low = among_four([e4 - e0, e5 - e1, e6 - e2, e7 - e3]);
    &low + &cs.product(b2, &high_minus_low)
}
