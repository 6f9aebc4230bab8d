//! A store behind a [`wire::Channel`].

mod client;
mod message;
mod server;

pub use self::{
    client::RemoteStore,
    server::{Limits, serve, serve_with},
};
