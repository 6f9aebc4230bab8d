//! Requests of daemons to other servers: a table's, and those of witnesses. Nothing that they answer
//! is believed; whoever asks verifies it.

use std::{path::Path, sync::Arc, time::Duration};

use table::{
    EpochHeader, Hash,
    log::{Attestation, Cosignature, Growth},
};
use thiserror::Error;
use ureq::{
    Agent,
    http::Response,
    tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem},
};
use wire::{Decode, Encode};
use zeroize::Zeroizing;

/// Bytes of an answer: an audit of a large epoch.
const ANSWER_LIMIT: u64 = 1 << 34;
const SMALL_LIMIT: u64 = 1 << 24;
const FILE_LIMIT: u64 = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// An address that is not `https://..`, or `http://` to this machine; a file that cannot be used.
    #[error("{0}")]
    Options(String),
    /// The server cannot be reached, or answers with something else.
    #[error("{url}: {reason}")]
    Transport {
        /// What was asked for.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The server refuses.
    #[error("{url}: HTTP status {status}: {reason}")]
    Problem {
        /// What was asked for.
        url: String,
        /// The status.
        status: u16,
        /// What the server says, shortened.
        reason: String,
    },
}

/// A server.
pub struct Remote {
    agent: Agent,
    server: String,
    token: Option<Zeroizing<String>>,
}

impl Remote {
    /// A server with a token for it and the authorities that it is trusted by, each in a file.
    ///
    /// # Errors
    /// [`RemoteError::Options`].
    pub fn open(
        server: &str,
        token: Option<&Path>,
        roots: Option<&Path>,
    ) -> Result<Self, RemoteError> {
        let server = server.trim_end_matches('/');
        let authority = |rest: &str| {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
            let port = authority.rsplit_once(':').filter(|(_, port)| {
                !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
            });
            port.map_or(authority.clone(), |(host, _)| host.to_owned())
        };
        let local = |host: &str| matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        match server.split_once("://") {
            Some(("https", _)) => {}
            // A token in the clear would be everybody's.
            Some(("http", rest)) if local(&authority(rest)) => {}
            _ => {
                let reason = "neither https:// nor http:// to this machine";
                return Err(RemoteError::Options(format!("`{server}` is {reason}")));
            }
        }
        let token = token.map(read_token).transpose()?;
        let roots = roots.map(read_roots).transpose()?.unwrap_or_default();
        let tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(RootCerts::Specific(Arc::new(roots)))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(TIMEOUT))
            .timeout_recv_response(Some(TIMEOUT))
            .build()
            .new_agent();
        Ok(Self { agent, server: server.to_owned(), token })
    }

    /// Its address.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// How a table's log grew since a size.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn growth(&self, table: &Hash, since: u64) -> Result<Growth, RemoteError> {
        self.get(&format!("/v1/tables/{table}/log/growth?since={since}"))
    }

    /// The header of an epoch.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn header(&self, table: &Hash, epoch: u32) -> Result<EpochHeader, RemoteError> {
        self.get(&format!("/v1/tables/{table}/epochs/{epoch}/header"))
    }

    /// The audit bundle of an epoch.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn bundle(&self, table: &Hash, epoch: u32) -> Result<Vec<u8>, RemoteError> {
        self.get_bytes(&format!("/v1/tables/{table}/epochs/{epoch}/audit"), ANSWER_LIMIT)
    }

    /// Brings an auditor's word.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn attest(&self, table: &Hash, word: &Attestation) -> Result<(), RemoteError> {
        self.post(&format!("/v1/tables/{table}/attestations"), &word.to_bytes()).map(|_| ())
    }

    /// Brings a witness's cosignature.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn cosign(&self, table: &Hash, word: &Cosignature) -> Result<(), RemoteError> {
        self.post(&format!("/v1/tables/{table}/cosignatures"), &word.to_bytes()).map(|_| ())
    }

    /// The log that a witness saw last.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn witnessed(&self, table: &Hash) -> Result<Growth, RemoteError> {
        self.get(&format!("/v1/tables/{table}/log"))
    }

    /// Shows a witness a log; its cosignature.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn witness(&self, growth: &Growth) -> Result<Cosignature, RemoteError> {
        let path = format!("/v1/tables/{}/log", growth.table.id());
        let answer = self.post(&path, &growth.to_bytes())?;
        Cosignature::from_bytes(&answer).map_err(|error| self.failed(&path, &error))
    }

    fn get<T: Decode>(&self, path: &str) -> Result<T, RemoteError> {
        let bytes = self.get_bytes(path, SMALL_LIMIT)?;
        T::from_bytes(&bytes).map_err(|error| self.failed(path, &error))
    }

    fn get_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, RemoteError> {
        let mut request = self.agent.get(format!("{}{path}", self.server));
        if let Some(token) = &self.token {
            request = request.header("authorization", token.as_str());
        }
        self.read(path, request.call(), limit)
    }

    fn post(&self, path: &str, body: &[u8]) -> Result<Vec<u8>, RemoteError> {
        let request = self.agent.post(format!("{}{path}", self.server));
        let mut request = request.header("content-type", "application/octet-stream");
        if let Some(token) = &self.token {
            request = request.header("authorization", token.as_str());
        }
        self.read(path, request.send(body), SMALL_LIMIT)
    }

    fn read(
        &self,
        path: &str,
        answer: Result<Response<ureq::Body>, ureq::Error>,
        limit: u64,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut answer = answer.map_err(|error| self.failed(path, &error))?;
        let status = answer.status();
        let body = answer.body_mut().with_config().limit(limit).read_to_vec();
        let body = body.map_err(|error| self.failed(path, &error))?;
        match status.is_success() {
            true => Ok(body),
            false => Err(RemoteError::Problem {
                url: format!("{}{path}", self.server),
                status: status.as_u16(),
                reason: String::from_utf8_lossy(&body).chars().take(300).collect(),
            }),
        }
    }

    fn failed(&self, path: &str, error: &dyn std::fmt::Display) -> RemoteError {
        RemoteError::Transport { url: format!("{}{path}", self.server), reason: error.to_string() }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, RemoteError> {
    let failed = |error| RemoteError::Options(format!("{}: {error}", path.display()));
    wire::read_bounded(path, FILE_LIMIT).map_err(failed)
}

/// The header that shows a token.
fn read_token(path: &Path) -> Result<Zeroizing<String>, RemoteError> {
    let bytes = Zeroizing::new(read_file(path)?);
    let text = std::str::from_utf8(&bytes).map(str::trim).unwrap_or_default();
    match !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(Zeroizing::new(format!("Bearer {text}"))),
        false => Err(RemoteError::Options(format!("{}: not a token", path.display()))),
    }
}

fn read_roots(path: &Path) -> Result<Vec<Certificate<'static>>, RemoteError> {
    let pem = read_file(path)?;
    let failed =
        |error: ureq::Error| RemoteError::Options(format!("{}: {error}", path.display()));
    let mut roots = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(failed)? {
            roots.push(certificate);
        }
    }
    Ok(roots)
}
