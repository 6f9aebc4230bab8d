//! Phase 1: Powers of Tau, in `.ptau` files.
//!
//! For a power `k` and `n = 2^k` a file holds `[τ^i]₁` for `i ≤ 2n − 2`, and `[τ^i]₂`, `[ατ^i]₁`,
//! `[βτ^i]₁` for `i < n`, and `[β]₂`. In the first file all three secrets are 1 ([`new`]). A
//! contribution multiplies secrets of its own into them, proves that it knows these, and leaves
//! `[τ]`, `[α]` and `[β]` in the file ([`contribute()`], [`contribute_beacon`]); so the last file
//! shows the whole chain, and whoever checks it needs no other ([`verify()`]). [`prepare()`] adds the
//! Lagrange form that circuits need.
//!
//! # Hashes
//! A contribution answers a *challenge*: the BLAKE2b-512 hash of the response before it and all
//! its points, uncompressed. Its *response* is the challenge's hash, the new points, compressed, and
//! the proof of knowledge. The response's hash is what participants publish, and what
//! [`Receipt`] and [`Contribution`] have: whoever made a contribution finds it in the final file's
//! [`info()`].
//!
//! The challenge and the response of a contribution are files of their own in the ceremonies of Zcash
//! and the Perpetual Powers of Tau: [`export_challenge`], [`answer`] and [`import_response`] exchange
//! them.
//!
//! The format keeps only three points and the hashes of earlier contributions. So a verifier recomputes the hashes of
//! the last contribution. For earlier contributions it checks the challenges, which the proofs bind. Only the
//! contributor can see whether an earlier response's hash is the published one.
//!
//! [`native`] is the same ceremony with a transcript of its own in place of these hashes.

mod accumulator;
mod chain;
mod contribute;
mod exchange;
mod first_challenges;
mod history;
mod info;
mod initial;
mod key;
mod lagrange;
pub mod native;
mod prepare;
mod transfer;
mod truncate;
mod verify;

#[cfg(test)]
mod tests;

pub use contribute::{Receipt, contribute, contribute_beacon};
pub use exchange::{Answer, answer, challenge_hash, export_challenge, import_response};
pub use history::{History, history};
pub use info::{Contribution, Info, info, records};
pub use initial::{first_challenge, new};
pub use key::Beacon;
pub use prepare::{lagrange_g1, lagrange_g2, prepare};
pub use truncate::truncate;
pub use verify::{Verified, verify, verify_points};

pub use crate::settings::Settings;

pub(crate) use key::secret;
pub(crate) use verify::require_secrets;
