//! The configuration of a server: one TOML file, documented in place by [`SAMPLE`].

use std::{
    collections::BTreeSet,
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use axum::body::Bytes;
use serde::{Deserialize, Serialize};
use table::store::MAX_ASKER;
use thiserror::Error;

/// What `subrosa table serve init` writes: every option, with what it means and its default.
pub const SAMPLE: &str = include_str!("sample.toml");
const LIMIT: u64 = 1 << 20;
/// Bytes of a page: many times those of the verifier's.
const MAX_PAGE: u64 = 16 << 20;
/// Access logs that are kept: each is renamed when a new one is begun.
const MAX_LOGS: u32 = 1000;

/// Why a configuration is refused.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the file system says.
        source: std::io::Error,
    },
    /// Not TOML, or an option that is not known or out of its bounds.
    #[error("{}: {reason}", path.display())]
    Options {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
}

/// A server's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file that this was read from.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// Address and port to listen at.
    pub listen: SocketAddr,
    /// The folder with a folder for each table.
    pub tables: PathBuf,
    /// What is served as `/verify`, with which browsers check the answers.
    pub page: Option<Page>,
    /// Certificate and key; without them only loopback addresses are served.
    pub tls: Option<TlsFiles>,
    /// Seconds after which configuration, certificate and key are looked at for changes; 0 for never.
    #[serde(default = "reload_seconds")]
    pub reload_seconds: u64,
    /// Where it is noted who asked what, when, and with what outcome.
    pub access_log: Option<AccessLog>,
    /// What a request may cost.
    #[serde(default)]
    pub limits: Limits,
    /// Who may ask for what, besides the tables' users.
    #[serde(default, rename = "client")]
    pub clients: Vec<ClientEntry>,
    /// Databases that rows are taken from.
    #[cfg(feature = "sql")]
    #[serde(default, rename = "source")]
    pub sources: Vec<crate::sql::Feed>,
}

fn reload_seconds() -> u64 {
    10
}

/// A page for browsers: in a configuration its file, which is read with it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "PathBuf")]
pub struct Page {
    /// The file, `verify.html`.
    pub file: PathBuf,
    /// What it holds.
    pub html: Bytes,
}

impl From<PathBuf> for Page {
    fn from(file: PathBuf) -> Self {
        Self { file, html: Bytes::new() }
    }
}

impl Page {
    fn read(&mut self) -> Result<(), ConfigError> {
        let html = wire::read_bounded(&self.file, MAX_PAGE);
        self.html =
            html.map_err(|source| ConfigError::Read { path: self.file.clone(), source })?.into();
        Ok(())
    }
}

/// Where accesses are noted, a line of JSON for each.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessLog {
    /// The file; `-` for standard output.
    pub file: PathBuf,
    /// Bytes after which the file becomes `<file>.1`, and that `<file>.2`.
    #[serde(default = "access_bytes")]
    pub bytes: u64,
    /// Files that are kept beside the newest.
    #[serde(default = "access_files")]
    pub files: u32,
}

fn access_bytes() -> u64 {
    64 << 20
}

fn access_files() -> u32 {
    8
}

impl AccessLog {
    /// Whether lines go to standard output.
    pub fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }
}

/// PEM files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What requests may cost.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Arrays and objects inside of each other.
    pub json_depth: usize,
    /// Rows of a batch.
    pub rows_per_batch: usize,
    /// Connections that are open at once.
    pub connections: usize,
    /// Connections of an address, of IPv6 of a /64, that are open at once; where there is TLS.
    pub connections_per_address: usize,
    /// Connections that an address opens in a second, on average; where there is TLS.
    pub connections_per_second: u32,
    /// Seconds in which a request's head must be there; also for a TLS handshake.
    pub header_seconds: u64,
    /// Seconds in which a request's body must be there.
    pub body_seconds: u64,
    /// Seconds in which a request must be answered.
    pub request_seconds: u64,
    /// Seconds for which a connection may be silent between two requests.
    pub idle_seconds: u64,
    /// Seconds in which a client must take 4 KiB of an answer, or all of it.
    pub write_seconds: u64,
    /// Seconds after which a connection ends with the request under way; after twice as many, at once.
    pub connection_seconds: u64,
    /// Requests of a client in a second, on average.
    pub requests_per_second: u32,
    /// Requests that a client may make at once after a pause.
    pub burst: u32,
    /// Requests that wait for a thread; more are told to come back.
    pub waiting: usize,
    /// Queries that are proved at once.
    pub queries: usize,
    /// Rows of sealed epochs that are kept in memory, ready to be answered from.
    pub cached_rows: u64,
    /// Bytes of all tables' stores that are kept in memory.
    pub store_cache_bytes: usize,
    /// Days for which a batch's idempotency key is known after its receipts' deadline.
    pub batch_days: u64,
    /// Seconds that requests under way have to end when the server is stopped.
    pub shutdown_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 8 << 20,
            json_depth: 16,
            rows_per_batch: 1 << 12,
            connections: 1024,
            connections_per_address: 64,
            connections_per_second: 64,
            header_seconds: 10,
            body_seconds: 30,
            request_seconds: 60,
            idle_seconds: 60,
            write_seconds: 10,
            connection_seconds: 3600,
            requests_per_second: 100,
            burst: 400,
            waiting: 512,
            queries: 2,
            cached_rows: 2_000_000,
            store_cache_bytes: 256 << 20,
            batch_days: 7,
            shutdown_seconds: 30,
        }
    }
}

