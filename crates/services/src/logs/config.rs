//! The configuration of a keeper and of a witness of logs: one TOML file each.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use log::{
    AdmissionPolicy, AuthorId, Quota,
    note::{KeyName, VerifierKey},
};
use serde::{Deserialize, de::DeserializeOwned};

use crate::config::{AccessLog, Config, ConfigError, Limits, TlsFiles};

/// A keeper's configuration with every option, what it means and its default.
pub const ADMISSION_SAMPLE: &str = include_str!("keeper.toml");
const LIMIT: u64 = 1 << 20;

/// A keeper's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeeperConfig {
    /// The file that this was read from.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// Address and port to listen at.
    pub listen: SocketAddr,
    /// The log's directory.
    pub log: PathBuf,
    /// Who may write the first entry; anybody who may write, without it.
    pub operator: Option<String>,
    /// Certificate and key; without them only loopback addresses are served.
    pub tls: Option<TlsFiles>,
    /// Where it is noted who asked what, when, and with what outcome.
    pub access_log: Option<AccessLog>,
    /// What a request may cost.
    #[serde(default)]
    pub limits: Limits,
    /// Who may write.
    #[serde(default)]
    pub admission: AdmissionOptions,
    /// Seconds within which a promised entry is in the log.
    #[serde(default = "promise_seconds")]
    pub promise_seconds: u64,
    /// Milliseconds between two appends.
    #[serde(default = "append_milliseconds")]
    pub append_milliseconds: u64,
    /// Seconds after which a log in which nothing happens gets a heartbeat; 0 for never.
    #[serde(default = "heartbeat_seconds")]
    pub heartbeat_seconds: u64,
    /// Witnesses that must have cosigned a checkpoint before it is shown.
    #[serde(default)]
    pub quorum: usize,
    /// Witnesses that are asked for cosignatures.
    #[serde(default, rename = "witness")]
    pub witnesses: Vec<WitnessEntry>,
}

fn promise_seconds() -> u64 {
    60
}

fn append_milliseconds() -> u64 {
    100
}

fn heartbeat_seconds() -> u64 {
    60
}

/// A witness that is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessEntry {
    /// Its key, `<name>+<id>+<base64>`.
    pub key: String,
    /// The address under which it takes `add-checkpoint`.
    pub url: String,
    /// Certificate authorities, in PEM.
    pub roots: Option<PathBuf>,
}

/// Who may write how much, until the first entry says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdmissionOptions {
    /// Known parties.
    pub known: Vec<String>,
    /// What a known party may write at once, and again in `quota_seconds`.
    pub known_entries: u64,
    /// Bytes of payload of a known party.
    pub known_bytes: u64,
    /// What all strangers together may write; none at 0.
    pub stranger_entries: u64,
    /// Bytes of payload of strangers.
    pub stranger_bytes: u64,
    /// Seconds in which a quota that is used up is full again.
    pub quota_seconds: u64,
    /// Payloads that each known party may have under way.
    pub reserved: usize,
    /// Payloads that strangers may have under way.
    pub open: usize,
    /// Bytes of a payload.
    pub payload_bytes: u64,
}

impl Default for AdmissionOptions {
    fn default() -> Self {
        Self {
            known: Vec::new(),
            known_entries: 10_000,
            known_bytes: 1 << 30,
            stranger_entries: 1_000,
            stranger_bytes: 64 << 20,
            quota_seconds: 3_600,
            reserved: 4,
            open: 16,
            payload_bytes: 16 << 20,
        }
    }
}

