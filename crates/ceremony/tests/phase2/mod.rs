//! Phase 2, alone and together with snarkjs 0.7.6.
//!
//! Needs `node` and `npm`: the packages and the first files are those of the tests of the room
//! `circuit`, installed and made once per target directory.

mod alterations;
mod attacks;
mod exchange;
mod guards;
mod large;
mod oracle;
mod snarkjs;
mod support;

use test_support::{histories, snarkjs as fixtures};
