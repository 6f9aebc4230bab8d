//! Tracing in an election: after the count, questions about the very mix that was counted.
//!
//! The engine is [`trace::routed`]: **our construction, no published proof yet**. An election needs nothing more to be
//! asked about later: `a^(k)` is in every mixer's entry, and the mixer derives its permutation again from the secrets
//! that it keeps of its run. Two questions are answered:
//!
//! * TraceIn, "is every ballot of this district counted?": the markers of all outputs go back
//!   through the mix, and those at the district's ballots are opened to the querier.
//! * TraceOut, "do these results come from eligible ballots?": the markers of all ballots go
//!   through the mix, and those at a candidate's results are opened, by value.
//!
//! Both have one right answer, yes, and everybody knows it beforehand ([`trace::policy`] calls such questions
//! constant). Only the proof is new. TraceIn among fewer than all results would reveal how voters voted, and so would
//! TraceOut from fewer than all ballots. The board refuses both.
//!
//! The parties are the mixers whose mixes count and the trustees who decrypted. Mixers route and blind, trustees
//! decrypt, and all of them sign before any share exists. What they sign contains the digest of the election's last
//! entry, and so the whole board up to there.
//!
//! An [`Inquiry`] is the state of the board after the outcome. A [`Responder`] does what it waits for. A [`Plan`] says
//! what is asked. [`write_claim`] and [`InquiryVerifier`] make and check the claim.

mod claim;
mod counted;
mod follow;
mod member;
mod plan;

pub use claim::{CLAIM_KIND, Found, InquiryVerifier, PublishError, answers_of, write_claim};
pub use counted::{Counted, NotTraceable};
pub use follow::{Follower, Inquiry, InquiryError, Responder};
pub use member::member;
pub use plan::{District, Limits, Plan, PlanError, Topic, policy_from_toml};
