//! The verifier: three families of equations in one product of pairings.
//!
//! With random weights y and (1, x, z) for the components:
//!
//! * unit vectors, `Σ e(y_i(A_i1 + [α + P_0]₁), A_i2 + [−α + P_0]₂) = e(Σ y_i π_i, ρ) + T Σ y_i`;
//! * consistency, `Σ e(v'_i, P_i) − Σ e(v_i, A_i2) = X − e(C_2, ρ)` by component, folded;
//! * validity of the outputs and of `C_2`.
//!
//! Unit vectors and consistency both pair with `A_i2`, hence those pairings are merged: 2n instead
//! of the 3n of the paper.

use algebra::{AffineGroup, Group, Pairing, ScalarOf};
use rand_core::CryptoRng;
use rayon::prelude::*;

use super::{Crs, Mix, Proof, PublicKey, ValidColumn};
use crate::{
    Equation, PointList, ShuffleError,
    pairing::{
        affine::{points, random_shorts, scale_each},
        equations::{Pairs, fold, pairs, shifted},
    },
};

/// Checks one mixer's shuffle of valid ciphertexts; its outputs are valid, too. Errors name mixer 1.
///
/// `rng` must be unpredictable to the mixer.
///
/// # Errors
/// [`ShuffleError`] with the equation that fails.
pub fn verify<E: Pairing>(
    crs: &Crs<E>,
    key: &PublicKey<E>,
    inputs: &ValidColumn<E>,
    mix: Mix<E>,
    rng: &mut impl CryptoRng,
) -> Result<ValidColumn<E>, ShuffleError> {
    let (expected, got) = (inputs.column().len(), mix.outputs.len());
    if got != expected {
        return Err(ShuffleError::Length { what: "list", expected, got });
    }
    crs.require(expected)?;
    mix.proof.require_lengths(expected)?;
    let shuffle = Shuffle::new(crs, key, inputs, &mix);
    if !shuffle.holds(rng) {
        shuffle.check_each(rng)?;
    }
    Ok(ValidColumn(mix.outputs))
}

/// A statement with its proof, the last row completed.
struct Shuffle<'a, E: Pairing> {
    crs: &'a Crs<E>,
    key: &'a PublicKey<E>,
    inputs: &'a ValidColumn<E>,
    mix: &'a Mix<E>,
    /// `A_i1 + [α + P_0]₁`
    left: Vec<E::G1>,
    /// `A_i2`
    a2: Vec<E::G2>,
}

impl<'a, E: Pairing> Shuffle<'a, E> {
    fn new(
        crs: &'a Crs<E>,
        key: &'a PublicKey<E>,
        inputs: &'a ValidColumn<E>,
        mix: &'a Mix<E>,
    ) -> Self {
        let (sum1, sum2) = crs.prefix_sums(mix.outputs.len());
        let Proof { a1, a2, .. } = &mix.proof;
        let a1 = with_last(a1.points(), sum1);
        let a2 = with_last(a2.points(), sum2);
        Self { crs, key, inputs, mix, left: shifted(&a1, crs.alpha_plus_p0), a2 }
    }

    /// All equations at once.
    fn holds(&self, rng: &mut impl CryptoRng) -> bool {
        let weights = E::G1::random_weights(self.left.len(), rng);
        let component_weights = E::G1::random_weights(2, rng);
        let folded_inputs = self.folded(&self.inputs.column().g1, &component_weights);
        let folded_outputs = self.folded(&self.mix.outputs.g1, &component_weights);

        let weighted = scale_each(&self.left, &weights);
        let total = weighted.iter().copied().sum();
        let merged = weighted.into_iter().zip(folded_inputs).map(|(unit, input)| unit - input);
        let mut all = pairs::<E>(merged.collect(), &self.a2);
        all.push((total, self.crs.p0_minus_alpha));
        all.push((-E::G1::msm(&weights, self.mix.proof.pi.points()), self.crs.rho2));
        all.extend(pairs::<E>(folded_outputs, &self.p2()));
        all.extend(self.accounts(&component_weights));
        // Every term of the validity has a weight of its own.
        all.extend(self.mix.outputs.validity(self.crs, rng));
        all.extend(self.own_validity(rng));
        E::multi_pairing(&all) == self.crs.target * weights.iter().copied().sum()
    }

