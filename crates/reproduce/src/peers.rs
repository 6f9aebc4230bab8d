//! Programs of others, behind adapters that print what a bench of ours prints.
//!
//! An adapter's files are part of this program. They are written into a directory, and what they
//! need is installed beside them when the user asks for it, by `npm`, `cargo` or `go`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use wire::write_atomic;

/// How an adapter is installed and run.
struct Adapter {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What installs it, in its directory.
    install: &'static [&'static str],
    /// What is there when it is installed.
    mark: &'static str,
    /// What runs it.
    run: &'static [&'static str],
}

const ADAPTERS: [Adapter; 4] = [
    Adapter {
        name: "snarkjs",
        files: &[
            ("package.json", include_str!("../peers/snarkjs/package.json")),
            ("main.mjs", include_str!("../peers/snarkjs/main.mjs")),
            ("chain.mjs", include_str!("../peers/snarkjs/chain.mjs")),
        ],
        install: &["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"],
        mark: "node_modules/snarkjs/package.json",
        run: &["node", "main.mjs"],
    },
    Adapter {
        name: "rust-crates",
        files: &[
            ("Cargo.toml", include_str!("../peers/rust-crates/Cargo.toml.txt")),
            ("main.rs", include_str!("../peers/rust-crates/main.rs")),
        ],
        install: &["cargo", "build", "--release", "--quiet"],
        mark: "target/release/peer",
        run: &["target/release/peer"],
    },
    Adapter {
        name: "halo2curves",
        files: &[
            ("Cargo.toml", include_str!("../peers/halo2curves/Cargo.toml.txt")),
            ("main.rs", include_str!("../peers/halo2curves/main.rs")),
        ],
        install: &["cargo", "build", "--release", "--quiet"],
        mark: "target/release/peer",
        run: &["target/release/peer"],
    },
    Adapter {
        name: "gnark-crypto",
        files: &[
            ("go.mod", include_str!("../peers/gnark-crypto/go.mod")),
            ("go.sum", include_str!("../peers/gnark-crypto/go.sum")),
            ("main.go", include_str!("../peers/gnark-crypto/main.go")),
            ("operations.go", include_str!("../peers/gnark-crypto/operations.go")),
            ("bn254.go", include_str!("../peers/gnark-crypto/bn254.go")),
            ("bls12381.go", include_str!("../peers/gnark-crypto/bls12381.go")),
        ],
        install: &["go", "build", "-o", "peer", "."],
        mark: "peer",
        run: &["./peer"],
    },
];

/// The directory of adapters.
#[derive(Debug)]
pub struct Peers {
    directory: PathBuf,
}

impl Peers {
    /// Adapters in a directory, whether installed or not.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// Installs every adapter whose tools are there. `tell` hears how it went.
    pub fn install(&self, mut tell: impl FnMut(&str, Result<(), String>)) {
        for adapter in &ADAPTERS {
            tell(adapter.name, self.install_one(adapter));
        }
    }

    fn install_one(&self, adapter: &Adapter) -> Result<(), String> {
        let directory = self.directory.join(adapter.name);
        fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        for (name, text) in adapter.files {
            let written = write_atomic(&directory.join(name), text.as_bytes());
            written.map_err(|error| format!("{name}: {error}"))?;
        }
        let mut command = start(adapter.install, &directory).ok_or("nothing installs it")?;
        let ran = command.output().map_err(|error| error.to_string())?;
        if ran.status.success() {
            Ok(())
        } else {
            Err(first_line(&String::from_utf8_lossy(&ran.stderr)))
        }
    }

    /// What runs an adapter.
    ///
    /// # Errors
    /// If there is none, or it is not installed.
    pub fn command(&self, name: &str) -> Result<Command, String> {
        let found = ADAPTERS.iter().find(|adapter| adapter.name == name);
        let adapter = found.ok_or_else(|| format!("there is no adapter for {name}"))?;
        let directory = self.directory.join(name);
        if !directory.join(adapter.mark).exists() {
            return Err(format!("{name} is not installed; --fetch-peers installs it"));
        }
        start(adapter.run, &directory).ok_or_else(|| "nothing runs it".to_owned())
    }
}

fn start(words: &[&str], directory: &Path) -> Option<Command> {
    let (program, arguments) = words.split_first()?;
    let own = directory.join(program);
    let mut command = if own.exists() { Command::new(own) } else { Command::new(program) };
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    Some(command)
}

/// The first line that says something.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or("it ended without a word").chars().take(200).collect()
}
