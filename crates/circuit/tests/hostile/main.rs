//! Files damaged in every way that a file can be: each is refused by an error that names the place,
//! or says something else in its one canonical form.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod damage;
mod points;
#[path = "../common/rewrite.rs"]
mod rewrite;
mod samples;
