//! Verifiable shuffles, threshold ElGamal and ballots.
//!
//! Voters encrypt; mixers, one after the other, permute and re-encrypt all ballots and prove it;
//! trustees, t of n, decrypt and prove it. Nobody can link an output to a voter unless every mixer
//! colludes, nobody can change a ballot at all, and anyone can check.
//!
//! * [`tw`]: the Terelius-Wikström proof of shuffle over any group, the default: no trusted setup.
//! * [`pairing`]: FLSZ17, tFLSZ and the repaired AC16, whose proofs are pairing equations about a
//!   common reference string.
//! * [`dkg`], [`decrypt`]: a key that t of n trustees share, generated and used in public.
//! * [`ballot`]: ciphertexts with a proof of plaintext knowledge, bound to election and voter.
//! * [`Mix`]: one mixer's whole turn; [`verify_mixes`] checks a chain of them.
//! * [`Ciphertext`], [`Column`]: ElGamal encryption and the lists that a mix moves.
//!
//! ```
//! use algebra::{Embed, Group, Ristretto255 as G, Scalar};
//! use shuffle::{Column, SecretKey, tw::*};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! // Three encrypted messages.
//! let secret = SecretKey::<G>::generate(&mut rng);
//! let key = secret.public_key();
//! let messages = ["red", "green", "blue"].map(|text| G::embed(text.as_bytes()).unwrap());
//! let encrypt = |m| key.encrypt(m, &<G as Group>::Scalar::random(&mut rng));
//! let before = Column::new(&messages.iter().map(encrypt).collect::<Vec<_>>());
//!
//! // Before the lists exist, the mixer commits to a permutation and proves that it is one.
//! let generators = Generators::derive(3);
//! let context = PermutationContext { study: b"docs", mix: b"1", mixer: 1 };
//! let permutation = Permutation::random(3, &mut rng);
//! let committed = CommittedPermutation::commit(permutation, &generators, &mut rng).unwrap();
//! let permutation_proof = prove_permutation(&committed, &generators, &context, &mut rng).unwrap();
//! let masks = ListMasks::prepare(3, &generators, &mut rng).unwrap();
//!
//! // Then it moves the list and proves that it did.
//! let shuffled =
//!     shuffle_column(&committed, Direction::Forward, &key, &before, &mut rng).unwrap();
//! let passages = [Passage { key, before: &before, after: &shuffled.column }];
//! let list_context =
//!     ListContext { study: b"docs", mix: b"1", purpose: b"mix", mixer: 1, position: 1 };
//! let statement = ListStatement { context: list_context, direction: Direction::Forward, passages: &passages };
//! let proof = prove_lists(&committed, &context, &statement, &[&shuffled], masks, &mut rng).unwrap();
//!
//! // Everybody checks: the permutation once, then any number of lists.
//! let commitment = committed.commitment().clone();
//! let permutation = verify_permutation(commitment, &permutation_proof, &generators, &context).unwrap();
//! verify_lists(&ListClaim { permutation: &permutation, statement, proof: &proof }, &generators).unwrap();
//!
//! // The messages are all there, in an order that only the mixer knows.
//! let mut colours: Vec<_> = shuffled.column.ciphertexts().iter()
//!     .map(|ciphertext| secret.decrypt(ciphertext).extract().unwrap())
//!     .collect();
//! colours.sort();
//! assert!(colours[0].starts_with(b"blue"));
//! ```
//!
//! # Constant time
//! Encrypting, decrypting and everything about key shares takes constant time on ristretto255. A
//! mixer's permutation, re-encryption randomness and masks are used once and variable time.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "prove"), allow(dead_code, reason = "provers call it"))]

pub mod ballot;
mod column;
pub mod decrypt;
pub mod dkg;
mod elgamal;
pub mod encode;
mod error;
mod mix;
pub mod pairing;
mod points;
pub mod sigma;
pub mod threshold_error;
pub mod tw;

pub use ballot::MAX_COLUMNS;
pub use column::Column;
pub use elgamal::{Ciphertext, PublicKey, ReEncryptor, SecretKey};
pub use error::{Equation, ShuffleError};
#[cfg(feature = "prove")]
pub use mix::PreparedMix;
pub use mix::{
    MAX_ROWS, Mix, MixClaim, MixContext, MixProof, decode_columns, encode_columns, verify_mixes,
    verify_mixes_for_reuse,
};
pub use points::PointList;
pub use threshold_error::ThresholdError;
