//! An extension of degree twelve over a quadratic one: one element in one vector of lanes.
//!
//! With `w⁶ = ξ` the element `Σ a_k w^k` has a_k in lane k. Coefficient j of a product is the sum of all `a_k b_{j−k}`,
//! times ξ where j − k is negative. So for each k, a vector that has a_k in all lanes is multiplied by b turned by k
//! lanes. That is six products of vectors, which are reduced once; a scalar tower takes 18 products. Lanes 6 and 7 are
//! zero modulo p.
//!
//! A computation is a [`Script`]: data, so that every operation is compiled once.

use ark_ff::{AdditiveGroup, Field};

use super::{
    Eight, Kernel, LaneField, Lanes, TowerField,
    pairing::{LineAt, Lines, Plan},
};
use crate::kernels::endomorphism::recode;

/// A tower of fields, and what a pairing does in it.
pub trait Tower: Sized + 'static {
    /// The quadratic extension in lanes.
    type Field: TowerField;
    /// An element, as arkworks has it.
    type Element: Field;
    /// ξ.
    const NONRESIDUE: Nonresidue;
    /// The power of w that a line's slope is the coefficient of, once its constant coefficient is 1.
    const SLOPE: usize;
    /// The pairing's computations.
    fn plan() -> &'static Plan<Coefficient<Self>>;
    /// The coefficients of w's powers.
    fn coefficients(element: &Self::Element) -> [Coefficient<Self>; 6];
    /// The element with these coefficients.
    fn from_coefficients(coefficients: [Coefficient<Self>; 6]) -> Self::Element;
}

/// What the twelfth root is a root of.
pub enum Nonresidue {
    /// `1 + i`.
    OneAndI,
    /// `9 + i`.
    NineAndI,
}

/// An element of the quadratic extension, as arkworks has it.
pub type Coefficient<T> = <<T as Tower>::Field as LaneField>::Scalar;

/// A place for an element.
#[derive(Clone, Copy)]
pub struct Register(usize);

/// A step of a script. Each makes an element.
#[derive(Clone, Copy)]
enum Operation {
    Multiply(Register, Register),
    Square(Register),
    /// As many squarings in the cyclotomic subgroup.
    Cyclotomic(Register, usize),
    Conjugate(Register),
    Frobenius(Register, usize),
    /// Multiplies by all lines of a step.
    Lines(Register, usize),
}

/// A straight computation in a tower. Its inputs are the first registers, and its output is the first of
/// them unless [`Script::returns`] says otherwise.
#[derive(Clone)]
pub struct Script {
    inputs: usize,
    operations: Vec<Operation>,
    output: Register,
}

impl Script {
    pub(super) fn new(inputs: usize) -> Self {
        Self { inputs, operations: Vec::new(), output: Register(0) }
    }

    /// A register of the inputs'.
    pub(super) fn input(&self, index: usize) -> Register {
        assert!(index < self.inputs, "an input that is none");
        Register(index)
    }

    /// Makes an element the output.
    pub(super) fn returns(mut self, element: Register) -> Self {
        self.output = element;
        self
    }

    fn push(&mut self, operation: Operation) -> Register {
        self.operations.push(operation);
        Register(self.inputs + self.operations.len() - 1)
    }

    /// The product.
    pub(crate) fn multiply(&mut self, left: Register, right: Register) -> Register {
        self.push(Operation::Multiply(left, right))
    }

    /// The square.
    pub(super) fn square(&mut self, element: Register) -> Register {
        self.push(Operation::Square(element))
    }

    /// The square of an element of the cyclotomic subgroup.
    pub(crate) fn cyclotomic(&mut self, element: Register) -> Register {
        self.push(Operation::Cyclotomic(element, 1))
    }

    /// `element^(p⁶)`: the inverse, in the cyclotomic subgroup.
    pub(crate) fn conjugate(&mut self, element: Register) -> Register {
        self.push(Operation::Conjugate(element))
    }

    /// `element^(p^power)`, for a power of at most 3.
    pub(crate) fn frobenius(&mut self, element: Register, power: usize) -> Register {
        assert!((1..=FROBENIUS).contains(&power), "a power without constants");
        self.push(Operation::Frobenius(element, power))
    }

    /// The product with a step's lines.
    pub(super) fn lines(&mut self, element: Register, step: usize) -> Register {
        self.push(Operation::Lines(element, step))
    }

