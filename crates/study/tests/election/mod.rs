//! Elections from the first entry to the bundle, honest and not.

mod admission;
mod classes;
mod ended;
mod honest;
mod hostile;
mod inquiry;
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
mod tracing;
mod tracing_claims;
mod tracing_db;
mod voters;
