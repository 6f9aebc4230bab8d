//! `subrosa mix keygen`.

use std::path::PathBuf;

use data_encoding::HEXLOWER;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use shuffle::SecretKey;
use wire::Encode as _;

use super::{
    format::{PublicFile, SecretFile},
    store,
};
use crate::{failure::Failure, output::Output};

/// Options of `keygen`.
#[derive(clap::Args)]
pub struct Args {
    /// The decryption key to create. Only its owner may read it.
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    /// The encryption key to create. It is public.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    store::require_new(&args.secret)?;
    store::require_new(&args.public)?;
    let secret = SecretFile(SecretKey::generate(&mut UnwrapErr(SysRng)));
    let public = secret.0.public_key();
    store::write_secret(&args.secret, &secret.to_bytes())?;
    store::write_new(&args.public, &PublicFile(public).to_bytes())?;
    let text = HEXLOWER.encode(&algebra::Group::encode(&public.point()));
    output.result(&json!({ "public_key": text }), || vec![text.clone()]);
    Ok(())
}
