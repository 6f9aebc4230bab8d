//! The points of a file in the order in which they are hashed: sections 2 to 6.

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm};
use circuit::ptau::{G1Section, G2Section};
use wire::Blake2b;

pub(super) use crate::CHUNK;

/// A section of the accumulator.
#[derive(Clone, Copy)]
pub(super) enum Section {
    G1(G1Section),
    G2(G2Section),
}

/// All of them.
pub(super) const SECTIONS: [Section; 5] = [
    Section::G1(G1Section::Tau),
    Section::G2(G2Section::Tau),
    Section::G1(G1Section::AlphaTau),
    Section::G1(G1Section::BetaTau),
    Section::G2(G2Section::Beta),
];

/// How points stand in challenges.
pub(super) const CHALLENGE: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);
/// How points stand in responses.
pub(super) const RESPONSE: PointForm = PointForm::Compressed(Dialect::Snarkjs);

/// Bytes of all the points.
pub(super) fn len<E: Engine>(power: u32, form: PointForm) -> u64 {
    let section = |section: &Section| match section {
        Section::G1(section) => section.len(power) * E::G1::form_len(form) as u64,
        Section::G2(section) => section.len(power) * E::G2::form_len(form) as u64,
    };
    SECTIONS.iter().map(section).sum()
}

/// Hashes points in a form.
pub(super) fn hash<G: CurveGroup>(hash: &mut Blake2b, points: &[Affine<G>], form: PointForm) {
    use rayon::prelude::*;
    let encode = |points: &[Affine<G>]| {
        let mut bytes = Vec::new();
        G::write_form(points, form, &mut bytes);
        bytes
    };
    let encoded: Vec<_> = points.par_chunks(1024).map(encode).collect();
    encoded.iter().for_each(|bytes| hash.update(bytes));
}
