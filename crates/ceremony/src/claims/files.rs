//! What a claim is made of, and how much of it is read.

use wire::Digest;

pub(super) const PARAMETERS: &str = "parameters";
pub(super) const CIRCUIT: &str = "circuit";
pub(super) const PHASE1: &str = "phase1";
pub(super) const RECORD: &str = "record";
/// Most bytes of a file of parameters.
pub(super) const FILE_LIMIT: u64 = 1 << 32;
/// Most bytes of a circuit.
pub(super) const CIRCUIT_LIMIT: u64 = 1 << 30;
/// Most bytes of a record: 100,000 contributions.
pub(super) const RECORD_LIMIT: u64 = 1 << 26;

/// What shows a ceremony.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The whole file of a phase 1.
    Phase1 {
        /// A `.ptau` file.
        parameters: Vec<u8>,
    },
    /// A key with all that it is made of.
    Key {
        /// A `.zkey` file.
        parameters: Vec<u8>,
        /// The `.r1cs` file.
        circuit: Vec<u8>,
        /// The prepared `.ptau` file.
        phase1: Vec<u8>,
    },
    /// What is left of a key without its long lists.
    Record {
        /// What [`Zkey::write_record`](circuit::zkey::Zkey::write_record) makes of the `.zkey` file.
        record: Vec<u8>,
        /// The digest of that file ([`Snapshot::digest`](crate::Snapshot::digest)), by the publisher's word.
        parameters: Digest,
    },
}

/// What a claim is made of.
#[derive(Clone, Debug)]
pub struct Files {
    /// What shows the ceremony.
    pub evidence: Evidence,
    /// Where the file of parameters lies, by the publisher's word.
    pub location: Option<String>,
}
