//! AC16: the shuffle of Fauzi, Lipmaa and Zając, ASIACRYPT 2016, with a repaired reference string.
//!
//! **The argument as published is not sound.** `Σ P_i = n + (n − 2) P_0`, so a prover has `[P_0]₂` and can put it into
//! its rows, which then need not be unit vectors. A mixer together with three voters can change these voters' votes
//! afterwards (`tests/pairing/forgery.rs` does this). The repair used here takes one more interpolation point, so that
//! 1, `P_0` and the `P_i` are linearly independent. It is meaningful from size 4 on. Equations, proof and costs stay as
//! they were. The repair is ours and has no published proof, so AC16 is not for elections.
//!
//! A [`Ciphertext`] holds the same exponent with the same randomness under keys in both groups (validity-enhanced
//! ILin), so messages are small integers. One party holds the decryption key. A ciphertext must be checked for
//! validity: [`Column::validate`] checks those that come from voters, and those of an accepted mix are valid.
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
