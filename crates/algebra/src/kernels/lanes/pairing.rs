//! Pairings in lanes: products of Miller loops, and final exponentiations.
//!
//! The lanes hold the coefficients of one element, so that a single pairing is fast. Many pairs share the squarings.
//! Lines are evaluated eight at a time before the loop.

use ark_ff::{Field, Fp2, Fp6, Fp6Config, Fp12, Fp12Config};

use super::{
    Eight, LaneField, Lanes, TowerField, run,
    tower::{FROBENIUS, Register, Run, Script, Tower},
};
use crate::kernels::miller::{Line, Step};

type Fp2Of<C> = Fp2<<<C as Fp12Config>::Fp6Config as Fp6Config>::Fp2Config>;

/// What a pairing's computations are, and their constants.
pub struct Plan<S> {
    /// What Frobenius' maps multiply coefficients' conjugates by.
    pub(super) frobenius: [[S; 6]; FROBENIUS],
    miller_loop: Script,
    final_exponentiation: Script,
}

impl<S> Plan<S> {
    /// Of a pairing with these steps of its Miller loop, and this hard part of its final exponentiation,
    /// of an element of the cyclotomic subgroup.
    pub(crate) fn new<T: Tower<Field: LaneField<Scalar = S>>>(
        steps: &[Step],
        hard_part: impl FnOnce(&mut Script, Register) -> Register,
    ) -> Self
    where
        S: Field,
    {
        let all = T::from_coefficients([S::ONE; 6]);
        let image = |power| T::coefficients(&all.frobenius_map(power));
        let frobenius = std::array::from_fn(|index| image(index + 1));
        let final_exponentiation = final_exponentiation_script(hard_part);
        Self { frobenius, miller_loop: miller_loop_script(steps), final_exponentiation }
    }
}

/// Of the input 1.
fn miller_loop_script(steps: &[Step]) -> Script {
    let mut script = Script::new(1);
    let mut product = script.input(0);
    for (index, step) in steps.iter().enumerate() {
        if matches!(step, Step::Double) && index > 0 {
            product = script.square(product);
        }
        product = script.lines(product, index);
    }
    script.returns(product)
}

/// `f^((p⁶ − 1)(p² + 1))`, then the hard part; the inputs are f and its inverse.
fn final_exponentiation_script(
    hard_part: impl FnOnce(&mut Script, Register) -> Register,
) -> Script {
    let mut script = Script::new(2);
    let (element, inverse) = (script.input(0), script.input(1));
    let conjugate = script.conjugate(element);
    let unitary = script.multiply(conjugate, inverse);
    let image = script.frobenius(unitary, 2);
    let cyclotomic = script.multiply(image, unitary);
    let power = hard_part(&mut script, cyclotomic);
    script.returns(power)
}

/// The lines of one pair, and where they are evaluated.
#[derive(Clone)]
pub(crate) struct Lines<'a, S> {
    /// Slopes and offsets, in the order of the loop's steps.
    pub(crate) lines: &'a [Line<S>],
    /// Constant coefficients; none if all are 1.
    pub(crate) constants: &'a [S],
    /// What the coefficients are multiplied by.
    pub(crate) at: Factors<S>,
}

/// What the coefficients of a line are multiplied by.
#[derive(Clone)]
pub(crate) struct Factors<S> {
    pub(crate) constant: S,
    pub(crate) slope: S,
    pub(crate) offset: S,
}

impl<S> Lines<'_, S> {
    #[inline(always)]
    pub(super) fn evaluate<T: Tower<Field: LaneField<Scalar = S>>, L: Lanes>(
        &self,
    ) -> LinesAt<T::Field, L>
    where
        S: Field,
    {
        let Self { lines, constants, at } = self;
        LinesAt {
            slopes: times::<T, L, _>(lines, |line| &line.slope, &at.slope),
            offsets: times::<T, L, _>(lines, |line| &line.offset, &at.offset),
            constants: times::<T, L, _>(constants, |constant| constant, &at.constant),
        }
    }
}

