//! Circuits gate by gate: every wire is read after it is made, and every integer is bounded below
//! 2^59, or the gate is refused.

use std::collections::HashSet;

use super::{
    BitWire, Circuit, CircuitError, Gate, Input, InputType, IntWire, MAX_GATES, MAX_MAGNITUDE,
    MAX_PORTS, Output, Wires,
};

/// Operands of all sums of products and maxima: a short word of a file may name many.
const MAX_OPERANDS: usize = 1 << 24;
/// Wires that carry bits: a short line of a file makes up to 59.
const MAX_WIRES: usize = 1 << 26;

/// Makes a circuit gate by gate. Refuses what reads a wire that does not exist, and what might not
/// fit.
///
/// ```
/// use vole::circuit::{Builder, InputType, IntWire};
///
/// let mut builder = Builder::default();
/// let x = builder.ints("x", 16, 1)?;
/// let square = builder.mul(x[0], x[0])?;
/// let rest = builder.shift(square, -1_369)?;
/// builder.assert_zero(rest)?;
/// assert_eq!(builder.finish().gates().len(), 3);
/// # Ok::<(), vole::circuit::CircuitError>(())
/// ```
#[derive(Default)]
pub struct Builder {
    circuit: Circuit,
    input_names: HashSet<String>,
    output_names: HashSet<String>,
    output_wires: usize,
    operands: usize,
}

/// Whether inputs and outputs may have this name.
fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|c| c.is_ascii_alphabetic())
        && bytes.all(|c| c.is_ascii_alphanumeric() || c == b'_')
        && name.len() <= 64
}

/// # Errors
/// [`CircuitError::Bound`] if it is too large.
fn fitting(bound: u128) -> Result<u64, CircuitError> {
    match u64::try_from(bound) {
        Ok(bound) if bound < 1 << MAX_MAGNITUDE => Ok(bound),
        _ => Err(CircuitError::Bound),
    }
}

fn limit(what: &'static str, requested: usize, limit: usize) -> Result<(), CircuitError> {
    match requested <= limit {
        true => Ok(()),
        false => Err(CircuitError::TooMany { what, limit }),
    }
}

fn take_name(names: &mut HashSet<String>, name: &str) -> Result<(), CircuitError> {
    match is_name(name) {
        false => Err(CircuitError::Name(name.chars().take(64).collect())),
        true if names.insert(name.into()) => Ok(()),
        true => Err(CircuitError::Duplicate(name.into())),
    }
}

/// Gates are refused with [`CircuitError::Wire`], [`CircuitError::Bound`] and
/// [`CircuitError::TooMany`].
#[allow(clippy::missing_errors_doc, reason = "the same for all gates")]
impl Builder {
    /// Bits that are given from outside.
    ///
    /// # Errors
    /// [`CircuitError::Name`], [`CircuitError::Duplicate`], [`CircuitError::TooMany`].
    pub fn bits(&mut self, name: &str, count: usize) -> Result<Vec<BitWire>, CircuitError> {
        let first = self.circuit.bits;
        self.input(name, InputType::Bits, count, first)?;
        self.circuit.bits += count;
        Ok((first..self.circuit.bits).map(|wire| BitWire(wire as u32)).collect())
    }

    /// Integers of so many bits that are given from outside.
    ///
    /// # Errors
    /// As [`Builder::bits`]; [`CircuitError::Bound`] for a width that is not in 1..=59.
    pub fn ints(
        &mut self,
        name: &str,
        width: u8,
        count: usize,
    ) -> Result<Vec<IntWire>, CircuitError> {
        if width == 0 || usize::from(width) > MAX_MAGNITUDE {
            return Err(CircuitError::Bound);
        }
        let first = self.circuit.bounds.len();
        self.input(name, InputType::Ints { width }, count, first)?;
        self.circuit.bounds.resize(first + count, 1 << (width - 1));
        Ok((first..first + count).map(|wire| IntWire(wire as u32)).collect())
    }

    fn input(
        &mut self,
        name: &str,
        kind: InputType,
        count: usize,
        first: usize,
    ) -> Result<(), CircuitError> {
        let before: usize = self.circuit.inputs.iter().map(|input| input.count).sum();
        limit("wires of inputs", before.saturating_add(count), MAX_PORTS)?;
        limit("inputs", self.circuit.inputs.len() + 1, 1 << 12)?;
        take_name(&mut self.input_names, name)?;
        self.circuit.inputs.push(Input { name: name.into(), kind, count, first });
        Ok(())
    }

