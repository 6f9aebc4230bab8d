//! The engine `db`: honest sessions, and every attack on it.

mod completeness;
mod dealing;
mod forged;
mod hashed;
mod linking;
mod marking;
mod mismatched;
mod once;
mod parties;
mod queriers;
mod records;
mod restored;
mod senders;
mod servers_in;
mod servers_out;
mod spoilt;
mod support;
