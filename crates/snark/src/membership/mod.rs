//! Set membership with Merkle trees under Groth16: the comparison for traceable mix-nets.
//!
//! Commitments are `v·G + r·H` on Baby Jubjub, sets are Poseidon trees over BN254.
//!
//! | relation | public | private | leaves |
//! |---|---|---|---|
//! | [`Forward`] (ρ_SM-Acc) | commitment, root | `v`, `r`, path | `Poseidon(0, v)` |
//! | [`Reverse`] (ρ_RSM-Acc) | `v`, root | `r`, path | `Poseidon(x, y)` of a commitment |
//!
//! Forward says that the value in a commitment is in a set of values. Reverse says that a value is in one of a set of
//! commitments, without saying in which.
//!
//! Two things differ from the circuits that others measured. First, `v` and `r` are strictly below the order of the
//! subgroup, also as bits: otherwise one commitment opens to several values. Second, the leaves that pad a tree are
//! zero, and nobody knows inputs whose hash is zero. If a tree were padded with the hash of zero, every set would
//! contain zero.
//!
//! ```
//! use algebra::{Bn254, Scalar};
//! use circuit::{gadgets::baby_jubjub::{CommitmentKey, Fr, JubjubScalar}, synthesis::Circuit};
//! use snark::{groth16::{PreparedVerifyingKey, insecure_dealer}, membership::{Forward, ValueSet}};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let values: Vec<_> = [20, 30, 40].map(Fr::from_u64).into_iter().filter_map(JubjubScalar::new).collect();
//! let set = ValueSet::new(&values, 2).ok_or("too many values")?;
//! let commitments = CommitmentKey::new();
//! let system = Forward::blank(&commitments, 2).constraint_system();
//! let key = insecure_dealer::<Bn254>(&system, &mut rng)?;
//!
//! let r = JubjubScalar::random(&mut rng);
//! let statement = Forward::new(&commitments, &values[1], &r, set.path(1).ok_or("no such value")?);
//! let proof = key.prove(&statement.witness(), &mut rng)?;
//!
//! let public = Forward::public(&commitments.commit(&values[1], &r), set.root());
//! PreparedVerifyingKey::new(key.verifying_key())?.verify(&public, &proof)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod forward;
mod reverse;

pub use forward::{Forward, ValueSet};
pub use reverse::{CommitmentSet, Reverse};
