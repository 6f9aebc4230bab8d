//! A blocking client of a table's server, which verifies every answer before returning it.
//!
//! * [`api`]: the messages.
#![forbid(unsafe_code)]

pub mod api;
