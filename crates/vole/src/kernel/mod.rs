//! Code that depends on the processor.

pub(crate) mod clmul;
