//! Code that depends on the processor.

pub(crate) mod blocks;
pub(crate) mod clmul;
