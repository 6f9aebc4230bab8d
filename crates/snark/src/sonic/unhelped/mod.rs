//! Sonic without a helper and without the circuit, the paper's fully succinct form: the verifier's
//! work depends on the public inputs only.
//!
//! | module | paper | what it does |
//! |---|---|---|
//! | `rewrite`, `permutation`, `system` | `s(X, Y)` as a sum of permutation polynomials | the circuit as three permutations |
//! | `srs` | sections 4.2, 6.2; well-formedness argument | a part of the same reference string |
//! | `key` | signature of correct computation, derived strings | commitments to the permutations: the circuit key |
//! | `product` | grand product argument | that two products are equal, over their running quotient |
//! | `proof`, `prove`, `verify` | figure 2 with a signature | everything in one proof, checked with six Miller loops |
//!
//! A prover commits to `r(X, 1)` and `t(X, y)` as always, and to the parts `S_j` of `s_1(X, y)`. It shows that these
//! are of the circuit (a *signature of correct computation*) in this way: `S_j` has the coefficients `ψ_{j,i} y^i` in
//! the order of `σ_j` exactly if `Π_i (S_{j,i} + βσ_j(i) + γ) = Π_i (ψ_{j,i} y^i + βi + γ)`. It commits to the running
//! quotients of the two products, `C_j = Σ c_i X^i` with `c_0 = 1` and `c_i b_i = c_{i−1} a_i`, where `a_i` and `b_i`
//! are the factors. With `A_j(X) = Σ a_i X^i` and `B_j` likewise, the constant term of
//! `(1 + C_j(X^{−1})) · (B_j(wX) − X^{−1} A_j(wX) + w^{N+1} X^N) − w^{N+1}` is
//! `Σ_i w^i (c_i b_i − c_{i−1} a_i) + w^{N+1} (c_N − 1)`. A commitment to that polynomial shows that this term
//! vanishes, because there is no `[α]₁`. So `c_N = 1`: the products are equal.
//!
//! Differences from the paper, all of which make proofs smaller and provers faster:
//! - The product argument runs over quotients, `N` long. The paper's runs over the two products one
//!   after the other, `2N + 1` long, wants the inverse of one of them, and has to cut openings at
//!   `x^{N+1}`. So the reference string can be shorter: `4n + 8` and not `6n + 3`.
//! - `Σ ψ_{j,i} y^i X^i` is the key's `Σ ψ_{j,i} X^i` at `yX`: it is opened there. The paper has the
//!   prover commit to it and show that it is the same.
//! - `Σ X^i`, `Σ i·X^i` and `s_2(z, y)` are geometric sums, which the verifier computes. The paper has
//!   the prover open commitments to them.
//!
//! There are 17 points and 10 scalars in a proof, on BLS12-381 1,136 bytes; the paper has 20 and 16.
//!
//! ```
//! use algebra::{Bls12381 as E, Scalar, ScalarOf};
//! use circuit::r1cs::{Constraint, R1csHeader};
//! use snark::sonic::{Error, unhelped::*};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # type S = ScalarOf<E>;
//!
//! // I know the factors of 21. Wires: the constant one, the product, two factors.
//! let header = R1csHeader { wires: 4, public_inputs: 1, private_inputs: 2, constraints: 1, ..Default::default() };
//! let one = S::one();
//! let constraint = Constraint { a: vec![(2, one)], b: vec![(3, one)], c: vec![(1, one)] };
//! let system = PermutedSystem::from_r1cs(&header, [constraint])?;
//!
//! let srs = Srs::<E>::insecure_dealer(&system, system.degree() as u64, &mut rng)?;
//! let key = VerifyingKey::new(&srs, &system)?;
//! let witness = [1, 21, 3, 7].map(S::from_u64);
//! let proof = prove(&srs, &system, &key, &witness, &mut rng)?;
//!
//! // With the key alone.
//! let inputs = [S::from_u64(21)];
//! verify(&key, Statement { inputs: &inputs, proof: &proof }, &mut rng)?;
//! # Ok::<(), Error>(())
//! ```

mod encode;
mod key;
mod permutation;
mod product;
mod proof;
#[cfg(feature = "prove")]
mod prove;
mod rewrite;
mod srs;
mod system;
#[cfg(test)]
mod tests;
mod verify;

pub use key::VerifyingKey;
pub use proof::Proof;
#[cfg(feature = "prove")]
pub use prove::prove;
pub use srs::Srs;
pub use system::PermutedSystem;
pub use verify::{Statement, verify, verify_batch};
