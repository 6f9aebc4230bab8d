//! TLS 1.3 between parties that know each other's certificates: no web PKI, no process-wide state.

use std::{fmt, io, net::TcpStream, sync::Arc, time::Instant};

use rustls::{
    ClientConfig, ClientConnection, ServerConfig, ServerConnection, SideData, StreamOwned,
    client::Resumption,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    version::TLS13,
};

use super::{
    ChannelError,
    pinned::Pinned,
    stream::{Stream, Timed},
};

/// The exporter of RFC 9266: what both ends of a connection derive, and nobody between two of them.
const BINDING: &[u8] = b"EXPORTER-Channel-Binding";

/// The certificate and key that a listener shows.
#[derive(Clone)]
pub struct TlsServer(Arc<ServerConfig>);

/// The certificates that a connecting party trusts, and nothing else.
#[derive(Clone)]
pub struct TlsClient(Arc<ClientConfig>);

impl TlsServer {
    /// Takes a certificate chain (the server's own first) and its private key, both in PEM.
    ///
    /// # Errors
    /// [`ChannelError::Tls`] if either is unreadable or they do not belong together.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, ChannelError> {
        Self::build(chain, key, None)
    }

    /// As [`TlsServer::from_pem`], and only clients are let in that show one of the certificates in
    /// the PEM text `clients`, or a chain that one of these signs.
    ///
    /// # Errors
    /// Those of [`TlsServer::from_pem`], also for `clients`.
    pub fn for_clients(chain: &[u8], key: &[u8], clients: &[u8]) -> Result<Self, ChannelError> {
        Self::build(chain, key, Some(clients))
    }

    fn build(chain: &[u8], key: &[u8], clients: Option<&[u8]>) -> Result<Self, ChannelError> {
        let (chain, key) = identity(chain, key)?;
        let config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&TLS13])
            .map_err(ChannelError::tls)?;
        let config = match clients {
            None => config.with_no_client_auth(),
            Some(clients) => {
                let pinned = Pinned::clients(certificates(clients)?, &provider())?;
                config.with_client_cert_verifier(Arc::new(pinned))
            }
        };
        let mut config = config.with_single_cert(chain, key).map_err(ChannelError::tls)?;
        config.send_tls13_tickets = 0;
        Ok(Self(Arc::new(config)))
    }

    pub(super) fn accept(&self, socket: TcpStream) -> Result<Box<dyn Stream>, ChannelError> {
        let connection = ServerConnection::new(self.0.clone()).map_err(ChannelError::tls)?;
        Ok(Box::new(StreamOwned::new(connection, Timed::new(socket))))
    }
}

impl TlsClient {
    /// Trusts the certificates in a PEM text, each in two ways: the server may show that very
    /// certificate (then neither its names nor its dates matter: it is pinned), or a chain that
    /// the certificate signs, for the name that is connected to.
    ///
    /// # Errors
    /// [`ChannelError::Tls`] if there is no certificate or one is unreadable.
    pub fn from_pem(trusted: &[u8]) -> Result<Self, ChannelError> {
        Self::build(trusted, None)
    }

    /// As [`TlsClient::from_pem`], and shows a certificate chain to a server that asks for one.
    ///
    /// # Errors
    /// Those of [`TlsClient::from_pem`], and of [`TlsServer::from_pem`] for the chain and its key.
    pub fn with_certificate(
        trusted: &[u8],
        chain: &[u8],
        key: &[u8],
    ) -> Result<Self, ChannelError> {
        Self::build(trusted, Some((chain, key)))
    }

    fn build(trusted: &[u8], own: Option<(&[u8], &[u8])>) -> Result<Self, ChannelError> {
        let pinned = Pinned::servers(certificates(trusted)?, &provider())?;
        let config = ClientConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&TLS13])
            .map_err(ChannelError::tls)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(pinned));
        let mut config = match own {
            None => config.with_no_client_auth(),
            Some((chain, key)) => {
                let (chain, key) = identity(chain, key)?;
                config.with_client_auth_cert(chain, key).map_err(ChannelError::tls)?
            }
        };
        config.resumption = Resumption::disabled();
        Ok(Self(Arc::new(config)))
    }

    /// Shakes hands now, so that a wrong server is known before anything is sent.
    pub(super) fn connect(
        &self,
        socket: TcpStream,
        host: &str,
        deadline: Option<Instant>,
    ) -> Result<Box<dyn Stream>, ChannelError> {
        let name = ServerName::try_from(host.to_owned()).map_err(ChannelError::tls)?;
        let mut connection =
            ClientConnection::new(self.0.clone(), name).map_err(ChannelError::tls)?;
        let mut socket = Timed::new(socket);
        socket.set_deadline(deadline);
        while connection.is_handshaking() {
            connection.complete_io(&mut socket)?;
        }
        Ok(Box::new(StreamOwned::new(connection, socket)))
    }
}

impl fmt::Debug for TlsServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsServer(..)")
    }
}

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsClient(..)")
    }
}

impl<C, D> Stream for StreamOwned<C, Timed<TcpStream>>
where
    C: std::ops::DerefMut<Target = rustls::ConnectionCommon<D>> + Send,
    D: SideData,
{
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.sock.set_deadline(deadline);
    }

    fn binding(&mut self) -> io::Result<Option<[u8; 32]>> {
        // A server may not have shaken hands yet.
        while self.conn.is_handshaking() {
            self.conn.complete_io(&mut self.sock)?;
        }
        let exported = self.conn.export_keying_material([0; 32], BINDING, Some(&[]));
        exported.map(Some).map_err(io::Error::other)
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// A certificate chain and its private key.
fn identity(
    chain: &[u8],
    key: &[u8],
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), ChannelError> {
    let key = PrivateKeyDer::from_pem_slice(key).map_err(ChannelError::tls)?;
    Ok((certificates(chain)?, key))
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ChannelError> {
    let found: Vec<_> =
        CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(ChannelError::tls)?;
    match found.is_empty() {
        true => Err(ChannelError::tls("no certificate in the PEM text")),
        false => Ok(found),
    }
}
