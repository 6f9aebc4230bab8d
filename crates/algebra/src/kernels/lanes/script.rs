//! Computations in a tower of fields, written down.

use crate::kernels::endomorphism::recode;

/// A place for an element.
#[derive(Clone, Copy)]
pub struct Register(pub(super) usize);

/// A step of a script. Each makes an element.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Multiply(Register, Register),
    Square(Register),
    /// As many squarings in the cyclotomic subgroup.
    Cyclotomic(Register, usize),
    Conjugate(Register),
    Frobenius(Register, usize),
    /// Multiplies by all lines of a step.
    Lines(Register, usize),
}

/// A straight computation in a tower: data, so that every operation is compiled once. Its inputs are the first registers, and its output is the first of
/// them unless [`Script::returns`] says otherwise.
#[derive(Clone)]
pub struct Script {
    pub(super) inputs: usize,
    pub(super) operations: Vec<Operation>,
    pub(super) output: Register,
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

/// What a pairing's computations are, and their constants.
pub struct Plan<S> {
    /// What Frobenius' maps multiply coefficients' conjugates by.
    pub(super) frobenius: [[S; 6]; FROBENIUS],
    pub(super) miller_loop: Script,
    pub(super) final_exponentiation: Script,
}
