//! The sections, as errors name them.

pub(super) const PROTOCOL: &str = "zkey section 1 (protocol)";
pub(super) const COEFFICIENTS: &str = "zkey section 4 (coefficients)";
pub(super) const B_G2: &str = "zkey section 7 (B2)";
pub(super) const MPC: &str = "zkey section 10 (contributions)";
pub(super) const RECORD: &str = "zkey record";
/// The protocol number of Groth16.
pub(super) const GROTH16: u32 = 1;
