//! The sections that hold points, and how many.

use algebra::Engine;

/// What the header of a `.ptau` file says beside its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtauHeader {
    /// The binary logarithm of the number of powers.
    pub power: u32,
    /// The same in the ceremony from which the file was cut; larger if it was.
    pub ceremony_power: u32,
}

impl PtauHeader {
    /// A file that holds all of its ceremony.
    pub fn new(power: u32) -> Self {
        Self { power, ceremony_power: power }
    }

    /// Whether the file was cut from a larger one, after which nobody can contribute to it.
    pub fn is_truncated(&self) -> bool {
        self.power < self.ceremony_power
    }

    /// The range in which the formats and the scalar field have something to say.
    pub(crate) fn check<E: Engine>(&self) -> Result<(), &'static str> {
        if !(1..=E::TWO_ADICITY).contains(&self.power) {
            return Err("the power is out of range");
        }
        if !(self.power..=E::TWO_ADICITY).contains(&self.ceremony_power) {
            return Err("the power of the ceremony is out of range");
        }
        Ok(())
    }
}

/// A section of points of G1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum G1Section {
    /// `[τ^i]₁`.
    Tau,
    /// `[ατ^i]₁`.
    AlphaTau,
    /// `[βτ^i]₁`.
    BetaTau,
    /// `[L_i(τ)]₁` for domains of one point up to `2^(power+1)`, one after the other.
    LagrangeTau,
    /// `[αL_i(τ)]₁` for domains of one point up to `2^power`.
    LagrangeAlphaTau,
    /// `[βL_i(τ)]₁` for domains of one point up to `2^power`.
    LagrangeBetaTau,
}

/// A section of points of G2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum G2Section {
    /// `[τ^i]₂`.
    Tau,
    /// `[β]₂`.
    Beta,
    /// `[L_i(τ)]₂` for domains of one point up to `2^power`.
    LagrangeTau,
}

impl G1Section {
    /// All of them, in the order of the file.
    pub const ALL: [Self; 6] = [
        Self::Tau,
        Self::AlphaTau,
        Self::BetaTau,
        Self::LagrangeTau,
        Self::LagrangeAlphaTau,
        Self::LagrangeBetaTau,
    ];

    /// The section's identifier.
    pub fn id(self) -> u32 {
        match self {
            Self::Tau => 2,
            Self::AlphaTau => 4,
            Self::BetaTau => 5,
            Self::LagrangeTau => 12,
            Self::LagrangeAlphaTau => 14,
            Self::LagrangeBetaTau => 15,
        }
    }

    /// The section's name in errors.
    pub fn place(self) -> &'static str {
        match self {
            Self::Tau => "ptau section 2 (tauG1)",
            Self::AlphaTau => "ptau section 4 (alphaTauG1)",
            Self::BetaTau => "ptau section 5 (betaTauG1)",
            Self::LagrangeTau => "ptau section 12 (Lagrange tauG1)",
            Self::LagrangeAlphaTau => "ptau section 14 (Lagrange alphaTauG1)",
            Self::LagrangeBetaTau => "ptau section 15 (Lagrange betaTauG1)",
        }
    }

    /// Points of the section.
    pub fn len(self, power: u32) -> u64 {
        match self {
            Self::Tau => (2 << power) - 1,
            Self::AlphaTau | Self::BetaTau => 1 << power,
            Self::LagrangeTau => (4 << power) - 1,
            Self::LagrangeAlphaTau | Self::LagrangeBetaTau => (2 << power) - 1,
        }
    }

    /// The binary logarithm of the largest domain of a Lagrange section.
    pub(crate) fn largest_domain(self, power: u32) -> Option<u32> {
        match self {
            Self::Tau | Self::AlphaTau | Self::BetaTau => None,
            Self::LagrangeTau => Some(power + 1),
            Self::LagrangeAlphaTau | Self::LagrangeBetaTau => Some(power),
        }
    }
}

impl G2Section {
    /// All of them, in the order of the file.
    pub const ALL: [Self; 3] = [Self::Tau, Self::Beta, Self::LagrangeTau];

    /// The section's identifier.
    pub fn id(self) -> u32 {
        match self {
            Self::Tau => 3,
            Self::Beta => 6,
            Self::LagrangeTau => 13,
        }
    }

    /// The section's name in errors.
    pub fn place(self) -> &'static str {
        match self {
            Self::Tau => "ptau section 3 (tauG2)",
            Self::Beta => "ptau section 6 (betaG2)",
            Self::LagrangeTau => "ptau section 13 (Lagrange tauG2)",
        }
    }

    /// Points of the section.
    pub fn len(self, power: u32) -> u64 {
        match self {
            Self::Tau => 1 << power,
            Self::Beta => 1,
            Self::LagrangeTau => (2 << power) - 1,
        }
    }
}

/// Where the domain of `2^log_size` begins in a Lagrange section.
pub(crate) fn domain_start(log_size: u32) -> u64 {
    (1 << log_size) - 1
}
