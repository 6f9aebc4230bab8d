//! A blocking client of a table's server, which verifies every answer before returning it.
//!
//! A [`Client`] is about one table, whose identifier its user pins. It checks everything that the server says: the
//! genesis hashes to the identifier; every answer is about a log that the operator and the table's quorum of witnesses
//! signed and that continues the last log seen ([`Client::remember`]); every proof is verified; rows and receipts are
//! compared with what was sent. If something does not hold, the result is [`ClientError::Refused`]. Two histories are
//! evidence.
//!
//! * [`api`]: the messages;
//! * [`Client::query`]: what a querier asks;
//! * [`User`]: what a user of the table asks, with its keys;
//! * [`Party`]: what auditors and witnesses ask, who verify for themselves;
//! * [`Client::ingest`], [`Client::seal`], ..: what a custodian's other programs do;
//! * [`logs`]: the logs of boards, behind their keepers, and witnesses of logs;
//! * [`stations`]: a station that takes sealed ballots;
//! * [`load`]: many users at once, to measure a server.
//!
//! ```no_run
//! use client::{Client, Options};
//!
//! # fn main() -> Result<(), client::ClientError> {
//! let options = Options::new("https://tables.example.org", "pay");
//! let options = options.with_token("..").with_roots(std::fs::read("roots.pem").unwrap_or_default());
//! let table = "7f..".parse().expect("the identifier that the operator published");
//! let mut client = Client::connect(&options, &table)?;
//! let answer = client.query("SELECT AVG(wage) FROM pay WHERE epoch = 1")?;
//! println!("{:?}", answer.rows); // verified
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod api;
mod connection;
mod custodian;
mod error;
pub mod load;
mod log;
pub mod logs;
mod party;
mod query;
pub mod stations;
mod user;
pub mod witnessed;

pub use self::{
    connection::Options,
    error::ClientError,
    log::Client,
    party::Party,
    query::VerifiedAnswer,
    user::{Present, User},
};