    /// `element^exponent` in the cyclotomic subgroup, for an exponent above 0, by its wNAF.
    pub(crate) fn power(&mut self, element: Register, exponent: u64, width: u32) -> Register {
        let mut digits = [0; 65];
        let used = recode(exponent.into(), width, &mut digits);
        let mut odd = vec![element];
        if width > 2 {
            let square = self.cyclotomic(element);
            for index in 1..1 << (width - 2) {
                odd.push(self.multiply(odd[index - 1], square));
            }
        }
        let mut power = odd[usize::from(digits[used - 1].unsigned_abs() >> 1)];
        let mut squarings = 0;
        for &digit in digits[..used - 1].iter().rev() {
            squarings += 1;
            if digit != 0 {
                power = self.push(Operation::Cyclotomic(power, squarings));
                squarings = 0;
                let mut factor = odd[usize::from(digit.unsigned_abs() >> 1)];
                if digit < 0 {
                    factor = self.conjugate(factor);
                }
                power = self.multiply(power, factor);
            }
        }
        match squarings {
            0 => power,
            _ => self.push(Operation::Cyclotomic(power, squarings)),
        }
    }
}

/// Powers of Frobenius' map that have constants.
pub(super) const FROBENIUS: usize = 3;

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

/// An element of the tower.
struct Twelve<T: Tower, L: Lanes>(Eight<T::Field, L, 2>);

impl<T: Tower, L: Lanes> Clone for Twelve<T, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Tower, L: Lanes> Copy for Twelve<T, L> {}

#[inline(always)]
fn enter<T: Tower, L: Lanes>(coefficients: &[Coefficient<T>; 6]) -> Twelve<T, L> {
    let zero = Coefficient::<T>::ZERO;
    let [a, b, c, d, e, f] = coefficients;
    Twelve(Eight::enter([a, b, c, d, e, f, &zero, &zero]))
}

/// The lanes of `Σ a_k w^k`, moved up by so many; from 8 on, those that are multiplied by ξ.
const TURNED: [[u64; 8]; 6] = {
    let mut turned = [[6; 8]; 6];
    let mut k = 0;
    while k < 6 {
        let mut j = 0;
        while j < 6 {
            turned[k][j] = if j < k { 8 + (j + 6 - k) as u64 } else { (j - k) as u64 };
            j += 1;
        }
        k += 1;
    }
    turned
};

#[inline(always)]
fn multiply<T: Tower, L: Lanes>(left: Twelve<T, L>, right: Twelve<T, L>) -> Twelve<T, L> {
    let wrapped = times_nonresidue::<T, L>(right.0);
    let (mut lefts, mut rights) = ([left.0; 6], [right.0; 6]);
    for k in 0..6 {
        lefts[k] = Eight::pick(L::splat(k as u64), left.0, left.0);
        rights[k] = Eight::pick(L::load(&TURNED[k]), right.0, wrapped);
    }
    Twelve(Eight::dot(lefts, rights))
}

/// `ξ · element`.
#[inline(always)]
pub(super) fn times_nonresidue<T: Tower, L: Lanes>(
    element: Eight<T::Field, L, 2>,
) -> Eight<T::Field, L, 2> {
    match T::NONRESIDUE {
        Nonresidue::OneAndI => element.mul_by_small::<1>(),
        Nonresidue::NineAndI => element.mul_by_small::<9>(),
    }
}

/// The products of a square, four for each of its coefficients: lanes of the left factor, which is
/// doubled from 8 on, and of the right, which is multiplied by ξ from 8 on. Lane 6 is zero.
pub(super) const SQUARED: [([u64; 8], [u64; 8]); 4] = {
    let mut squared = [([6; 8], [6; 8]); 4];
    let mut j = 0;
    while j < 6 {
        let (mut term, mut left) = (0, 0);
        while left < 6 {
            let right = (j + 6 - left) % 6;
            if left <= right {
                squared[term].0[j] = (left + if left < right { 8 } else { 0 }) as u64;
                squared[term].1[j] = (right + if left + right >= 6 { 8 } else { 0 }) as u64;
                term += 1;
            }
            left += 1;
        }
        j += 1;
    }
    squared
};

#[inline(always)]
fn square<T: Tower, L: Lanes>(element: Twelve<T, L>) -> Twelve<T, L> {
    Twelve(products(element, &SQUARED))
}

