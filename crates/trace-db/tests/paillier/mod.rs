//! The Paillier side of the engine `db`, over a modulus of test size.

mod attacks;
mod completeness;
mod mutation;
mod sharing;
mod support;
