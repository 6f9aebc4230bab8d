//! `subrosa table witness serve`.

use std::path::PathBuf;

use ::services::{
    http::ServeError,
    witness::{self, SAMPLE, WitnessConfig},
};
use clap::Subcommand;
use serde_json::json;

use crate::{failure::Failure, keygen::PassphraseArgs, output::Output};

/// What a witness's machine does.
#[derive(Subcommand)]
pub enum Command {
    /// Cosign the logs of tables for anybody, after checking that they only grew, and show everybody the
    /// newest log seen.
    Serve {
        /// The configuration file; `witness init` writes one.
        #[arg(long, value_name = "TOML")]
        config: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseArgs,
    },
    /// Write a configuration in which every option is explained.
    Init {
        /// The file to create.
        #[arg(short, long, value_name = "TOML")]
        out: PathBuf,
    },
}

/// Runs `witness`.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Init { out } => {
            wire::write_new(&out, SAMPLE.as_bytes()).map_err(|error| Failure::file(&out, error))?;
            let path = out.display().to_string();
            output.result(&json!({ "config": path }), || {
                vec![format!("{path}: edit it, then serve")]
            });
            Ok(())
        }
        Command::Serve { config, passphrase } => {
            let config = WitnessConfig::load(&config).map_err(|error| {
                Failure::input(error)
                    .hint("`subrosa table witness init --out FILE` writes a configuration file")
            })?;
            let identity = passphrase.identity(&config.key)?;
            let key = identity.id().to_string();
            let scheme = if config.tls.is_some() { "https" } else { "http" };
            let notice = Box::new(|line: &str| anstream::eprintln!("{line}"));
            let served = witness::serve(&config, identity, notice, |address| {
                let url = format!("{scheme}://{address}");
                let lines = || vec![format!("witness {key}"), format!("listening at {url}")];
                output.result(&json!({ "listening": url, "witness": key }), lines);
            });
            served.map_err(|error: ServeError| error.into())
        }
    }
}
