//! The text of a circuit, with every wire under its number.

use std::fmt::{Display, Formatter, Result};

use super::{BitWire, Circuit, Gate, InputType, IntWire, Wires};

/// Runs of consecutive wires.
fn list(f: &mut Formatter<'_>, kind: char, wires: impl Iterator<Item = u32>) -> Result {
    let mut wires = wires.peekable();
    while let Some(first) = wires.next() {
        let mut end = first + 1;
        while wires.next_if_eq(&end).is_some() {
            end += 1;
        }
        match end - first {
            1 => write!(f, " ${kind}{first}")?,
            _ => write!(f, " ${kind}{first}..{end}")?,
        }
    }
    Ok(())
}

impl Display for BitWire {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "$b{}", self.0)
    }
}

impl Display for IntWire {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "$i{}", self.0)
    }
}

impl Display for Gate {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Bit(value) => write!(f, "bit {}", u8::from(*value)),
            Self::Xor(a, b) => write!(f, "xor {a} {b}"),
            Self::And(a, b) => write!(f, "and {a} {b}"),
            Self::Not(a) => write!(f, "not {a}"),
            Self::Int(value) => write!(f, "int {value}"),
            Self::Add(a, b) => write!(f, "add {a} {b}"),
            Self::Sub(a, b) => write!(f, "sub {a} {b}"),
            Self::Shift(a, by) => write!(f, "shift {a} {by}"),
            Self::Scale(a, by) => write!(f, "scale {a} {by}"),
            Self::Mul(a, b) => write!(f, "mul {a} {b}"),
            Self::Dot { pairs, fraction } => {
                write!(f, "dot {fraction}")?;
                list(f, 'i', pairs.iter().map(|[a, _]| a.0))?;
                write!(f, " :")?;
                list(f, 'i', pairs.iter().map(|[_, b]| b.0))
            }
            Self::FromBits(bits) => {
                write!(f, "from_bits")?;
                list(f, 'b', bits.iter().map(|bit| bit.0))
            }
            Self::ToBits(a, width) => write!(f, "to_bits {width} {a}"),
            Self::NonNegative(a) => write!(f, "non_negative {a}"),
            Self::Relu(a) => write!(f, "relu {a}"),
            Self::Largest(of) => {
                write!(f, "largest")?;
                list(f, 'i', of.iter().map(|wire| wire.0))
            }
            Self::ZeroBit(a) => write!(f, "assert_zero {a}"),
            Self::Zero(a) => write!(f, "assert_zero {a}"),
        }
    }
}

/// In the format that [`Circuit::from_text`] reads: reading it gives the same circuit.
impl Display for Circuit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "{}", super::text::HEADER)?;
        for input in &self.inputs {
            match input.kind {
                InputType::Bits => writeln!(f, "input {} bits {}", input.name, input.count)?,
                InputType::Ints { width } => {
                    writeln!(f, "input {} int {width} {}", input.name, input.count)?;
                }
            }
        }
        for gate in &self.gates {
            writeln!(f, "{gate}")?;
        }
        for output in &self.outputs {
            write!(f, "output {}", output.name)?;
            match &output.wires {
                Wires::Bits(wires) => list(f, 'b', wires.iter().map(|wire| wire.0))?,
                Wires::Ints(wires) => list(f, 'i', wires.iter().map(|wire| wire.0))?,
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