/// What somebody with a token may ask for. No role may do what another may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Makes tables, seals epochs, changes the operator's key, reads who asked what.
    Custodian,
    /// Brings rows in, and gets the receipts.
    Feeder,
    /// Makes users' tokens, and revokes them: with such a token every row can be read.
    Registrar,
    /// Asks queries.
    Querier,
    /// Reads audits and vouches for them.
    Auditor,
    /// Reads the log before it is cosigned, and cosigns it.
    Witness,
    /// Reads the metrics.
    Monitor,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Custodian => "custodian",
            Self::Feeder => "feeder",
            Self::Registrar => "registrar",
            Self::Querier => "querier",
            Self::Auditor => "auditor",
            Self::Witness => "witness",
            Self::Monitor => "monitor",
        })
    }
}

/// A client and its token, of which only the hash is known here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientEntry {
    /// A name for the logs, of 256 bytes at most.
    pub name: String,
    /// What it may ask for.
    pub roles: BTreeSet<Role>,
    /// The hash of its token, in hexadecimal, as `subrosa table serve token` prints it.
    pub token_hash: String,
    /// The tables that it may ask about, by name or identifier; without it, all.
    pub tables: Option<BTreeSet<String>>,
}

impl Config {
    /// What of another configuration a running server cannot take, if there is anything.
    pub(crate) fn fixed_difference(&self, other: &Self) -> Option<&'static str> {
        let (mine, its) = (&self.limits, &other.limits);
        [
            ("listen", self.listen != other.listen),
            ("tables", self.tables != other.tables),
            ("tls", self.tls.is_some() != other.tls.is_some()),
            ("access_log", self.access_log != other.access_log),
            ("reload_seconds", self.reload_seconds != other.reload_seconds),
            ("limits.waiting", mine.waiting != its.waiting),
            ("limits.queries", mine.queries != its.queries),
            ("limits.cached_rows", mine.cached_rows != its.cached_rows),
            ("limits.store_cache_bytes", mine.store_cache_bytes != its.store_cache_bytes),
            ("limits.shutdown_seconds", mine.shutdown_seconds != its.shutdown_seconds),
        ]
        .into_iter()
        .find_map(|(name, differs)| differs.then_some(name))
    }

    /// Reads a file; relative paths in it start at its folder.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let bytes = wire::read_bounded(path, LIMIT)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        let refused = |reason| ConfigError::Options { path: path.to_owned(), reason };
        let text = String::from_utf8(bytes).map_err(|error| refused(error.to_string()))?;
        let mut config = Self::parse(&text).map_err(refused)?;
        config.path = Some(path.to_owned());
        // A path that is read as a file has a parent, or is relative to this directory.
        let root = path.parent().unwrap_or(Path::new("."));
        config.tables = root.join(&config.tables);
        if let Some(log) = config.access_log.as_mut().filter(|log| !log.is_stdout()) {
            log.file = root.join(&log.file);
        }
        if let Some(page) = &mut config.page {
            page.file = root.join(&page.file);
            page.read()?;
        }
        if let Some(tls) = &mut config.tls {
            tls.certificate = root.join(&tls.certificate);
            tls.key = root.join(&tls.key);
        }
        #[cfg(feature = "sql")]
        for path in config.sources.iter_mut().filter_map(|feed| feed.from.password_file.as_mut()) {
            *path = root.join(&*path);
        }
        Ok(config)
    }

    /// Reads a configuration, with what is wrong with it.
    fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        config.check()?;
        Ok(config)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.tls.is_none() && !self.listen.ip().is_loopback() {
            let listen = self.listen;
            return Err(format!("`listen`: {listen} is not a loopback address: configure [tls]"));
        }
        let limits = &self.limits;
        let positive = [
            ("body_bytes", limits.body_bytes as u64),
            ("json_depth", limits.json_depth as u64),
            ("rows_per_batch", limits.rows_per_batch as u64),
            ("connections", limits.connections as u64),
            ("connections_per_address", limits.connections_per_address as u64),
            ("connections_per_second", limits.connections_per_second.into()),
            ("header_seconds", limits.header_seconds),
            ("body_seconds", limits.body_seconds),
            ("request_seconds", limits.request_seconds),
            ("idle_seconds", limits.idle_seconds),
            ("write_seconds", limits.write_seconds),
            ("connection_seconds", limits.connection_seconds),
            ("requests_per_second", limits.requests_per_second.into()),
            ("burst", limits.burst.into()),
            ("waiting", limits.waiting as u64),
            ("queries", limits.queries as u64),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(format!("`limits.{name}` must be at least 1"));
        }
        if self.access_log.as_ref().is_some_and(|log| log.bytes == 0 || log.files > MAX_LOGS) {
            return Err(format!(
                "`access_log`: `bytes` must be at least 1, and `files` at most {MAX_LOGS}"
            ));
        }
        let mut names = BTreeSet::new();
        for client in &self.clients {
            if !names.insert(&client.name) {
                return Err(format!("two clients are named `{}`", client.name));
            }
            if client.name.len() > MAX_ASKER {
                return Err(format!("the name of a client has at most {MAX_ASKER} bytes"));
            }
            if blake3::Hash::from_hex(&client.token_hash).is_err() {
                return Err(format!("`token_hash` of `{}` is not 64 hex digits", client.name));
            }
        }
        #[cfg(feature = "sql")]
        self.check_sources()?;
        Ok(())
    }

    #[cfg(feature = "sql")]
    fn check_sources(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        for feed in &self.sources {
            if !names.insert(&feed.name) {
                return Err(format!("two sources are named `{}`", feed.name));
            }
            feed.from.check().map_err(|error| format!("source `{}`: {error}", feed.name))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn the_sample_says_the_defaults() {
        let config = Config::parse(SAMPLE).unwrap();
        assert_eq!(format!("{:?}", config.limits), format!("{:?}", Limits::default()));
        assert!(config.clients.is_empty() && config.tls.is_none());
        assert_eq!(config.reload_seconds, reload_seconds());
    }

    #[test]
    fn what_would_be_unsafe_or_means_nothing_is_refused() {
        let base = "listen = \"127.0.0.1:1\"\ntables = \"t\"\n";
        let client = "[[client]]\nname = \"a\"\nroles = [\"querier\"]\ntoken_hash = ";
        let hash = format!("{client}\"{}\"\n", "0".repeat(64));
        assert!(Config::parse(&format!("{base}{hash}")).is_ok());
        for wrong in [
            "listen = \"0.0.0.0:1\"\ntables = \"t\"\n".to_owned(),
            format!("{base}unknown = 1\n"),
            format!("{base}[limits]\nburst = 0\n"),
            format!("{base}[limits]\nwrite_seconds = 0\n"),
            format!("{base}[access_log]\nfile = \"-\"\nbytes = 0\n"),
            format!("{base}{client}\"00\"\n"),
            format!("{base}{hash}{hash}"),
            format!("{base}{}", hash.replace("\"a\"", &format!("\"{}\"", "a".repeat(257)))),
            format!("{base}{}", hash.replace("querier", "root")),
        ] {
            assert!(Config::parse(&wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(feature = "sql")]
    #[test]
    fn sources_are_named_once_and_hold_no_password() {
        let source = |url: &str| {
            let from = format!("[source.from]\nurl = \"{url}\"\ntable = \"january\"\n");
            format!("[[source]]\nname = \"hr\"\ninto = \"pay\"\n{from}")
        };
        let base = "listen = \"127.0.0.1:1\"\ntables = \"t\"\n";
        let good = source("postgres://reader@localhost/hr");
        assert_eq!(Config::parse(&format!("{base}{good}")).unwrap().sources.len(), 1);
        assert!(Config::parse(&format!("{base}{good}{good}")).is_err());
        let secret = source("postgres://reader:hunter2@localhost/hr");
        let refused = Config::parse(&format!("{base}{secret}")).unwrap_err();
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}
