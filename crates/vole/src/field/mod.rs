//! The fields of values, MACs and checks.

mod authenticated;
mod fp;
pub(crate) mod gf128;
pub(crate) mod gf64;
mod mac;
mod per_field;

pub use authenticated::Authenticated;
pub use fp::Fp;
pub use gf64::Gf64;
pub use mac::MacField;
pub(crate) use mac::coefficients;
pub use per_field::{Deltas, PerField};
