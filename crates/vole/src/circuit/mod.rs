//! Circuits over bits and integers: what a session proves of a witness.
//!
//! 1. A [`Circuit`] is a list of gates, each of which reads earlier wires. It comes from a
//!    [`Builder`], from a file ([`Circuit::from_bristol`], [`Circuit::from_text`]) or from a neural
//!    network ([`Network`]).
//! 2. A [`Statement`] is a circuit and what both parties know: values of some inputs and outputs.
//! 3. The prover evaluates it on the other inputs: [`Statement::witness`].
//! 4. Both parties walk through the gates in the same way: [`Statement::run`]. Sums and public
//!    factors are free; a product costs a commitment and a claim; what depends on the bits of an
//!    integer costs a decomposition.
//!
//! An integer wire carries a public bound on its size, which follows from the circuit alone. A
//! circuit in which an integer might reach 2^59 is refused, so that nothing ever wraps around modulo
//! p, and a wire's value is the same in the integers. A fixed-point number is an integer too: its
//! scale is in the gates that multiply ([`Gate::Dot`]).
//!
//! ```
//! use vole::circuit::{Circuit, Statement, Value};
//! use vole::{ParameterSet, Prover, Verifier};
//! # use rand_core::SeedableRng;
//! # let mut rngs = [1, 2].map(rand_chacha::ChaCha20Rng::seed_from_u64);
//! # let [prover_rng, verifier_rng] = &mut rngs;
//!
//! let circuit = Circuit::from_text("\
//! subrosa-circuit 1
//! input income int 32
//! input limit int 32
//! enough = less limit income
//! output enough enough
//! ")?;
//! let public = [("limit".into(), Value::Int(30_000)), ("enough".into(), Value::Int(1))];
//! let statement = Statement::new(&circuit, &public.into())?;
//! let witness = statement.witness(&[("income".into(), Value::Int(41_250))].into())?;
//! assert_eq!(witness.failure(), None);
//!
//! let (mut left, mut right) = wire::Channel::pair();
//! let set = ParameterSet::default();
//! let context = statement.context();
//! std::thread::scope(|scope| {
//!     let (statement, context) = (&statement, &context);
//!     let prover = scope.spawn(move || {
//!         Prover::run(&mut left, set, context, prover_rng, |prover| {
//!             statement.run(prover, Some(&witness))
//!         })
//!     });
//!     let outputs = Verifier::run(&mut right, set, context, verifier_rng, |verifier| {
//!         statement.run(verifier, None)
//!     })?;
//!     assert_eq!(outputs["enough"], [1]);
//!     prover.join().unwrap()
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bristol;
mod builder;
#[cfg(test)]
mod chunks;
mod claim;
mod demand;
mod error;
mod evaluate;
mod lines;
mod network;
mod party;
mod print;
mod prove;
mod statement;
mod text;

pub use builder::Builder;
pub use claim::{Accepted, CLAIM_KIND, Circumstances, NOTICE, Subject, VerdictVerifier};
pub use error::{CircuitError, ReadError};
pub use evaluate::Witness;
pub use network::{Layer, Network};
pub use party::{Party, Proven};
pub use statement::{Assignments, Statement, Value, read_assignments};

/// The most gates of a circuit.
pub const MAX_GATES: usize = 1 << 24;
/// The most wires that inputs make up, or that outputs name.
pub const MAX_PORTS: usize = 1 << 20;
/// Integers are smaller than `2^MAX_MAGNITUDE` in size, so that their sums with it fit
/// [`crate::MAX_WIDTH`] bits.
pub const MAX_MAGNITUDE: usize = crate::MAX_WIDTH - 1;

/// A wire that carries a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitWire(u32);

/// A wire that carries an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntWire(u32);

