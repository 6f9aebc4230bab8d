//! Ballots and the proofs in them: honest ones, copied, altered, replayed and garbled ones.

mod exponents;
mod hostile;
mod proofs;
