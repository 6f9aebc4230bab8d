//! What can be wrong with a key, a ciphertext or a proof, and whose fault it is.

use integer::IntegerError;
use thiserror::Error;

/// A refusal that names the server, the claim or the row at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PaillierError {
    /// Not 1 <= needed <= servers <= 255, or a choice that the scheme does not have.
    #[error("{needed} of {servers} servers: {reason}")]
    Parties {
        /// Servers that decryption needs.
        needed: u16,
        /// Servers there are.
        servers: u16,
        /// What is wrong.
        reason: &'static str,
    },
    /// The modulus is not of the required kind.
    #[error("modulus: {0}")]
    Modulus(IntegerError),
    /// The modulus is not 1 modulo 4, as the product of two safe primes is.
    #[error("the modulus is not 1 modulo 4")]
    ModulusResidue,
    /// N is not shown to be prime to φ(N): ciphertexts could have several plaintexts.
    #[error("the modulus is not proven to be prime to the order of its units")]
    Uncertified,
    /// Servers share a modulus of 2048 bits that somebody drew.
    #[error("a modulus of 2048 bits that servers share is RSA-2048 and nothing else")]
    ForeignModulus,
    /// The modulus does not have the length that was asked for.
    #[error("a modulus of {got} bits instead of {expected}")]
    ModulusSize {
        /// Bits that the parameter set has.
        expected: u32,
        /// Bits that the modulus has.
        got: u32,
    },
    /// A server that the key does not have, or one that is not next in a list.
    #[error("server {server} is unknown here, or out of order")]
    UnknownServer {
        /// The server, counted from 1.
        server: u16,
    },
    /// A list is longer or shorter than the statement says.
    #[error("{what}: length {got}, expected {expected}")]
    Length {
        /// The list.
        what: &'static str,
        /// The length that the statement has.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// A plaintext is negative or too long for what is proven of it.
    #[error("plaintext {index} is out of range")]
    Plaintext {
        /// Its row.
        index: usize,
    },
    /// A server's proof that it knows its share of the key is false.
    #[error("server {server}: the proof of its key is false")]
    KeyProof {
        /// The server, counted from 1.
        server: u16,
    },
    /// A part of a key that a server received is missing or false.
    #[error("server {dealer}: the part of the key that it dealt is false")]
    FalsePart {
        /// Who dealt it, counted from 1.
        dealer: u16,
    },
    /// The servers' keys cancel.
    #[error("the servers' keys cancel")]
    KeysCancel,
    /// A proof that a plaintext is known is false.
    #[error("claim {claim}, row {index}: the proof that the plaintext is known is false")]
    PlaintextProof {
        /// The claim, in the order given.
        claim: usize,
        /// The row within the claim.
        index: usize,
    },
    /// A server's decryption shares are not what its key gives.
    #[error("server {server}: false decryption shares")]
    FalseShares {
        /// The server, counted from 1.
        server: u16,
    },
    /// Fewer shares than decryption needs, or two of one server.
    #[error("shares of {got} servers, {needed} are needed")]
    TooFewShares {
        /// Different servers with shares.
        got: usize,
        /// Servers that decryption needs.
        needed: u16,
    },
    /// What was decrypted is no power of 1 + N: the ciphertext was never formed by encryption.
    #[error("row {index} does not decrypt to a plaintext")]
    NoPlaintext {
        /// Its row.
        index: usize,
    },
    /// Nothing to shuffle, or too much.
    #[error("{rows} rows: a shuffle takes 1 to {limit}", limit = super::MAX_ROWS)]
    Rows {
        /// The number of rows.
        rows: usize,
    },
    /// Too few generators for a permutation commitment of this length.
    #[error("{available} generators are derived, {needed} are needed")]
    Generators {
        /// Derived so far.
        available: usize,
        /// Rows of the list.
        needed: usize,
    },
    /// An integer response of a shuffle is outside its range.
    #[error("server {server}: a response of the shuffle is out of range")]
    ShuffleRange {
        /// The server, counted from 1.
        server: u16,
    },
    /// The permuted challenges do not open the permutation commitment.
    #[error("server {server}: the shuffle does not follow the committed permutation")]
    ShuffleOpening {
        /// The server, counted from 1.
        server: u16,
    },
    /// The list is not the one before, permuted and re-encrypted.
    #[error("server {server}: component {component} of the shuffled list is not the list before")]
    ShuffleComponent {
        /// The server, counted from 1.
        server: u16,
        /// The component of the ciphertexts, counted from 1.
        component: usize,
    },
}

impl PaillierError {
    /// The server whose doing it is, counted from 1, if it is one server's.
    pub fn culprit(&self) -> Option<u16> {
        match self {
            Self::KeyProof { server }
            | Self::FalseShares { server }
            | Self::ShuffleRange { server }
            | Self::ShuffleOpening { server }
            | Self::ShuffleComponent { server, .. } => Some(*server),
            Self::FalsePart { dealer } => Some(*dealer),
            _ => None,
        }
    }
}

/// Requires a length.
pub(super) fn require(
    what: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), PaillierError> {
    match got == expected {
        true => Ok(()),
        false => Err(PaillierError::Length { what, expected, got }),
    }
}
