//! What must hold between the elements of a tFLSZ reference string, as pairing equations.

use algebra::{AffineGroup, Domain, Engine, Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;

use super::{
    TflszKey,
    affine::{points, random_shorts, scale_each, sum},
    equations::{Equations, pairs, shifted},
    tflsz_key::{Single1, Single2},
};

/// Gathers relations, each multiplied by random weights.
struct Relations<'a, E: Engine, R> {
    equations: Equations<E, &'static str>,
    rng: &'a mut R,
}

impl<E: Engine, R: CryptoRng> Relations<'_, E, R> {
    /// `e(left, at) = e(right, by)`.
    fn same(
        &mut self,
        relation: &'static str,
        (left, at): (E::G1, E::G2),
        (right, by): (E::G1, E::G2),
    ) {
        let weight = ScalarOf::<E>::random(self.rng);
        self.equations.push(relation, [(left.mul(&weight), at), (-right.mul(&weight), by)]);
    }

    /// `e(left_i, at) = e(right_i, by)` for every i.
    fn same_each(
        &mut self,
        relation: &'static str,
        (left, at): (&[<E::G1 as AffineGroup>::Affine], E::G2),
        (right, by): (&[<E::G1 as AffineGroup>::Affine], E::G2),
    ) {
        let weights = random_shorts(left.len(), self.rng);
        let (left, right) =
            (E::G1::msm_short_affine(&weights, left), E::G1::msm_short_affine(&weights, right));
        self.equations.push(relation, [(left, at), (-right, by)]);
    }

    /// Both lists hold the same multiples.
    fn both_groups(
        &mut self,
        relation: &'static str,
        first: &[<E::G1 as AffineGroup>::Affine],
        second: &[<E::G2 as AffineGroup>::Affine],
    ) {
        let weights = random_shorts(second.len(), self.rng);
        let first = E::G1::msm_short_affine(&weights, first);
        let second = E::G2::msm_short_affine(&weights, second);
        let pairs = [(first, E::G2::generator()), (-E::G1::generator(), second)];
        self.equations.push(relation, pairs);
    }
}

/// Requires that all relations hold.
///
/// # Errors
/// The first that does not.
pub(crate) fn check<E: Engine>(
    key: &TflszKey<E>,
    domain: &Domain<ScalarOf<E>>,
    rng: &mut impl CryptoRng,
) -> Result<(), &'static str> {
    // Files have no neutral element; that [ρ]₁ ≠ 0 is V's first condition all the same.
    if key.single1.rho.is_identity() {
        return Err("ρ ≠ 0");
    }
    let mut relations = Relations { equations: Equations::new(), rng };
    powers(key, &mut relations);
    secrets(key, &mut relations);
    rows(key, &mut relations);
    derivation(key, domain, &mut relations);
    relations.equations.check()
}

/// The powers of χ and θ, and those times β and β̂.
fn powers<E: Engine>(key: &TflszKey<E>, relations: &mut Relations<'_, E, impl CryptoRng>) {
    let one = E::G2::generator();
    let chi2 = key.chi2.first().map_or(E::G2::identity(), E::G2::from_affine);
    relations.same_each("χ^k in G1", (&key.chi, one), (&from_one::<E>(&key.chi), chi2));
    relations.both_groups("χ^k in G2", &key.chi, &key.chi2);
    let theta2 = key.single2.theta;
    relations.same_each("θ^k in G1", (&key.theta, one), (&from_one::<E>(&key.theta), theta2));
    let of_chi = from_one::<E>(&key.chi);
    relations.same_each("βχ^k", (&key.beta_chi, one), (&of_chi, key.single2.beta));
    let even = key.p_hat();
    relations.same_each("β̂θ^{2k}", (&key.beta_hat_theta, one), (&even, key.single2.beta_hat));
    let total = sum::<E::G1>(&even);
    relations.same("Σ P̂_i", (key.single1.sum_p_hat, one), (total, one));
}

/// 1 and a list of powers.
fn from_one<E: Engine>(
    powers: &[<E::G1 as AffineGroup>::Affine],
) -> Vec<<E::G1 as AffineGroup>::Affine> {
    let one = E::G1::to_affine_all(&[E::G1::generator()]);
    one.into_iter().chain(powers.iter().copied()).collect()
}

