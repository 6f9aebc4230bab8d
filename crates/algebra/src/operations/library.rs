//! What is measured, and on what.

use std::sync::{Mutex, PoisonError};

use rand_core::CryptoRng;

use crate::{AffineGroup, Engine, FixedBaseTable, Group, Scalar, ScalarOf};

/// The sizes of transforms for which domains are ready.
pub const TRANSFORMED: [usize; 2] = [1 << 16, 1 << 20];

/// What is measured, on so many points, pairs or scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Points of G1 times a scalar each.
    ScaleG1,
    /// Points of G2 times a scalar each.
    ScaleG2,
    /// A sum in G1, point by point.
    AddG1,
    /// A sum in G2, point by point.
    AddG2,
    /// One point of G1 times many scalars, its table ready.
    FixedBaseG1,
    /// One point of G2 times many scalars, its table ready.
    FixedBaseG2,
    /// A multi-scalar multiplication in G1.
    MsmG1,
    /// A multi-scalar multiplication in G2.
    MsmG2,
    /// A product of pairings, with the final exponentiation.
    Pairing,
    /// A Fourier transform of scalars, in natural order before and after, of one of the sizes [`TRANSFORMED`].
    Transform,
}

/// A library's implementation of one curve, with data loaded.
pub trait Library {
    /// Name of library and curve.
    fn name(&self) -> &'static str;

    /// Computes an operation on the first `count` items; `false` if the library does not offer it.
    fn run(&self, operation: Operation, count: usize) -> bool;
}

/// Scalars that are transformed in place, again and again, and what each library keeps ready for a size.
pub(super) struct Transforms<S, D>([(D, Mutex<Vec<S>>); TRANSFORMED.len()]);

impl<S: Copy, D> Transforms<S, D> {
    /// Of these scalars, repeated as often as it takes.
    pub(super) fn load(scalars: &[S], domain: impl Fn(usize) -> D) -> Self {
        let values = |size| scalars.iter().copied().cycle().take(size).collect();
        Self(TRANSFORMED.map(|size| (domain(size), Mutex::new(values(size)))))
    }

    /// Transforms `count` scalars; `false` if that is none of the sizes.
    pub(super) fn run(&self, count: usize, transform: impl Fn(&D, &mut Vec<S>)) -> bool {
        let size = TRANSFORMED.iter().position(|size| *size == count);
        let Some((domain, values)) = size.map(|size| &self.0[size]) else { return false };
        // Whatever a panic left there are scalars.
        transform(domain, &mut values.lock().unwrap_or_else(PoisonError::into_inner));
        true
    }
}

/// The same points and scalars for all libraries of a curve.
#[derive(Clone)]
pub(super) struct Data<E: Engine> {
    pub(super) g1: Vec<<E::G1 as AffineGroup>::Affine>,
    pub(super) g2: Vec<<E::G2 as AffineGroup>::Affine>,
    pub(super) scalars: Vec<ScalarOf<E>>,
}

impl<E: Engine> Data<E> {
    pub(super) fn random(count: usize, rng: &mut impl CryptoRng) -> Self {
        let logarithms = ScalarOf::<E>::random_many(count, rng);
        let g1 = FixedBaseTable::new(&E::G1::generator()).mul_all(&logarithms);
        let g2 = FixedBaseTable::new(&E::G2::generator()).mul_all(&logarithms);
        Self {
            g1: E::G1::to_affine_all(&g1),
            g2: E::G2::to_affine_all(&g2),
            scalars: ScalarOf::<E>::random_many(count, rng),
        }
    }

    /// Compressed points of both groups, in arkworks' or Zcash's form, and scalars.
    #[cfg(any(feature = "blst", feature = "peers"))]
    pub(super) fn encoded(&self) -> [Vec<u8>; 3] {
        let g1: Vec<E::G1> = self.g1.iter().map(E::G1::from_affine).collect();
        let g2: Vec<E::G2> = self.g2.iter().map(E::G2::from_affine).collect();
        [E::G1::encode_all(&g1), E::G2::encode_all(&g2), Scalar::encode_all(&self.scalars)]
    }
}
