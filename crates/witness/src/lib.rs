//! Witnesses of circom's circuits: circom writes a program in WebAssembly beside the constraints, which
//! computes all wires from the inputs. This crate runs it in an interpreter, without Node.
//!
//! The program is somebody else's code. It can reach only its own memory and four functions that take its messages, and
//! it ends when it has used up its [`Limits`]. Nobody trusts its results: the wires are reduced scalars, or there is an
//! error, and the prover checks whether they satisfy the circuit.
//!
//! The interface is that of circom 2 (`code_producers/src/wasm_elements` in its sources), and the wires are
//! those that snarkjs gets.
//!
//! # Secrets
//! Computations with inputs and wires take variable time. The memory of the program is erased if the program exports
//! it. Dropped inputs and wires are erased, too. Three things are not erased: the interpreter's stack, copies that the
//! reader of JSON makes, and the texts of [`Error`], which quote no value.
#![forbid(unsafe_code)]

mod error;
mod host;
mod inputs;
mod limits;
mod program;

pub use error::Error;
pub use limits::Limits;
pub use program::Program;
