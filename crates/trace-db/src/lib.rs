//! The engine `db`: the paper's own protocol (Agrawal, Nakarmi, Jhanwar, Sharma, Banerjee:
//! Traceable Mixnets, PETS 2024), with the accelerations and repairs that are named below.
//!
//! The querier *signs* what it asks about; the servers, who alone can bring a signature and a
//! sender's commitment together, prove in zero knowledge that they hold a signature. So the
//! querier need not trust, or even verify, the mix.
//!
//! | step | types |
//! |---|---|
//! | keygen: threshold ElGamal in G1 of BLS12-381, threshold Paillier, sealing keys | [`SealingKey`], [`PaillierSetup`], [`Session`] |
//! | Enc: commitment γ, ε and ε_r under Paillier, sealed additive shares, proofs | [`Submission`], [`Inputs`] |
//! | every server commits to its permutation, once | [`PermutationMessage`](trace::routed::PermutationMessage) |
//! | mix: ε passes all servers, who then decrypt together | [`PaillierTurn`], [`Mixed`], [`Outputs`] |
//! | a query: a pass over the asked set, and one over its complement | [`Pass`], [`Side`] |
//! | BTraceIn by DB-SM | [`sm`] |
//! | BTraceOut by DB-RSM | [`rsm`] |
//! | what the querier makes of a pass, and of both; what it shows | [`Proof`], [`Reading`], [`Verdict`]; [`ShownProof`] |
//!
//! If the parties are processes, their messages go through state that verifies them: [`SessionRules`] and [`KeyRecord`]
//! for the keys, [`InputBox`] for submissions, and [`Asked`] for a query, whose two passes advance together. A
//! [`Worker`] makes the message that a server has to send next. A [`Querier`] asks and reads. [`DbEngine`] verifies
//! [`session_record`] and [`Found::record`] again.
//!
//! A proof shows only a "yes". A "no" is a "yes" in the pass over the complement, under another key. With one key for
//! both, servers would have valid signatures on everything. TraceIn and TraceOut are sets of one row.
//!
//! # What is ours
//! * *Both proofs are in G1 alone.* `e(·, G2)` is injective, so a statement between its images is a statement between
//!   its arguments. The querier has x and checks without pairings. Everybody else has only y, and checks with two
//!   pairings for each batch.
//! * *Fakes* (B16). Where the querier signs nothing, DB-SM has hashed points, and DB-RSM has points that are sums of
//!   all servers' secrets. Whether the paper's text has the second is unconfirmed.
//! * *Blindings of DB-SM* are proven for the whole list at once, against a vector commitment; the paper has a proof for
//!   each item. The points outside I are proven by one batched Schnorr proof. These proofs name the server, not the
//!   row.
//! * *Blindings of DB-RSM, their products and `Z_1` are dealt*, where the paper has servers multiply
//!   with dealt triples: additive errors of one server there tell the querier the permutation (see
//!   [`rsm`]).
//! * *c and r̂ of quasi-signatures are hashes* of pass, key and row: nothing that a querier chooses.
//! * *Closing J under equal plaintexts*, and one answer for all outputs of a value.
//!
//! # Security in brief
//! *Soundness even if all servers collude*: p_BB extracts (v, r, b ≠ 0) with γ opened to v and a
//! Boneh-Boyen signature `b^{-1}·σ~` on v: one outside the signed set breaks gap q-SDH, another
//! opening of γ the discrete logarithm. p_BBS+ extracts a BBS+ signature on v' (q-SDH). The set is
//! fixed before x.
//!
//! *Secrecy against the querier and m − 1 servers*, for DB-RSM with an honest dealer who colludes with nobody: DDH in
//! G1, decisional composite residuosity, under `bcp` also quadratic residuosity ([`paillier`]), masks of 128 bits, the
//! random oracle. A server shuffles only lists that the proofs of the servers before it show to be right. The senders'
//! shares are sealed with their session, sender and server as associated data. Somebody who could copy them would learn
//! the victim's value from a query about the copy.
//!
//! *With an honest querier, servers learn no answer*: responses go to the querier only, sealed.
//!
//! Turns of the mix are bound to the finished permutation proofs of all servers, passes to the mix.
//!
//! A server that spoils its response, or a sender whose shares are not those of its commitment,
//! makes rows *unproven*; the server cannot be named where honest servers' proofs fail as well.
//! The querier must not react where anybody sees it ([`Verdict`]).
//!
//! Not given: a proof that ε, shares and γ hold the same value; fewer than all servers; DB-RSM without
//! a dealer ([`rsm::deal`]); universal composability, adaptive corruption, guaranteed output.
//!
//! # Constant time
//! Paillier key shares and senders' Paillier encryptions are constant time; everything in G1 is
//! not (see `algebra`).

mod asked;
mod bases;
mod challenge;
mod committed;
mod distributed;
mod engine;
mod exponents;
mod inbox;
mod inputs;
mod keys;
mod knowledge;
mod mix;
mod offer;
mod outputs;
pub mod paillier;
mod part;
mod pass;
mod progress;
mod proof;
mod querier;
mod record;
mod relation;
mod response;
pub mod rsm;
mod rules;
mod server;
mod session;
mod signature;
pub mod sm;
mod submission;
mod verdict;
mod verified;

pub use asked::{Asked, Said, Worker};
pub use bases::{F, G1, G2};
pub use challenge::{Challenge, Print};
pub use committed::Committed;
pub use distributed::{Announced, Announcement};
pub use engine::{DbEngine, VerifiedSession};
pub use inbox::InputBox;
pub use inputs::Inputs;
pub use keys::{DealtKey, KeyRecord, PaillierMessages, contribute};
pub use knowledge::RepresentationProof;
pub use mix::{Mixed, PaillierTurn};
pub use offer::Offer;
pub use outputs::Outputs;
pub use part::{Part, Step};
pub use pass::{Pass, Side};
pub use progress::DEALER;
pub use proof::{Proof, Reading, ShownProof};
pub use querier::{Found, PassKeys, Querier};
pub use record::{session_record, verify_answer_record, verify_session_record};
pub use response::SealedResponse;
pub use rules::{KeyMaking, SessionRules, decode_dealer};
pub use server::Server;
pub use session::{PaillierSetup, SealingKey, Session};
pub use signature::{BbKey, BbsKey, BbsSignature};
pub use submission::Submission;
pub use verdict::Verdict;
