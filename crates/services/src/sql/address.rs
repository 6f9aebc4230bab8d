//! Where a database is. A URL that may hold a password is never shown.

use std::{collections::BTreeSet, net::IpAddr};

use url::Url;

use super::SqlError;

/// The environment variable that holds a source's password, where no file does.
pub const PASSWORD: &str = "SUBROSA_SQL_PASSWORD";

/// Options of a URL that say how to reach and authenticate the server, and nothing else.
const OPTIONS: [&str; 9] =
    ["host", "socket", "ssl-ca", "ssl-cert", "ssl-key", "ssl-mode", "sslcert", "sslkey", "sslmode"];
const ROOT: &str = "sslrootcert";
/// Options that decide whether the server is authenticated.
const MODE: [&str; 2] = ["sslmode", "ssl-mode"];

/// Which SQL is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// MySQL and MariaDB.
    MySql,
    Postgres,
}

/// A database.
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) dialect: Dialect,
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, SqlError> {
        let refused = |reason: String| Err(SqlError::Address(reason));
        let mut url = Url::parse(text).map_err(|error| SqlError::Address(error.to_string()))?;
        let dialect = match url.scheme() {
            "mysql" | "mariadb" => Dialect::MySql,
            "postgres" | "postgresql" => Dialect::Postgres,
            _ => return refused("neither MySQL, MariaDB nor PostgreSQL".to_owned()),
        };
        if url.password().is_some() {
            let rule = "it holds a password, which other users of this machine can read";
            return refused(format!("{rule}: put it in a file or in {}", PASSWORD));
        }
        let unknown =
            url.query_pairs().find(|(key, _)| *key != ROOT && !OPTIONS.contains(&key.as_ref()));
        if let Some((key, _)) = unknown {
            // Only a name, and cut: a value may be a secret.
            let key: String = key.chars().take(32).collect();
            return refused(format!("unknown option `{key}`"));
        }
        // Drivers take the first of two, or the last: what was decided for one would be done to the other.
        let mut seen = BTreeSet::new();
        if let Some((key, _)) = url.query_pairs().find(|(key, _)| !seen.insert(key.to_string())) {
            return refused(format!("option `{key}` is there twice"));
        }
        if url.path().trim_start_matches('/').is_empty() {
            return refused("it names no database".to_owned());
        }
        url.set_fragment(None);
        Ok(Self { url, dialect })
    }

    /// Whether the URL itself says how far the server is authenticated.
    pub(super) fn has_mode(&self) -> bool {
        self.url.query_pairs().any(|(key, _)| MODE.contains(&key.as_ref()))
    }

    /// Whether nothing leaves this machine.
    pub(super) fn is_local(&self) -> bool {
        let socket = |(key, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
            key == "socket" || key == "host" && value.starts_with('/')
        };
        if self.url.query_pairs().any(|(key, _)| key == "host") {
            return self.url.query_pairs().any(socket);
        }
        let loopback = |host: &str| {
            // A host that is no address is a name, which is taken for another machine.
            let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
            host == "localhost" || address.is_some_and(|address| address.is_loopback())
        };
        self.url.query_pairs().any(socket) || self.url.host_str().is_some_and(loopback)
    }

    /// Host, port and database, for people: no account, no options.
    pub(super) fn shown(&self) -> String {
        let url = &self.url;
        let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
        // For people: what goes through a socket has no host.
        format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn urls_are_read_strictly() {
        for (text, local, moded) in [
            ("mysql://me@db.example:3306/shop", false, false),
            ("mariadb://me@127.0.0.1/shop", true, false),
            ("postgres://me@[::1]:5432/shop", true, false),
            ("postgresql://me@localhost/shop?sslmode=require", true, true),
            ("postgres://me@db.example/shop?sslmode=verify-ca&sslrootcert=ca.pem", false, true),
            ("mysql://me@db.example/shop?socket=/run/db.sock", true, false),
            ("postgres://me@localhost/shop?host=/run", true, false),
            ("postgres://me@localhost/shop?host=db.example", false, false),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.is_local(), address.has_mode()), (local, moded), "{text}");
            assert!(!address.shown().contains("me@"));
        }
    }

    #[test]
    fn a_secret_in_a_url_is_refused_and_not_repeated() {
        for text in [
            "mysql://me:hunter2@localhost/shop",
            "postgres://me@localhost/shop?password=hunter2",
            "postgres://me@localhost/shop?options=hunter2",
            "postgres://hunter2@localhost/shop?host=/run&host=db.example",
            "hunter2",
            "sqlite://hunter2",
            "mysql://me@localhost/#hunter2",
        ] {
            let message = Address::parse(text).err().unwrap().to_string();
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
}