/// Eight coefficients, and ξ times each.
type WithMultiples<F, L> = [Eight<F, L, 2>; 2];

/// Lines at a first argument, eight by eight.
pub(super) struct LinesAt<F: TowerField, L: Lanes> {
    constants: Vec<WithMultiples<F, L>>,
    slopes: Vec<WithMultiples<F, L>>,
    offsets: Vec<WithMultiples<F, L>>,
}

/// A line at a first argument: coefficients in one of the lanes of each.
pub(super) struct LineAt<'a, F: TowerField, L: Lanes> {
    pub(super) lane: u64,
    /// 1 if there is none.
    pub(super) constant: Option<&'a WithMultiples<F, L>>,
    pub(super) slope: &'a WithMultiples<F, L>,
    pub(super) offset: &'a WithMultiples<F, L>,
}

impl<F: TowerField, L: Lanes> LinesAt<F, L> {
    #[inline(always)]
    pub(super) fn line(&self, step: usize) -> LineAt<'_, F, L> {
        let (group, lane) = (step / 8, step % 8);
        LineAt {
            lane: lane as u64,
            constant: self.constants.get(group),
            slope: &self.slopes[group],
            offset: &self.offsets[group],
        }
    }
}

/// Every line's coefficient times a factor.
#[inline(always)]
fn times<T: Tower, L: Lanes, A>(
    lines: &[A],
    coefficient: impl Fn(&A) -> &<T::Field as LaneField>::Scalar,
    factor: &<T::Field as LaneField>::Scalar,
) -> Vec<WithMultiples<T::Field, L>> {
    let factor = Eight::<T::Field, L, 2>::enter([factor; 8]);
    let mut products = Vec::with_capacity(lines.len().div_ceil(8));
    for lines in lines.chunks(8) {
        let mut eight = [coefficient(&lines[0]); 8];
        for (lane, line) in lines.iter().enumerate() {
            eight[lane] = coefficient(line);
        }
        let product = Eight::<T::Field, L, 2>::enter(eight).mul(factor);
        products.push([product, super::tower::times_nonresidue::<T, L>(product)]);
    }
    products
}

/// The product of pairs' Miller loops, up to factors that final exponentiations remove; `None` where
/// kernels do not run.
pub(crate) fn miller_loop<T: Tower>(
    lines: Vec<Lines<'_, <T::Field as LaneField>::Scalar>>,
) -> Option<T::Element> {
    let plan = T::plan();
    let inputs = vec![T::coefficients(&T::Element::ONE)];
    let (script, frobenius) = (&plan.miller_loop, &plan.frobenius);
    run(Run::<T> { script, inputs, frobenius, lines }).map(T::from_coefficients)
}

/// The final exponentiation of an element that is not zero; `None` where kernels do not run.
pub(crate) fn final_exponentiation<T: Tower>(element: &T::Element) -> Option<T::Element> {
    if !super::available() {
        return None;
    }
    let plan = T::plan();
    let inputs = vec![T::coefficients(element), T::coefficients(&element.inverse()?)];
    let (script, frobenius) = (&plan.final_exponentiation, &plan.frobenius);
    run(Run::<T> { script, inputs, frobenius, lines: Vec::new() }).map(T::from_coefficients)
}

/// The coefficients of w's powers, where arkworks has `Fp2[v][w]` with `v = w²`.
pub(crate) fn coefficients<C: Fp12Config>(element: &Fp12<C>) -> [Fp2Of<C>; 6] {
    let Fp12 { c0: even, c1: odd, .. } = *element;
    [even.c0, odd.c0, even.c1, odd.c1, even.c2, odd.c2]
}

/// The element with these coefficients.
pub(crate) fn from_coefficients<C: Fp12Config>([a, b, c, d, e, f]: [Fp2Of<C>; 6]) -> Fp12<C> {
    Fp12::new(Fp6::new(a, c, e), Fp6::new(b, d, f))
}
