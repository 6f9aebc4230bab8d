//! Why a transcript or a contribution was refused.

use thiserror::Error;

/// Why a transcript or a contribution was refused. Every index counts from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KzgError {
    /// There are not as many transcripts as the ceremony has sizes.
    #[error("transcripts: {got}, where the ceremony has {expected}")]
    Count {
        /// Sizes of the ceremony.
        expected: usize,
        /// Transcripts of the file.
        got: usize,
    },
    /// A transcript has another number of powers than the ceremony.
    #[error("transcript {transcript}: ({}, {}) powers where the ceremony has ({}, {})", .got.0, .got.1, .expected.0, .expected.1)]
    Size {
        /// The transcript.
        transcript: usize,
        /// In G1 and G2, of the ceremony.
        expected: (usize, usize),
        /// In G1 and G2, of the file.
        got: (usize, usize),
    },
    /// Nobody took part: `τ` is 1.
    #[error("transcript {transcript}: nobody has taken part, so everybody knows the secret")]
    NoContributions {
        /// The transcript.
        transcript: usize,
    },
    /// The secrets of all participants together are 1.
    #[error("transcript {transcript}: the secret is 1, so everybody knows it")]
    NoSecret {
        /// The transcript.
        transcript: usize,
    },
    /// A list does not begin with the generator.
    #[error("transcript {transcript}, {list}, point 0: not the generator of the group")]
    Generator {
        /// The transcript.
        transcript: usize,
        /// The list, as the format names it.
        list: &'static str,
    },
    /// A participant's running product is not the one before, multiplied by what their key holds.
    #[error(
        "transcript {transcript}, participant {index}: the running product does not continue the one before"
    )]
    Participant {
        /// The transcript.
        transcript: usize,
        /// The participant; 0 is the beginning.
        index: usize,
    },
    /// The powers are not those of the last running product.
    #[error(
        "transcript {transcript}, G1Powers, point 1: not the running product of the last participant"
    )]
    LastProduct {
        /// The transcript.
        transcript: usize,
    },
    /// A power is not `τ` times the one before.
    #[error("transcript {transcript}, {list}, point {index}: not tau times the point before it")]
    Progression {
        /// The transcript.
        transcript: usize,
        /// The list, as the format names it.
        list: &'static str,
        /// Position in the list.
        index: usize,
    },
}
