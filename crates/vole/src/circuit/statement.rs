//! Statements: a circuit with the values that both parties know, and witnesses, the values of all
//! other inputs.

use std::{collections::BTreeMap, fmt, io::Write};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, Visitor},
};
use zeroize::{Zeroize, Zeroizing};

use super::{Circuit, CircuitError, InputType, Wires, Witness};

/// The value of an input or output, as a file gives it. Erased when dropped, since it may be secret.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// One integer; of bits, the number that they spell, lowest first.
    Int(i64),
    /// One integer for each wire; of bits, 0 and 1.
    List(Vec<i64>),
    /// Bits: the number that they spell, lowest first, in hexadecimal after `0x`.
    Hex(String),
}

impl Drop for Value {
    fn drop(&mut self) {
        match self {
            Self::Int(value) => value.zeroize(),
            Self::List(values) => values.zeroize(),
            Self::Hex(text) => text.zeroize(),
        }
    }
}

/// Values by the names of inputs and outputs.
pub type Assignments = BTreeMap<String, Value>;

/// Reads values from JSON. A name that is there twice is refused: of its two values readers could take either.
///
/// # Errors
/// Those of the JSON, with their place.
pub fn read_assignments(json: &[u8]) -> Result<Assignments, serde_json::Error> {
    serde_json::from_slice(json).map(|Unambiguous(values)| values)
}

/// Values whose names differ.
struct Unambiguous(Assignments);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ByName).map(Self)
    }
}

struct ByName;

impl<'de> Visitor<'de> for ByName {
    type Value = Assignments;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object from names to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Assignments, A::Error> {
        let mut values = Assignments::new();
        while let Some((name, value)) = members.next_entry::<String, Value>()? {
            if values.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the name `{name}` is there twice")));
            }
            values.insert(name, value);
        }
        Ok(values)
    }
}

impl Value {
    /// Of some bits, lowest first, each 0 or 1.
    pub fn of_bits(bits: &[i64]) -> Self {
        let digits = bits.chunks(4).rev().map(|nibble| {
            let value = nibble.iter().rev().fold(0, |value, bit| value << 1 | (bit & 1) as u32);
            // Four bits are one digit.
            char::from_digit(value, 16).unwrap_or('0')
        });
        Self::Hex(format!("0x{}", digits.collect::<String>()))
    }

    /// One value for each of `count` wires, which fit.
    fn resolve(
        &self,
        name: &str,
        kind: Option<InputType>,
        count: usize,
    ) -> Result<Vec<i64>, CircuitError> {
        let wrong = |reason: String| CircuitError::value(name, reason);
        let values = match (self, kind) {
            (Self::List(values), _) => values.clone(),
            (Self::Int(value), Some(InputType::Bits)) => spelled(*value, count)
                .ok_or_else(|| wrong(format!("{value} has not {count} bits")))?,
            (Self::Hex(text), Some(InputType::Bits)) => from_hex(text, count)
                .ok_or_else(|| wrong(format!("no hexadecimal number of {count} bits")))?,
            (Self::Int(value), _) => vec![*value],
            (Self::Hex(_), _) => return Err(wrong("a text stands for bits only".into())),
        };
        if values.len() != count {
            return Err(wrong(format!("values: {}, wires: {count}", values.len())));
        }
        let range = match kind {
            Some(InputType::Bits) => 0..2,
            Some(InputType::Ints { width }) => -(1i64 << (width - 1))..1 << (width - 1),
            None => -(1 << super::MAX_MAGNITUDE)..1 << super::MAX_MAGNITUDE,
        };
        match values.iter().find(|value| !range.contains::<i64>(value)) {
            Some(value) => Err(wrong(format!("{value} is not in {}..{}", range.start, range.end))),
            None => Ok(values),
        }
    }
}

fn spelled(value: i64, count: usize) -> Option<Vec<i64>> {
    let fits = value >= 0 && (count >= 63 || value >> count == 0);
    let bit = |place| if place < 63 { value >> place & 1 } else { 0 };
    fits.then(|| (0..count).map(bit).collect())
}

fn from_hex(text: &str, count: usize) -> Option<Vec<i64>> {
    let digits = text.strip_prefix("0x").filter(|digits| !digits.is_empty())?;
    let mut bits = Vec::new();
    for digit in digits.chars().rev() {
        let digit = i64::from(digit.to_digit(16)?);
        bits.extend((0..4).map(|place| digit >> place & 1));
    }
    // Fewer digits than bits have none beyond them.
    let more = bits.get(count..).unwrap_or_default();
    let fits = more.iter().all(|bit| *bit == 0);
    bits.resize(count, 0);
    fits.then_some(bits)
}

