//! Servers over HTTP. The only crate with an asynchronous runtime.
//!
//! * [`config`]: the one configuration file of a server;
//! * [`tables`]: the table server;
//! * [`http`]: connections, limits and problems, for every server;
//! * [`exclusive`]: states that one process at a time works on;
//! * [`folder`]: a table's folder on the disk, which the command line works on, too;
//! * [`logs`]: the keeper of a log, and a witness of logs;
//! * [`stations`]: a station that takes ballots from voters' devices;
//! * [`witness`]: the service that cosigns tables' logs;
//! * [`watch`]: the auditor that follows a table;
//! * [`sql`], a feature: rows from MySQL, MariaDB and PostgreSQL.
//!
//! # What the table server answers
//! Under `/v1/tables/{table}`, `{table}` being a name or an identifier. Messages: [`client::api`].
//!
//! | who | request | answer |
//! |---|---|---|
//! | anybody | `GET /health`, `GET /openapi.json`, `GET /v1/tables` | |
//! | | `GET ..` | the genesis, in its canonical form |
//! | | `GET ../epochs/{epoch}` | [`client::api::EpochInfo`] |
//! | | `GET ../log` | [`client::api::LogView`] |
//! | | `GET ../log/checkpoint`, `GET ../log/tile/..` | C2SP `tlog-tiles` |
//! | | `GET ../log/consistency?from=&to=` | [`client::api::Consistency`] |
//! | | `POST ../gossip` | a note; [`client::api::Gossip`], or 409 for another history |
//! | querier | `POST ../query` | [`client::api::QueryAnswer`] |
//! | user | `GET ../lookup?epoch=`, `GET ../absence?epoch=`, `GET ../erased?epoch=` | [`client::api::UserAnswer`] |
//! | | `GET ../keys?epoch=`, `POST ../keys?epoch=`, `GET ../receipts?epoch=` | [`client::api::Keys`], `Receipts` |
//! | auditor | `GET ../epochs/{epoch}/header`, `GET ../epochs/{epoch}/audit` | canonical bytes, in ranges |
//! | | `POST ../attestations` | a `table::log::Attestation`; [`client::api::Attested`] |
//! | witness | `GET ../log/growth?since=` | a `table::log::Growth`, also before it is cosigned |
//! | | `POST ../cosignatures` | a `table::log::Cosignature`; [`client::api::Cosigned`] |
//! | feeder | `POST ../rows`, with `Idempotency-Key` | [`client::api::RowsRequest`], `RowsAccepted` |
//! | | `POST ../epochs/{epoch}/pull` | [`client::api::PullRequest`], `RowsPulled` |
//! | registrar | `POST ../tokens` | [`client::api::TokenRequest`], `Token` |
//! | | `POST ../tokens/revoke` | [`client::api::RevokeRequest`], `Revoked` |
//! | custodian | `POST /v1/tables` | [`client::api::NewTable`] |
//! | | `POST ../epochs/{epoch}/seal` | 202; [`client::api::EpochInfo`] |
//! | | `GET ../queries?from=`, `POST ../rotate` | [`client::api::Questions`], `Rotated` |
//! | monitor | `GET /metrics` | Prometheus |
#![forbid(unsafe_code)]

pub mod config;
pub mod exclusive;
pub mod folder;
pub mod http;
pub mod logs;
#[cfg(feature = "sql")]
pub mod sql;
pub mod stations;
pub mod tables;
pub mod watch;
pub mod witness;
