//! Waiting for peers, and being stopped from another thread.

#[cfg(unix)]
use std::{
    fs,
    os::unix::{
        fs::FileTypeExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{Address, Channel, ChannelError, TlsServer};

/// Waits for peers at an [`Address`].
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
    tls: Option<TlsServer>,
    stopped: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

/// Ends a [`Listener`] from another thread.
#[derive(Clone, Debug)]
pub struct ListenerStop {
    wake: Wake,
    stopped: Arc<AtomicBool>,
}

#[derive(Clone, Debug)]
enum Wake {
    Tcp(SocketAddr),
    #[cfg(unix)]
    Unix(PathBuf),
}

impl Listener {
    /// Listens at `address`. A `tls://` address needs a certificate, and the others take none.
    /// The socket file that a dead process left at a `unix://` address is replaced.
    ///
    /// # Errors
    /// [`ChannelError::Tls`] for a certificate missing or out of place; [`ChannelError::Io`].
    pub fn bind(address: &Address, tls: Option<&TlsServer>) -> Result<Self, ChannelError> {
        let is_tls = matches!(address, Address::Tls { .. });
        if is_tls != tls.is_some() {
            return Err(ChannelError::tls(match is_tls {
                true => "a tls:// listener needs a certificate and its key",
                false => "a certificate was given for an address without TLS",
            }));
        }
        let mut address = address.clone();
        let socket = match &mut address {
            Address::Tcp { host, port } | Address::Tls { host, port } => {
                let listener = TcpListener::bind((host.as_str(), *port))?;
                *port = listener.local_addr()?.port();
                Socket::Tcp(listener)
            }
            #[cfg(unix)]
            Address::Unix(path) => Socket::Unix(bind_unix(path)?),
            #[cfg(not(unix))]
            Address::Unix(_) => return Err(super::connect::no_unix_sockets()),
        };
        Ok(Self { socket, address, tls: tls.cloned(), stopped: Arc::default() })
    }

    /// Where it listens, with the port that was chosen for port 0.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The next peer's channel. TLS shakes hands within the first frame's time-out, so that a
    /// silent peer holds up its own thread only.
    ///
    /// # Errors
    /// [`ChannelError::Closed`] once stopped; others concern one peer, and the next may do better.
    pub fn accept(&self) -> Result<Channel, ChannelError> {
        match &self.socket {
            Socket::Tcp(listener) => {
                let peer = self.unless_stopped(|| listener.accept())?;
                match &self.tls {
                    Some(tls) => Channel::tls_server(peer, tls),
                    None => Channel::tcp(peer),
                }
            }
            #[cfg(unix)]
            Socket::Unix(listener) => Ok(Channel::unix(self.unless_stopped(|| listener.accept())?)),
        }
    }

    /// A handle that ends [`Listener::accept`], now and later.
    ///
    /// # Errors
    /// [`ChannelError::Io`].
    pub fn stopper(&self) -> Result<ListenerStop, ChannelError> {
        let wake = match &self.socket {
            Socket::Tcp(listener) => Wake::Tcp(reachable(listener.local_addr()?)),
            #[cfg(unix)]
            Socket::Unix(_) => match &self.address {
                Address::Unix(path) => Wake::Unix(path.clone()),
                _ => return Err(ChannelError::Closed),
            },
        };
        Ok(ListenerStop { wake, stopped: self.stopped.clone() })
    }

    fn unless_stopped<T, A>(
        &self,
        accept: impl FnOnce() -> io::Result<(T, A)>,
    ) -> Result<T, ChannelError> {
        let stopped = || self.stopped.load(Ordering::SeqCst);
        let accepted = if stopped() { None } else { Some(accept()) };
        match accepted {
            // One peer's reset must not look like the listener's end.
            Some(accepted) if !stopped() => Ok(accepted.map_err(ChannelError::Io)?.0),
            // Stopped; the peer, if any, is the one that `stop` sent to wake us.
            _ => Err(ChannelError::Closed),
        }
    }
}

#[cfg(unix)]
impl Drop for Listener {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address {
            // The next listener replaces a leftover.
            let _ = fs::remove_file(path);
        }
    }
}

impl ListenerStop {
    /// Makes the listener's `accept` return [`ChannelError::Closed`].
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // A blocked `accept` wakes by a connection; if none can be made, none is waiting.
        match &self.wake {
            Wake::Tcp(address) => {
                let _ = TcpStream::connect_timeout(address, Duration::from_secs(1));
            }
            #[cfg(unix)]
            Wake::Unix(path) => {
                let _ = UnixStream::connect(path);
            }
        }
    }
}

/// One listens at the unspecified address, and connects to the loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(unix)]
fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale(path) => {
            fs::remove_file(path)?;
            UnixListener::bind(path)
        }
        outcome => outcome,
    }
}

#[cfg(unix)]
fn is_stale(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    is_socket && UnixStream::connect(path).is_err_and(refused)
}
