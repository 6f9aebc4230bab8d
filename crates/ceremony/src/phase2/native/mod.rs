//! Phase 2 with this project's own transcript.
//!
//! The key is that of the [module above](super), in an ordinary `.zkey` file. The transcript is a section of it, as in
//! [`phase1::native`](crate::phase1::native). The chain begins with the circuit hash, which covers the first key, and
//! so circuit and phase 1. A contributor publishes `[δ]₁` for their own secret, and leaves `[δ]₁` of everybody so far.
//! The proof of knowledge is bound to the hash before, to the contributor's name and to the digest of the key to which
//! they contributed. Phase 1 may have been of either form.
//!
//! snarkjs proves with such a key and exports its verification key. Its `zkey verify` refuses it,
//! because it sees a `δ` and no contribution.

mod contribute;
mod record;
mod verify;

pub use contribute::{contribute, contribute_beacon, new};
pub use record::{Info, info, is_native, records};
pub use verify::verify;

pub(super) use record::last_delta;
pub(super) use verify::check_record;

pub use super::Contribution;
pub use crate::series::Receipt;
