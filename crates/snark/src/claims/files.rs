//! What a claim is made of, and how much of it is read.

/// Most proofs of one claim.
pub const MAX_PROOFS: usize = 1 << 16;
pub(super) const KEY: &str = "key";
pub(super) const PROOF: &str = "proof";
/// An optional role: Sonic verifies with it, and the other systems without.
pub(super) const CIRCUIT: &str = "circuit";
/// Most bytes of a key: 100,000 public inputs.
pub(super) const KEY_LIMIT: u64 = 1 << 24;
/// Most bytes of a proof.
pub(super) const PROOF_LIMIT: u64 = 1 << 12;
/// Most bytes of a circuit: millions of constraints.
pub(super) const CIRCUIT_LIMIT: u64 = 1 << 30;

/// What a claim is made of.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The verification key: of Groth16 the JSON of snarkjs, of the others a file of this program.
    pub key: Vec<u8>,
    /// The proofs, all under this key: of Groth16 the JSON of snarkjs.
    pub proofs: Vec<Vec<u8>>,
    /// The public inputs of each proof, decimal numbers.
    pub public: Vec<Vec<String>>,
    /// What the public inputs are called, by the publisher's word.
    pub names: Option<Vec<String>>,
    /// The `.r1cs` file, with Sonic.
    pub circuit: Option<Vec<u8>>,
}
