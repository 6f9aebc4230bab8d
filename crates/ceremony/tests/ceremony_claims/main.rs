//! Ceremonies as claims in bundles, and everything that is wrong with others.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod attacks;
mod bundles;
mod support;
