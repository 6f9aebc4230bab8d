//! The reference string of tFLSZ, out of what a ceremony publishes.

use algebra::{AffineGroup, Engine, Group};
use circuit::native::TflszPoints;

use super::{
    Crs, Scheme,
    crs::{G1Part, G2Part},
};

impl<E: Engine> Crs<E> {
    /// The reference string in a ceremony's points. Nothing is checked here: whether the points
    /// belong together, and who made them, is for `ceremony::tflsz` to say, and a proof under points
    /// that it did not accept proves nothing.
    pub fn tflsz(points: &TflszPoints<E>) -> Self {
        let (single, single_g2) = (&points.single, &points.single_g2);
        let (g1, g2) = (E::G1::from_affine, E::G2::from_affine);
        Self::new(
            Scheme::Tflsz,
            G1Part {
                p: points.p.clone(),
                q_over_rho: points.q_over_rho.clone(),
                p_hat: points.p_hat(),
                mixed: points.mixed.clone(),
                p0: g1(&single.p_0),
                rho: g1(&single.rho),
                rho_hat: E::G1::generator(),
                mixed_rho: g1(&single.beta2_rho),
                mixed_rho_hat: g1(&single.beta_beta_hat),
            },
            G2Part {
                p: points.p_g2.clone(),
                p0: g2(&single_g2.p_0),
                rho: g2(&single_g2.rho),
                beta: g2(&single_g2.beta2),
                beta_hat: g2(&single_g2.beta_beta_hat),
            },
        )
    }
}
