//! Ends of channels that are connected here: to an address, and over TLS.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::{
    io,
    net::{TcpStream, ToSocketAddrs},
    time::{Duration, Instant},
};

use super::{
    Address, Channel, ChannelError, TlsClient, TlsServer,
    stream::{self, deadline_of},
};

impl Channel {
    /// The server's end of TLS over a connected TCP socket. Hands are shaken within the first
    /// frame's time-out.
    ///
    /// # Errors
    /// [`ChannelError::Io`] and [`ChannelError::Tls`] if the session cannot be set up.
    pub fn tls_server(socket: TcpStream, tls: &TlsServer) -> Result<Self, ChannelError> {
        socket.set_nodelay(true).map_err(ChannelError::Io)?;
        Ok(Self::new(tls.accept(socket)?))
    }

    /// The client's end of TLS over a TCP socket connected to `host`. Hands are shaken here,
    /// within `timeout`.
    ///
    /// # Errors
    /// [`ChannelError::Tls`] also for a server that is not trusted, [`ChannelError::TimedOut`],
    /// and those of the socket.
    pub fn tls_client(
        socket: TcpStream,
        host: &str,
        tls: &TlsClient,
        timeout: Duration,
    ) -> Result<Self, ChannelError> {
        socket.set_nodelay(true).map_err(ChannelError::Io)?;
        Ok(Self::new(tls.connect(socket, host, deadline_of(Some(timeout)))?))
    }

    /// Connects to a [`Listener`](crate::Listener) within `timeout` (name lookup aside). A `tls://` address needs
    /// the certificates to trust, and the others take none.
    ///
    /// # Errors
    /// [`ChannelError::Tls`] also for a server that is not trusted, [`ChannelError::TimedOut`],
    /// [`ChannelError::Io`].
    pub fn connect(
        address: &Address,
        tls: Option<&TlsClient>,
        timeout: Duration,
    ) -> Result<Self, ChannelError> {
        match (address, tls) {
            (Address::Tls { host, port }, Some(tls)) => {
                let deadline = deadline_of(Some(timeout));
                let socket = connect_tcp(host, *port, deadline)?;
                socket.set_nodelay(true).map_err(ChannelError::Io)?;
                Ok(Self::new(tls.connect(socket, host, deadline)?))
            }
            (Address::Tls { .. }, None) => {
                Err(ChannelError::tls("a tls:// address needs a certificate to trust"))
            }
            (_, Some(_)) => {
                Err(ChannelError::tls("a certificate was given for an address without TLS"))
            }
            (Address::Tcp { host, port }, None) => {
                Self::tcp(connect_tcp(host, *port, deadline_of(Some(timeout)))?)
            }
            #[cfg(unix)]
            (Address::Unix(path), None) => {
                Ok(Self::unix(UnixStream::connect(path).map_err(ChannelError::Io)?))
            }
            #[cfg(not(unix))]
            (Address::Unix(_), None) => Err(no_unix_sockets()),
        }
    }
}

/// Tries each address of the host in turn.
fn connect_tcp(
    host: &str,
    port: u16,
    deadline: Option<Instant>,
) -> Result<TcpStream, ChannelError> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, format!("`{host}` has no address"));
    for address in (host, port).to_socket_addrs().map_err(ChannelError::Io)? {
        let connected = match stream::left(deadline)? {
            Some(time) => TcpStream::connect_timeout(&address, time),
            None => TcpStream::connect(address),
        };
        match connected {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last.into())
}

#[cfg(not(unix))]
pub(super) fn no_unix_sockets() -> ChannelError {
    ChannelError::Io(io::Error::new(io::ErrorKind::Unsupported, "no UNIX sockets here"))
}