impl KeeperConfig {
    /// Reads a file; relative paths in it start at its folder.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let (mut config, root): (Self, _) = read(path)?;
        let roots = config.witnesses.iter_mut().filter_map(|witness| witness.roots.as_mut());
        let tls = config.tls.iter_mut().flat_map(|tls| [&mut tls.certificate, &mut tls.key]);
        for file in [&mut config.log].into_iter().chain(tls).chain(roots) {
            *file = root.join(&*file);
        }
        if let Some(log) = config.access_log.as_mut().filter(|log| !log.is_stdout()) {
            log.file = root.join(&log.file);
        }
        config.path = Some(path.to_owned());
        let refused = |reason| ConfigError::Options { path: path.to_owned(), reason };
        config.check().map_err(refused)?;
        Ok(config)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.policy()?;
        self.operator_key()?;
        let keys = self.witness_keys()?;
        if self.quorum > keys.len() {
            return Err(format!("`quorum`: {} of {} witnesses", self.quorum, keys.len()));
        }
        log::Quorum::new(keys, self.quorum).map_err(|error| format!("`witness`: {error}"))?;
        if self.append_milliseconds == 0 || self.promise_seconds == 0 {
            return Err("`append_milliseconds` and `promise_seconds` are at least 1".to_owned());
        }
        self.listening().check()
    }

    pub(super) fn listening(&self) -> Config {
        let access_log = self.access_log.clone();
        Config { access_log, ..listening(self.listen, self.tls.as_ref(), &self.limits) }
    }

    /// The keys of the witnesses.
    pub(super) fn witness_keys(&self) -> Result<Vec<VerifierKey>, String> {
        let keys = self
            .witnesses
            .iter()
            .map(|witness| witness.key.parse().map_err(|error| format!("`witness.key`: {error}")));
        keys.collect()
    }

    /// Who may write the first entry.
    pub(super) fn operator_key(&self) -> Result<Option<AuthorId>, String> {
        let key = self.operator.as_ref().map(|key| key.parse());
        key.transpose().map_err(|error: wire::DecodeError| format!("`operator`: {error}"))
    }

    /// What a known party may write.
    pub fn known_quota(&self) -> Quota {
        let AdmissionOptions { known_entries, known_bytes, quota_seconds, .. } = self.admission;
        let per = quota_seconds.max(1).saturating_mul(1000);
        Quota { entries: known_entries, bytes: known_bytes, per }
    }

    /// Who may write, if the first entry does not say it.
    ///
    /// # Errors
    /// The reason, if an option is impossible.
    pub fn policy(&self) -> Result<AdmissionPolicy, String> {
        let options = &self.admission;
        let known = self.known_quota();
        let quota = |entries, bytes| Quota { entries, bytes, per: known.per };
        let keys = options.known.iter().map(|key| {
            let key = key.parse().map_err(|error| format!("`admission.known`: {error}"));
            key.map(|key| (key, known))
        });
        if options.payload_bytes > log::MAX_PAYLOAD {
            return Err(format!("`admission.payload_bytes` is at most {}", log::MAX_PAYLOAD));
        }
        Ok(AdmissionPolicy {
            known: keys.collect::<Result<_, String>>()?,
            paced: BTreeMap::new(),
            reserved: options.reserved,
            strangers: (options.stranger_entries > 0)
                .then(|| quota(options.stranger_entries, options.stranger_bytes)),
            open: options.open,
            payload: options.payload_bytes,
            patience: self.limits.body_seconds.saturating_mul(1000),
        })
    }
}

/// The configuration of a witness of logs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessLogsConfig {
    /// Address and port to listen at.
    pub listen: SocketAddr,
    /// The witness's name, which its lines have: a host and a path, without `+` and spaces.
    pub name: String,
    /// Its key file, as `subrosa keygen` writes it.
    pub key: PathBuf,
    /// The folder in which it remembers what it saw.
    pub state: PathBuf,
    /// Certificate and key; without them only loopback addresses are served.
    pub tls: Option<TlsFiles>,
    /// What a request may cost.
    #[serde(default)]
    pub limits: Limits,
    /// The keys of the logs that are witnessed, `<origin>+<id>+<base64>`.
    pub logs: Vec<String>,
}

