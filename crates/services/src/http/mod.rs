//! What every server over HTTP needs: connections with limits, answers to whatever is wrong, and a
//! bounded way from the asynchronous runtime to threads that compute.

mod extract;
mod gate;
mod limits;
mod listener;
mod metrics;
mod problem;
mod ranges;
mod unread;

pub use self::{
    extract::{Json, Limited, Params, Raw, path},
    gate::Gate,
    limits::Buckets,
    listener::{Listener, Peer, ServeError},
    metrics::Metrics,
    problem::{Cause, Problem},
    ranges::Range,
    unread::take_unread,
};