impl BitWire {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl IntWire {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What computes wires from earlier ones. All but the claims make wires, numbered in the order of
/// the gates, bits and integers apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gate {
    /// A public bit.
    Bit(bool),
    /// The sum modulo 2.
    Xor(BitWire, BitWire),
    /// The product of bits. One committed bit, one claim.
    And(BitWire, BitWire),
    /// The other bit.
    Not(BitWire),
    /// A public integer.
    Int(i64),
    /// The sum.
    Add(IntWire, IntWire),
    /// The difference.
    Sub(IntWire, IntWire),
    /// The sum with a public integer.
    Shift(IntWire, i64),
    /// The product with a public integer.
    Scale(IntWire, i64),
    /// The product. One committed value, one claim.
    Mul(IntWire, IntWire),
    /// The sum of products, divided by `2^fraction` and rounded down. One committed value; a
    /// decomposition unless the fraction is 0.
    Dot {
        /// The factors.
        pairs: Box<[[IntWire; 2]]>,
        /// log2 of the divisor.
        fraction: u8,
    },
    /// The integer that bits spell, lowest first. One committed value, one decomposition.
    FromBits(Box<[BitWire]>),
    /// The bits of an integer, lowest first; claims that there are no more, and that it is not
    /// negative. One committed bit for each, one decomposition.
    ToBits(IntWire, u8),
    /// 1 for an integer that is not negative, else 0. One committed value, one decomposition.
    NonNegative(IntWire),
    /// The integer, or 0 if it is negative. Two committed values, one decomposition.
    Relu(IntWire),
    /// The largest of some integers, and its place from 0. If several are largest, the place is any
    /// one of theirs, as the prover likes. A decomposition for each integer.
    Largest(Box<[IntWire]>),
    /// Claims that a bit is zero.
    ZeroBit(BitWire),
    /// Claims that an integer is zero.
    Zero(IntWire),
}

impl Gate {
    /// Wires that it makes: bits and integers.
    fn makes(&self) -> [usize; 2] {
        match self {
            Self::Bit(_) | Self::Xor(..) | Self::And(..) | Self::Not(_) => [1, 0],
            Self::ToBits(_, width) => [usize::from(*width), 0],
            Self::Largest(_) => [0, 2],
            Self::ZeroBit(_) | Self::Zero(_) => [0, 0],
            _ => [0, 1],
        }
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputType {
    /// Bits.
    Bits,
    /// Integers of so many bits, the sign among them: `-2^(width - 1)..2^(width - 1)`.
    Ints {
        /// Bits of each.
        width: u8,
    },
}

/// A named list of wires that are given from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name.
    pub name: String,
    /// What the wires carry.
    pub kind: InputType,
    /// How many wires.
    pub count: usize,
    first: usize,
}

/// Wires of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wires {
    /// Bits.
    Bits(Vec<BitWire>),
    /// Integers.
    Ints(Vec<IntWire>),
}

impl Wires {
    fn len(&self) -> usize {
        match self {
            Self::Bits(wires) => wires.len(),
            Self::Ints(wires) => wires.len(),
        }
    }
}

/// A named list of wires that the verifier learns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name.
    pub name: String,
    /// The wires.
    pub wires: Wires,
}

/// A list of gates whose wires exist and whose integers fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    inputs: Vec<Input>,
    gates: Vec<Gate>,
    outputs: Vec<Output>,
    /// Wires that carry bits.
    bits: usize,
    /// For each integer wire, what its size does not exceed.
    bounds: Vec<u64>,
}

/// How large a circuit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Gates, claims among them.
    pub gates: usize,
    /// Products of bits.
    pub ands: usize,
    /// Products of integers, those in sums of products among them.
    pub products: usize,
    /// Integers taken apart into bits.
    pub decompositions: usize,
}

impl Circuit {
    /// The inputs, in their order.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The gates, in their order.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The outputs, in their order.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let mut size = Size { gates: self.gates.len(), ..Size::default() };
        for gate in &self.gates {
            match gate {
                Gate::And(..) => size.ands += 1,
                Gate::Mul(..) => size.products += 1,
                Gate::Dot { pairs, fraction } => {
                    size.products += pairs.len();
                    size.decompositions += usize::from(*fraction > 0);
                }
                Gate::FromBits(_) | Gate::ToBits(..) | Gate::NonNegative(_) => {
                    size.decompositions += 1;
                }
                Gate::Relu(_) => {
                    size.products += 1;
                    size.decompositions += 1;
                }
                Gate::Largest(of) => {
                    size.products += 2 * of.len();
                    size.decompositions += of.len();
                }
                _ => {}
            }
        }
        size
    }

    fn bound(&self, wire: IntWire) -> u64 {
        // Every wire of a circuit has a bound.
        self.bounds.get(wire.index()).copied().unwrap_or(0)
    }
}
