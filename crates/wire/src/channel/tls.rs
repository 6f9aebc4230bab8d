//! TLS 1.3 between parties that know each other's certificates: no web PKI, no process-wide state.

use std::{fmt, net::TcpStream, sync::Arc, time::Instant};

use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, ServerConfig,
    ServerConnection, SideData, SignatureScheme, StreamOwned,
    client::{
        Resumption, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject},
    version::TLS13,
};

use super::{
    ChannelError,
    stream::{Stream, Timed},
};

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
        let chain = certificates(chain)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(ChannelError::tls)?;
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&TLS13])
            .map_err(ChannelError::tls)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(ChannelError::tls)?;
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
        let config = ClientConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&TLS13])
            .map_err(ChannelError::tls)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Pinned::new(certificates(trusted)?)?));
        let mut config = config.with_no_client_auth();
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
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ChannelError> {
    let found: Vec<_> =
        CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(ChannelError::tls)?;
    match found.is_empty() {
        true => Err(ChannelError::tls("no certificate in the PEM text")),
        false => Ok(found),
    }
}

/// Accepts a pinned certificate as it stands, and the chains that one signs. webpki alone would
/// refuse the former for many a self-signed certificate, and for each that a CA signed.
#[derive(Debug)]
struct Pinned {
    certificates: Vec<CertificateDer<'static>>,
    chains: Arc<WebPkiServerVerifier>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn new(certificates: Vec<CertificateDer<'static>>) -> Result<Self, ChannelError> {
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(ChannelError::tls)?;
        }
        let provider = provider();
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
            .build()
            .map_err(ChannelError::tls)?;
        Ok(Self { certificates, chains, provider })
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.certificates.contains(end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("TLS 1.2 is not spoken here".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
