//! Transparent tables.
#![forbid(unsafe_code)]

// The tests' tables are those of the integration tests, which name the crate.
#[cfg(test)]
extern crate self as table;

pub mod audit;
pub mod claims;
mod commitment;
mod epoch;
mod error;
mod hash;
mod keys;
pub mod log;
mod lookup;
mod matrix;
pub mod query;
mod range;
mod row;
mod schema;
mod signing;
pub mod store;
pub mod sum_tree;
pub mod trie;

pub use commitment::Encoded;
pub use epoch::{
    AuxRecord, BuiltColumn, BuiltEpoch, ColumnRoots, Entry, EpochCore, EpochHeader, KeyTree,
    Ranked, Table, hash_aux,
};
pub use error::{BuildError, Fault};
pub use hash::Hash;
pub use keys::{TableKeys, UserKeys};
pub use lookup::{AbsenceProof, LightLookup, Lookup};
pub use row::{Leaf, Place, Row, Slot};
pub use schema::{
    Fraction, Genesis, OrderProof, Policy, Schema, SchemaError, TypeColumn, TypeKind, ValueColumn,
};
pub use signing::PublicKey;