/// A circuit, and what both parties know of its inputs and outputs. The other inputs are the
/// prover's witness, and the other outputs are shown to the verifier.
pub struct Statement<'c> {
    pub(super) circuit: &'c Circuit,
    /// For each input, its values if they are public.
    pub(super) inputs: Vec<Option<Vec<i64>>>,
    /// For each output, the values that it is claimed to have, if any.
    pub(super) outputs: Vec<Option<Vec<i64>>>,
}

impl<'c> Statement<'c> {
    /// `public` are inputs that both parties know, and outputs that the prover claims.
    ///
    /// # Errors
    /// [`CircuitError::Value`] for names that the circuit has not, and values that do not fit.
    pub fn new(circuit: &'c Circuit, public: &Assignments) -> Result<Self, CircuitError> {
        let resolve = |name: &str, kind, count| {
            public.get(name).map(|value| value.resolve(name, kind, count)).transpose()
        };
        let inputs = circuit.inputs.iter();
        let inputs = inputs.map(|input| resolve(&input.name, Some(input.kind), input.count));
        let inputs: Vec<_> = inputs.collect::<Result<_, _>>()?;
        let outputs = circuit.outputs.iter().map(|output| {
            let kind = match output.wires {
                Wires::Bits(_) => Some(InputType::Bits),
                Wires::Ints(_) => None,
            };
            resolve(&output.name, kind, output.wires.len())
        });
        let outputs: Vec<_> = outputs.collect::<Result<_, _>>()?;
        let known = |name: &String| {
            circuit.inputs.iter().any(|input| input.name == *name)
                || circuit.outputs.iter().any(|output| output.name == *name)
        };
        match public.keys().find(|name| !known(name)) {
            Some(name) => Err(CircuitError::value(name, "the circuit has no such input or output")),
            None => Ok(Self { circuit, inputs, outputs }),
        }
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        self.circuit
    }

    /// What both parties must agree on, for [`crate::Prover::run`] and
    /// [`crate::Verifier::run`]: a digest of the circuit and of all public values.
    pub fn context(&self) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new_derive_key("subrosa vole circuit statement v1");
        // Names have no line breaks, and the circuit's text has its end: nothing is ambiguous.
        let written = writeln!(hasher, "{}end", self.circuit).and_then(|()| {
            let public = self.inputs.iter().chain(&self.outputs);
            public.into_iter().try_for_each(|values| writeln!(hasher, "{values:?}"))
        });
        debug_assert!(written.is_ok(), "a hasher takes everything");
        hasher.finalize().as_bytes().to_vec()
    }

    /// Evaluates the circuit. [`Witness::failure`] and [`Statement::contradiction`] tell whether the
    /// statement is true.
    ///
    /// # Errors
    /// [`CircuitError::Value`] for inputs that are missing, superfluous or do not fit.
    pub fn witness(&self, private: &Assignments) -> Result<Witness, CircuitError> {
        let inputs = self.circuit.inputs.iter();
        for (name, value) in private {
            let known = inputs.clone().zip(&self.inputs).find(|(input, _)| input.name == *name);
            let reason = match known {
                None => "the circuit has no such input",
                Some((_, Some(_))) => "it is public",
                Some((input, None)) => {
                    value.resolve(name, Some(input.kind), input.count)?;
                    continue;
                }
            };
            return Err(CircuitError::value(name, reason));
        }
        let mut own = Vec::new();
        for (input, public) in inputs.zip(&self.inputs) {
            let name = &input.name;
            own.push(match (public, private.get(name)) {
                (Some(_), _) => Vec::new(),
                (None, Some(value)) => value.resolve(name, Some(input.kind), input.count)?,
                (None, None) => return Err(CircuitError::value(name, "it is missing")),
            });
        }
        let own = Zeroizing::new(own);
        let all = self.inputs.iter().zip(own.iter());
        let all: Vec<&[i64]> =
            all.map(|(public, own)| public.as_ref().unwrap_or(own).as_slice()).collect();
        Ok(Witness::evaluate(self.circuit, &all))
    }

    /// The name of the first output that is not as claimed.
    pub fn contradiction(&self, witness: &Witness) -> Option<&str> {
        let mut outputs = self.circuit.outputs.iter().zip(&self.outputs);
        outputs
            .find(|(output, claimed)| {
                claimed.as_ref().is_some_and(|claimed| *claimed != witness.read(&output.wires))
            })
            .map(|(output, _)| output.name.as_str())
    }
}
