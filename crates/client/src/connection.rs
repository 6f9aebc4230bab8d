//! Requests and answers over HTTP.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use ureq::{
    Agent,
    http::{Response, StatusCode},
    tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem},
};
use zeroize::Zeroizing;

use crate::{ClientError, api::Problem};

/// Bytes of an answer: proofs about thousands of groups, or an audit.
const ANSWER_LIMIT: u64 = 1 << 30;
const PROBLEM_LIMIT: u64 = 1 << 16;
const CONNECT: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(300);

/// Where a server is, and what is shown to it.
#[derive(Clone)]
pub struct Options {
    server: String,
    table: String,
    token: Option<Zeroizing<String>>,
    roots: Vec<u8>,
}

impl Options {
    /// A server's address, and the name or identifier that it knows the table by.
    pub fn new(server: &str, table: &str) -> Self {
        let server = server.trim_end_matches('/').to_owned();
        Self { server, table: table.to_owned(), token: None, roots: Vec::new() }
    }

    /// The address.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Shows a token.
    #[must_use]
    pub fn with_token(self, token: &str) -> Self {
        Self { token: Some(Zeroizing::new(token.trim().to_owned())), ..self }
    }

    /// Trusts the certificate authorities in a PEM file; without any, no server over TLS.
    #[must_use]
    pub fn with_roots(self, pem: Vec<u8>) -> Self {
        Self { roots: pem, ..self }
    }
}

/// Makes requests about one table.
pub(crate) struct Connection {
    agent: Agent,
    base: String,
    token: Option<Zeroizing<String>>,
}

impl Connection {
    pub(crate) fn open(options: &Options) -> Result<Self, ClientError> {
        let Options { server, table, token, roots } = options;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let agent = agent(server, roots)?;
        if table.is_empty() || !table.bytes().all(plain) {
            let reason = format!("`{table}`: name the table by its identifier");
            return Err(ClientError::Options(reason));
        }
        Ok(Self { agent, base: format!("{server}/v1/tables/{table}"), token: token.clone() })
    }

    fn header(&self) -> Option<Zeroizing<String>> {
        self.token.as_ref().map(|token| Zeroizing::new(format!("Bearer {}", token.as_str())))
    }

    /// Asks for bytes under a path of the table.
    pub(crate) fn get_bytes(&self, path: &str) -> Result<Vec<u8>, ClientError> {
        let url = format!("{}{path}", self.base);
        let mut request = self.agent.get(&url);
        if let Some(value) = self.header() {
            request = request.header("authorization", value.as_str());
        }
        read(&url, request.call())
    }

    /// Asks for a message under a path of the table.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        serde_json::from_slice(&self.get_bytes(path)?).map_err(ClientError::answer)
    }

    /// Sends bytes of a media type, with headers.
    pub(crate) fn post_bytes(
        &self,
        path: &str,
        (kind, bytes): (&str, &[u8]),
        headers: &[(&str, &str)],
    ) -> Result<Vec<u8>, ClientError> {
        let url = format!("{}{path}", self.base);
        let mut request = self.agent.post(&url).header("content-type", kind);
        if let Some(value) = self.header() {
            request = request.header("authorization", value.as_str());
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        read(&url, request.send(bytes))
    }

    /// Sends a message, and reads the answer.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        message: &impl Serialize,
        headers: &[(&str, &str)],
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(message).map_err(ClientError::answer)?;
        let answer = self.post_bytes(path, ("application/json", &body), headers)?;
        serde_json::from_slice(&answer).map_err(ClientError::answer)
    }
}

/// What makes requests to a server over TLS, or on this machine.
pub(crate) fn agent(server: &str, roots: &[u8]) -> Result<Agent, ClientError> {
    let host = server.split_once("://").map(|(scheme, rest)| (scheme, host_of(rest)));
    match host {
        Some(("https", _)) => {}
        // A token in the clear would be everybody's.
        Some(("http", "localhost" | "127.0.0.1" | "[::1]")) => {}
        _ => {
            let reason = format!("`{server}` is neither https:// nor http:// to this machine");
            return Err(ClientError::Options(reason));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::Specific(Arc::new(certificates(roots)?)))
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        // A server that sends elsewhere is not the one that was asked.
        .max_redirects(0)
        .proxy(None)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(ANSWER));
    Ok(config.build().new_agent())
}

/// The host of what follows the scheme.
fn host_of(rest: &str) -> &str {
    // There is always a first part; an empty one is not this machine.
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, ClientError> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        let failed = |error: ureq::Error| ClientError::Options(format!("the roots: {error}"));
        if let PemItem::Certificate(certificate) = item.map_err(failed)? {
            certificates.push(certificate);
        }
    }
    match certificates.is_empty() && !pem.is_empty() {
        true => Err(ClientError::Options("the roots hold no certificate in PEM".to_owned())),
        false => Ok(certificates),
    }
}

pub(crate) fn read(
    url: &str,
    answer: Result<Response<ureq::Body>, ureq::Error>,
) -> Result<Vec<u8>, ClientError> {
    let failed = |error: &dyn fmt::Display| ClientError::Transport {
        url: url.to_owned(),
        reason: error.to_string(),
    };
    let mut answer = answer.map_err(|error| failed(&error))?;
    let status = answer.status();
    let limit = if status.is_success() { ANSWER_LIMIT } else { PROBLEM_LIMIT };
    let body = answer.body_mut().with_config().limit(limit).read_to_vec();
    let body = body.map_err(|error| failed(&error))?;
    match status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::ACCEPTED => Ok(body),
        _ => Err(serde_json::from_slice::<Problem>(&body).map_or_else(
            |_| ClientError::Answer(format!("HTTP status {status}, and no reason")),
            |problem| ClientError::Problem(Box::new(problem)),
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn tokens_go_to_this_machine_or_over_tls() {
        let opened = |server: &str| Connection::open(&Options::new(server, "pay")).is_ok();
        for fine in
            ["https://a.example", "http://127.0.0.1:80", "http://[::1]:80", "http://localhost"]
        {
            assert!(opened(fine), "{fine}");
        }
        for wrong in [
            "http://a.example",
            "http://localhost.example",
            "http://localhost@a.example",
            "http://127.0.0.1:80@a.example",
            "a.example",
            "ftp://a.example",
            "http://[::1].example",
        ] {
            assert!(!opened(wrong), "{wrong}");
        }
        assert!(Connection::open(&Options::new("https://a.example", "../x")).is_err());
        assert!(Connection::open(&Options::new("https://a.example", "x?y")).is_err());
    }
}
