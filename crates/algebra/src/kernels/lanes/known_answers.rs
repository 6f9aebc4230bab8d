//! Results that must be arkworks' before kernels are used: of every field, with the elements at which
//! carries run through.

use ark_ff::Field;

use super::{Coefficient, Eight, Kernel, Lanes, Script, Tower, pairing::Run, run_vector};
use crate::weierstrass::Coordinate;

/// Whether the processor has the instructions and computes with them what arkworks does.
pub(super) fn agree() -> bool {
    field_agrees::<ark_bn254::Fr>()
        && field_agrees::<ark_bn254::Fq>()
        && field_agrees::<ark_bn254::Fq2>()
        && field_agrees::<ark_bls12_381::Fr>()
        && field_agrees::<ark_bls12_381::Fq>()
        && field_agrees::<ark_bls12_381::Fq2>()
        && tower_agrees::<crate::Bn254>()
        && tower_agrees::<crate::Bls12381>()
}

/// A product, a square and an image of a tower's.
fn tower_agrees<T: Tower>() -> bool {
    let one = Coefficient::<T>::ONE;
    let minus_one = T::from_coefficients([-one; 6]);
    let element = T::from_coefficients([5_u64, 7, 11, 13, 17, 19].map(Coefficient::<T>::from));
    let mixed = element.pow([0x9e37_79b9_7f4a_7c15]);
    let mut script = Script::new(2);
    let (left, right) = (script.input(0), script.input(1));
    let product = script.multiply(left, right);
    let square = script.square(product);
    let image = script.frobenius(square, 1);
    let script = script.returns(image);
    let run = Run::<T> {
        script: &script,
        inputs: vec![T::coefficients(&minus_one), T::coefficients(&mixed)],
        frobenius: &T::plan().frobenius,
        lines: Vec::new(),
    };
    let expected = (minus_one * mixed).square().frobenius_map(1);
    run_vector(run).map(T::from_coefficients) == Some(expected)
}

/// Of eight pairs: product, square of the difference, sum, whether it is zero; through memory.
struct Answers<S>([S; 8], [S; 8]);

impl<S: Coordinate> Kernel for Answers<S> {
    type Output = ([S; 8], [S; 8], [S; 8], u8);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let left = Eight::<S::Lanes, L, 2>::enter(self.0.each_ref());
        let right = Eight::<S::Lanes, L, 2>::enter(self.1.each_ref());
        let right = Eight::<S::Lanes, L, 2>::load(right.store().each_ref());
        let difference: Eight<S::Lanes, L, 4> = left.sub(right);
        let sum: Eight<S::Lanes, L, 4> = left.add(right);
        let zero = sum.is_zero();
        (left.mul(right).leave(), difference.square().leave(), sum.shrink().leave(), zero)
    }
}

fn field_agrees<S: Coordinate>() -> bool {
    let minus_one = -S::ONE;
    // −2 is not zero.
    let large = minus_one.square() + minus_one.double().inverse().unwrap_or(S::ZERO);
    let mixed = large.pow([0x9e37_79b9_7f4a_7c15]);
    let left = [S::ZERO, S::ONE, minus_one, minus_one, large, mixed, mixed.square(), -large];
    let right = [minus_one, minus_one, minus_one, S::ONE, mixed, mixed, large, large];
    let Some((product, square, sum, zero)) = run_vector(Answers(left, right)) else {
        return false;
    };
    (0..8).all(|lane| {
        let (l, r) = (left[lane], right[lane]);
        product[lane] == l * r
            && square[lane] == (l - r).square()
            && sum[lane] == l + r
            && (zero >> lane & 1 == 1) == (l + r == S::ZERO)
    })
}
