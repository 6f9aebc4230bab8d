//! Permutations as index maps.

use rand::seq::SliceRandom;
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A permutation `pi` of `0..n`, moving lists by `out[j] = in[pi(j)]`. Secret: erased when dropped.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Permutation(Vec<usize>);

impl Permutation {
    /// Draws a uniformly random permutation.
    pub fn random(n: usize, rng: &mut impl CryptoRng) -> Self {
        let mut map: Vec<usize> = (0..n).collect();
        map.shuffle(rng);
        Self(map)
    }

    /// Takes `j ↦ map[j]`; `None` unless every index occurs exactly once.
    pub fn from_map(map: Vec<usize>) -> Option<Self> {
        let mut seen = vec![false; map.len()];
        for &image in &map {
            let slot = seen.get_mut(image)?;
            if std::mem::replace(slot, true) {
                return None;
            }
        }
        Some(Self(map))
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this permutes nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The images `pi(0), pi(1), …`
    pub fn images(&self) -> &[usize] {
        &self.0
    }

    /// `pi^{-1}`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut inverse = vec![0; self.0.len()];
        for (j, &image) in self.0.iter().enumerate() {
            if let Some(slot) = inverse.get_mut(image) {
                *slot = j;
            }
        }
        Self(inverse)
    }

    /// The list `out[j] = list[pi(j)]`, over the indices that `list` has.
    pub fn apply<T: Copy>(&self, list: &[T]) -> Vec<T> {
        self.0.iter().filter_map(|&image| list.get(image).copied()).collect()
    }
}
