//! What engines are built of, here and in other crates: what a party admits and must not contradict,
//! lists and digests on the wire, randomness that does not repeat.

mod admission;
pub mod closure;
pub mod encode;
pub mod fresh;
mod ledger;

pub use crate::agreement::Subject;
pub use admission::Admission;
pub use ledger::Ledger;
