//! The header, and the sections as errors name them.

pub(super) const HEADER: &str = "r1cs section 1 (header)";
pub(super) const CONSTRAINTS: &str = "r1cs section 2 (constraints)";
pub(super) const LABELS: &str = "r1cs section 3 (labels)";

/// What the header of a `.r1cs` file counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct R1csHeader {
    /// Wires, the constant one included.
    pub wires: u32,
    /// Public outputs.
    pub public_outputs: u32,
    /// Public inputs.
    pub public_inputs: u32,
    /// Private inputs.
    pub private_inputs: u32,
    /// Labels of the source; wires that the compiler dropped have one too.
    pub labels: u64,
    /// Constraints.
    pub constraints: u32,
}

impl R1csHeader {
    /// Public wires beside the constant one.
    pub fn public(&self) -> u32 {
        self.public_outputs.saturating_add(self.public_inputs)
    }

    pub(super) fn check(&self) -> Result<(), &'static str> {
        let named = 1
            + u64::from(self.public_outputs)
            + u64::from(self.public_inputs)
            + u64::from(self.private_inputs);
        if named > u64::from(self.wires) {
            return Err("there are fewer wires than inputs and outputs");
        }
        Ok(())
    }
}
