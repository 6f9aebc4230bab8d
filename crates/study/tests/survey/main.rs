//! Pay surveys.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod surveyed;

mod exposure;
mod pay_survey;
mod rounds;
