//! One inversion of an element for many.

use ark_ff::{AdditiveGroup, Field};

use super::{Eight, LaneField, Lanes};

/// Products that grow side by side, because one alone waits for itself.
pub(super) const CHAINS: usize = 4;

/// The inverses of products that have no zero, by one inversion of an element.
#[inline(always)]
pub(super) fn invert<F: LaneField, L: Lanes>(
    products: [Eight<F, L, 2>; CHAINS],
) -> [Eight<F, L, 2>; CHAINS] {
    let mut before = [products[0]; CHAINS];
    let mut product = products[0];
    for chain in 1..CHAINS {
        before[chain] = product;
        product = product.mul(products[chain]);
    }
    let mut inverse = invert_lanes(product);
    let mut inverses = products;
    for chain in (1..CHAINS).rev() {
        inverses[chain] = inverse.mul(before[chain]);
        inverse = inverse.mul(products[chain]);
    }
    inverses[0] = inverse;
    inverses
}

/// The inverses of eight elements that are not zero: every lane's is the product of the seven others, times the inverse
/// of the product of all.
#[inline(always)]
fn invert_lanes<F: LaneField, L: Lanes>(elements: Eight<F, L, 2>) -> Eight<F, L, 2> {
    // Counted around: what stands in the next lane, in the two behind that, and in the four behind these.
    let next = elements.rotate(1);
    let pairs = elements.mul(next);
    let next_two = pairs.rotate(2);
    let fours = pairs.mul(next_two);
    let next_four = fours.rotate(4);
    let others = next.mul(next_two).mul(next_four);
    let [product, ..] = fours.mul(next_four).leave();
    let inverse = product.inverse().unwrap_or(F::Scalar::ZERO);
    others.mul(Eight::enter([&inverse; 8]))
}
