//! The engine `db`: the traceable mixnet's own protocol.

#[cfg(feature = "gmp")]
pub mod paillier;
