//! Files of bellman's ceremonies: phase 1 challenges and responses ([`PowersFile`]) over BLS12-381
//! (Zcash) and BN254 (Perpetual Powers of Tau), and Groth16 parameters with their ceremony
//! ([`Parameters`]). snarkjs exports and imports both, in its own dialect.

mod parameters;
mod powers;

pub use parameters::{Ceremony, G1Part, Parameters, ParametersWriter};
pub use powers::{PowersFile, PowersKind, PowersWriter};
