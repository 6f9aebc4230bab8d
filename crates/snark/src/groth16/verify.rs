//! Verifying.

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, Pairing, ScalarOf};

use super::{Error, Proof, VerifyingKey};

/// A checked verification key, with everything that does not depend on the proof computed.
#[derive(Clone)]
pub struct PreparedVerifyingKey<E: Engine> {
    pub(super) key: VerifyingKey<E>,
    /// `e(α, β)`.
    pub(super) alpha_beta: E::Target,
    /// `γ` and `δ`.
    prepared: Vec<<E as Pairing>::Prepared>,
}

impl<E: Engine> PreparedVerifyingKey<E> {
    /// Checks a key's points, and that it is none of those under which everything has a proof. Who
    /// knows its secrets can forge all the same: that is what ceremonies are for.
    ///
    /// # Errors
    /// [`Error::Forgeable`] if `γ = δ` (with `A = α`, `B = β`, `C = −Σ x_i IC_i` for every `x`), if `δ`
    /// is the generator, as in keys that nobody contributed to, or if some `IC_i` is neutral, whose `x_i`
    /// is then anything; [`Error::KeyPoint`].
    pub fn new(key: &VerifyingKey<E>) -> Result<Self, Error> {
        check::<E::G1>("alpha", &key.alpha_g1)?;
        check::<E::G2>("beta", &key.beta_g2)?;
        check::<E::G2>("gamma", &key.gamma_g2)?;
        check::<E::G2>("delta", &key.delta_g2)?;
        if key.ic.is_empty() || E::G1::check_subgroup(&key.ic).is_err() {
            return Err(Error::KeyPoint { point: "IC" });
        }
        if key.ic.iter().any(E::G1::is_affine_identity) {
            return Err(Error::Forgeable { reason: "a public input of it means nothing" });
        }
        let delta: E::G2 = key.delta_g2.into();
        let is_plus_or_minus =
            |point: Affine<E::G2>| delta == point.into() || -delta == point.into();
        if is_plus_or_minus(key.gamma_g2) {
            return Err(Error::Forgeable { reason: "delta is gamma, up to its sign" });
        }
        if is_plus_or_minus(E::G2::affine_generator()) {
            return Err(Error::Forgeable { reason: "nobody contributed to delta" });
        }
        let alpha_beta = E::pairing(&key.alpha_g1.into(), &key.beta_g2.into());
        let prepared = E::prepare(&[key.gamma_g2.into(), delta]);
        Ok(Self { key: key.clone(), alpha_beta, prepared })
    }

    /// Public inputs of the circuit.
    pub fn public(&self) -> usize {
        self.key.ic.len().saturating_sub(1)
    }

    /// Whether the proof is of these public inputs:
    /// `e(A, B) − e(Σ x_i IC_i, γ) − e(C, δ) = e(α, β)`.
    ///
    /// # Errors
    /// [`Error::PublicLen`], [`Error::ProofPoint`], [`Error::Invalid`].
    pub fn verify(&self, public: &[ScalarOf<E>], proof: &Proof<E>) -> Result<(), Error> {
        self.check_len(public)?;
        check_proof(proof)?;
        let inputs = self.inputs(public);
        let left = self.left_side(&[(proof.a.into(), proof.b.into())], inputs, proof.c.into());
        if left == self.alpha_beta { Ok(()) } else { Err(Error::Invalid) }
    }

    /// `IC_0 + Σ x_i IC_i`.
    fn inputs(&self, public: &[ScalarOf<E>]) -> E::G1 {
        match self.key.ic.split_first() {
            Some((constant, ic)) => E::G1::msm_affine(public, ic).add_precomputed(constant),
            None => E::G1::identity(),
        }
    }

    /// `Σ e(A, B) − e(inputs, γ) − e(C, δ)`.
    pub(super) fn left_side(&self, pairs: &[(E::G1, E::G2)], inputs: E::G1, c: E::G1) -> E::Target {
        let fixed: Vec<_> = [-inputs, -c].into_iter().zip(&self.prepared).collect();
        E::multi_pairing_with(pairs, &fixed)
    }

    /// `e(A, B) − e(Σ x_i IC_i, γ) − e(C, δ) − e(α, β)`, which is neutral for a proof; and `e([1]₁, δ)`, by
    /// which it is less if C is `[1]₁` more.
    pub(crate) fn excess(
        &self,
        public: &[ScalarOf<E>],
        (a, b, c): (E::G1, E::G2, E::G1),
    ) -> (E::Target, E::Target) {
        let inputs = self.inputs(public);
        let unit = E::pairing(&E::G1::generator(), &self.key.delta_g2.into());
        (self.left_side(&[(a, b)], inputs, c) - self.alpha_beta, unit)
    }

    pub(super) fn check_len(&self, public: &[ScalarOf<E>]) -> Result<(), Error> {
        let (expected, got) = (self.public(), public.len());
        if expected == got { Ok(()) } else { Err(Error::PublicLen { expected, got }) }
    }
}

/// Points of the subgroup, none of them neutral.
pub(super) fn check_proof<E: Engine>(proof: &Proof<E>) -> Result<(), Error> {
    let wrong = |error| match error {
        Error::KeyPoint { point } => Error::ProofPoint { point },
        other => other,
    };
    check::<E::G1>("A", &proof.a).map_err(wrong)?;
    check::<E::G2>("B", &proof.b).map_err(wrong)?;
    check::<E::G1>("C", &proof.c).map_err(wrong)
}

fn check<G: CurveGroup>(name: &'static str, point: &Affine<G>) -> Result<(), Error> {
    let is_in_subgroup = G::check_subgroup(std::slice::from_ref(point)).is_ok();
    match is_in_subgroup && !G::is_affine_identity(point) {
        true => Ok(()),
        false => Err(Error::KeyPoint { point: name }),
    }
}
