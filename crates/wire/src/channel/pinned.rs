//! Certificates that are trusted as they stand, and the chains that one of them signs.

use std::sync::Arc;

use rustls::{
    DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::{
        VerifierBuilderError, WebPkiClientVerifier,
        danger::{ClientCertVerified, ClientCertVerifier},
    },
};

use super::ChannelError;

/// Accepts a pinned certificate as it stands, and the chains that one signs. webpki alone would
/// refuse the former for many a self-signed certificate, and for each that a CA signed. `V` verifies
/// the chains: of servers, or of clients.
#[derive(Debug)]
pub(super) struct Pinned<V: ?Sized> {
    certificates: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    chains: Arc<V>,
}

fn roots(certificates: &[CertificateDer<'static>]) -> Result<Arc<RootCertStore>, ChannelError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate.clone()).map_err(ChannelError::tls)?;
    }
    Ok(Arc::new(roots))
}

impl Pinned<WebPkiServerVerifier> {
    pub(super) fn servers(
        certificates: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, ChannelError> {
        Self::with(certificates, provider, |roots, provider| {
            WebPkiServerVerifier::builder_with_provider(roots, provider).build()
        })
    }
}

impl Pinned<dyn ClientCertVerifier> {
    pub(super) fn clients(
        certificates: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, ChannelError> {
        Self::with(certificates, provider, |roots, provider| {
            WebPkiClientVerifier::builder_with_provider(roots, provider).build()
        })
    }
}

impl<V: ?Sized> Pinned<V> {
    fn with(
        certificates: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
        chains: impl FnOnce(
            Arc<RootCertStore>,
            Arc<CryptoProvider>,
        ) -> Result<Arc<V>, VerifierBuilderError>,
    ) -> Result<Self, ChannelError> {
        let chains = chains(roots(&certificates)?, provider.clone()).map_err(ChannelError::tls)?;
        Ok(Self { certificates, provider: provider.clone(), chains })
    }
}

/// What the verifiers of either side do about the signatures of a handshake.
macro_rules! signatures_of_tls13 {
    () => {
        fn verify_tls12_signature(
            &self,
            _message: &[u8],
            _certificate: &CertificateDer<'_>,
            _signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            Err(Error::General("TLS 1.2 is not spoken here".to_owned()))
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            let algorithms = &self.provider.signature_verification_algorithms;
            verify_tls13_signature(message, certificate, signature, algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.provider.signature_verification_algorithms.supported_schemes()
        }
    };
}

impl ServerCertVerifier for Pinned<WebPkiServerVerifier> {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.certificates.contains(end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    signatures_of_tls13!();
}

impl ClientCertVerifier for Pinned<dyn ClientCertVerifier> {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        // A client has one certificate, and shows it whatever the hints.
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if self.certificates.contains(end_entity) {
            return Ok(ClientCertVerified::assertion());
        }
        self.chains.verify_client_cert(end_entity, intermediates, now)
    }

    signatures_of_tls13!();
}
