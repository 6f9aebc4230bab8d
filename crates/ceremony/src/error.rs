//! Why parameters were refused, or could not be made.

use std::{fmt, io};

use thiserror::Error;
use wire::SectionError;

/// Why parameters were refused, or could not be made. Every index counts from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is broken, or a point in it is not one of the group.
    #[error(transparent)]
    File(#[from] circuit::Error),
    /// Nobody contributed: everybody knows the secrets.
    #[error("nobody has contributed to this file, so everybody knows its secrets")]
    NoContributions,
    /// The file is of a native ceremony, and was taken for one of snarkjs.
    #[error("the file is of a native ceremony, which goes on by itself")]
    Native,
    /// The file is of a ceremony in the form of snarkjs, and was taken for a native one.
    #[error("the file is not of a native ceremony")]
    NotNative,
    /// A file of a native ceremony has contributions in the form of snarkjs besides.
    #[error("the file has contributions of two kinds of ceremony")]
    TwoCeremonies,
    /// The file was cut from that of a larger ceremony, which is where contributions go.
    #[error("the file was cut from a ceremony of power {ceremony_power}: nobody can contribute")]
    Reduced {
        /// The power of the whole ceremony.
        ceremony_power: u32,
    },
    /// All contributions are beacons: everybody can recompute the secrets.
    #[error("only beacons have contributed, so everybody can compute the secrets")]
    OnlyBeacons,
    /// A contribution left a secret as it was, which everybody can do.
    #[error("contribution {index}: it multiplies {secret} by 1, so nobody has contributed to it")]
    Idle {
        /// The contribution.
        index: usize,
        /// The secret.
        secret: &'static str,
    },
    /// A phase 1 on which nothing should be built.
    #[error("phase 1: {reason}")]
    Phase1 {
        /// What is wrong with it.
        reason: Box<Error>,
    },
    /// A ceremony that nobody holds: what its first contribution answers is not at hand.
    #[error("the power {power} is too large: the largest is {largest}")]
    CeremonyTooLarge {
        /// The power that the file says.
        power: u32,
        /// The largest power.
        largest: u32,
    },
    /// Two files that should follow each other are of two ceremonies.
    #[error("the earlier file is of another ceremony")]
    OtherCeremony,
    /// A contribution of an earlier file is not in a later one.
    #[error("contribution {index} of the earlier file is missing")]
    Dropped {
        /// The contribution.
        index: usize,
    },
    /// Another contribution stands where the earlier file has one.
    #[error("contribution {index} is not the one that the earlier file has at its place")]
    Replaced {
        /// The contribution.
        index: usize,
    },
    /// A later file has another number of new contributions than was announced.
    #[error("new contributions: {got}, but {expected} should follow those of the earlier file")]
    Added {
        /// Contributions that should have been added.
        expected: usize,
        /// Contributions that were.
        got: usize,
    },
    /// Nobody has contributed, and yet the points are not those of the first challenge.
    #[error("nobody has contributed, and the points are not those that a ceremony begins with")]
    FirstChallenge,
    /// A file has the length of a challenge of no power.
    #[error("{len} bytes are the length of no challenge over this curve")]
    ChallengeLen {
        /// Its length.
        len: u64,
    },
    /// A response answers something else than the file that it is to be added to.
    #[error("the response does not answer the challenge of this file")]
    OtherChallenge,
    /// A file cannot be cut to this power.
    #[error("a file of power {power} cannot be cut to power {asked}")]
    Power {
        /// The file's power.
        power: u32,
        /// The power asked for.
        asked: u32,
    },
    /// The scalar field has no roots of unity of this order.
    #[error("there is no domain of 2^{log_size} points")]
    Domain {
        /// The binary logarithm of the order.
        log_size: u32,
    },
    /// A beacon of a kind that files cannot hold.
    #[error("a beacon has 1 to 255 bytes and is hashed 2^10 to 2^63 times")]
    Beacon,
    /// A contribution says that it is of a beacon whose hashing takes longer than allowed.
    #[error(
        "contribution {index}: a beacon hashed 2^{exponent} times, over the limit of 2^{limit}"
    )]
    BeaconTooLong {
        /// The contribution.
        index: usize,
        /// The binary logarithm of its hashes.
        exponent: u8,
        /// The most that is recomputed.
        limit: u8,
    },
    /// Recomputing all beacons of a file takes longer than allowed.
    #[error("contribution {index}: with it, beacons are hashed over 2^{limit} times in all")]
    BeaconsTooLong {
        /// The contribution that is one too many.
        index: usize,
        /// The binary logarithm of what is recomputed at most.
        limit: u8,
    },
    /// A contribution says that it is of a beacon and has not the beacon's key.
    #[error("contribution {index}: the key is not the one that its beacon makes")]
    BeaconKey {
        /// The contribution.
        index: usize,
    },
    /// A contribution's stored hash is of a response of another length.
    #[error("contribution {index}: the partial hash is not of a response of this ceremony")]
    ResponseLen {
        /// The contribution.
        index: usize,
    },
    /// A contribution does not prove knowledge of its secrets, or does not continue the one before.
    #[error("contribution {index}: {relation}")]
    Contribution {
        /// The contribution.
        index: usize,
        /// What does not hold.
        relation: Relation,
    },
    /// A list does not begin with the generator.
    #[error("{place}, point 0: not the generator of the group")]
    Generator {
        /// The list.
        place: Place,
    },
    /// A point is not the one that the last contribution says it is.
    #[error("{place}, point {index}: not the point of the last contribution")]
    Singular {
        /// The list.
        place: Place,
        /// Position in the list.
        index: u64,
    },
    /// A point is not `τ` times the one before it.
    #[error("{place}, point {index}: not tau times the point before it")]
    Progression {
        /// The list.
        place: Place,
        /// Position in the list.
        index: u64,
    },
    /// The last contribution's stored hash is not of these points.
    #[error("contribution {index}: the partial hash is not that of the points in the file")]
    ResponseHash {
        /// The contribution.
        index: usize,
    },
    /// The last contribution's next challenge is not the hash of these points.
    #[error("contribution {index}: the next challenge is not the hash of the points in the file")]
    NextChallenge {
        /// The contribution.
        index: usize,
    },
    /// The largest domain of a file that was cut does not continue the powers; which of its points
    /// are wrong, the file does not tell.
    #[error("{place}, domain 2^{log_size}: not the Lagrange form of the powers")]
    LargestDomain {
        /// The section.
        place: Place,
        /// The binary logarithm of the domain's size.
        log_size: u32,
    },
    /// A point of a Lagrange section is not the one that the powers make.
    #[error("{place}, domain 2^{log_size}, point {index}: not the Lagrange form of the powers")]
    Lagrange {
        /// The section.
        place: Place,
        /// The binary logarithm of the domain's size.
        log_size: u32,
        /// Position in the domain.
        index: u64,
    },
    /// The circuit has custom gates.
    #[error("the circuit has custom gates, which Groth16 does not")]
    CustomGates,
    /// The circuit has more rows than phase 1 has powers, or the field roots of unity.
    #[error("the circuit needs a domain of 2^{log_size} points and phase 1 has power {power}")]
    CircuitTooLarge {
        /// The binary logarithm of the domain that the circuit needs.
        log_size: u32,
        /// The power of phase 1.
        power: u32,
    },
    /// The file of phase 1 has no Lagrange sections.
    #[error("phase 1 is not prepared: it has no Lagrange sections")]
    NotPrepared,
    /// The circuit's matrices have more entries than a key's format can hold.
    #[error("{count} coefficients are more than a key can hold")]
    TooManyCoefficients {
        /// The entries.
        count: u64,
    },
    /// A key's header is not the one that circuit and phase 1 make.
    #[error("zkey section 2 (header): the {field} is not that of circuit and phase 1")]
    Header {
        /// The field.
        field: &'static str,
    },
    /// A key has another number of coefficients than the circuit.
    #[error("zkey section 4 (coefficients): {got} entries where the circuit makes {expected}")]
    CoefficientCount {
        /// Entries of the circuit.
        expected: u32,
        /// Entries of the key.
        got: u32,
    },
    /// An entry that no contribution may change is not the one that circuit and phase 1 make.
    #[error("{place}, entry {index}: not the one that circuit and phase 1 make")]
    NotInitial {
        /// The section.
        place: Place,
        /// Position in the section.
        index: u64,
    },
    /// A point is not the one that circuit and phase 1 make, divided by delta.
    #[error("{place}, point {index}: not the point of circuit and phase 1, divided by delta")]
    NotDivided {
        /// The section.
        place: Place,
        /// Position in the section.
        index: u64,
    },
    /// The highest power of `H` is missing: the key came through bellman's parameters.
    #[error(
        "zkey section 9 (H): the highest power is missing, as in keys that came through bellman's parameters"
    )]
    NoTopPower,
    /// What is said to be a first key cannot be read.
    #[error("the first key: {reason}")]
    FirstKey {
        /// Why.
        #[source]
        reason: Box<Error>,
    },
    /// What is said to be a first key has contributions or a secret already.
    #[error("what is to be the first key is one that somebody contributed to")]
    NotFirst,
    /// A key's circuit hash is not that of circuit and phase 1.
    #[error("the circuit hash is not that of circuit and phase 1")]
    CircuitHash,
    /// A contribution's transcript is not the hash of what comes before it.
    #[error("contribution {index}: the transcript is not the hash of what comes before")]
    Transcript {
        /// The contribution.
        index: usize,
    },
    /// A key's `γ` is not the generator, or its `δ` not that of the last contribution.
    #[error("zkey section 2 (header): {field} is not what the contributions make of it")]
    KeyPoint {
        /// The field.
        field: &'static str,
    },
    /// Parameters that stand alone, to which nobody can contribute.
    #[error("the parameters are without the ceremony behind them")]
    NoCeremony,
    /// Parameters that came back do not continue the ceremony of the key they are to be added to.
    #[error("the parameters do not continue the ceremony of this key: {what}")]
    NotContinued {
        /// What shows it.
        what: &'static str,
    },
    /// A key has no secret: `δ` is `γ` or the generator.
    #[error("delta equals gamma or the generator: everybody can forge proofs under this key")]
    Forgeable,
    /// A point is not the one that the secrets make of the others.
    #[error("{place}, point {index}: does not belong to the points before it")]
    Unrelated {
        /// The list.
        place: Place,
        /// Position in the list.
        index: u64,
    },
    /// A point is the generator, or the point below it: a secret is 1.
    #[error("{place}, point {index}: a secret is 1, so nobody has contributed to it")]
    NoSecret {
        /// The list.
        place: Place,
        /// Position in the list.
        index: u64,
    },
    /// A list is of another length than the size makes it.
    #[error("{place}: {got} points where the size makes it {expected}")]
    ListLen {
        /// The list.
        place: Place,
        /// Points that the size amounts to.
        expected: u64,
        /// Points that there are.
        got: u64,
    },
    /// A reference string for a number of ciphertexts that has no domain.
    #[error("a tFLSZ reference string is for 2^k - 1 ciphertexts, k at least 2, and not {size}")]
    Size {
        /// The number asked for.
        size: u64,
    },
    /// Phase 1 has fewer powers than are needed.
    #[error("2^{needed} powers are needed and phase 1 has 2^{power}")]
    Phase1TooSmall {
        /// The binary logarithm of the powers needed.
        needed: u32,
        /// The power of phase 1.
        power: u32,
    },
    /// Parameters were not made from the phase 1 at hand.
    #[error("made from another phase 1: its last challenge is not the one in the file")]
    OtherPhase1,
    /// A point is not the one of phase 1.
    #[error("{place}, point {index}: not the point of phase 1")]
    NotPhase1 {
        /// The list.
        place: Place,
        /// Position in the list.
        index: u64,
    },
    /// The first round is over.
    #[error("the second round has begun: nobody can contribute to the first")]
    RoundOver,
    /// A round has no contributions.
    #[error("nobody has contributed in round {round}, so everybody knows its secrets")]
    RoundEmpty {
        /// 1 or 2.
        round: u8,
    },
}

