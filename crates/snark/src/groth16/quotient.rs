//! `u·v − w` on the odd powers of the root of the domain of twice the size.
//!
//! It is of degree below `2n` and zero on the even powers, which are the rows. So it is
//! `Σ_i (u·v − w)(ω^{2i+1}) · L_{2i+1}` there, and with the points `[L_{2i+1}(τ)/δ]` this gives
//! `(h·Z)(τ)/δ` without a division by `Z`. Where a key has `[τ^i Z(τ)/δ]` instead, `h` is computed:
//! `Z` is −2 on all odd powers.

use algebra::{AffineGroup, Engine, Scalar, ScalarOf, scale_by_powers};
use circuit::zkey::Matrix;
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{ProvingKey, key::Quotient};

impl<E: Engine> ProvingKey<E> {
    /// `[(h·Z)(τ)/δ]₁`.
    pub(super) fn quotient(&self, z: &[ScalarOf<E>]) -> E::G1 {
        self.quotient_of(&mut self.odd_values(z))
    }

    /// `[(h·Z)(τ)/δ]₁` from `u·v − w` on the odd powers, which are used up. Linear in them.
    pub(crate) fn quotient_of(&self, values: &mut [ScalarOf<E>]) -> E::G1 {
        match &self.h {
            Quotient::OddLagrange(points) => E::G1::msm_affine(values, points),
            Quotient::Powers(points) => {
                self.rows.domain.ifft(values);
                // Neither 2 nor a root of unity is zero in a scalar field.
                let minus_half = (-ScalarOf::<E>::from_u64(2)).invert().unwrap_or_default();
                let back = self.rows.shift.invert().unwrap_or_default();
                scale_by_powers(values, minus_half, back);
                E::G1::msm_affine(values, points)
            }
        }
    }

    /// From values on the rows to those on the odd powers.
    pub(crate) fn to_odd_powers(&self, values: &mut [ScalarOf<E>]) {
        self.rows.domain.ifft(values);
        scale_by_powers(values, Scalar::one(), self.rows.shift);
        self.rows.domain.fft(values);
    }

    /// The values, in the order of the rows.
    fn odd_values(&self, z: &[ScalarOf<E>]) -> Zeroizing<Vec<ScalarOf<E>>> {
        let (mut u, mut v) = self.row_values(z);
        let products = u.par_iter().zip(v.par_iter()).map(|(&u, &v)| u * v).collect();
        let mut w = Zeroizing::new(products);
        [&mut u, &mut v, &mut w].into_iter().for_each(|values| self.to_odd_powers(values));
        u.par_iter_mut().zip(v.par_iter()).zip(w.par_iter()).for_each(|((u, &v), &w)| {
            *u = *u * v - w;
        });
        u
    }

    /// `⟨a_q, z⟩` and `⟨b_q, z⟩` of every row. `⟨c_q, z⟩` is their product, if the witness is right.
    #[expect(clippy::type_complexity, reason = "two vectors")]
    pub(crate) fn row_values(
        &self,
        z: &[ScalarOf<E>],
    ) -> (Zeroizing<Vec<ScalarOf<E>>>, Zeroizing<Vec<ScalarOf<E>>>) {
        let zeros = || Zeroizing::new(vec![Scalar::zero(); self.rows.domain.len()]);
        let (mut u, mut v) = (zeros(), zeros());
        let one = ScalarOf::<E>::one();
        for entry in &self.coefficients {
            let column = match entry.matrix {
                Matrix::A => &mut u,
                Matrix::B => &mut v,
            };
            let (row, wire) = (entry.constraint as usize, entry.wire as usize);
            if let (Some(sum), Some(&value)) = (column.get_mut(row), z.get(wire)) {
                *sum += if entry.value == one { value } else { entry.value * value };
            }
        }
        (u, v)
    }
}
