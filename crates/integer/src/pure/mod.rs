//! Integers of any size by `dashu-int`, as `rug` has them: the same names for the same operations, so
//! that what is built on either runs on both. Powers of secrets are those of `crypto-bigint`.

mod integer;
mod operators;
mod primality;
mod ring;
mod small_primes;

pub(super) use self::{
    integer::{Complete, erase},
    ring::Ring,
};
pub use self::{
    integer::{Incomplete, Integer, Order},
    primality::IsPrime,
};
