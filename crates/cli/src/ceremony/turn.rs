//! What somebody whose turn it is says, in all ceremonies.

use std::path::{Path, PathBuf};

use ::ceremony::phase1::Settings;
use algebra::Dialect;
use chacha20::ChaCha20Rng;
use clap::ValueEnum;
use data_encoding::HEXLOWER_PERMISSIVE;
use serde_json::json;
use wire::NewFile;

use super::{
    drand::read_round,
    entropy::{EntropyArgs, generator},
    files,
    receipt::Receipt,
    secrecy,
    seed::{Purpose, SealedSeed, Turn},
};
use crate::{failure::Failure, output::Output};

/// Options of commands that make a file of a ceremony's last one and ask for nothing else.
#[derive(clap::Args)]
pub struct StepArgs {
    /// The last file of the ceremony.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct ContributeArgs {
    /// The last file of the ceremony.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// A name for the contribution, at most 64 characters. It is public.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    #[command(flatten)]
    pub secrets: SecretArgs,
}

impl ContributeArgs {
    /// A contribution: draws the secrets, makes the file, puts it into its place, forgets the secrets
    /// and reports.
    pub fn take_turn<R: Into<Receipt>>(
        &self,
        turn: &Turn,
        input: &InputArgs,
        output: &Output,
        make: impl FnOnce(&mut ChaCha20Rng, &mut NewFile) -> Result<R, Failure>,
    ) -> Result<(), Failure> {
        input.warn(output);
        let make = |out: &mut files::Output, rng: &mut _| make(rng, &mut out.file);
        let (receipt, kept) = self.secrets.contribute(&self.out, turn, output, make)?;
        let round = turn.round.map(|round| ("round", json!(round)));
        let more = round.into_iter().chain([("seed", json!(kept))]);
        let receipt = receipt.into().of_input(turn.input, !input.trust_input);
        receipt.report(self.name.as_deref(), &self.out, more, output);
        Ok(())
    }
}

/// Whether a contributor's input is believed.
#[derive(clap::Args)]
pub struct InputArgs {
    /// Contribute to a file without verifying it. Danger: whoever made the file can choose its points so
    /// that your contribution reveals what nobody may know.
    #[arg(long)]
    pub trust_input: bool,
}

impl InputArgs {
    /// Says so, loudly.
    pub fn warn(&self, output: &Output) {
        if self.trust_input {
            output.warn(
                "THE INPUT IS NOT VERIFIED. If its points are wrong, this contribution gives away \
                 the trapdoor of the whole ceremony",
            );
        }
    }
}

/// What a verifier is ready to do.
#[derive(clap::Args)]
pub struct VerifierArgs {
    /// Refuse beacons that were hashed more than 2^N times in all.
    #[arg(
        long,
        value_name = "N",
        default_value_t = Settings::default().max_iterations_exp,
        value_parser = clap::value_parser!(u8).range(10..=63)
    )]
    pub max_iterations_exp: u8,
}

impl VerifierArgs {
    /// As the library has it.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.max_iterations_exp = self.max_iterations_exp;
        settings
    }
}

/// Options of commands that contribute to a file of bellman's ceremonies, which has no names.
#[derive(clap::Args)]
pub struct AnswerArgs {
    /// The file that you were given.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The file to create, and to send back.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Whose conventions the file follows, where programs differ.
    #[arg(long, value_enum, default_value = "snarkjs")]
    pub dialect: DialectName,
    #[command(flatten)]
    pub verification: InputArgs,
}

/// Whose conventions a file follows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DialectName {
    /// snarkjs.
    Snarkjs,
    /// bellman, Zcash and their descendants.
    Bellman,
}

impl DialectName {
    /// The dialect.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Snarkjs => Dialect::Snarkjs,
            Self::Bellman => Dialect::Bellman,
        }
    }
}

/// Options of commands that add such a file to a ceremony.
#[derive(clap::Args)]
pub struct ImportArgs {
    /// The last file of the ceremony, from which the other one was exported.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The file that came back.
    #[arg(long, value_name = "FILE")]
    pub response: PathBuf,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// A name for the new contribution in it, at most 64 characters. It is public.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    #[command(flatten)]
    pub verifier: VerifierArgs,
}

/// Where secrets come from, and whether their seed stays.
#[derive(clap::Args)]
pub struct SecretArgs {
    #[command(flatten)]
    entropy: EntropyArgs,
    /// Keep the seed of the secrets, to be able to make the same file again. Whoever has the seed knows the
    /// secrets: delete it as soon as the contribution has arrived.
    #[arg(long)]
    keep_seed: bool,
}

impl SecretArgs {
    /// Makes a file with secrets whose seed lies sealed beside it meanwhile, and returns what `make`
    /// does and where the seed is kept, if it is.
    pub fn contribute<T>(
        &self,
        path: &Path,
        turn: &Turn,
        output: &Output,
        make: impl FnOnce(&mut files::Output, &mut ChaCha20Rng) -> Result<T, Failure>,
    ) -> Result<(T, Option<PathBuf>), Failure> {
        let mut out = files::Output::create(path)?;
        let purpose = Purpose::of(turn, path);
        let seed = SealedSeed::open(path, &purpose, &self.entropy)?;
        if seed.is_resumed {
            output.warn("continuing with the secrets of a contribution that was not finished");
        }
        let made = make(&mut out, &mut generator(&seed.seed, &purpose.hash()));
        secrecy::scrub_stacks();
        let made = match made {
            Ok(made) => made,
            Err(failure) => {
                // Nothing was made with a new seed; another may be of use.
                if !seed.is_resumed {
                    seed.destroy()?;
                }
                return Err(failure);
            }
        };
        out.finish()?;
        let kept = self.keep_seed.then(|| seed.path().to_owned());
        if kept.is_none() {
            seed.destroy()?;
        }
        Ok((made, kept))
    }
}

/// Options of `beacon`.
#[derive(clap::Args)]
pub struct BeaconArgs {
    /// The last file of the ceremony.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The public randomness, 1 to 255 bytes in hexadecimal digits: a block's hash, a drand round.
    #[arg(long, value_name = "HEX", value_parser = hex, required_unless_present = "drand")]
    hash: Option<Hash>,
    /// Take the randomness of a round of drand, from the JSON of its servers. The signature is checked with
    /// the key of the chain default or quicknet.
    #[arg(long, value_name = "FILE", conflicts_with = "hash")]
    drand: Option<PathBuf>,
    /// Hash the randomness 2^N times. Announce N together with the source of the randomness.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(10..=63))]
    pub iterations_exp: u8,
    /// A name for the contribution, at most 64 characters.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

impl BeaconArgs {
    /// The public randomness.
    pub fn randomness(&self) -> Result<Vec<u8>, Failure> {
        match (&self.hash, &self.drand) {
            (Some(Hash(hash)), _) => Ok(hash.clone()),
            (None, Some(path)) => Ok(read_round(path)?.randomness.to_vec()),
            (None, None) => Err(Failure::input("a beacon needs --hash or --drand")),
        }
    }
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