    fn check_bits(&self, wires: &[BitWire]) -> Result<(), CircuitError> {
        match wires.iter().find(|wire| wire.index() >= self.circuit.bits) {
            Some(wire) => Err(CircuitError::Wire(format!("{} of bits", wire.0))),
            None => Ok(()),
        }
    }

    fn bound(&self, wire: IntWire) -> Result<u128, CircuitError> {
        let bound = self.circuit.bounds.get(wire.index());
        let bound = bound.ok_or_else(|| CircuitError::Wire(format!("{} of integers", wire.0)));
        Ok((*bound?).into())
    }

    fn push(&mut self, gate: Gate) -> Result<(), CircuitError> {
        limit("gates", self.circuit.gates.len() + 1, MAX_GATES)?;
        self.circuit.gates.push(gate);
        Ok(())
    }

    fn bit_gate(&mut self, gate: Gate) -> Result<BitWire, CircuitError> {
        let wire = BitWire(self.circuit.bits as u32);
        self.push(gate)?;
        self.circuit.bits += 1;
        Ok(wire)
    }

    fn int_gate(&mut self, gate: Gate, bound: u128) -> Result<IntWire, CircuitError> {
        let bound = fitting(bound)?;
        let wire = IntWire(self.circuit.bounds.len() as u32);
        self.push(gate)?;
        self.circuit.bounds.push(bound);
        Ok(wire)
    }

    /// A public bit.
    pub fn bit(&mut self, value: bool) -> Result<BitWire, CircuitError> {
        self.bit_gate(Gate::Bit(value))
    }

    /// The sum modulo 2.
    pub fn xor(&mut self, a: BitWire, b: BitWire) -> Result<BitWire, CircuitError> {
        self.check_bits(&[a, b])?;
        self.bit_gate(Gate::Xor(a, b))
    }

    /// The product of bits.
    pub fn and(&mut self, a: BitWire, b: BitWire) -> Result<BitWire, CircuitError> {
        self.check_bits(&[a, b])?;
        self.bit_gate(Gate::And(a, b))
    }

    /// The other bit.
    pub fn not(&mut self, a: BitWire) -> Result<BitWire, CircuitError> {
        self.check_bits(&[a])?;
        self.bit_gate(Gate::Not(a))
    }

    /// A public integer.
    pub fn int(&mut self, value: i64) -> Result<IntWire, CircuitError> {
        self.int_gate(Gate::Int(value), value.unsigned_abs().into())
    }

    /// The sum.
    pub fn add(&mut self, a: IntWire, b: IntWire) -> Result<IntWire, CircuitError> {
        let bound = self.bound(a)? + self.bound(b)?;
        self.int_gate(Gate::Add(a, b), bound)
    }

    /// The difference.
    pub fn sub(&mut self, a: IntWire, b: IntWire) -> Result<IntWire, CircuitError> {
        let bound = self.bound(a)? + self.bound(b)?;
        self.int_gate(Gate::Sub(a, b), bound)
    }

    /// The sum with a public integer.
    pub fn shift(&mut self, a: IntWire, by: i64) -> Result<IntWire, CircuitError> {
        let bound = self.bound(a)? + u128::from(by.unsigned_abs());
        self.int_gate(Gate::Shift(a, by), bound)
    }

    /// The product with a public integer.
    pub fn scale(&mut self, a: IntWire, by: i64) -> Result<IntWire, CircuitError> {
        fitting(by.unsigned_abs().into())?;
        let bound = self.bound(a)? * u128::from(by.unsigned_abs());
        self.int_gate(Gate::Scale(a, by), bound)
    }

    /// The product.
    pub fn mul(&mut self, a: IntWire, b: IntWire) -> Result<IntWire, CircuitError> {
        let bound = self.bound(a)? * self.bound(b)?;
        self.int_gate(Gate::Mul(a, b), bound)
    }

    /// The sum of products, divided by `2^fraction` and rounded down.
    pub fn dot(&mut self, pairs: Vec<[IntWire; 2]>, fraction: u8) -> Result<IntWire, CircuitError> {
        self.operands += pairs.len();
        limit("operands", self.operands, MAX_OPERANDS)?;
        limit("bits of a fraction", fraction.into(), MAX_MAGNITUDE)?;
        let mut bound = 0;
        for [a, b] in &pairs {
            bound += self.bound(*a)? * self.bound(*b)?;
        }
        // The sum itself must not wrap around, either.
        let sum = fitting(bound)?;
        let pairs = pairs.into();
        self.int_gate(Gate::Dot { pairs, fraction }, sum.div_ceil(1 << fraction).into())
    }

