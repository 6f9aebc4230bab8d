//! Phase 2 with this project's own transcript.
//!
//! The key is that of the [module above](super), in an ordinary `.zkey` file; the transcript is a
//! section of it, as in [`phase1::native`](crate::phase1::native). The chain begins with the circuit
//! hash, which is of the first key and thereby of circuit and phase 1. A contributor publishes `[δ]₁` of
//! their own, proves knowledge of it to the hash before, to their name and to the digest of the key that they
//! contributed to, and leaves `[δ]₁` of
//! everybody so far. Phase 1 may have been of either form.
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
