//! Files that snarkjs 0.7.6 and circom 2 made: read, written again, and the same bytes.
//!
//! Needs `node` and `npm`. The packages are installed once into the target directory, by name and
//! version, and the files are made once with them.

mod bellman;
mod circuit_files;
mod json;
mod ptau;
mod zkey;

use test_support::snarkjs as fixtures;
