//! What both ends of a connection have: the halves of correlations, the trees between two extensions,
//! and what an extension takes.

use board::AuthorId;
use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::{
    digits,
    error::{self, VoleError},
    field::{Authenticated, Fp, Gf64},
    hash::SessionId,
    hello::Greeting,
    lpn::{
        code::ExConv,
        plan::{Demand, Plan},
    },
    params::ParameterSet,
    prg::Prg,
    softspoken,
    trees::Leaves,
};

/// Base OTs: the bits of both global keys.
pub(super) const BASE_OTS: usize = 128 + 61;
/// Bytes of the prover's answers to both checks.
pub(super) const ANSWER: usize = softspoken::ANSWER + digits::ANSWER;
/// The most correlations over F_2 of one `ProverVole::extend`.
pub const MAX_BITS: usize = 1 << 29;
/// The most correlations over F_p of one `ProverVole::extend`.
pub const MAX_FIELD: usize = 1 << 25;

/// The prover's half of correlations: values x with MACs m that fulfil `m = k + x Δ` for the
/// verifier's key k of the same place.
pub struct ProverCorrelations {
    /// MACs of uniform bits. The lowest bit of each MAC is the bit itself: that of Δ is one, and that
    /// of each key is zero.
    pub bits: Zeroizing<Vec<Gf64>>,
    /// Uniform elements of F_p.
    pub values: Zeroizing<Vec<Authenticated>>,
}

/// The verifier's half of correlations.
pub struct VerifierCorrelations {
    /// The keys of the bits.
    pub bits: Zeroizing<Vec<Gf64>>,
    /// The keys of the values.
    pub values: Zeroizing<Vec<Fp>>,
}

/// What either end keeps between two extensions.
pub(crate) struct Base {
    pub(crate) sid: SessionId,
    pub(crate) peer: Option<AuthorId>,
    pub(super) set: ParameterSet,
    pub(super) bit_trees: Vec<Leaves>,
    pub(super) field_trees: Vec<Leaves>,
    pub(super) position: Position,
    /// What both parties chose in the last extension.
    pub(crate) toss: [u8; 32],
}

impl Base {
    /// `trees` are those of the digits of both global keys, the key of bits first.
    pub(super) fn new(met: &Greeting, set: ParameterSet, mut trees: Vec<Leaves>) -> Self {
        let field_trees = trees.split_off(softspoken::DEPTHS.len());
        let (sid, peer, position) = (met.sid, met.peer, Position::default());
        Self { sid, peer, set, bit_trees: trees, field_trees, position, toss: [0; 32] }
    }

    /// An extension that took `demand` is done.
    pub(super) fn advance(&mut self, demand: &Demand, toss: [u8; 32]) {
        let [bits, field] = demand.blocks();
        self.position.bits += bits as u64;
        self.position.field += field as u64;
        self.toss = toss;
    }
}

/// How far the streams at the leaves of the trees have been read, in blocks.
#[derive(Default)]
pub(super) struct Position {
    pub(super) bits: u64,
    pub(super) field: u64,
}

impl Position {
    /// Of the rows that are read next: the tweak of the first oblivious transfer.
    pub(super) fn counter(&self) -> u64 {
        128 * self.bits
    }
}

/// What an extension takes.
pub(super) fn demand(set: ParameterSet, bits: usize, values: usize) -> Result<Demand, VoleError> {
    let limits = [("bit correlations", bits, MAX_BITS), ("field correlations", values, MAX_FIELD)];
    for (what, requested, limit) in limits {
        error::limit(what, requested, limit)?;
    }
    Ok(Demand::new(set, bits, values))
}

/// The generators of the coefficients of both checks.
pub(super) fn check_generators(sid: &SessionId, position: &Position, seed: &[u8; 16]) -> [Prg; 2] {
    let (bits, field) = (position.bits.to_le_bytes(), position.field.to_le_bytes());
    ["column check", "line check"]
        .map(|label| Prg::new(sid.derive_key(label, &[&bits, &field, seed])))
}

/// The codes of an extension, for bits and for values.
pub(super) fn codes(
    sid: &SessionId,
    toss: &[u8; 32],
    set: ParameterSet,
    demand: &Demand,
) -> [Vec<ExConv>; 2] {
    let Some(lpn) = set.lpn() else { return [Vec::new(), Vec::new()] };
    let [for_bits, for_values] = lpn.expanders();
    let codes = |plan: &Plan, expander: usize| {
        let code = |size| ExConv::new(sid, toss, size, expander, lpn.memory);
        plan.shapes.iter().map(|shape| code(shape.size())).collect()
    };
    let [bits, values] = &demand.plans;
    [codes(bits, for_bits), codes(values, for_values)]
}

/// The prover's share of something that both parties choose, hidden until the verifier has named
/// its own.
pub(crate) struct Toss {
    /// A nonce, and the share.
    pub(crate) opening: [u8; Toss::OPENING],
}

impl Toss {
    const NONCE: usize = 32;
    pub(crate) const SHARE: usize = 16;
    pub(crate) const OPENING: usize = Self::NONCE + Self::SHARE;

    pub(crate) fn draw(rng: &mut impl CryptoRng) -> Self {
        let mut opening = [0; Self::OPENING];
        rng.fill_bytes(&mut opening);
        Self { opening }
    }

    pub(crate) fn commitment(sid: &SessionId, opening: &[u8]) -> [u8; 32] {
        sid.derive_array("toss commitment", &[opening])
    }

    /// What both chose.
    pub(crate) fn outcome(sid: &SessionId, opening: &[u8], other: &[u8]) -> [u8; 32] {
        sid.derive_array("toss", &[opening, other])
    }
}

/// A commitment to what a party expects to be shown.
pub(super) fn hidden(sid: &SessionId, nonce: &[u8], shown: &[u8]) -> [u8; 32] {
    sid.derive_array("noise check commitment", &[nonce, shown])
}

pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}
