//! The fields of values, MACs and checks.

mod fp;
pub(crate) mod gf128;
pub(crate) mod gf64;
mod mac;

pub use fp::Fp;
pub use gf64::Gf64;
pub use mac::MacField;
pub(crate) use mac::coefficients;