/// Granger and Scott's square (2010), in `Fp4[w]` with `w³ = s`: three times the squares of the
/// coefficients `a_0 + a_3 s`, `a_1 + a_4 s`, `a_2 + a_5 s`, and twice their conjugates. The products as
/// in [`SQUARED`].
const CYCLOTOMIC: [([u64; 8], [u64; 8]); 2] = [
    ([0, 8 + 2, 1, 8, 2, 8 + 1, 6, 6], [0, 8 + 5, 1, 3, 2, 4, 6, 6]),
    ([3, 6, 4, 6, 5, 6, 6, 6], [8 + 3, 6, 8 + 4, 6, 8 + 5, 6, 6, 6]),
];

#[inline(always)]
fn cyclotomic_square<T: Tower, L: Lanes>(element: Twelve<T, L>) -> Twelve<T, L> {
    let squares = products(element, &CYCLOTOMIC);
    let minus: Eight<T::Field, L, 3> = Eight::<_, _, 1>::zero().sub(element.0);
    let conjugate = Eight::select(0b01_0101, minus, element.0.widen());
    let squares: Eight<T::Field, L, 6> = squares.add::<2, 4>(squares).add(squares);
    Twelve(squares.add::<3, 9>(conjugate).add::<3, 12>(conjugate).shrink())
}

/// Sums of products of the lanes of an element.
#[inline(always)]
fn products<T: Tower, L: Lanes, const K: usize>(
    element: Twelve<T, L>,
    lanes: &[([u64; 8], [u64; 8]); K],
) -> Eight<T::Field, L, 2> {
    let wrapped = times_nonresidue::<T, L>(element.0);
    let doubled: Eight<T::Field, L, 4> = element.0.add(element.0);
    let (mut lefts, mut rights) = ([doubled; K], [wrapped; K]);
    for k in 0..K {
        lefts[k] = Eight::pick(L::load(&lanes[k].0), element.0, doubled);
        rights[k] = Eight::pick(L::load(&lanes[k].1), element.0, wrapped);
    }
    Eight::dot(lefts, rights)
}

/// Negates the odd coefficients.
#[inline(always)]
fn conjugate<T: Tower, L: Lanes>(element: Twelve<T, L>) -> Twelve<T, L> {
    let minus: Eight<T::Field, L, 3> = Eight::<_, _, 1>::zero().sub(element.0);
    Twelve(Eight::select(0b10_1010, minus, element.0.widen()).shrink())
}

/// Frobenius' map to a power, whose constants these are.
#[inline(always)]
fn map<T: Tower, L: Lanes>(
    element: Twelve<T, L>,
    power: usize,
    constants: Twelve<T, L>,
) -> Twelve<T, L> {
    let conjugate = if power % 2 == 1 { element.0.conjugate() } else { element.0.widen() };
    Twelve(conjugate.mul(constants.0))
}

/// Multiplies by a line.
#[inline(always)]
fn multiply_by_line<T: Tower, L: Lanes>(
    element: Twelve<T, L>,
    line: LineAt<'_, T::Field, L>,
) -> Twelve<T, L> {
    let slope = factor(line.slope, line.lane, T::SLOPE);
    let offset = factor(line.offset, line.lane, 3);
    let (by_slope, by_offset) = (turned(element, T::SLOPE), turned(element, 3));
    match line.constant {
        // It is 1.
        None => {
            let rest = Eight::dot([slope, offset], [by_slope, by_offset]);
            Twelve(rest.add::<2, 4>(element.0).shrink())
        }
        Some(constant) => {
            let constant = factor(constant, line.lane, 0);
            Twelve(Eight::dot([slope, offset, constant], [by_slope, by_offset, element.0]))
        }
    }
}

/// A line's coefficient of a power of w, in all lanes, times ξ in those to which it comes by `w⁶`. (No
/// closure: it would be compiled without the instructions.)
#[inline(always)]
fn factor<F: TowerField, L: Lanes>(
    coefficient: &[Eight<F, L, 2>; 2],
    lane: u64,
    power: usize,
) -> Eight<F, L, 2> {
    let wrapped = L::load(&TURNED[power]).and(L::splat(8));
    Eight::pick(L::splat(lane).or(wrapped), coefficient[0], coefficient[1])
}

/// The lanes moved up by so many.
#[inline(always)]
fn turned<T: Tower, L: Lanes>(element: Twelve<T, L>, power: usize) -> Eight<T::Field, L, 2> {
    Eight::pick(L::load(&TURNED[power]), element.0, element.0)
}

#[cfg(test)]
mod tests {
    use ark_ec::{bls12::Bls12Config, bn::BnConfig};
    use ark_ff::{Fp12, Fp12Config};

    use super::{super::*, *};
    use crate::{Bls12381, Bn254};

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
