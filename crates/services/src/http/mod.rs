//! What every server over HTTP needs: connections with limits, answers to whatever is wrong, and a
//! bounded way from the asynchronous runtime to threads that compute.

mod accesses;
mod connection;
mod connections;
mod extract;
mod gate;
mod limits;
mod listener;
mod metered;
mod metrics;
mod peer;
mod problem;
mod process;
mod ranges;
mod unread;

pub use self::{
    accesses::Accesses,
    connections::{Counts, network},
    extract::{Json, Limited, Params, Raw, path},
    gate::Gate,
    limits::Buckets,
    listener::{Listener, ServeError, Tuning},
    metered::{Metered, metered, unrouted},
    metrics::Metrics,
    peer::Peer,
    problem::{Cause, Problem, Reason},
    process::{Hangup, run, stop_signal},
    ranges::Range,
    unread::take_unread,
};
