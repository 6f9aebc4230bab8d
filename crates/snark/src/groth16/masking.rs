//! Whether a key masks the shares of a proof.

use algebra::{AffineGroup, CurveGroup, Engine, Group};
use rand_core::CryptoRng;

use super::{Error, ProvingKey, key::Quotient};

impl<E: Engine> ProvingKey<E> {
    /// Requires that every point is in its prime-order subgroup, and that `[β]`, `[δ]` and the list B are
    /// the same in both groups. Then A and B are uniform, whatever the witness, and B's counterpart in G1
    /// follows from B: `r·[δ]₁` and `s·[δ]` mask all that is in the subgroup, and nothing is elsewhere.
    /// With weights of 128 bits, drawn here, one equation stands for all points. That the points are the
    /// circuit's, it does not say.
    ///
    /// # Errors
    /// [`Error::KeyPoint`], [`Error::KeyGroups`].
    pub(crate) fn check_masking(&self, rng: &mut impl CryptoRng) -> Result<(), Error> {
        let (Quotient::OddLagrange(h) | Quotient::Powers(h)) = &self.h;
        let lists = [("A", self.a.points()), ("B in G1", self.b_g1.points())];
        for (point, list) in lists.into_iter().chain([("K", self.k.points()), ("H", h)]) {
            E::G1::check_subgroup_batch(list, rng).map_err(|_| Error::KeyPoint { point })?;
        }
        let (b_g1, b_g2) = (self.b_g1.points(), self.b_g2.points());
        E::G2::check_subgroup_batch(b_g2, rng).map_err(|_| Error::KeyPoint { point: "B" })?;
        let is_neutral = E::G1::is_affine_identity(&self.delta_g1);
        if is_neutral || E::G1::check_subgroup(&[self.beta_g1, self.delta_g1]).is_err() {
            return Err(Error::KeyPoint { point: "beta or delta" });
        }
        let key = &self.verifying_key;
        let points_g1 = [b_g1, &[self.beta_g1, self.delta_g1]].concat();
        let points_g2 = [b_g2, &[key.beta_g2, key.delta_g2]].concat();
        let weights: Vec<u128> = points_g1.iter().map(|_| weight(rng)).collect();
        let sum_g1 = E::G1::msm_short_affine(&weights, &points_g1);
        let sum_g2 = E::G2::msm_short_affine(&weights, &points_g2);
        let is_same = self.b_g1.has_wires_of(&self.b_g2)
            && E::is_neutral(&[(sum_g1, E::G2::generator()), (-E::G1::generator(), sum_g2)]);
        if is_same { Ok(()) } else { Err(Error::KeyGroups) }
    }
}

fn weight(rng: &mut impl CryptoRng) -> u128 {
    let mut bytes = [0; 16];
    rng.fill_bytes(&mut bytes);
    u128::from_le_bytes(bytes)
}
