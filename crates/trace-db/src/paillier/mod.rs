//! Paillier encryption for the engine `db`: integers that no prime-order group decrypts.
//!
//! The servers share one key; senders and servers encrypt scalars under it, lists are shuffled
//! against the same permutation commitments as the session's ElGamal lists, and all servers
//! together open what comes out. Two schemes have one interface:
//!
//! | scheme | key | decryption share | a ciphertext |
//! |---|---|---|---|
//! | [`Scheme::Dealt`]: [`dealt`] | trusted dealer, t of m | exponent of `2·|N|` bits | one element |
//! | [`Scheme::Bcp`]: [`bcp`] | made by the servers, t of m | exponent of 384 bits if t = m | two elements |
//!
//! * [`PublicKey`]: encrypt, add, scale, re-randomise lists of [`Ciphertexts`].
//! * [`pack()`], [`unpack`]: two scalars in one plaintext, behind masks.
//! * [`PlaintextProofs`], [`verify_plaintexts`]: whoever encrypts knows what; [`OpeningsProof`]: the
//!   same for a whole list, in constant size.
//! * [`shuffle_ciphertexts`], [`prove_shuffle`], [`verify_shuffle`].
//! * [`KeyShare::decrypt`], [`PublicKey::open`]: shares with one proof for a whole list.
//!
//! ```
//! use algebra::{Bls12381G1 as G, Group, Scalar};
//! use ::shuffle::tw::*;
//! use trace_db::paillier::*;
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! type S = <G as Group>::Scalar;
//! let context = |server, purpose| Context { session: b"docs", purpose, server };
//!
//! // Two servers make a key. (A modulus of this size is for examples only.)
//! let parameters = bcp::Parameters::generate(ModulusSize::InsecureTest, &mut rng)?;
//! let (shares, contributions): (Vec<_>, Vec<_>) =
//!     (1..=2).map(|server| parameters.contribute(&context(server, b"key"), &mut rng)).unzip();
//! let key = parameters.assemble(b"docs", &contributions)?.with_tables();
//!
//! // A sender encrypts two scalars in one plaintext, and proves that it knows them.
//! let (high, low) = (S::from_u64(7), S::from_u64(8));
//! let packed = pack(&mask_of(&high, &mut rng), &mask_of(&low, &mut rng));
//! let (sent, openings) = key.encrypt(vec![packed], &mut rng)?;
//! let sender = context(0, b"sender 5");
//! let proofs = PlaintextProofs::prove(&key, &sender, &sent, &openings, PACKED_BITS, &mut rng)?;
//! let claim =
//!     PlaintextClaim { context: sender, ciphertexts: &sent, bits: PACKED_BITS, proofs: &proofs };
//! verify_plaintexts(&key, &[claim])?;
//!
//! // Server 1 shuffles it with a public 9, by the permutation that it committed to and proved.
//! let list = Ciphertexts::concat(&key, &[&sent, &key.trivial(&[9.into()])]);
//! let generators = Generators::<G>::derive(2);
//! let committed =
//!     CommittedPermutation::commit(Permutation::random(2, &mut rng), &generators, &mut rng)?;
//! let of_server_1 = PermutationContext { study: b"docs", mix: b"1", mixer: 1 };
//! let proof = prove_permutation(&committed, &generators, &of_server_1, &mut rng)?;
//! let commitment = committed.commitment().clone();
//! let permutation = verify_permutation(commitment, &proof, &generators, &of_server_1)?;
//!
//! let mix = context(1, b"mix");
//! let shuffled = shuffle_ciphertexts(&key, &committed, &list, &mut rng)?;
//! let proof =
//!     prove_shuffle(&key, &mix, &generators, &committed, &list, &shuffled, &mut rng)?;
//! let after = &shuffled.list;
//! let claim = ShuffleClaim {
//!     context: mix, permutation: &permutation, before: &list, after, proof: &proof,
//! };
//! verify_shuffle(&key, &generators, &claim)?;
//!
//! // Both decrypt.
//! let partials = shares.iter()
//!     .map(|share| share.decrypt(&key, &context(share.server(), b"open"), after, &mut rng))
//!     .collect::<Result<Vec<_>, _>>()?;
//! let opened = key.open(b"docs", b"open", after, &partials)?;
//! let mut pairs: Vec<(S, S)> = opened.iter().map(unpack).collect();
//! pairs.sort_by_key(|(high, _)| *high == S::zero());
//! assert_eq!(pairs, [(high, low), (S::zero(), S::from_u64(9))]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A modulus that somebody drew comes with a proof that it is prime to φ(N); among servers one of 2048
//! bits is the challenge number RSA-2048.
//!
//! # Costs
//! Multiplications modulo N², for each item and component (`dealt` has one, `bcp` two); w is
//! Pippenger's window, about 10 for 10^4 items, exponents of fixed bases take a table of bytes, and
//! r has |N|/2 bits under `dealt`, 384 under `bcp`.
//!
//! | step | multiplications |
//! |---|---|
//! | read an element | 1, and a Jacobi symbol over N, about a greatest common divisor |
//! | encrypt, re-randomise | `|r|/8` |
//! | prove a plaintext | `(|r| + 256)/8` |
//! | verify it, in a batch | `(128 + 256)/w` |
//! | verify that all openings of a list are known | `128/w` |
//! | shuffle: re-randomise, prove, verify | `|r|/8`, `464/w`, `489/w` |
//! | decryption share (`bcp`: for both components together) | 1.2·`2·|N|` under `dealt`, 1.2·384 under `bcp` |
//! | prove, verify shares (likewise) | `256/w` each |
//! | combine (likewise) | m + 5 |
//!
//! # Signs and symbols
//! −1 has order 2 modulo N², so no proof about exponents excludes it. All equations hold up to the
//! sign, and decryption squares what it combines: a sign anywhere changes no plaintext.
//!
//! Correct plaintexts are not enough. A server that shuffles must not be able to mark a row so that it recognises the
//! row after the following servers. All honest masks have Jacobi symbol +1 over N. Anybody can compute this symbol, and
//! no re-encryption changes it. So N is 1 modulo 4, the hashed x below every base has symbol +1, and every element that
//! is read is checked on its own, and refused if it has another symbol.
//!
//! * `dealt`: for safe primes, the units of Z_{N²} with symbol +1 are `⟨1 + N⟩·⟨h^N⟩`, −1 among
//!   them. Whatever a server multiplies a ciphertext by is then an encryption; if the proof shows
//!   that it encrypts 0, it is a mask, and the next honest mask hides it.
//! * `bcp`: each component alone is hidden as well if N has safe primes. But the pair is a mask only if both components
//!   have one exponent. A sign on one of them, the only known element of small order, stays. It shows in quadratic
//!   characters modulo the factors, which nobody knows (quadratic residuosity). It would also show where C_2 is opened,
//!   so shares are of the square of C_1. For RSA-2048 the structure of the group is not known, and the same assumption
//!   replaces the first sentence.
//!
//! # Constant time
//! Key shares, always; encryption and its proofs under a key without tables, as senders do. A
//! server's one-time randomness, masks and permutation go through tables and buckets in variable
//! time.

