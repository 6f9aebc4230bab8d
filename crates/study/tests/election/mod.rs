//! Elections from the first entry to the bundle, honest and not.

mod admission;
mod classes;
mod ended;
mod honest;
mod hostile;
pub mod inquiry;
mod listed;
mod logged;
mod logged_claims;
mod misbehaviour;
mod resuming;
mod scheduled;
mod sealing;
mod stations;
mod tampered_boards;
mod tampered_files;
mod tampering;
pub mod tracing;
pub mod tracing_claims;
pub mod tracing_db;
mod voters;
