//! Who is at the other end of a connection.

use std::net::IpAddr;

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);
