//! Correlations whose values are zero but for one place in each block: a punctured tree for each
//! (Boyle et al., CCS 2019; the check for both parties after Weng, Yang, Katz and Wang, S&P 2021,
//! section 5.1).
//!
//! The verifier's keys are the leaves of trees that it grows. The prover learns all leaves of a tree
//! but number α: for each level, the sum of the side that the path does not take, by a correlated
//! oblivious transfer whose choice it shifts to the path. One more message of the verifier, the sum
//! of all leaves shifted by what a base correlation says, gives it the MAC of place α: over F_2 that
//! of 1, over F_p that of a random β.
//!
//! A random combination of all leaves is compared at the end. The verifier opens it only if both are equal, because a
//! difference would be a multiple of Δ. A verifier whose trees do not fit together is caught, except for guesses at the
//! α.

mod prover;
mod verifier;

pub(crate) use prover::Noise;
pub(crate) use verifier::Trees;

use zeroize::Zeroize;

use super::plan::Demand;
use crate::{
    field::{Fp, Gf64, MacField, gf128},
    hash::SessionId,
    prg::{Doubler, PadHash, Prg},
};

/// What both parties derive for the trees of an extension.
struct Publics {
    doubler: Doubler,
    pads: PadHash,
}

impl Publics {
    fn new(sid: &SessionId) -> Self {
        let [left, right, pads] = [0u8, 1, 2].map(|part| sid.derive_key("noise tree", &[&[part]]));
        Self { doubler: Doubler::new([left, right]), pads: PadHash::new(pads) }
    }
}

/// A place in the noise of an extension: its field's tree, and where that tree's oblivious transfers
/// and its leaves' coefficients begin.
#[derive(Clone, Copy)]
struct Place {
    /// Number of the tree, over all shapes of the field.
    tree: usize,
    depth: usize,
    transfer: usize,
    leaf: u64,
}

/// The trees of the shapes of both fields: the transfers of values follow those of bits.
fn places(demand: &Demand) -> [Vec<Vec<Place>>; 2] {
    let mut transfer = 0;
    demand.plans.each_ref().map(|plan| {
        let (mut tree, mut leaf) = (0, 0);
        let mut shapes = Vec::with_capacity(plan.shapes.len());
        for shape in &plan.shapes {
            let depth = shape.depth as usize;
            let mut trees = Vec::with_capacity(shape.trees);
            for _ in 0..shape.trees {
                trees.push(Place { tree, depth, transfer, leaf });
                tree += 1;
                transfer += depth;
                leaf += 1 << depth;
            }
            shapes.push(trees);
        }
        shapes
    })
}

/// Space for the leaves of a tree and their coefficients.
#[derive(Default)]
struct Buffers {
    leaves: Vec<u128>,
    chis: Vec<u128>,
}

impl Buffers {
    /// Space for the leaves of a tree, and their coefficients.
    fn of(&mut self, place: Place, generator: &Prg) -> (&mut [u128], &[u128]) {
        self.leaves.resize(1 << place.depth, 0);
        self.chis.resize(1 << place.depth, 0);
        generator.fill(place.leaf, &mut self.chis);
        (&mut self.leaves, &self.chis)
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        self.leaves.zeroize();
    }
}

fn inner_product(chis: &[u128], leaves: &[Fp]) -> Fp {
    // Products are below 2^122: 64 of them fit into 128 bits.
    let sums = chis.chunks(64).zip(leaves.chunks(64)).map(|(chis, leaves)| {
        let terms = chis.iter().zip(leaves);
        let products = terms.map(|(chi, leaf)| {
            u128::from(Fp::from_u128(*chi).to_u64()) * u128::from(leaf.to_u64())
        });
        Fp::from_u128(products.sum())
    });
    sums.sum()
}

/// Bytes of the verifier's message: two sums for each level, and one for each tree.
pub(crate) fn offer_bytes(demand: &Demand) -> usize {
    let [bits, values] = demand.plans.each_ref().map(|plan| {
        let levels: usize = plan.shapes.iter().map(|shape| shape.levels()).sum();
        let trees: usize = plan.shapes.iter().map(|shape| shape.trees).sum();
        (32 * levels, trees)
    });
    bits.0 + 16 * bits.1 + values.0 + Fp::BYTES * values.1
}

/// Bytes of the prover's choices: a bit for each level, and a shift for each tree over F_p.
pub(crate) fn choice_bytes(demand: &Demand) -> [usize; 2] {
    let levels: usize =
        demand.plans.iter().flat_map(|plan| &plan.shapes).map(|shape| shape.levels()).sum();
    let [_, values] = &demand.plans;
    let trees: usize = values.shapes.iter().map(|shape| shape.trees).sum();
    [levels.div_ceil(8), Fp::BYTES * trees]
}

/// Bytes of the prover's answer: the seed of the combination, and the shifted masks.
pub(crate) const ANSWER: usize = 16 + 16 + 8;
/// Bytes of what is compared.
pub(crate) const COMPARED: usize = 16 + 8;

/// The generators of the coefficients for bits and values.
fn check_generators(sid: &SessionId, counter: u64, seed: &[u8; 16]) -> [Prg; 2] {
    [Gf64::LABEL, Fp::LABEL].map(|label| {
        let parts: [&[u8]; 3] = [label.as_bytes(), &counter.to_le_bytes(), seed];
        Prg::new(sid.derive_key("noise check", &parts))
    })
}

/// `Σ X^h x_h` over F_{2^128}.
fn pack(parts: &[u128]) -> u128 {
    parts.iter().rev().fold(0, |sum, part| gf128::double(sum) ^ part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest products, and chunks of one less than 64, as many and one more.
    #[test]
    fn inner_products_of_the_largest_terms() {
        let largest = Fp::MODULUS - 1;
        for len in [0, 1, 63, 64, 65, 127, 128, 129] {
            let (chis, leaves) = (vec![largest.into(); len], vec![Fp::from(largest); len]);
            // (-1)^2 each.
            assert!(inner_product(&chis, &leaves) == Fp::from(len as u64), "{len}");
        }
    }
}
