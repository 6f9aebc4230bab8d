//! AC16: the shuffle of Fauzi, Lipmaa and Zając, ASIACRYPT 2016, with a repaired reference string.
//!
//! **The argument as published is not sound.** `Σ P_i = n + (n − 2) P_0`, so that a prover has
//! `[P_0]₂` and may put it into its rows, which then need not be unit vectors: a mixer with three
//! voters can change what these voted after the fact (`tests/pairing/forgery.rs` does). The
//! repair used here (ours; there is no published proof of it, hence not for elections) takes one
//! more interpolation point, so that 1, `P_0` and the `P_i` are linearly independent; it is
//! meaningful from size 4 on. Equations, proof and costs stay as they were.
//!
//! A [`Ciphertext`] holds the same exponent with the same randomness under keys in both groups
//! (validity-enhanced ILin), so that messages are small integers. One party holds the decryption
//! key. Whether a ciphertext is valid must be checked: [`Column::validate`] for those that come
//! from voters; those of an accepted mix are.
//!
//! ```
//! use algebra::{Bn254 as E, Group, Pairing, Scalar};
//! use shuffle::pairing::ac16::*;
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let crs = Crs::<E>::insecure_dealer(4, &mut rng)?;
//! let secret = SecretKey::<E>::generate(&mut rng);
//! let encryptor = Encryptor::new(&crs, &secret.public_key(&crs));
//! let votes = [3, 1, 4].map(|vote| encryptor.encrypt(vote, &mut rng));
//! let inputs = Column::new(&votes).validate(&crs, &mut rng)?;
//!
//! let mix = Prepared::new(&crs, &encryptor, 3, &mut rng)?.mix(&inputs)?;
//! let outputs = verify(&crs, &secret.public_key(&crs), &inputs, mix, &mut rng)?;
//! let four = crs.message_base.mul(&Scalar::from_u64(4));
//! assert!(secret.decrypt_all(&outputs).contains(&four));
//! # Ok::<(), shuffle::ShuffleError>(())
//! ```

mod crs;
mod ilin;
mod proof;
mod prove;
mod verify;

pub use crs::Crs;
pub use ilin::{Ciphertext, Column, Encryptor, PublicKey, SecretKey, ValidColumn};
pub use proof::{Mix, Proof};
pub use prove::Prepared;
pub use verify::verify;
