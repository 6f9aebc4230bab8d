//! Groth16 (Jens Groth, *On the Size of Pairing-based Non-interactive Arguments*, ePrint 2016/260):
//! proofs of three points, verified by three pairings, under a key of each circuit's own.
//!
//! A circuit says `⟨a_q, z⟩ · ⟨b_q, z⟩ = ⟨c_q, z⟩` of its wires `z`, for every row `q`. With
//! Lagrange's polynomials `L_q` over the rows' domain, `u_i = Σ_q a_{q,i} L_q` and `v_i`, `w_i`
//! likewise, the rows hold if `u·v − w` is divisible by the domain's `Z`, for `u = Σ z_i u_i` and so
//! on. A [`ProvingKey`] has these polynomials at a secret `τ`, blinded by secret `α`, `β`, `δ`; the
//! crate `ceremony` makes it so that nobody knows them.
//!
//! * [`ProvingKey::prove`]: `A = α + u(τ) + rδ`, `B = β + v(τ) + sδ`, and a `C` that makes the
//!   equation below true, which takes a quotient `(u·v − w)/Z`. With fresh `r` and `s`, the proof
//!   says nothing about the witness but that there is one.
//! * [`PreparedVerifyingKey::verify`]: `e(A, B) = e(α, β) + e(Σ x_i IC_i, γ) + e(C, δ)` for the
//!   public inputs `x`.
//! * [`PreparedVerifyingKey::verify_batch`]: many proofs at once, with one pairing each.
//! * [`ProvingKey::prove_committed`]: a proof whose public inputs stay in a commitment.
//! * [`rerandomise()`]: another proof of the same, without the witness. Whoever sees a proof can make
//!   others of the same statement: do not take a proof for a signature or a ticket.
//!
//! Keys, proofs and public inputs are those of snarkjs; whatever one proves the other verifies.
//!
//! ```
//! use algebra::{Bn254, Scalar, ScalarOf};
//! use circuit::synthesis::{Circuit, Synthesizer};
//! use snark::groth16::{PreparedVerifyingKey, insecure_dealer};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! type S = ScalarOf<Bn254>;
//!
//! /// "I know the factors of this number."
//! struct Factors { p: u64, q: u64 }
//!
//! impl Circuit<S> for Factors {
//!     fn synthesize(&self, cs: &mut Synthesizer<S>) {
//!         let p = cs.private(S::from_u64(self.p));
//!         let q = cs.private(S::from_u64(self.q));
//!         let product = cs.product(&p, &q);
//!         cs.expose(&product);
//!     }
//! }
//!
//! // For a test. Keys for others to rely on come from a ceremony: `ProvingKey::read_zkey`.
//! let system = Factors { p: 0, q: 0 }.constraint_system();
//! let key = insecure_dealer::<Bn254>(&system, &mut rng)?;
//!
//! let proof = key.prove(&Factors { p: 641, q: 6_700_417 }.witness(), &mut rng)?;
//! let verifier = PreparedVerifyingKey::new(key.verifying_key())?;
//! assert!(verifier.verify(&[S::from_u64((1 << 32) + 1)], &proof).is_ok());
//! assert!(verifier.verify(&[S::from_u64(1 << 32)], &proof).is_err());
//! # Ok::<(), snark::groth16::Error>(())
//! ```
//!
//! # Secrets
//! The witness, and everything computed from it, is used in variable time. `r` and `s` serve one proof. Values derived
//! from either are erased, except for points and scalars inside the kernels.

mod affine;
mod batch;
mod commit;
#[cfg(feature = "prove")]
mod dealer;
pub mod encoding;
mod error;
#[cfg(feature = "prove")]
pub mod evm;
#[cfg(feature = "prove")]
mod key;
#[cfg(feature = "prove")]
mod masking;
#[cfg(feature = "prove")]
mod prove;
#[cfg(feature = "prove")]
mod prove_committed;
#[cfg(feature = "prove")]
mod quotient;
#[cfg(feature = "prove")]
mod read;
#[cfg(feature = "prove")]
mod rerandomise;
mod verify;

pub(crate) use affine::to_affine;
pub use circuit::json::{Proof, VerifyingKey};
pub use commit::{CommittedProof, CommittingKey};
#[cfg(feature = "prove")]
pub use dealer::insecure_dealer;
pub use error::Error;
#[cfg(feature = "prove")]
pub use key::ProvingKey;
#[cfg(feature = "prove")]
pub use rerandomise::rerandomise;
pub use verify::PreparedVerifyingKey;
