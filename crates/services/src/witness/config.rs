//! The configuration of a witness: one TOML file, documented in place by [`SAMPLE`].

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use table::Hash;

use crate::config::{Config, ConfigError, Limits, TlsFiles};

/// A configuration with every option, what it means and its default.
pub const SAMPLE: &str = include_str!("sample.toml");
const LIMIT: u64 = 1 << 20;

/// A witness's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessConfig {
    /// Address and port to listen at.
    pub listen: SocketAddr,
    /// The witness's key, as `subrosa keygen` writes it.
    pub key: PathBuf,
    /// The folder in which it remembers what it saw.
    pub state: PathBuf,
    /// Certificate and key; without them only loopback addresses are served.
    pub tls: Option<TlsFiles>,
    /// What a request may cost.
    #[serde(default)]
    pub limits: Limits,
    /// The tables that are witnessed.
    #[serde(rename = "table")]
    pub tables: Vec<Witnessed>,
}

/// A table that is witnessed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witnessed {
    /// Its identifier, in hexadecimal.
    pub id: String,
    /// The server to fetch its log from; without one its operator must send it.
    pub server: Option<String>,
    /// A file with the token for the server, which needs the role `witness`.
    pub token: Option<PathBuf>,
    /// Certificate authorities of the server, in PEM.
    pub roots: Option<PathBuf>,
    /// Seconds between two looks at the server.
    #[serde(default = "interval")]
    pub every: u64,
}

fn interval() -> u64 {
    30
}

impl Witnessed {
    /// The identifier.
    pub(super) fn hash(&self) -> Option<Hash> {
        // `parse` refuses a configuration with another.
        self.id.parse().ok()
    }
}

impl WitnessConfig {
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
        // A path that is read as a file has a parent, or is relative to this directory.
        let root = path.parent().unwrap_or(Path::new(".")).to_owned();
        let files = [&mut config.key, &mut config.state].into_iter();
        let tls = config.tls.iter_mut().flat_map(|tls| [&mut tls.certificate, &mut tls.key]);
        let tokens =
            config.tables.iter_mut().flat_map(|table| [&mut table.token, &mut table.roots]);
        for file in files.chain(tls).chain(tokens.flatten()) {
            *file = root.join(&*file);
        }
        Ok(config)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for table in &config.tables {
            if table.hash().is_none() {
                return Err(format!("`{}` is not a table's identifier", table.id));
            }
            if table.every == 0 {
                return Err("`table.every` must be at least 1".to_owned());
            }
            if table.token.is_some() && table.server.is_none() {
                return Err(format!("`{}` has a token and no server", table.id));
            }
        }
        config.listening().check()?;
        Ok(config)
    }

    /// What of it the connections of every server are configured by.
    pub(super) fn listening(&self) -> Config {
        Config {
            path: None,
            reload_seconds: 0,
            access_log: None,
            listen: self.listen,
            tables: PathBuf::new(),
            page: None,
            tls: self.tls.clone(),
            limits: self.limits.clone(),
            clients: Vec::new(),
            #[cfg(feature = "sql")]
            sources: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn the_sample_is_a_configuration() {
        let config = WitnessConfig::parse(SAMPLE).unwrap();
        assert_eq!((config.tables.len(), config.tables[0].every), (1, interval()));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let base = "listen = \"127.0.0.1:1\"\nkey = \"k\"\nstate = \"s\"\n";
        let table = format!("[[table]]\nid = \"{}\"\n", "0".repeat(64));
        assert!(WitnessConfig::parse(&format!("{base}{table}")).is_ok());
        for wrong in [
            base.to_owned(),
            format!("{base}[[table]]\nid = \"pay\"\n"),
            format!("{base}{table}every = 0\n"),
            format!("{base}{table}token = \"t\"\n"),
            format!("{base}{table}unknown = 1\n"),
            format!("{}{table}", base.replace("127.0.0.1", "0.0.0.0")),
        ] {
            assert!(WitnessConfig::parse(&wrong).is_err(), "{wrong}");
        }
    }
}
