//! Addresses of peers: TCP, TLS and UNIX sockets.

use std::{
    fmt,
    net::Ipv6Addr,
    path::{Path, PathBuf},
    str::FromStr,
};

use thiserror::Error;

/// Where a peer listens: `tcp://host:port`, `tls://host:port` or `unix:///path`.
///
/// ```
/// let address: wire::Address = "tls://mixer.example:7000".parse().unwrap();
/// assert_eq!(address.to_string(), "tls://mixer.example:7000");
/// let error = "mixer.example:7000".parse::<wire::Address>().unwrap_err();
/// assert!(error.to_string().contains("tcp://host:port"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// TCP, in the clear.
    Tcp {
        /// A name, an IPv4 address, or an IPv6 address without its brackets.
        host: String,
        /// The port; 0 lets a listener choose.
        port: u16,
    },
    /// TLS over TCP.
    Tls {
        /// As for TCP; the name that the server's certificate must carry.
        host: String,
        /// The port; 0 lets a listener choose.
        port: u16,
    },
    /// A UNIX socket.
    Unix(PathBuf),
}

/// Why a text is not an [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("address `{text}`: {reason}; write tcp://host:port, tls://host:port or unix:///path")]
pub struct AddressError {
    text: String,
    reason: &'static str,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        parse(text).map_err(|reason| AddressError { text: text.to_owned(), reason })
    }
}

fn parse(text: &str) -> Result<Address, &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or("it has no scheme")?;
    match scheme {
        "tcp" => parse_host(rest).map(|(host, port)| Address::Tcp { host, port }),
        "tls" => parse_host(rest).map(|(host, port)| Address::Tls { host, port }),
        "unix" if rest.contains('\0') => Err("the path has a zero byte"),
        "unix" if rest.len() < 2 || !rest.starts_with('/') => Err("the path is not absolute"),
        "unix" => Ok(Address::Unix(Path::new(rest).to_owned())),
        _ => Err("its scheme is unknown"),
    }
}

fn parse_host(text: &str) -> Result<(String, u16), &'static str> {
    let (host, port) = text.rsplit_once(':').ok_or("it has no port")?;
    // `u16::from_str` would take a sign.
    let port = Some(port).filter(|port| port.bytes().all(|c| c.is_ascii_digit()));
    let port = port.and_then(|port| port.parse().ok()).ok_or("the port is not in 0..=65535")?;
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        inner.parse::<Ipv6Addr>().map_err(|_| "the brackets hold no IPv6 address")?;
        return Ok((inner.to_owned(), port));
    }
    let is_name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'_');
    match host.bytes().all(is_name) && (1..=253).contains(&host.len()) {
        true => Ok((host.to_owned(), port)),
        false if host.contains(':') => Err("an IPv6 address needs brackets, as in [::1]:7000"),
        false => Err("the host is no name and no IP address"),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, host, port) = match self {
            Self::Tcp { host, port } => ("tcp", host, port),
            Self::Tls { host, port } => ("tls", host, port),
            Self::Unix(path) => return write!(f, "unix://{}", path.display()),
        };
        match host.contains(':') {
            true => write!(f, "{scheme}://[{host}]:{port}"),
            false => write!(f, "{scheme}://{host}:{port}"),
        }
    }
}