mod bases;
pub mod bcp;
mod certificate;
mod ciphertext;
pub mod dealt;
mod decrypt;
mod encode;
mod error;
mod exponent_proof;
mod key;
mod known;
mod openings_proof;
mod pack;
mod plaintext_proof;
mod scheme;
mod shuffle;
#[cfg(test)]
mod tests;

pub use ciphertext::{Ciphertexts, Openings};
pub use decrypt::PartialDecryption;
pub use encode::Elements;
pub use error::PaillierError;
pub use exponent_proof::ExponentProof;
pub use key::{KeyShare, PublicKey};
pub use openings_proof::OpeningsProof;
pub use pack::{
    MASK_BITS, PACKED_BITS, SCALAR_BITS, SLOT_BITS, integer_of, mask_of, pack, scalar_of, unpack,
};
pub use plaintext_proof::{PlaintextClaim, PlaintextProofs, verify_plaintexts};
pub use scheme::{Context, MAX_SERVERS, ModulusSize, Parties, Scheme};
pub use shuffle::{
    ShuffleClaim, ShuffleProof, ShuffledCiphertexts, prove_shuffle, shuffle_ciphertexts,
    verify_shuffle,
};

/// Most ciphertexts in one list.
pub const MAX_ROWS: usize = 1 << 20;