    /// The integer that bits spell, lowest first.
    pub fn from_bits(&mut self, bits: Vec<BitWire>) -> Result<IntWire, CircuitError> {
        self.check_bits(&bits)?;
        limit("bits of an integer", bits.len(), MAX_MAGNITUDE)?;
        let bound = (1 << bits.len()) - 1;
        self.int_gate(Gate::FromBits(bits.into()), bound)
    }

    /// The bits of an integer, lowest first; claims that there are no more, and that it is not
    /// negative.
    pub fn to_bits(&mut self, a: IntWire, width: u8) -> Result<Vec<BitWire>, CircuitError> {
        self.bound(a)?;
        limit("bits of an integer", width.into(), MAX_MAGNITUDE)?;
        let first = self.circuit.bits;
        limit("wires", first + usize::from(width), MAX_WIRES)?;
        self.push(Gate::ToBits(a, width))?;
        self.circuit.bits += usize::from(width);
        Ok((first..self.circuit.bits).map(|wire| BitWire(wire as u32)).collect())
    }

    /// 1 for an integer that is not negative, else 0.
    pub fn non_negative(&mut self, a: IntWire) -> Result<IntWire, CircuitError> {
        self.bound(a)?;
        self.int_gate(Gate::NonNegative(a), 1)
    }

    /// 1 if `a < b`, else 0: whether `b - a - 1` is not negative.
    pub fn less(&mut self, a: IntWire, b: IntWire) -> Result<IntWire, CircuitError> {
        let difference = self.sub(b, a)?;
        let difference = self.shift(difference, -1)?;
        self.non_negative(difference)
    }

    /// The integer, or 0 if it is negative.
    pub fn relu(&mut self, a: IntWire) -> Result<IntWire, CircuitError> {
        let bound = self.bound(a)?;
        self.int_gate(Gate::Relu(a), bound)
    }

    /// The largest of some integers, and its place from 0.
    pub fn largest(&mut self, of: Vec<IntWire>) -> Result<[IntWire; 2], CircuitError> {
        self.operands += of.len();
        limit("operands", self.operands, MAX_OPERANDS)?;
        let bounds = of.iter().map(|wire| self.bound(*wire)).collect::<Result<Vec<_>, _>>()?;
        let largest = bounds.iter().copied().max();
        let bound = largest.ok_or(CircuitError::Syntax {
            expected: "one integer at least",
            found: "none".into(),
        })?;
        // The differences from the largest must fit.
        fitting(2 * bound)?;
        let place = bounds.len() as u64 - 1;
        let value = self.int_gate(Gate::Largest(of.into()), bound)?;
        self.circuit.bounds.push(place);
        Ok([value, IntWire(value.0 + 1)])
    }

    /// Claims that a bit is zero.
    pub fn assert_zero_bit(&mut self, a: BitWire) -> Result<(), CircuitError> {
        self.check_bits(&[a])?;
        self.push(Gate::ZeroBit(a))
    }

    /// Claims that an integer is zero.
    pub fn assert_zero(&mut self, a: IntWire) -> Result<(), CircuitError> {
        self.bound(a)?;
        self.push(Gate::Zero(a))
    }

    /// Shows wires to the verifier.
    ///
    /// # Errors
    /// [`CircuitError::Name`], [`CircuitError::Duplicate`], and those of gates.
    pub fn output(&mut self, name: &str, wires: Wires) -> Result<(), CircuitError> {
        match &wires {
            Wires::Bits(wires) => self.check_bits(wires)?,
            Wires::Ints(wires) => {
                wires.iter().try_for_each(|wire| self.bound(*wire).map(drop))?;
            }
        }
        self.output_wires += wires.len();
        limit("wires of outputs", self.output_wires, MAX_PORTS)?;
        if self.input_names.contains(name) {
            return Err(CircuitError::Duplicate(name.into()));
        }
        take_name(&mut self.output_names, name)?;
        self.circuit.outputs.push(Output { name: name.into(), wires });
        Ok(())
    }

    /// The circuit.
    pub fn finish(self) -> Circuit {
        self.circuit
    }
}
