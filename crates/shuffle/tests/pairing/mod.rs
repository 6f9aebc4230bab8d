//! The pairing-based shuffles, in one binary because generic pairings compile slowly.

mod ac16;
mod attacks;
mod completeness;
mod forgery;
mod hostile;
mod mutations;
mod support;
mod toy;
