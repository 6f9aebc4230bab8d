//! Where circuits allocate wires and state constraints.

use algebra::Scalar;
use zeroize::{Zeroize, Zeroizing};

use super::{ConstraintSystem, Linear, Wire};
use crate::r1cs::{Constraint, LinearCombination, R1csHeader};

/// A description of wires and constraints.
///
/// The constraints must be the same whatever the values: [`Circuit::constraint_system`] is that of
/// all witnesses of circuits with the same parameters.
pub trait Circuit<S: Scalar> {
    /// Allocates the wires and states the constraints.
    fn synthesize(&self, cs: &mut Synthesizer<S>);

    /// The constraints.
    fn constraint_system(&self) -> ConstraintSystem<S> {
        let mut cs = Synthesizer::recording(true);
        self.synthesize(&mut cs);
        cs.constraint_system()
    }

    /// The values of all wires, which are erased when they are dropped. Whether they satisfy the
    /// constraints is for [`ConstraintSystem::first_unsatisfied`] to say.
    fn witness(&self) -> Zeroizing<Vec<S>> {
        let mut cs = Synthesizer::recording(false);
        self.synthesize(&mut cs);
        cs.witness()
    }
}

/// A constraint in terms of wires without numbers.
type Row<S> = [Vec<(Wire, S)>; 3];

/// Gathers wires, their values, and constraints. Values are erased on drop.
pub struct Synthesizer<S: Scalar> {
    outputs: Vec<S>,
    inputs: Vec<S>,
    private: Vec<S>,
    rows: Vec<Row<S>>,
    constraints: u32,
    is_recording: bool,
}

impl<S: Scalar> Synthesizer<S> {
    /// Keeps the constraints, or only counts them because a witness is all that is wanted.
    fn recording(is_recording: bool) -> Self {
        let (outputs, inputs, private, rows) = (vec![], vec![], vec![], vec![]);
        Self { outputs, inputs, private, rows, constraints: 0, is_recording }
    }

    /// A public input.
    pub fn input(&mut self, value: S) -> Linear<S> {
        self.inputs.push(value);
        self.wire(Wire::Input(self.inputs.len() as u32 - 1), value)
    }

    /// A private wire.
    pub fn private(&mut self, value: S) -> Linear<S> {
        self.private.push(value);
        self.wire(Wire::Private(self.private.len() as u32 - 1), value)
    }

    /// A public output equal to a combination. One constraint.
    pub fn expose(&mut self, combination: &Linear<S>) {
        let value = combination.value();
        self.outputs.push(value);
        let output = self.wire(Wire::Output(self.outputs.len() as u32 - 1), value);
        self.enforce_equal(&output, combination);
    }

    /// `a · b = c`. One constraint.
    pub fn enforce(&mut self, a: &Linear<S>, b: &Linear<S>, c: &Linear<S>) {
        self.constraints += 1;
        if self.is_recording {
            self.rows.push([a, b, c].map(|combination| combination.terms().to_vec()));
        }
    }

    /// `a = b`. One constraint; only its third column has entries, which are the cheap ones.
    pub fn enforce_equal(&mut self, a: &Linear<S>, b: &Linear<S>) {
        let zero = Linear::zero();
        self.enforce(&zero, &zero, &(a - b));
    }

    /// `a · b`. One constraint and one wire, or none if a factor is constant.
    pub fn product(&mut self, a: &Linear<S>, b: &Linear<S>) -> Linear<S> {
        match (a.as_constant(), b.as_constant()) {
            (Some(factor), _) => b * factor,
            (_, Some(factor)) => a * factor,
            _ => {
                let product = self.private(a.value() * b.value());
                self.enforce(a, b, &product);
                product
            }
        }
    }

    fn wire(&self, wire: Wire, value: S) -> Linear<S> {
        Linear::wire(self.is_recording.then_some(wire), value)
    }

    /// Constraints so far.
    pub fn constraints(&self) -> u32 {
        self.constraints
    }

    fn constraint_system(&self) -> ConstraintSystem<S> {
        let (outputs, inputs) = (self.outputs.len() as u32, self.inputs.len() as u32);
        let number = |wire| match wire {
            Wire::One => 0,
            Wire::Output(index) => 1 + index,
            Wire::Input(index) => 1 + outputs + index,
            Wire::Private(index) => 1 + outputs + inputs + index,
        };
        let numbered = |terms: &Vec<(Wire, S)>| -> LinearCombination<S> {
            terms.iter().map(|&(wire, factor)| (number(wire), factor)).collect()
        };
        let constraint =
            |[a, b, c]: &Row<S>| Constraint { a: numbered(a), b: numbered(b), c: numbered(c) };
        let wires = 1 + outputs + inputs + self.private.len() as u32;
        let header = R1csHeader {
            wires,
            public_outputs: outputs,
            public_inputs: inputs,
            private_inputs: 0,
            labels: wires.into(),
            constraints: self.constraints,
        };
        ConstraintSystem::new(header, self.rows.iter().map(constraint).collect())
    }

    fn witness(&self) -> Zeroizing<Vec<S>> {
        let parts = [&[S::one()][..], &self.outputs, &self.inputs, &self.private];
        Zeroizing::new(parts.concat())
    }
}

impl<S: Scalar> Drop for Synthesizer<S> {
    fn drop(&mut self) {
        self.outputs.zeroize();
        self.inputs.zeroize();
        self.private.zeroize();
    }
}
