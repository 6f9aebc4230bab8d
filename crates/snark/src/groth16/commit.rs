//! Commit-carrying proofs: the public inputs stay in a commitment (Campanelli, Fiore, Querol,
//! *LegoSNARK*, ePrint 2019/142, LegoGroth16).
//!
//! The verifier of Groth16 sees its inputs `x` only as the point `Σ x_i IC_i`. So a prover may send
//! `D = Σ x_i IC_i + v·[η]` with a random `v` instead, and remove the blinding by `C − v·[η/δ]`. Whatever else is
//! proven about `D`'s opening is proven about the inputs.
//!
//! LegoGroth16 draws a secret `η` for that. Here `η = δ`. So `D` is blinded by `v·[δ]₁`, `C` by `−v·[1]₁`, and the key
//! can come from any ceremony (`γ = 1`). Nothing is lost: whoever knows an opening `(x, v)` of `D` has the ordinary
//! proof `(A, B, C + v·[1]₁)` of the inputs `x`. So soundness is that of Groth16, and `D` is uniform for every `x`.
//!
//! **A proof alone says nothing of `D`**: with `A = α`, `B = β`, `C = 0`, `D = −IC_0` the equation
//! holds for every circuit. It must come with a proof of knowledge of `D`'s opening under
//! [`CommittingKey::bases`], as in `set_membership`.

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group};
use wire::{Decode, DecodeError, Encode, Reader};

use super::{Error, PreparedVerifyingKey, Proof, VerifyingKey, to_affine};

/// A verification key with `[δ]₁`, which blinds commitments to public inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittingKey<E: Engine> {
    /// The verification key.
    pub verifying_key: VerifyingKey<E>,
    /// `[δ]₁`.
    pub delta_g1: Affine<E::G1>,
}

impl<E: Engine> CommittingKey<E> {
    /// `IC_1, …` of the public wires, then `[δ]₁`: the bases of commitments.
    pub fn bases(&self) -> Vec<E::G1> {
        let inputs = self.verifying_key.ic.iter().skip(1);
        inputs.chain([&self.delta_g1]).map(E::G1::from_affine).collect()
    }

    /// Checks the key as [`PreparedVerifyingKey::new`] does, that `γ = 1`, and that both `δ` are one:
    /// `e([δ]₁, [1]₂) = e([1]₁, [δ]₂)`.
    ///
    /// # Errors
    /// Those of [`PreparedVerifyingKey::new`]; [`Error::NotCommitting`].
    pub fn prepare(&self) -> Result<PreparedVerifyingKey<E>, Error> {
        let verifier = PreparedVerifyingKey::new(&self.verifying_key)?;
        let point = std::slice::from_ref(&self.delta_g1);
        if E::G1::check_subgroup(point).is_err() {
            return Err(Error::KeyPoint { point: "delta" });
        }
        if self.verifying_key.gamma_g2 != E::G2::affine_generator() {
            return Err(Error::NotCommitting { reason: "gamma is not one" });
        }
        let delta_g2 = E::G2::from_affine(&self.verifying_key.delta_g2);
        let pairs = [
            (E::G1::from_affine(&self.delta_g1), E::G2::generator()),
            (-E::G1::generator(), delta_g2),
        ];
        match E::is_neutral(&pairs) {
            true => Ok(verifier),
            false => Err(Error::NotCommitting { reason: "delta differs in the two groups" }),
        }
    }
}

/// A proof and the commitment that its public inputs are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedProof<E: Engine> {
    /// `D`.
    pub commitment: E::G1,
    /// `A`, `B`, `C`.
    pub proof: Proof<E>,
}

impl<E: Engine> PreparedVerifyingKey<E> {
    /// Whether the equation holds with the commitment for the inputs:
    /// `e(A, B) − e(IC_0 + D, γ) − e(C, δ) = e(α, β)`. See the module on what that does not say.
    ///
    /// # Errors
    /// [`Error::ProofPoint`], [`Error::Invalid`].
    pub fn verify_committed(&self, committed: &CommittedProof<E>) -> Result<(), Error> {
        let CommittedProof { commitment, proof } = committed;
        super::verify::check_proof(proof)?;
        if E::G1::check_subgroup(&[to_affine(commitment)]).is_err() {
            return Err(Error::ProofPoint { point: "D" });
        }
        // A prepared key has an `IC_0` (`PreparedVerifyingKey::new`).
        let constant = self.key.ic.first().map(E::G1::from_affine).unwrap_or(E::G1::identity());
        let pair = (proof.a.into(), proof.b.into());
        let left = self.left_side(&[pair], constant + *commitment, proof.c.into());
        if left == self.alpha_beta { Ok(()) } else { Err(Error::Invalid) }
    }
}

/// `D`, then the proof.
impl<E: Engine> Encode for CommittedProof<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.commitment.encode());
        self.proof.encode(out);
    }
}

impl<E: Engine> Decode for CommittedProof<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { commitment: crate::file::point(reader, "D")?, proof: Proof::decode(reader)? })
    }
}