    fn folded(&self, lists: &[PointList<E::G1>; 3], weights: &[ScalarOf<E>]) -> Vec<E::G1> {
        fold(lists.iter().map(|list| list.points()), weights)
    }

    fn p2(&self) -> Vec<E::G2> {
        // Whoever calls has held the length against the CRS (`Crs::require`).
        points::<E::G2>(self.crs.p2.get(..self.a2.len()).unwrap_or_default())
    }

    /// `e(C_2, ρ) − X`, folded by 1 and the weights: `X_1 = e(h, c_11)`, `X_2 = e(g + h, c_12)`,
    /// `X_3 = e(g, c_11 + c_12)`.
    fn accounts(&self, weights: &[ScalarOf<E>]) -> Pairs<E> {
        let &[x, z] = weights else { return Vec::new() };
        let Proof { c1: [first, second], c2, .. } = &self.mix.proof;
        let [d1, d2, d3] = &c2.g1;
        let of_h = *first + second.mul(&x);
        let of_g = second.mul(&x) + (*first + *second).mul(&z);
        vec![
            (*d1 + d2.mul(&x) + d3.mul(&z), self.crs.rho2),
            (-self.key.h1, of_h),
            (-self.crs.message_base, of_g),
        ]
    }

    /// The validity of `C_2`.
    fn own_validity(&self, rng: &mut impl CryptoRng) -> [(E::G1, E::G2); 2] {
        let weights = random_shorts(3, rng);
        let c2 = &self.mix.proof.c2;
        let (first, second) =
            (E::G1::msm_short(&weights, &c2.g1), E::G2::msm_short(&weights, &c2.g2));
        [(self.crs.rho1, second), (-first, self.crs.beta)]
    }

    /// The equations one by one, to say which is wrong.
    fn check_each(&self, rng: &mut impl CryptoRng) -> Result<(), ShuffleError> {
        let fails = |equation| Err(ShuffleError::Equation { mixer: 1, equation });
        if let Some(index) = self.mix.outputs.first_invalid(self.crs) {
            return fails(Equation::Validity { index: Some(index) });
        }
        if !E::is_neutral(&self.own_validity(rng)) {
            return fails(Equation::Validity { index: None });
        }
        if let Some(index) = self.failing_unit_vector() {
            return fails(Equation::UnitVector { index });
        }
        match self.failing_component() {
            Some(component) => fails(Equation::Consistency { column: 0, component }),
            None => Ok(()),
        }
    }

    fn failing_unit_vector(&self) -> Option<usize> {
        let crs = self.crs;
        let rows = self.left.par_iter().zip(&self.a2).zip(self.mix.proof.pi.points());
        rows.position_first(|((&left, &a2), &pi)| {
            let pairs = [(left, a2 + crs.p0_minus_alpha), (-pi, crs.rho2)];
            E::multi_pairing(&pairs) != crs.target
        })
    }

    /// The first component, counted from 1, whose consistency fails.
    fn failing_component(&self) -> Option<usize> {
        let Proof { c1: [first, second], c2, .. } = &self.mix.proof;
        let (g, h) = (self.crs.message_base, self.key.h1);
        let right = [(h, *first), (g + h, *second), (g, *first + *second)];
        let p2 = self.p2();
        let lists = self.inputs.column().g1.iter().zip(&self.mix.outputs.g1);
        let mut components = lists.zip(right.into_iter().zip(c2.g1));
        let found = components.position(|((before, after), ((left, right), c2))| {
            let mut all = pairs::<E>(after.points().to_vec(), &p2);
            let before = before.points().iter().map(|&point| -point).collect();
            all.extend(pairs::<E>(before, &self.a2));
            all.extend([(c2, self.crs.rho2), (-left, right)]);
            !E::is_neutral(&all)
        })?;
        Some(found + 1)
    }
}

fn with_last<G: Group>(sent: &[G], sum: G) -> Vec<G> {
    let last = sum - sent.iter().copied().sum();
    sent.iter().copied().chain([last]).collect()
}
