//! Pairings in lanes: products of Miller loops, and final exponentiations.
//!
//! The lanes hold the coefficients of one element, so that a single pairing is fast. Many pairs share the squarings.
//! Lines are evaluated eight at a time before the loop.

use ark_ff::{AdditiveGroup, Field, Fp2, Fp6, Fp6Config, Fp12, Fp12Config};

use super::{
    Eight, Kernel, LaneField, Lanes, TowerField, run,
    script::{FROBENIUS, Operation, Plan, Register, Script},
    tower::{
        Coefficient, LineAt, Tower, WithMultiples, conjugate, cyclotomic_square, enter, map,
        multiply, multiply_by_line, square, times_nonresidue,
    },
};
use crate::kernels::miller::{Line, Step};

type Fp2Of<C> = Fp2<<<C as Fp12Config>::Fp6Config as Fp6Config>::Fp2Config>;

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

/// Lines at a first argument, eight by eight.
pub(super) struct LinesAt<F: TowerField, L: Lanes> {
    constants: Vec<WithMultiples<F, L>>,
    slopes: Vec<WithMultiples<F, L>>,
    offsets: Vec<WithMultiples<F, L>>,
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
        products.push([product, times_nonresidue::<T, L>(product)]);
    }
    products
}

/// A script with its data.
pub(super) struct Run<'a, T: Tower> {
    pub(super) script: &'a Script,
    pub(super) inputs: Vec<[Coefficient<T>; 6]>,
    /// What Frobenius' maps multiply a coefficient's conjugates by.
    pub(super) frobenius: &'a [[Coefficient<T>; 6]; FROBENIUS],
    /// The lines of all pairs.
    pub(super) lines: Vec<Lines<'a, Coefficient<T>>>,
}

impl<T: Tower> Kernel for Run<'_, T> {
    type Output = [Coefficient<T>; 6];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut lines = Vec::with_capacity(self.lines.len());
        for pair in &self.lines {
            lines.push(pair.evaluate::<T, L>());
        }
        let mut frobenius = Vec::with_capacity(FROBENIUS);
        for constants in self.frobenius {
            frobenius.push(enter::<T, L>(constants));
        }
        let mut elements = Vec::with_capacity(self.script.inputs + self.script.operations.len());
        for input in &self.inputs {
            elements.push(enter::<T, L>(input));
        }
        for &operation in &self.script.operations {
            let made = match operation {
                Operation::Multiply(Register(left), Register(right)) => {
                    multiply(elements[left], elements[right])
                }
                Operation::Square(Register(element)) => square(elements[element]),
                Operation::Cyclotomic(Register(element), times) => {
                    let mut power = elements[element];
                    for _ in 0..times {
                        power = cyclotomic_square(power);
                    }
                    power
                }
                Operation::Conjugate(Register(element)) => conjugate(elements[element]),
                Operation::Frobenius(Register(element), power) => {
                    map(elements[element], power, frobenius[power - 1])
                }
                Operation::Lines(Register(element), step) => {
                    let mut product = elements[element];
                    for pair in &lines {
                        product = multiply_by_line(product, pair.line(step));
                    }
                    product
                }
            };
            elements.push(made);
        }
        let Register(output) = self.script.output;
        let lanes = elements[output].0.leave();
        let mut coefficients = [Coefficient::<T>::ZERO; 6];
        coefficients.copy_from_slice(&lanes[..6]);
        coefficients
    }
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

#[cfg(test)]
mod tests {
    use super::{super::*, *};
    use crate::{Bls12381, Bn254};
    use ark_ec::{bls12::Bls12Config, bn::BnConfig};

    fn run_script<T: Tower>(script: &Script, inputs: &[T::Element]) -> Vec<T::Element> {
        let run = || Run::<T> {
            script,
            inputs: inputs.iter().map(T::coefficients).collect(),
            frobenius: &T::plan().frobenius,
            lines: Vec::new(),
        };
        let portable = run().run::<portable::Portable>();
        std::iter::once(portable).chain(run_vector(run())).map(T::from_coefficients).collect()
    }

    fn script<T: Tower>(
        inputs: &[T::Element],
        expected: T::Element,
        steps: impl FnOnce(&mut Script) -> Register,
    ) {
        let mut script = Script::new(inputs.len());
        let output = steps(&mut script);
        let script = script.returns(output);
        for result in run_script::<T>(&script, inputs) {
            assert!(result == expected);
        }
    }

    /// Zero, one, all coefficients −1, single ones, random ones.
    fn elements<T: Tower<Element = Fp12<C>>, C: Fp12Config>() -> Vec<Fp12<C>> {
        let (zero, one) = (Coefficient::<T>::ZERO, Coefficient::<T>::ONE);
        let mut elements = vec![T::Element::ZERO, T::Element::ONE, T::from_coefficients([-one; 6])];
        for k in 0..6 {
            let mut coefficients = [zero; 6];
            coefficients[k] = -one;
            elements.push(T::from_coefficients(coefficients));
        }
        let small = T::from_coefficients([2_u64, 3, 5, 7, 11, 13].map(Coefficient::<T>::from));
        elements.extend((1..13_u64).map(|k| small.pow([k.wrapping_mul(0x9e37_79b9_7f4a_7c15)])));
        elements
    }

    fn agrees<T: Tower<Element = Fp12<C>>, C: Fp12Config>(exponent: u64) {
        let elements = elements::<T, C>();
        for &left in &elements {
            for &right in &elements {
                script::<T>(&[left, right], left * right, |s| s.multiply(s.input(0), s.input(1)));
            }
            script::<T>(&[left], left.square(), |s| s.square(s.input(0)));
            // Results of results, whose integers are not reduced.
            let chained = (left.square() + T::Element::ZERO).square() * left;
            script::<T>(&[left], chained, |s| {
                let square = s.square(s.input(0));
                let fourth = s.multiply(square, square);
                s.multiply(fourth, s.input(0))
            });
            for power in 1..=FROBENIUS {
                script::<T>(&[left], left.frobenius_map(power), |s| s.frobenius(s.input(0), power));
            }
            script::<T>(&[left], left.frobenius_map(6), |s| s.conjugate(s.input(0)));
            let Some(inverse) = left.inverse() else { continue };
            let unitary = left.frobenius_map(6) * inverse;
            let cyclotomic = unitary.frobenius_map(2) * unitary;
            script::<T>(&[cyclotomic], cyclotomic.square(), |s| s.cyclotomic(s.input(0)));
            for (exponent, width) in [(exponent, 2), (exponent, 4), (u64::MAX, 3), (1, 4), (96, 2)]
            {
                script::<T>(&[cyclotomic], cyclotomic.pow([exponent]), |s| {
                    s.power(s.input(0), exponent, width)
                });
            }
        }
    }

    #[test]
    fn towers_compute_as_in_arkworks() {
        agrees::<Bn254, ark_bn254::Fq12Config>(ark_bn254::Config::X[0]);
        agrees::<Bls12381, ark_bls12_381::Fq12Config>(ark_bls12_381::Config::X[0]);
    }
}