impl WitnessLogsConfig {
    /// Reads a file; relative paths in it start at its folder.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let (mut config, root): (Self, _) = read(path)?;
        let tls = config.tls.iter_mut().flat_map(|tls| [&mut tls.certificate, &mut tls.key]);
        for file in [&mut config.key, &mut config.state].into_iter().chain(tls) {
            *file = root.join(&*file);
        }
        let refused = |reason| ConfigError::Options { path: path.to_owned(), reason };
        config.check().map_err(refused)?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        let name: Result<KeyName, _> = self.name.parse();
        name.map_err(|error| format!("`name`: {error}"))?;
        self.log_keys()?;
        self.listening().check()
    }

    /// The keys of the logs.
    pub(super) fn log_keys(&self) -> Result<Vec<VerifierKey>, String> {
        let keys = self.logs.iter().map(|key| {
            key.parse().map_err(|error: log::note::NoteError| format!("`logs`: {key}: {error}"))
        });
        keys.collect()
    }

    pub(super) fn listening(&self) -> Config {
        listening(self.listen, self.tls.as_ref(), &self.limits)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<(T, PathBuf), ConfigError> {
    let bytes = wire::read_bounded(path, LIMIT)
        .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let refused = |reason| ConfigError::Options { path: path.to_owned(), reason };
    let text = String::from_utf8(bytes).map_err(|error| refused(error.to_string()))?;
    let config = toml::from_str(&text).map_err(|error| refused(error.to_string()))?;
    // A path that is read as a file has a parent, or is relative to this directory.
    Ok((config, path.parent().unwrap_or(Path::new(".")).to_owned()))
}

/// What of it the connections of every server are configured by.
fn listening(listen: SocketAddr, tls: Option<&TlsFiles>, limits: &Limits) -> Config {
    Config {
        path: None,
        reload_seconds: 0,
        access_log: None,
        listen,
        tables: PathBuf::new(),
        page: None,
        tls: tls.cloned(),
        limits: limits.clone(),
        clients: Vec::new(),
        #[cfg(feature = "sql")]
        sources: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    fn parse(text: &str) -> Result<(), String> {
        let config: KeeperConfig = toml::from_str(text).map_err(|error| error.to_string())?;
        config.check()
    }

    #[test]
    fn the_sample_is_a_configuration_and_tells_the_defaults() {
        parse(ADMISSION_SAMPLE).unwrap();
        let options = ADMISSION_SAMPLE.lines().filter_map(|line| line.strip_prefix("# "));
        let is_default = |line: &&str| {
            ["_seconds =", "_milliseconds =", "_entries =", "_bytes =", "open =", "reserved ="]
                .iter()
                .any(|option| line.contains(option))
        };
        let told: Vec<&str> = options.filter(is_default).collect();
        assert!(told.len() > 8, "{told:?}");
        let admission = told.iter().filter(|line| !line.contains("heartbeat"));
        let admission = admission.filter(|line| {
            !["promise", "append", "body"].iter().any(|option| line.starts_with(option))
        });
        let text: Vec<&str> = admission.copied().collect();
        let options: AdmissionOptions = toml::from_str(&text.join("\n")).unwrap();
        assert_eq!(format!("{options:?}"), format!("{:?}", AdmissionOptions::default()));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let base = "listen = \"127.0.0.1:1\"\nlog = \"l\"\n";
        parse(base).unwrap();
        for wrong in [
            "quorum = 1\n",
            "operator = \"x\"\n",
            "append_milliseconds = 0\n",
            "unknown = 1\n",
            "[admission]\nknown = [\"00\"]\n",
            "[admission]\npayload_bytes = 999999999999\n",
            "[[witness]]\nkey = \"x\"\nurl = \"https://w\"\n",
        ] {
            assert!(parse(&format!("{base}{wrong}")).is_err(), "{wrong}");
        }
        assert!(parse(&base.replace("127.0.0.1", "0.0.0.0")).is_err());
    }
}
