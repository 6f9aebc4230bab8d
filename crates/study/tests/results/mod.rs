//! What an election publishes: ballots read, counted, described, shown.

mod classes;
mod count;
mod description;
mod format;
mod layout;
mod preferences;
mod questions;
mod report;
