//! Placeholder.
#![forbid(unsafe_code)]

pub mod count;
pub mod description;
pub mod election;
pub mod preferences;
pub mod report;
