//! Evaluating a circuit in the clear, which the prover does before it proves anything.

use std::ops::Range;

use zeroize::Zeroizing;

use super::{BitWire, Circuit, Gate, InputType, IntWire, Wires};

/// The values of all wires, in the prover's hands.
pub struct Witness {
    bits: Zeroizing<Vec<bool>>,
    ints: Zeroizing<Vec<i64>>,
    failure: Option<usize>,
}

impl Witness {
    /// Evaluates on values of all inputs, in their order; bits are 0 and 1.
    pub(super) fn evaluate(circuit: &Circuit, inputs: &[&[i64]]) -> Self {
        // Their final size at once: growing would leave copies behind.
        let mut witness = Self {
            bits: Zeroizing::new(Vec::with_capacity(circuit.bits)),
            ints: Zeroizing::new(Vec::with_capacity(circuit.bounds.len())),
            failure: None,
        };
        for (input, values) in circuit.inputs.iter().zip(inputs) {
            match input.kind {
                InputType::Bits => witness.bits.extend(values.iter().map(|bit| *bit != 0)),
                InputType::Ints { .. } => witness.ints.extend(*values),
            }
        }
        for (number, gate) in circuit.gates.iter().enumerate() {
            if !witness.step(gate) && witness.failure.is_none() {
                witness.failure = Some(number);
            }
        }
        witness
    }

    /// The first gate, from 0, whose claim is false.
    pub fn failure(&self) -> Option<usize> {
        self.failure
    }

    pub(super) fn bit(&self, wire: BitWire) -> bool {
        // Gates name wires of earlier ones only (`builder`), so that this and those below are there.
        self.bits.get(wire.index()).copied().unwrap_or_default()
    }

    pub(super) fn int(&self, wire: IntWire) -> i64 {
        self.ints.get(wire.index()).copied().unwrap_or_default()
    }

    pub(super) fn bits(&self, wires: Range<usize>) -> Vec<bool> {
        self.bits.get(wires).unwrap_or_default().to_vec()
    }

    pub(super) fn ints(&self, wires: Range<usize>) -> Vec<i64> {
        self.ints.get(wires).unwrap_or_default().to_vec()
    }

    /// The values of an output; bits are 0 and 1.
    pub(super) fn read(&self, wires: &Wires) -> Vec<i64> {
        match wires {
            Wires::Bits(wires) => wires.iter().map(|wire| self.bit(*wire).into()).collect(),
            Wires::Ints(wires) => wires.iter().map(|wire| self.int(*wire)).collect(),
        }
    }

    /// Appends what a gate makes. False if it claims what is false.
    fn step(&mut self, gate: &Gate) -> bool {
        match gate {
            Gate::Bit(_) | Gate::Xor(..) | Gate::And(..) | Gate::Not(_) => {
                let bit = self.computed_bit(gate);
                self.bits.push(bit);
            }
            Gate::ToBits(a, width) => {
                let value = self.int(*a);
                self.bits.extend((0..*width).map(|place| value >> place & 1 == 1));
                return value >> width == 0;
            }
            Gate::Largest(of) => {
                let values = of.iter().map(|wire| self.int(*wire)).zip(0i64..);
                let largest = values.max_by_key(|(value, place)| (*value, -place));
                // The builder takes no gate about the largest of none.
                let (value, place) = largest.unwrap_or_default();
                self.ints.extend([value, place]);
            }
            Gate::ZeroBit(a) => return !self.bit(*a),
            Gate::Zero(a) => return self.int(*a) == 0,
            _ => {
                let int = self.computed_int(gate);
                self.ints.push(int);
            }
        }
        true
    }

    fn computed_bit(&self, gate: &Gate) -> bool {
        match gate {
            Gate::Bit(value) => *value,
            Gate::Xor(a, b) => self.bit(*a) ^ self.bit(*b),
            Gate::And(a, b) => self.bit(*a) & self.bit(*b),
            Gate::Not(a) => !self.bit(*a),
            _ => false,
        }
    }

    /// Nothing overflows: every wire is within its bound.
    fn computed_int(&self, gate: &Gate) -> i64 {
        let value = |wire: &IntWire| self.int(*wire);
        match gate {
            Gate::Int(value) => *value,
            Gate::Add(a, b) => value(a) + value(b),
            Gate::Sub(a, b) => value(a) - value(b),
            Gate::Shift(a, by) => value(a) + by,
            Gate::Scale(a, by) => value(a) * by,
            Gate::Mul(a, b) => value(a) * value(b),
            Gate::Dot { pairs, fraction } => {
                pairs.iter().map(|[a, b]| value(a) * value(b)).sum::<i64>() >> fraction
            }
            Gate::FromBits(bits) => {
                bits.iter().rev().fold(0, |int, bit| int << 1 | i64::from(self.bit(*bit)))
            }
            Gate::NonNegative(a) => i64::from(value(a) >= 0),
            Gate::Relu(a) => value(a).max(0),
            _ => 0,
        }
    }
}
