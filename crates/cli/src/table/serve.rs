//! `subrosa table serve`: the server, its configuration, its clients' tokens.

use std::path::{Path, PathBuf};

use ::services::{
    config::{Config, ConfigError, Role, SAMPLE},
    http::ServeError,
    tables,
};
use clap::{Subcommand, ValueEnum};
use serde_json::json;

use crate::{failure::Failure, output::Output};

/// Options of `serve`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    /// The configuration file; `serve init` writes one.
    #[arg(long, value_name = "TOML", required = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What `serve` does besides.
#[derive(Subcommand)]
pub enum Command {
    /// Write a configuration in which every option is explained.
    Init {
        /// The file to create.
        #[arg(short, long, value_name = "TOML")]
        out: PathBuf,
    },
    /// Make a token for a client, and print the lines for the server's configuration.
    Token {
        /// The client's name.
        #[arg(long, value_name = "NAME")]
        name: String,
        /// A role of the client: what it may ask for. May be given several times.
        #[arg(long = "role", value_name = "ROLE", required = true)]
        roles: Vec<RoleArg>,
        /// The file to create: the token. Give it to the client only.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Write the OpenAPI document of what the server answers.
    Openapi {
        /// The file to create.
        #[arg(short, long, value_name = "JSON")]
        out: PathBuf,
    },
}

/// A role, on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RoleArg {
    /// Make tables, seal epochs, change the key, read who asked what.
    Custodian,
    /// Bring rows in.
    Feeder,
    /// Make and revoke users' tokens.
    Registrar,
    /// Ask queries.
    Querier,
    /// Read audits and vouch for them.
    Auditor,
    /// Read the log before it is cosigned, and cosign it.
    Witness,
    /// Read the metrics.
    Monitor,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Custodian => Self::Custodian,
            RoleArg::Feeder => Self::Feeder,
            RoleArg::Registrar => Self::Registrar,
            RoleArg::Querier => Self::Querier,
            RoleArg::Auditor => Self::Auditor,
            RoleArg::Witness => Self::Witness,
            RoleArg::Monitor => Self::Monitor,
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::input(error).hint("`subrosa table serve init --out FILE` writes a configuration file")
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Folder(error) => error.into(),
            error => Self::input(error),
        }
    }
}

/// Runs `serve`.
pub fn run(args: Args, output: &Output) -> Result<(), Failure> {
    match (args.command, args.config) {
        (Some(Command::Init { out }), _) => {
            wire::write_new(&out, SAMPLE.as_bytes()).map_err(|error| Failure::file(&out, error))?;
            let path = out.display().to_string();
            output.result(&json!({ "config": path }), || {
                vec![format!("{path}: edit it, then serve")]
            });
            Ok(())
        }
        (Some(Command::Token { name, roles, out }), _) => token(&name, &roles, &out, output),
        (Some(Command::Openapi { out }), _) => {
            let document = tables::document();
            wire::write_new(&out, document.as_bytes())
                .map_err(|error| Failure::file(&out, error))?;
            output.result(&json!({ "bytes": document.len() }), Vec::new);
            Ok(())
        }
        (None, Some(config)) => serve(&config, output),
        (None, None) => Err(Failure::input("give a configuration file")),
    }
}

/// Serves tables as the file of a configuration says, until the process is told to stop; prints where it
/// listens.
///
/// # Errors
/// A configuration that is wrong, and everything that keeps the server from starting.
pub fn serve(config: &Path, output: &Output) -> Result<(), Failure> {
    let config = &Config::load(config)?;
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let notice = Box::new(|line: &str| anstream::eprintln!("{line}"));
    tables::serve(config, notice, |address| {
        let url = format!("{scheme}://{address}");
        output.result(&json!({ "listening": url }), || vec![format!("listening at {url}")]);
    })?;
    Ok(())
}

fn token(name: &str, roles: &[RoleArg], out: &Path, output: &Output) -> Result<(), Failure> {
    let drawn = tables::draw_role_token();
    wire::write_secret(out, drawn.token.as_bytes()).map_err(|error| Failure::file(out, error))?;
    let roles: std::collections::BTreeSet<Role> = roles.iter().copied().map(Role::from).collect();
    let entry = json!({ "name": name, "roles": roles, "token_hash": drawn.hash });
    output.result(&entry, || {
        let roles = json!(roles);
        vec![
            "# for the server's configuration:".to_owned(),
            "[[client]]".to_owned(),
            format!("name = {}", json!(name)),
            format!("roles = {roles}"),
            format!("token_hash = \"{}\"", drawn.hash),
        ]
    });
    Ok(())
}