/// The name of a list of points, as the documentation of its format has it.
pub type Place = &'static str;

/// What holds between a contribution's points, and those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Relation {
    /// The contributor knows `τ`.
    KnowsTau,
    /// The contributor knows `α`.
    KnowsAlpha,
    /// The contributor knows `β`.
    KnowsBeta,
    /// `[τ]₁` is that of the contribution before, times the contributor's `τ`.
    TauG1,
    /// `[τ]₂` is that of the contribution before, times the contributor's `τ`.
    TauG2,
    /// `[α]₁` is that of the contribution before, times the contributor's `α`.
    AlphaG1,
    /// `[β]₁` is that of the contribution before, times the contributor's `β`.
    BetaG1,
    /// `[β]₂` is that of the contribution before, times the contributor's `β`.
    BetaG2,
    /// `[β]₁` and `[β]₂` changed by the same factor.
    BetaBoth,
    /// The contributor knows `δ`.
    KnowsDelta,
    /// `[δ]₁` is that of the contribution before, times the contributor's `δ`.
    Delta,
    /// The contributor knows the factor of `[θ]₁`.
    KnowsTheta,
    /// The contributor knows the factor of `[β̂]₁`.
    KnowsBetaHat,
    /// The contributor knows the factor of `[ρ]₁`.
    KnowsRho,
    /// The contributor knows the factor of `[γβ]₂`.
    KnowsGamma,
    /// The contributor knows the factor of `[x]₁`.
    KnowsX,
}

