//! Keys.

use algebra::{Affine, CurveGroup, Engine, Group, ScalarOf};
use wire::Digest;

use super::{Error, SquareProgram};
use crate::file::key_digest;

/// What a verifier holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<E: Engine> {
    /// `[α]₁`.
    pub(crate) alpha: E::G1,
    /// `[β]₂`.
    pub(crate) beta: E::G2,
    /// `[γ]₁`.
    pub(crate) gamma_g1: E::G1,
    /// `[γ]₂`.
    pub(crate) gamma_g2: E::G2,
    /// `[γ c_i(t) + (α + β) a_i(t)]₁` for the constant wire and the public ones.
    pub(crate) query: Vec<E::G1>,
}

impl<E: Engine> VerifyingKey<E> {
    /// Public inputs of the circuit.
    pub fn public(&self) -> usize {
        self.query.len().saturating_sub(1)
    }

    /// The digest of the key: of every byte of it.
    pub fn digest(&self) -> Digest {
        key_digest::<E>("snark/gm17/key/v1", self)
    }

    /// What makes the key one under which everything has a proof, or a public input one that means
    /// nothing. Points that are neutral on their own are refused where they are read.
    ///
    /// With `γ = ±1`, what stands before `[γ]₂` in the equation can be moved to `C`, before `[1]₂`: a
    /// proof is one of any other inputs with `C ± (ψ − ψ')`, and `(0, 0, ∓ψ)` is one without a witness.
    pub(super) fn defect(&self) -> Option<(&'static str, &'static str)> {
        let one = E::G2::generator();
        if self.gamma_g2 == one || self.gamma_g2 == -one {
            return Some(("[gamma]2", "is the generator, up to its sign: anybody could forge"));
        }
        if self.query.iter().any(Group::is_identity) {
            return Some(("public inputs", "one is the point at infinity, and would mean nothing"));
        }
        let is_one_gamma =
            E::is_neutral(&[(self.gamma_g1, one), (-E::G1::generator(), self.gamma_g2)]);
        (!is_one_gamma).then_some(("[gamma]1", "is not [gamma]2 in the other group"))
    }
}

/// What a prover holds, beside the circuit.
///
/// The paper's elements `[2γ²Z(t) a_i(t)]₁` and `[γ²Z(t)²]₁` are not among them: they are
/// combinations of the `h` below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvingKey<E: Engine> {
    pub(crate) verifying_key: VerifyingKey<E>,
    pub(crate) circuit: Digest,
    /// `[γ a_i(t)]₁` for the wires of the rank-1 system.
    pub(crate) a: Vec<Affine<E::G1>>,
    /// `[γ a_i(t)]₂` for the same.
    pub(crate) b: Vec<Affine<E::G2>>,
    /// `[γ² c_i(t) + γ(α + β) a_i(t)]₁` for all wires that are not public.
    pub(crate) c: Vec<Affine<E::G1>>,
    /// `[γ² Z(t) t^i]₁` for `i` from 0 to the size of the domain.
    pub(crate) h: Vec<Affine<E::G1>>,
    /// `[γ Z(t)]₁` and `[γ Z(t)]₂`.
    pub(crate) z_g1: E::G1,
    pub(crate) z_g2: E::G2,
    /// `[(α + β) γ Z(t)]₁`.
    pub(crate) alpha_beta_z: E::G1,
}

impl<E: Engine> ProvingKey<E> {
    /// The verifying key inside.
    pub fn verifying_key(&self) -> &VerifyingKey<E> {
        &self.verifying_key
    }

    /// Requires that this is the key of a circuit.
    ///
    /// # Errors
    /// [`Error::Circuit`], [`Error::TooManyRows`].
    pub fn check_circuit(&self, program: &SquareProgram<ScalarOf<E>>) -> Result<(), Error> {
        let private = program.wires().checked_sub(program.public() + 1);
        let fits = self.a.len() == program.r1cs_wires()
            && self.b.len() == program.r1cs_wires()
            && Some(self.c.len()) == private
            && self.h.len() == program.domain()?.len() + 1
            && self.verifying_key.public() == program.public()
            && self.circuit == program.digest();
        if fits { Ok(()) } else { Err(Error::Circuit) }
    }
}

/// `(A, B, C)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<E: Engine> {
    /// `A = [γ(a(t) + ρZ(t))]₁`.
    pub(crate) a: E::G1,
    /// The same in G2.
    pub(crate) b: E::G2,
    /// What makes the equation true.
    pub(crate) c: E::G1,
}

/// The affine forms of multiples of the generator.
pub(super) fn multiples<G: CurveGroup>(
    table: &algebra::FixedBaseTable<G>,
    scalars: &[G::Scalar],
) -> Vec<Affine<G>> {
    G::to_affine_all(&table.mul_all(scalars))
}
