//! What somebody whose turn it is says, in both phases.

use std::path::PathBuf;

use data_encoding::HEXLOWER_PERMISSIVE;

use super::entropy::EntropyArgs;

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct ContributeArgs {
    /// The last file of the ceremony.
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// A name for the contribution, at most 64 characters. Everybody sees it.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    #[command(flatten)]
    pub entropy: EntropyArgs,
    /// Keep the seed of the secrets, to make the same file again. Whoever has it knows the secrets:
    /// delete it as soon as the contribution has arrived.
    #[arg(long)]
    pub keep_seed: bool,
}

/// Options of `beacon`.
#[derive(clap::Args)]
pub struct BeaconArgs {
    /// The last file of the ceremony.
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// The public randomness, 1 to 255 bytes in hexadecimal digits: a block's hash, a drand round.
    #[arg(long, value_name = "HEX", value_parser = hex)]
    pub hash: Hash,
    /// The binary logarithm of how often to hash it. Announce it with the source of the randomness.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(10..=63))]
    pub iterations_exp: u8,
    /// A name for the contribution, at most 64 characters.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Bytes that clap does not take for a list of options.
#[derive(Clone)]
pub struct Hash(pub Vec<u8>);

/// A beacon's bytes from hexadecimal digits.
pub fn hex(text: &str) -> Result<Hash, String> {
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|error| error.to_string())?;
    match bytes.len() {
        1..=255 => Ok(Hash(bytes)),
        _ => Err("a beacon has 1 to 255 bytes".to_owned()),
    }
}