impl Relation {
    /// The secret that it is about.
    pub(crate) fn secret(self) -> &'static str {
        match self {
            Self::KnowsTau | Self::TauG1 | Self::TauG2 => "tau",
            Self::KnowsAlpha | Self::AlphaG1 => "alpha",
            Self::KnowsBeta | Self::BetaG1 | Self::BetaG2 | Self::BetaBoth => "beta",
            Self::KnowsDelta | Self::Delta => "delta",
            Self::KnowsTheta => "theta",
            Self::KnowsBetaHat => "beta hat",
            Self::KnowsRho => "rho",
            Self::KnowsGamma => "gamma",
            Self::KnowsX => "x",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::KnowsTau => "the proof of knowledge of tau is wrong",
            Self::KnowsAlpha => "the proof of knowledge of alpha is wrong",
            Self::KnowsBeta => "the proof of knowledge of beta is wrong",
            Self::TauG1 => "[tau] in G1 does not continue the contribution before",
            Self::TauG2 => "[tau] in G2 does not continue the contribution before",
            Self::AlphaG1 => "[alpha] in G1 does not continue the contribution before",
            Self::BetaG1 => "[beta] in G1 does not continue the contribution before",
            Self::BetaG2 => "[beta] in G2 does not continue the contribution before",
            Self::BetaBoth => "[beta] changed by different factors in G1 and G2",
            Self::KnowsDelta => "the proof of knowledge of delta is wrong",
            Self::KnowsTheta => "the proof of knowledge of theta is wrong",
            Self::KnowsBetaHat => "the proof of knowledge of beta hat is wrong",
            Self::KnowsRho => "the proof of knowledge of rho is wrong",
            Self::KnowsGamma => "the proof of knowledge of gamma is wrong",
            Self::KnowsX => "the proof of knowledge of x is wrong",
            Self::Delta => "[delta] does not continue the contribution before",
        })
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::File(error.into())
    }
}

impl From<SectionError> for Error {
    fn from(error: SectionError) -> Self {
        Self::File(error.into())
    }
}
