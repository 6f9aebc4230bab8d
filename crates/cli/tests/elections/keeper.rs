//! The log of a board, kept over TLS by a process of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Stdio},
};

use crate::common::{subrosa, succeed};

/// A keeper, which ends with the test.
pub struct Keeper {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// The key by which the log is known.
    pub key: String,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Keeper {
    /// Makes a log in `board`, for this operator's board and whoever else is known, and serves it; its certificate
    /// is `chain.pem`.
    pub fn start(root: &Path, operator: &str, known: &[&str]) -> Self {
        let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        fs::write(root.join("chain.pem"), certified.cert.pem()).unwrap();
        fs::write(root.join("tls.pem"), certified.signing_key.serialize_pem()).unwrap();
        let made = succeed(root, &["log", "init", "board", "--origin", "example.org/board"]);
        let key = made.lines().find_map(|line| line.strip_prefix("log ")).unwrap().to_owned();
        let known: Vec<String> = known.iter().map(|key| format!("{key:?}")).collect();
        let config = format!(
            "listen = \"127.0.0.1:0\"\nlog = \".\"\noperator = \"{operator}\"\n\
             [admission]\nknown = [{}]\npayload_bytes = 67108864\n\
             [limits]\nrequests_per_second = 1000\nburst = 4000\n\
             [tls]\ncertificate = \"../chain.pem\"\nkey = \"../tls.pem\"\n",
            known.join(", ")
        );
        fs::write(root.join("board/keeper.toml"), config).unwrap();
        let mut serve = subrosa(root, &["log", "serve", "board/keeper.toml"]);
        let mut child = serve.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let host = line.trim_end().rsplit_once("https://").unwrap().1.to_owned();
        Self { child, host, key }
    }

    /// How its board is named on this machine.
    pub fn address(&self) -> String {
        format!("https://{}", self.host)
    }

    /// What every command is told beside the address.
    pub fn trust(&self) -> [&str; 4] {
        ["--board-key", &self.key, "--tls-trust", "chain.pem"]
    }
}
