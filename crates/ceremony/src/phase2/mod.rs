//! Phase 2: the Groth16 key of a circuit, in `.zkey` files.
//!
//! Phase 1 left powers of `τ` and `α`, `β` whose logarithms nobody knows. [`new()`] computes a
//! circuit's key from them, with `γ = δ = 1`, under which everybody can forge proofs. A contribution
//! multiplies a secret of its own into `δ`, divides by it the points that have `δ` below, and proves
//! knowledge of it ([`contribute()`], [`contribute_beacon`]). The last file shows the whole chain, and
//! whoever checks it recomputes the first key from circuit and phase 1 ([`verify()`]); nobody's word is
//! taken for it. [`export()`] hands out the verification key, never that of a key without secret.
//!
//! | part of the key | over | changes with `δ` |
//! |---|---|---|
//! | `IC`: `βu_i + αv_i + w_i`, public wires | `γ` | no |
//! | `A`: `u_i`, `B`: `v_i` in both groups | | no |
//! | `K`: `βu_i + αv_i + w_i`, other wires | `δ` | yes |
//! | `H`: odd Lagrange points of the double domain | `δ` | yes |
//!
//! # Hashes
//! The *circuit hash* is BLAKE2b-512 of the first key, as bellman's parameters have it. A
//! contribution's *transcript* hashes the circuit hash, all keys before, and its own `s` and `δ·s`;
//! from it comes the point of G2 under which knowledge is proved. The hash of a contribution's key
//! is what participants publish: [`Receipt`] and [`Contribution`] have it.
//!
//! Files, hashes and the order of sections are those of snarkjs. One circuit hash cannot be: where a
//! circuit fills a phase 1 of more than 2^14 powers, snarkjs hashes bytes that are no point. Take a
//! phase 1 of a larger power if snarkjs is to check such a key; its own are checked here in
//! everything but that hash ([`Verified::is_hash_checked`]).

//! # Native transcripts
//! [`native`] is the same ceremony with a transcript of its own in place of these hashes.
//!
//! # Bellman
//! [`export_bellman`], [`answer_bellman`] and [`import_bellman`] exchange contributions with programs
//! that know bellman's parameters. These have the highest power of `H` left out, `[τ^(2n−1) −
//! τ^(n−1)]/δ`, which no proof needs. A key that came through them is without it, and is verified by
//! whoever says so ([`Settings::may_lack_top_power`]); nothing else may stand in its place, though no
//! honest proof would show the difference: the next contributor divides by `δ` whatever stands there, and
//! if that was `IC` of some public inputs, the quotient forges a proof for them.

mod chain;
mod circuit_hash;
mod compare;
mod constraints;
mod contribute;
mod exchange;
mod export;
mod info;
mod initial;
mod key;
pub mod native;
mod new;
mod parameters;
mod record;
mod reference;
mod verify;
mod wires;

pub use contribute::{Receipt, contribute, contribute_beacon};
pub use exchange::{Import, answer_bellman, bellman_transcript, export_bellman, import_bellman};
pub use export::export;
pub use info::{Info, info, records};
pub use new::{Created, new};
pub use parameters::FirstParameters;
pub use record::{Recorded, verify_record};
pub use reference::{Against, Reference};
pub use verify::{Verified, verify};

use crate::CHUNK;
pub use crate::{
    contribution::Contribution,
    phase1::{Beacon, Settings},
};
