//! Variable-time multiplication of one point by many scalars.

use zeroize::Zeroizing;

use crate::{Group, Scalar, kernels::lanes::NEGATIVE, parallel};

/// One window per scalar byte, with signed digits in −128..=128.
const WINDOWS: usize = 32;
const WINDOW_SIZE: usize = 128;
/// Scalars that one thread takes at a time.
const CHUNK: usize = 2048;
/// From so many scalars on, the table is brought to the vector kernels' form.
const LANES_MIN: usize = 64;

/// Multiples of one point: `32 × 128` entries, 32 additions a multiplication and no doubling.
///
/// Looks entries up by scalar, hence for public scalars and a mixer's or prover's one-time masks
/// only (see the crate's note on constant time).
#[derive(Clone)]
pub struct FixedBaseTable<G: Group> {
    /// `windows[w][d − 1] = d · 256^w · base`, the windows one after the other.
    entries: Vec<G::Precomputed>,
    base: G,
}

impl<G: Group> FixedBaseTable<G> {
    /// Computes the table of `base`: about 4,100 additions.
    pub fn new(base: &G) -> Self {
        let mut entries = Vec::with_capacity(WINDOWS * WINDOW_SIZE);
        let mut window_base = *base;
        for _ in 0..WINDOWS {
            let mut multiple = window_base;
            for _ in 0..WINDOW_SIZE {
                entries.push(multiple);
                multiple += window_base;
            }
            // `multiple` stands at 129 times the window's base.
            window_base = (multiple - window_base).double();
        }
        Self { entries: G::precompute(&entries), base: *base }
    }

    /// The point that the table multiplies.
    pub fn base(&self) -> G {
        self.base
    }

    /// `scalar · base`.
    pub fn mul(&self, scalar: &G::Scalar) -> G {
        self.add_mul(G::identity(), scalar)
    }

    /// `start + scalar · base`.
    pub fn add_mul(&self, start: G, scalar: &G::Scalar) -> G {
        // Of a ceremony's secrets, too: no copy of the scalar stays behind.
        let bytes = Zeroizing::new(scalar.encode());
        let digits = Zeroizing::new(signed_digits(&bytes));
        let windows = self.entries.chunks_exact(WINDOW_SIZE);
        windows.zip(digits.iter().copied()).fold(start, |sum, (window, digit)| {
            let entry =
                usize::from(digit.unsigned_abs()).checked_sub(1).and_then(|d| window.get(d));
            match entry {
                None => sum,
                Some(entry) if digit > 0 => sum.add_precomputed(entry),
                Some(entry) => sum.sub_precomputed(entry),
            }
        })
    }

    /// `scalars_i · base` for every i, on all threads.
    pub fn mul_all(&self, scalars: &[G::Scalar]) -> Vec<G> {
        let chunk = scalars.len().div_ceil(rayon::current_num_threads()).clamp(1, CHUNK);
        let products = |scalars: &[_]| match self.mul_in_lanes(scalars) {
            Some(products) => products,
            None => scalars.iter().map(|scalar| self.mul(scalar)).collect(),
        };
        parallel::chunks(scalars, chunk, |_, scalars| products(scalars)).concat()
    }

    /// Adds `scalars_i · base` to `points_i` for every i below the shorter length, on all threads. No product stays
    /// behind.
    pub fn add_mul_all(&self, points: &mut [G], scalars: &[G::Scalar]) {
        let chunk = scalars.len().div_ceil(rayon::current_num_threads()).clamp(1, CHUNK);
        parallel::chunks_mut(points, chunk, |index, points| {
            let scalars = parallel::chunk(scalars, chunk, index);
            match self.mul_in_lanes(scalars).map(Zeroizing::new) {
                Some(products) => {
                    points.iter_mut().zip(products.iter()).for_each(|(sum, &point)| *sum += point);
                }
                None => points
                    .iter_mut()
                    .zip(scalars)
                    .for_each(|(sum, scalar)| *sum = self.add_mul(*sum, scalar)),
            }
        });
    }

    /// [`FixedBaseTable::mul_all`] by the vector kernels; `None` where these do not run, or do not pay for bringing
    /// the table to their form.
    fn mul_in_lanes(&self, scalars: &[G::Scalar]) -> Option<Vec<G>> {
        if scalars.len() < LANES_MIN || !G::sums_in_lanes() {
            return None;
        }
        let mut terms = Zeroizing::new(Vec::with_capacity(WINDOWS * scalars.len()));
        let mut starts = Zeroizing::new(Vec::with_capacity(scalars.len() + 1));
        starts.push(0);
        for scalar in scalars {
            let bytes = Zeroizing::new(scalar.encode());
            let digits = Zeroizing::new(signed_digits(&bytes));
            let digits = digits.iter().enumerate().filter(|(_, digit)| **digit != 0);
            terms.extend(digits.map(|(window, &digit)| {
                let entry = window * WINDOW_SIZE + usize::from(digit.unsigned_abs()) - 1;
                entry as u32 | if digit < 0 { NEGATIVE } else { 0 }
            }));
            starts.push(terms.len() as u32);
        }
        G::sum_precomputed(&self.entries, &terms, &starts)
    }
}

/// The base-256 digits of a scalar below 2^255, moved into −128..=128. The last carry stays in the
/// last digit because the top byte of a scalar is at most 0x7f.
fn signed_digits(bytes: &[u8; WINDOWS]) -> [i16; WINDOWS] {
    let mut digits = bytes.map(i16::from);
    let mut carry = 0;
    for digit in &mut digits {
        *digit += carry;
        carry = i16::from(*digit > 128);
        *digit -= carry << 8;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::signed_digits;

    #[test]
    fn digits_recompose_to_the_scalar() {
        for top in [0x00, 0x10, 0x73, 0x7f] {
            for fill in [0x00, 0x7f, 0x80, 0x81, 0xff] {
                let mut bytes = [fill; 32];
                bytes[31] = top;
                let mut value = [0_i32; 33];
                for (v, d) in value.iter_mut().zip(signed_digits(&bytes)) {
                    assert!((-128..=128).contains(&d));
                    *v = d.into();
                }
                // Push borrows upwards: the digits become plain bytes again.
                for i in 0..32 {
                    let carry = value[i].div_euclid(256);
                    value[i] -= carry * 256;
                    value[i + 1] += carry;
                }
                assert_eq!(value[32], 0);
                assert!(value.iter().zip(bytes).all(|(&v, b)| v == i32::from(b)));
            }
        }
    }
}
