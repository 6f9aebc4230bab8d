//! Groth16, alone and together with snarkjs 0.7.6.
//!
//! Needs `node` and `npm`: the packages and files are those of the tests of the room `circuit`,
//! installed and made once per target directory, as are solc, ethereumjs and, where there is Go, gnark-crypto.

mod completeness;
mod encodings;
mod evm;
mod snarkjs;
mod soundness;
mod support;

use test_support::snarkjs as fixtures;
