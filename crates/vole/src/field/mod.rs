//! The fields of values, MACs and checks.

mod fp;
pub(crate) mod gf128;
mod gf64;

pub use fp::Fp;
pub use gf64::Gf64;
