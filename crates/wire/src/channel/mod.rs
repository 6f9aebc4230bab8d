//! Frames between two parties.

mod address;
#[cfg(feature = "net")]
mod connect;
mod error;
mod frames;
#[cfg(feature = "net")]
mod listener;
mod memory;
#[cfg(feature = "net")]
mod pinned;
mod stream;
#[cfg(feature = "net")]
mod tls;

pub use self::{
    address::{Address, AddressError},
    error::ChannelError,
    frames::Channel,
};
#[cfg(feature = "net")]
pub use self::{
    listener::{Listener, ListenerStop},
    tls::{TlsClient, TlsServer},
};
