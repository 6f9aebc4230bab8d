//! Circuits written in Rust: constraints and witness from one description.
//!
//! A [`Circuit`] tells a [`Synthesizer`] its wires and constraints, with the values of the wires at
//! hand. The same description makes the [`ConstraintSystem`] (which must not depend on the values)
//! and the witness, so that the two cannot disagree. Wires are numbered as circom numbers them, the
//! constant one, the outputs, the inputs, everything private, in whatever order they are allocated;
//! so a system can be written as `.r1cs`, a witness as `.wtns`.
//!
//! ```
//! use algebra::{Bn254, Scalar, ScalarOf};
//! use circuit::synthesis::{Circuit, Synthesizer};
//!
//! type S = ScalarOf<Bn254>;
//!
//! /// "I know x with x³ + x = y."
//! struct Cubic { x: u64 }
//!
//! impl Circuit<S> for Cubic {
//!     fn synthesize(&self, cs: &mut Synthesizer<S>) {
//!         let x = cs.private(S::from_u64(self.x));
//!         let square = cs.product(&x, &x);
//!         let cube = cs.product(&square, &x);
//!         cs.expose(&(&cube + &x));
//!     }
//! }
//!
//! let system = Cubic { x: 0 }.constraint_system();
//! assert_eq!((system.header().constraints, system.header().public()), (3, 1));
//! let witness = Cubic { x: 3 }.witness();
//! assert_eq!(witness[..3], [1, 30, 3].map(S::from_u64));
//! assert_eq!(system.first_unsatisfied(&witness), None);
//! ```
//!
//! # Why not `ark-relations` and `ark-r1cs-std`
//! They have no outputs among the public wires, and keep combinations unmerged until a second pass over the whole
//! system. Their gadgets need the traits of arkworks' fields, which no crate above `algebra` names. This module has the
//! parts of them that our circuits need.

mod linear;
mod synthesizer;
mod system;

pub use linear::{Linear, Wire};
pub use synthesizer::{Circuit, Synthesizer};
pub use system::ConstraintSystem;
