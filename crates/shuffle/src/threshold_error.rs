//! What can be wrong with ballots, key generation and threshold decryption, and whose fault it is.

use thiserror::Error;

/// A refusal that names the ballot, dealer or trustee at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// A ballot has the wrong number of columns.
    #[error("ballot {ballot} has {got} columns instead of {expected}")]
    BallotColumns {
        /// Position in the list; 0 for a single ballot.
        ballot: usize,
        /// Columns that the election has.
        expected: usize,
        /// Columns that the ballot has.
        got: usize,
    },
    /// A ballot's ciphertext has the neutral element for its first component.
    #[error("ballot {ballot}, column {column}: the first component is the neutral element")]
    BallotIdentity {
        /// Position in the list; 0 for a single ballot.
        ballot: usize,
        /// Column of the ballot.
        column: usize,
    },
    /// A ballot's proof of plaintext knowledge is false for this election, key and voter.
    #[error("ballot {ballot}: the proof of plaintext knowledge is false")]
    BallotProof {
        /// Position in the list; 0 for a single ballot.
        ballot: usize,
    },
    /// A ballot repeats a first component that was seen before: it is copied or replayed.
    #[error("ballot {ballot}, column {column} repeats a ciphertext of ballot {earlier}")]
    RepeatedCiphertext {
        /// The refused ballot.
        ballot: usize,
        /// Column of the refused ballot.
        column: usize,
        /// The ballot that had the component first; `ballot` itself for a repetition inside it.
        earlier: usize,
    },
    /// A voter's second ballot.
    #[error("ballot {ballot} comes from the voter of ballot {earlier}")]
    RepeatedVoter {
        /// The refused ballot.
        ballot: usize,
        /// The voter's accepted ballot.
        earlier: usize,
    },

    /// Not 1 <= threshold <= trustees <= 255.
    #[error("a threshold of {threshold} out of {trustees} trustees is not possible")]
    Parameters {
        /// The threshold t.
        threshold: u16,
        /// The number of trustees n.
        trustees: u16,
    },
    /// A trustee index outside 1..=n, or of nobody who takes part in this round.
    #[error("trustee {trustee} does not take part")]
    UnknownTrustee {
        /// The index.
        trustee: u16,
    },
    /// A trustee posted nothing in a round.
    #[error("trustee {trustee} posted no message in round {round}")]
    Absent {
        /// Who is missing.
        trustee: u16,
        /// The round.
        round: u8,
    },
    /// A trustee posted different messages in one round; none of them counts.
    #[error("trustee {trustee} posted contradictory messages in round {round}")]
    Contradiction {
        /// Who contradicts itself.
        trustee: u16,
        /// The round.
        round: u8,
    },
    /// Round 1: the polynomial has the wrong degree.
    #[error("dealer {dealer} commits to {got} coefficients instead of {expected}")]
    CommitmentCount {
        /// The dealer.
        dealer: u16,
        /// The threshold.
        expected: usize,
        /// Commitments in the message.
        got: usize,
    },
    /// Round 1: `C_{i,0}` is the neutral element.
    #[error("dealer {dealer} contributes the neutral element")]
    IdentityCommitment {
        /// The dealer.
        dealer: u16,
    },
    /// Round 1: the proof of knowledge of `f_i(0)` is false.
    #[error("dealer {dealer}: the proof of knowledge of the contribution is false")]
    ContributionProof {
        /// The dealer.
        dealer: u16,
    },
    /// Round 1: `T_i` is the neutral element.
    #[error("the transport key of trustee {trustee} is the neutral element")]
    IdentityTransportKey {
        /// The trustee.
        trustee: u16,
    },
    /// Round 1: the proof of knowledge of the transport key is false.
    #[error("trustee {trustee}: the proof of knowledge of the transport key is false")]
    TransportProof {
        /// The trustee.
        trustee: u16,
    },
    /// Round 2: the shares are not for exactly the other participants, in order.
    #[error("dealer {dealer} does not send one share to every other participant")]
    Recipients {
        /// The dealer.
        dealer: u16,
    },
    /// Round 2: an ephemeral key is the neutral element.
    #[error("the ephemeral key from dealer {dealer} to trustee {recipient} is the neutral element")]
    IdentityEphemeralKey {
        /// The dealer.
        dealer: u16,
        /// Whom the share is for.
        recipient: u16,
    },
    /// Round 2: the proof of knowledge of the ephemeral keys is false.
    #[error("dealer {dealer}: the proof of knowledge of the ephemeral keys is false")]
    EphemeralProof {
        /// The dealer.
        dealer: u16,
    },
    /// A share does not decrypt, is not canonical or does not match the dealer's commitments.
    #[error("the share from dealer {dealer} to trustee {recipient} is bad")]
    BadShare {
        /// The dealer, who is disqualified when a complaint shows this.
        dealer: u16,
        /// Whom the share is for.
        recipient: u16,
    },
    /// Round 3: a trustee answers another board than this one.
    #[error("trustee {trustee} saw other messages in rounds 1 and 2")]
    ViewMismatch {
        /// The trustee.
        trustee: u16,
    },
    /// Round 3: a complaint against nobody who dealt the accuser a share.
    #[error("trustee {accuser} complains about {dealer}, who dealt it no share")]
    ComplaintTarget {
        /// The accuser.
        accuser: u16,
        /// The accused.
        dealer: u16,
    },
    /// Round 3: a complaint whose shared key is not proven right.
    #[error("the complaint of trustee {accuser} about dealer {dealer} reveals an unproven key")]
    ComplaintProof {
        /// The accuser.
        accuser: u16,
        /// The accused.
        dealer: u16,
    },
    /// Round 3: a complaint about a share that is good.
    #[error("trustee {accuser} falsely accuses dealer {dealer}")]
    FalseAccusation {
        /// The accuser.
        accuser: u16,
        /// The accused.
        dealer: u16,
    },
    /// Fewer dealers than the threshold are left.
    #[error("{got} qualified dealers, {needed} are needed")]
    TooFewDealers {
        /// The threshold.
        needed: usize,
        /// Dealers left.
        got: usize,
    },
    /// Fewer trustees than the threshold answered in round 3.
    #[error("{got} trustees confirm that they hold a share, {needed} are needed")]
    TooFewTrustees {
        /// The threshold.
        needed: usize,
        /// Trustees that answered.
        got: usize,
    },
    /// The contributions add up to the neutral element.
    #[error("the contributions add up to the neutral element")]
    IdentityKey,
    /// A trustee's secrets do not belong to the key generation or key set at hand.
    #[error("the secrets of trustee {trustee} belong to another key")]
    ForeignSecret {
        /// The trustee.
        trustee: u16,
    },

    /// A partial decryption has the wrong number of points.
    #[error("trustee {trustee} decrypts {got} ciphertexts instead of {expected}")]
    PartialLength {
        /// The trustee.
        trustee: u16,
        /// Ciphertexts in the list.
        expected: usize,
        /// Points in the message.
        got: usize,
    },
    /// A partial decryption's proof is false.
    #[error("trustee {trustee}: the proof of correct partial decryption is false")]
    PartialProof {
        /// The trustee.
        trustee: u16,
    },
    /// A partial decryption was verified for another list, key set or context.
    #[error("the partial decryption of trustee {trustee} is of another list")]
    ForeignPartial {
        /// The trustee.
        trustee: u16,
    },
    /// Two partial decryptions of one trustee.
    #[error("trustee {trustee} appears twice among the partial decryptions")]
    RepeatedPartial {
        /// The trustee.
        trustee: u16,
    },
    /// Fewer partial decryptions than the threshold.
    #[error("{got} partial decryptions, {needed} are needed")]
    TooFewPartials {
        /// The threshold.
        needed: usize,
        /// Partial decryptions at hand.
        got: usize,
    },
}

