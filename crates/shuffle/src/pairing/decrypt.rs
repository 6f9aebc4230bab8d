//! Decryption in bulk by the holder of a whole key, for measurements and small elections; trustees
//! use [`crate::decrypt`].

use std::collections::HashMap;

use algebra::{AffineGroup, Group};

use crate::{Column, SecretKey};

/// The messages of a column, `c2 − sk·c1` for every row. Variable time, as everything in these
/// groups is.
pub fn decrypt_all<G: AffineGroup>(secret: &SecretKey<G>, column: &Column<G>) -> Vec<G> {
    let [c1, c2] = column.components();
    let mut masks = G::to_affine_all(c1.points());
    G::scale_all(&mut masks, secret.scalar());
    c2.points().iter().zip(&masks).map(|(&c2, mask)| c2 - G::from_affine(mask)).collect()
}

/// The logarithms of small multiples of a point: messages that were encrypted as exponents.
pub struct SmallLogarithms<G: Group> {
    logarithms: HashMap<Vec<u8>, u64>,
    base: G,
}

impl<G: Group> SmallLogarithms<G> {
    /// A table of `0·base, 1·base, …, (count − 1)·base`.
    pub fn new(base: &G, count: usize) -> Self {
        let multiples = std::iter::successors(Some(G::identity()), |&sum| Some(sum + *base));
        let multiples: Vec<G> = multiples.take(count).collect();
        let logarithms = encodings(&multiples).into_iter().zip(0..).collect();
        Self { logarithms, base: *base }
    }

    /// The point whose multiples these are.
    pub fn base(&self) -> G {
        self.base
    }

    /// The logarithm of every point that is in the table.
    pub fn find_all(&self, points: &[G]) -> Vec<Option<u64>> {
        encodings(points).iter().map(|bytes| self.logarithms.get(bytes).copied()).collect()
    }
}

fn encodings<G: Group>(points: &[G]) -> Vec<Vec<u8>> {
    G::encode_all(points).chunks(G::ENCODED_LEN).map(<[u8]>::to_vec).collect()
}