/// β, β̂, ρ and their products, in both groups.
fn secrets<E: Engine>(key: &TflszKey<E>, relations: &mut Relations<'_, E, impl CryptoRng>) {
    let Single1 { p0, rho, beta_hat, beta_rho, gamma_beta_rho, gamma_beta_hat, .. } = key.single1;
    let second: Single2<E::G2> = key.single2;
    let (one1, one2) = (E::G1::generator(), E::G2::generator());
    let beta = key.beta_chi.first().map_or(E::G1::identity(), E::G1::from_affine);
    relations.same("β in both groups", (beta, one2), (one1, second.beta));
    relations.same("β̂ in both groups", (beta_hat, one2), (one1, second.beta_hat));
    relations.same("ρ in both groups", (rho, one2), (one1, second.rho));
    relations.same("P_0 in both groups", (p0, one2), (one1, second.p0));
    relations.same("γβ : γβ̂ = β : β̂", (beta_hat, second.gamma_beta), (beta, second.gamma_beta_hat));
    relations.same("γβ̂ in both groups", (gamma_beta_hat, one2), (one1, second.gamma_beta_hat));
    relations.same("βρ", (beta_rho, one2), (rho, second.beta));
    relations.same("γβρ", (gamma_beta_rho, one2), (rho, second.gamma_beta));
}

/// What belongs to each row.
fn rows<E: Engine>(key: &TflszKey<E>, relations: &mut Relations<'_, E, impl CryptoRng>) {
    let n = key.size();
    let (single2, one) = (&key.single2, E::G2::generator());
    relations.both_groups("P_i in both groups", &key.p, &key.p2);

    // e(γβP_i + γβ̂P̂_i, 1) = e(P_i, γβ) + e(P̂_i, γβ̂)
    let weights = random_shorts(n, relations.rng);
    let weighted = |list: &[_]| E::G1::msm_short_affine(&weights, list);
    let mixed = [
        (weighted(&key.mixed), one),
        (-weighted(&key.p), single2.gamma_beta),
        (-weighted(&key.p_hat()), single2.gamma_beta_hat),
    ];
    relations.equations.push("γβP_i + γβ̂P̂_i", mixed);

    // e(Q_i/ρ, ρ) = e(P_i + P_0, P_i + P_0) − e(1, 1)
    let weights = E::G1::random_weights(n, relations.rng);
    let left = shifted(&points::<E::G1>(&key.p), key.single1.p0);
    let right = shifted(&points::<E::G2>(&key.p2), single2.p0);
    let q_over_rho = E::G1::msm_affine(&weights, &key.q_over_rho);
    let mut squares = pairs::<E>(scale_each(&left, &weights), &right);
    let total = weights.iter().copied().sum();
    squares.extend([(-q_over_rho, single2.rho), (-E::G1::mul_generator(&total), one)]);
    relations.equations.push("Q_i/ρ", squares);
}

/// `P_0` and `P_i` from the powers of χ: their coefficients are an inverse transform of their
/// values at the roots of unity.
fn derivation<E: Engine>(
    key: &TflszKey<E>,
    domain: &Domain<ScalarOf<E>>,
    relations: &mut Relations<'_, E, impl CryptoRng>,
) {
    let one = <E as Pairing>::G2::generator();
    let powers = from_one::<E>(key.chi.get(..key.size()).unwrap_or_default());
    // Σ y_i P_i is 2y_i at ω^i, and Σ y_i at ω^{n+1} = 1.
    let weights = random_shorts(key.size(), relations.rng);
    let scalars = weights.iter().map(|&weight| ScalarOf::<E>::from_u128(weight));
    let total: ScalarOf<E> = scalars.clone().sum();
    let mut values: Vec<_> = std::iter::once(total).chain(scalars.map(|y| y + y)).collect();
    domain.ifft(&mut values);
    let combined = E::G1::msm_short_affine(&weights, &key.p);
    let expected = E::G1::msm_affine(&values, &powers);
    relations.same("P_i as polynomials of χ", (combined, one), (expected, one));
    // l_{n+1} has all coefficients 1/(n + 1).
    let last = sum::<E::G1>(&powers).mul(&domain.size_inverse());
    let p0 = last - E::G1::generator();
    relations.same("P_0 as a polynomial of χ", (key.single1.p0, one), (p0, one));
}
