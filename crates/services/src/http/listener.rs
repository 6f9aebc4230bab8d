//! Connections: TCP, with TLS where it is configured, with limits on their number and on the time
//! that a client may take, and an orderly end.

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body};
use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

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

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// An open port.
pub struct Listener {
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
    connections: Arc<Semaphore>,
    header: Duration,
    shutdown: Duration,
}

impl Listener {
    /// Opens the configured port, and reads certificate and key.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind(config: &Config) -> Result<Self, ServeError> {
        let tls = config.tls.as_ref().map(acceptor).transpose()?;
        let address = config.listen;
        let failed = |source| ServeError::Listen { address, source };
        Ok(Self {
            tcp: TcpListener::bind(address).await.map_err(failed)?,
            tls,
            connections: Arc::new(Semaphore::new(config.limits.connections)),
            header: Duration::from_secs(config.limits.header_seconds),
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

    /// Serves until `stop`, and then lets requests under way end.
    pub async fn serve(self, router: Router, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let graceful = GracefulShutdown::new();
        loop {
            // Nobody is accepted who would have to wait for another's end.
            let permit = tokio::select! {
                permit = Arc::clone(&self.connections).acquire_owned() => permit,
                () = &mut stop => break,
            };
            let accepted = tokio::select! {
                accepted = self.tcp.accept() => accepted,
                () = &mut stop => break,
            };
            let Ok((stream, peer)) = accepted else {
                // Out of file descriptors: others must end first.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let (router, tls, header) = (router.clone(), self.tls.clone(), self.header);
            let watcher = graceful.watcher();
            tokio::spawn(async move {
                let _permit = permit;
                handle(stream, Peer(peer.ip()), router, tls, header, watcher).await;
            });
        }
        drop(self.tcp);
        // Whoever takes longer is cut off.
        let _ = timeout(self.shutdown, graceful.shutdown()).await;
    }
}

async fn handle(
    stream: TcpStream,
    peer: Peer,
    router: Router,
    tls: Option<TlsAcceptor>,
    header: Duration,
    watcher: hyper_util::server::graceful::Watcher,
) {
    let _ = stream.set_nodelay(true);
    match tls {
        None => connection(stream, peer, router, header, watcher).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(header, tls.accept(stream)).await {
                connection(stream, peer, router, header, watcher).await;
            }
        }
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    router: Router,
    header: Duration,
    watcher: hyper_util::server::graceful::Watcher,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        let answer = router.clone().call(request);
        async move {
            let response: Result<_, Infallible> = answer.await;
            response
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), service);
    // What fails here is the client's connection, of which nobody else need know.
    let _ = watcher.watch(connection).await;
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
