//! An open port: TCP, with TLS where it is configured, and an orderly end.

use std::{
    io,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use axum::Router;
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use thiserror::Error;
use tokio::{net::TcpListener, sync::watch, time::timeout};
use tokio_rustls::TlsAcceptor;

use super::{
    connection,
    connections::{Connections, Counts},
    peer::Peer,
};
use crate::config::{Config, TlsFiles};

/// Why a server does not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address cannot be used.
    #[error("{address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Certificate or key cannot be used.
    #[error("{}: {reason}", path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The runtime cannot be started.
    #[error("the runtime: {0}")]
    Runtime(io::Error),
    /// A table's folder.
    #[error(transparent)]
    Folder(#[from] crate::folder::FolderError),
    /// A file of the server's own.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// What of an open port may be changed while it is open.
#[derive(Clone)]
pub struct Tuning {
    tls: Option<Arc<RwLock<TlsAcceptor>>>,
    connections: Arc<Connections>,
}

impl Tuning {
    /// Takes certificate, key and limits of another configuration, for connections to come; limits also
    /// for those that are open.
    ///
    /// # Errors
    /// [`ServeError::Tls`]; then nothing has changed.
    pub fn apply(&self, config: &Config) -> Result<(), ServeError> {
        if let (Some(current), Some(files)) = (&self.tls, &config.tls) {
            let next = acceptor(files)?;
            // Certificate and key are replaced as a whole.
            *current.write().unwrap_or_else(PoisonError::into_inner) = next;
        }
        self.connections.limit(&config.limits);
        Ok(())
    }

    fn tls(&self) -> Option<TlsAcceptor> {
        let current = self.tls.as_ref()?;
        // They are replaced as a whole.
        Some(current.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// An open port.
pub struct Listener {
    tcp: TcpListener,
    tuning: Tuning,
    shutdown: Duration,
}

impl Listener {
    /// Opens the configured port, and reads certificate and key.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind(config: &Config, counts: Counts) -> Result<Self, ServeError> {
        let tls = config.tls.as_ref().map(acceptor).transpose()?;
        let address = config.listen;
        let failed = |source| ServeError::Listen { address, source };
        let connections = Connections::new(&config.limits, tls.is_some(), counts);
        let tls = tls.map(|acceptor| Arc::new(RwLock::new(acceptor)));
        Ok(Self {
            tcp: TcpListener::bind(address).await.map_err(failed)?,
            tuning: Tuning { tls, connections: Arc::new(connections) },
            shutdown: Duration::from_secs(config.limits.shutdown_seconds),
        })
    }

    /// The address, with the port that the system chose for port 0.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// What may be changed later.
    pub fn tuning(&self) -> Tuning {
        self.tuning.clone()
    }

    /// Serves until `stop`, and then lets requests under way end.
    pub async fn serve(self, router: Router, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let (stopping, stopped) = watch::channel(false);
        loop {
            let accepted = tokio::select! {
                accepted = self.tcp.accept() => accepted,
                () = &mut stop => break,
            };
            let Ok((stream, peer)) = accepted else {
                // Out of file descriptors: another must end first.
                self.tuning.connections.relieve();
                tokio::time::sleep(Duration::from_millis(5)).await;
                continue;
            };
            // Who is one too many is cut off: nobody waits for another's end.
            let Some(admitted) = self.tuning.connections.admit(peer.ip()) else { continue };
            let (router, tls, stopped) = (router.clone(), self.tuning.tls(), stopped.clone());
            let peer = Peer(peer.ip());
            tokio::spawn(connection::serve(stream, peer, admitted, router, tls, stopped));
        }
        drop((self.tcp, stopped));
        stopping.send_replace(true);
        // Whoever takes longer is cut off.
        let _ = timeout(self.shutdown, stopping.closed()).await;
    }
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ServeError> {
    let failed = |path: &PathBuf, reason: String| ServeError::Tls { path: path.clone(), reason };
    let TlsFiles { certificate, key } = files;
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| failed(certificate, error.to_string()))?;
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| failed(certificate, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
