//! Groth16 by several provers, none of whom knows the witness (Ozdemir, Boneh, *Experimenting with
//! Collaborative zk-SNARKs*, ePrint 2021/1530).
//!
//! Each party has an additive share of the witness. Almost everything in a proof is linear in the witness: sums over
//! rows, transforms, multi-scalar multiplications. Every party computes this from its own share, without messages. Only
//! `u·v` of the quotient and `r·s` are not linear. These products are opened with Beaver's triples ([`deal`]) in one
//! round. `⟨c_q, z⟩` is computed from the circuit. A single prover takes `u·v` on the rows instead; here that would
//! need a second round.
//!
//! | | a party sends to each other party |
//! |---|---|
//! | 1 | `u_i − a_i` and `v_i − b_i` of each row, masked by triples; its shares of A and B |
//! | 2 | its shares of C and of a random `ρ`, masked by a triple |
//! | 3, 4 | a commitment to its share of `ρ·X` in the target group, then the share: X must be zero |
//! | 5 | its share of C |
//!
//! Every party draws its shares of r and s, so both are uniform as long as one party is honest, and the
//! proof has the distribution of a single prover's. That the shares of C make a proof is [checked](check)
//! before they are sent; the proof is verified before anybody takes it, by the ordinary verifier.
//!
//! ```
//! use algebra::{Bn254, Scalar, ScalarOf};
//! use circuit::synthesis::{Circuit, Synthesizer};
//! use snark::{collaborative::{Prover, deal, share_witness}, groth16::insecure_dealer};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # struct Factors { p: u64, q: u64 }
//! # impl Circuit<ScalarOf<Bn254>> for Factors {
//! #     fn synthesize(&self, cs: &mut Synthesizer<ScalarOf<Bn254>>) {
//! #         let [p, q] = [self.p, self.q].map(|factor| cs.private(Scalar::from_u64(factor)));
//! #         let product = cs.product(&p, &q);
//! #         cs.expose(&product);
//! #     }
//! # }
//! // "I know the factors of this number", with one public wire.
//! let system = Factors { p: 0, q: 0 }.constraint_system();
//! let key = insecure_dealer::<Bn254>(&system, &mut rng)?;
//! let witness = Factors { p: 641, q: 6_700_417 }.witness();
//!
//! let shares = share_witness::<Bn254>(&witness, 1, 2, &mut rng)?;
//! let triples = deal::<Bn254>(key.domain_size() as u32, 2, &mut rng)?;
//! let (mut provers, mut first) = (Vec::new(), Vec::new());
//! for (share, triples) in shares.iter().zip(&triples) {
//!     let (prover, message) = Prover::start(&key, &system, share, triples, &mut rng)?;
//!     provers.push(prover);
//!     first.push(message);
//! }
//! let masked = provers.into_iter().map(|prover| prover.mask(&first));
//! let (checking, masked): (Vec<_>, Vec<_>) = masked.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
//! let committed = checking.into_iter().map(|party| party.commit(&masked, &mut rng));
//! let (committed, commitments): (Vec<_>, Vec<_>) = committed.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
//! let revealed = committed.into_iter().map(|party| party.reveal(&commitments));
//! let (revealed, shares): (Vec<_>, Vec<_>) = revealed.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
//! let second = revealed.into_iter().map(|party| party.second(&shares));
//! let (finishing, second): (Vec<_>, Vec<_>) = second.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
//! for party in finishing {
//!     let proof = party.finish(&second)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is assumed of the parties
//! All parties but one may collude. What they see beside the proof is masked by triples, or by r and s, or follows from
//! the proof and their own shares (`[s]` in G1 is B's counterpart, which the simulator of Groth16 knows).
//!
//! A party that **deviates** makes the proof fail for everybody, unless it guessed right. If it changes its share of a
//! wire, or a factor that is opened, it learns whether the changed value fits. That is one guess in a session, and all
//! that it learns: [`check`] has the argument. The honest parties must not let it guess again. After an error that
//! [tells](Error::tells) they do not repeat the session, and whoever shares the witness does not share it again among
//! the same parties. To prevent even one guess, use a protocol with authenticated shares. The dealer of the triples
//! must be trusted: see [`deal`].
//!
//! **The key** must mask what is sent before there is anything to check. Every party checks that before it sends
//! anything ([`Error::Key`]). The verification of `ceremony` shows whether the key is the circuit's: the maker of
//! another key learns from whether the parties get a proof, like a party that deviates.
//!
//! Channels need not be private: messages are masked, or follow from the proof. If a channel is not authentic, a
//! stranger can make the proof fail.

pub mod check;
mod error;
mod finish;
mod rounds;
mod run;
mod seat;
mod shares;
#[cfg(test)]
mod tests;
mod triples;

pub use check::{CheckShare, Checking, Committed, MaskedShare, Revealed};
pub use error::{Error, MAX_PARTIES};
pub use finish::{Finishing, SecondMessage};
pub use rounds::{FirstMessage, Prover};
pub use run::{Peer, prove_with_peers};
pub use seat::Seat;
pub use shares::{WitnessShare, share_witness};
pub use triples::{TripleShare, deal};
