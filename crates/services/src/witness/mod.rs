//! `subrosa table witness serve`: cosigns the logs of tables after checking that they only grew, and
//! tells everybody which log it saw last.
//!
//! | who | request | answer |
//! |---|---|---|
//! | anybody | `GET /health`, `GET /v1/witness` | the witness's public key, its tables |
//! | | `GET /v1/tables/{table}/log` | the log cosigned last, a `table::log::Growth` |
//! | | `POST /v1/tables/{table}/gossip`, a note | the same; 409 if the two are two histories |
//! | | `GET /v1/tables/{table}/evidence` | what convicts the table's operator |
//! | operator | `POST /v1/tables/{table}/log`, a `Growth` | a `table::log::Cosignature`; 409 as above |
//!
//! What was seen is stored before a cosignature leaves the process, so that a witness that is killed
//! never cosigns two histories. Where the configuration says so, it fetches the log from the table's
//! server, and takes its cosignatures there.

mod config;
mod follow;
mod keeper;
mod server;

pub(crate) use self::keeper::write_evidence;
pub use self::{
    config::{SAMPLE, WitnessConfig},
    keeper::{Keeper, Refusal},
    server::{router, serve},
};
