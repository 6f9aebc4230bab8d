//! `subrosa log serve` and `subrosa log witness`: the keeper of a log over HTTP, and a witness of logs.
//!
//! | who | request | answer |
//! |---|---|---|
//! | anybody | `GET /health`, `GET /key` | the key by which the log is known |
//! | | `GET /checkpoint`, `GET /tile/..` | C2SP `tlog-tiles` |
//! | | `GET /v1/leaves?from=&limit=` | a count (u32) and leaves |
//! | | `GET /v1/consistency?from=&to=` | a proof |
//! | | `GET /v1/news?beyond=&seconds=` | 200 when the log has more than so many leaves, or 204 |
//! | | `GET /v1/entries/{entry}` | where an entry stands |
//! | | `GET /v1/entries/{entry}/payload?from=` | a part of its payload |
//! | author | `POST /v1/headers`, a header | where the entry stands, or 202 and a seat |
//! | | `PUT /v1/entries/{entry}?seat=`, the payload | where the entry stands |
//!
//! An entry comes in two steps. Its header, of at most 345 bytes, decides whether the payload may come, and whose quota
//! it uses. A promise is sent when entry and promise are stored durably.
//!
//! A witness answers `POST /add-checkpoint` as C2SP `tlog-witness` says, and under
//! `GET /v1/logs/{digest of the origin}/checkpoint` and `/evidence` what it saw last and what convicts
//! the keeper.

mod config;
mod cosign;
mod cosigner;
mod observe;
mod read;
mod server;
mod state;
mod witness;
mod write;

pub use self::{
    config::{ADMISSION_SAMPLE, KeeperConfig, WitnessLogsConfig},
    server::serve,
    state::{Rules, State},
    witness::{LogWitness, serve as serve_witness},
};
