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
//! The *circuit hash* is BLAKE2b-512 of the first key, as bellman's parameters have it. A contribution's *transcript*
//! hashes the circuit hash, all keys before, and its own `s` and `δ·s`. The transcript gives the point of G2 for the
//! proof of knowledge. Participants publish the hash of a contribution's key: [`Receipt`] and [`Contribution`] have it.
//!
//! Files, hashes and the order of sections are those of snarkjs, with one exception. If a circuit fills a phase 1 of
//! more than 2^14 powers, snarkjs hashes bytes that are not a point into the circuit hash. Take a phase 1 of a larger
//! power if snarkjs should check such a key. For keys that snarkjs made, everything but this hash is checked here
//! ([`Verified::is_hash_checked`]).

//! # Native transcripts
//! [`native`] is the same ceremony with a transcript of its own in place of these hashes.
//!
//! # Bellman
//! [`export_bellman`], [`answer_bellman`] and [`import_bellman`] exchange contributions with programs that know
//! bellman's parameters. These lack the highest power of `H`, `[τ^(2n−1) − τ^(n−1)]/δ`, which no proof needs. A key
//! that came through them lacks it, too, and verifies only if the verifier allows that
//! ([`Settings::may_lack_top_power`]). No other point may take its place, although no honest proof would show the
//! difference. The next contributor divides by `δ` any point in this place. If that point was `IC` of some public
//! inputs, the quotient forges a proof for them.

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
