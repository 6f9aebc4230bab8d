//! Witnesses of circom's circuits: circom writes a program in WebAssembly beside the constraints, which
//! computes all wires from the inputs. This crate runs it in an interpreter, without Node.
//!
//! The program is somebody else's. It reaches nothing but its own memory and four functions that take its
//! messages, and ends when it has used up its [`Limits`]. What it says is believed nowhere: the wires are
//! scalars, reduced, or an error, and whether they satisfy the circuit is for the prover to see.
//!
//! The interface is that of circom 2 (`code_producers/src/wasm_elements` in its sources), and the wires are
//! those that snarkjs gets.
//!
//! # Secrets
//! Inputs and wires are computed with in variable time. The memory of the program is erased, if it exports
//! it, and so are inputs and wires that are dropped. Not erased are the interpreter's stack, what the reader of JSON
//! copies while it reads, and the texts of [`Error`], which quote no value.
#![forbid(unsafe_code)]

mod error;
mod host;
mod inputs;
mod limits;
mod program;

pub use error::Error;
pub use limits::Limits;
pub use program::Program;