impl ThresholdError {
    /// The trustee whose doing it is, if it is one trustee's.
    pub fn culprit(&self) -> Option<u16> {
        match *self {
            Self::BallotColumns { .. }
            | Self::BallotIdentity { .. }
            | Self::BallotProof { .. }
            | Self::RepeatedCiphertext { .. }
            | Self::RepeatedVoter { .. }
            | Self::Parameters { .. }
            | Self::TooFewDealers { .. }
            | Self::TooFewTrustees { .. }
            | Self::IdentityKey
            | Self::TooFewPartials { .. } => None,
            Self::CommitmentCount { dealer, .. }
            | Self::IdentityCommitment { dealer }
            | Self::ContributionProof { dealer }
            | Self::Recipients { dealer }
            | Self::IdentityEphemeralKey { dealer, .. }
            | Self::EphemeralProof { dealer }
            | Self::BadShare { dealer, .. } => Some(dealer),
            Self::ComplaintTarget { accuser, .. }
            | Self::ComplaintProof { accuser, .. }
            | Self::FalseAccusation { accuser, .. } => Some(accuser),
            Self::UnknownTrustee { trustee }
            | Self::Absent { trustee, .. }
            | Self::Contradiction { trustee, .. }
            | Self::IdentityTransportKey { trustee }
            | Self::TransportProof { trustee }
            | Self::ViewMismatch { trustee }
            | Self::ForeignSecret { trustee }
            | Self::PartialLength { trustee, .. }
            | Self::PartialProof { trustee }
            | Self::ForeignPartial { trustee }
            | Self::RepeatedPartial { trustee } => Some(trustee),
        }
    }
}
