//! Voters' credentials and the roll.

use std::path::{Path, PathBuf};

use board::{AuthorId, Identity};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde::{Deserialize, Serialize};
use serde_json::json;
use study::election::{MAX_VOTERS, Voter};
use wire::{DecodeError, Encode, FileHeader, Reader, put_bytes};
use zeroize::Zeroizing;

use super::folder::{read_ballots, read_description};
use crate::{failure::Failure, output::Output};

const HEADER: FileHeader = FileHeader { kind: "voters", version: 1 };
const FILE_LIMIT: u64 = 1 << 30;
const NAME_LIMIT: usize = 1000;

/// Options of `register`.
#[derive(clap::Args)]
pub struct RegisterArgs {
    /// The election's description.
    #[arg(value_name = "TOML")]
    description: PathBuf,
    /// A ballot file; its first column names the voters.
    #[arg(value_name = "CSV")]
    ballots: PathBuf,
    /// The credentials to create, for the voters. Only the owner may read the file.
    #[arg(long, value_name = "FILE")]
    credentials: PathBuf,
    /// The roll to create, for the operator: voter and public key.
    #[arg(long, value_name = "CSV")]
    roll: PathBuf,
}

/// A voter's name and signing key.
pub struct Credential {
    /// The name on the roll.
    pub name: String,
    /// The signing key.
    pub identity: Identity,
}

impl Credential {
    /// Draws keys for voters.
    pub fn generate(names: impl IntoIterator<Item = String>) -> Vec<Self> {
        let mut rng = UnwrapErr(SysRng);
        let generate = |name| Self { name, identity: Identity::generate(&mut rng) };
        names.into_iter().map(generate).collect()
    }

    /// The line of the roll.
    pub fn voter(&self) -> Voter {
        Voter { name: self.name.clone(), credential: self.identity.id() }
    }

    /// Writes a new file of credentials that only its owner may read.
    pub fn save_all(credentials: &[Self], path: &Path) -> Result<(), Failure> {
        let mut bytes = Zeroizing::new(Vec::new());
        HEADER.encode(&mut bytes);
        u32::try_from(credentials.len()).unwrap_or(u32::MAX).encode(&mut bytes);
        for credential in credentials {
            put_bytes(&mut bytes, credential.name.as_bytes());
            bytes.extend_from_slice(credential.identity.to_seed().as_ref());
        }
        wire::write_secret(path, &bytes).map_err(|error| Failure::file(path, error))
    }

    /// Reads a file of credentials.
    pub fn load_all(path: &Path) -> Result<Vec<Self>, Failure> {
        let bytes = wire::read_bounded(path, FILE_LIMIT);
        let bytes = Zeroizing::new(bytes.map_err(|error| Failure::file(path, error))?);
        Self::decode_all(&bytes).map_err(|error| Failure::file(path, error))
    }

    fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, DecodeError> {
        let mut reader = Reader::new(bytes);
        HEADER.expect(&mut reader)?;
        let count = reader.count("voters", MAX_VOTERS)?;
        let mut credential = || {
            let name = reader.text("voter's name", NAME_LIMIT)?.to_owned();
            let seed = Zeroizing::new(reader.array()?);
            Ok(Self { name, identity: Identity::from_seed(&seed) })
        };
        let credentials = (0..count).map(|_| credential()).collect::<Result<_, DecodeError>>()?;
        reader.finish()?;
        Ok(credentials)
    }
}

/// A line of a roll file.
#[derive(Serialize, Deserialize)]
struct Line {
    voter: String,
    public_key: String,
}

/// Writes a roll.
pub fn write_roll(path: &Path, voters: &[Voter]) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for voter in voters {
        let line = Line { voter: voter.name.clone(), public_key: voter.credential.to_string() };
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    wire::write_atomic(path, &bytes).map_err(|error| failed(&error))
}

/// Reads a roll.
pub fn read_roll(path: &Path) -> Result<Vec<Voter>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let mut reader = csv::Reader::from_path(path).map_err(|error| failed(&error))?;
    let mut voters = Vec::new();
    for line in reader.deserialize() {
        let Line { voter, public_key } = line.map_err(|error| failed(&error))?;
        let credential: Result<AuthorId, _> = public_key.parse();
        let credential =
            credential.map_err(|error| Failure::file(path, format!("voter `{voter}`: {error}")))?;
        voters.push(Voter { name: voter, credential });
        if voters.len() > MAX_VOTERS {
            return Err(Failure::file(path, format!("more than {MAX_VOTERS} voters")));
        }
    }
    Ok(voters)
}

/// Runs `register`.
pub fn register(args: &RegisterArgs, output: &Output) -> Result<(), Failure> {
    let description = read_description(&args.description)?;
    let ballots = read_ballots(&args.ballots, &description, None)?;
    let credentials = Credential::generate(ballots.into_iter().map(|ballot| ballot.voter));
    Credential::save_all(&credentials, &args.credentials)?;
    let voters: Vec<Voter> = credentials.iter().map(Credential::voter).collect();
    write_roll(&args.roll, &voters)?;
    let line = || vec![format!("{} voters", voters.len())];
    output.result(&json!({ "voters": voters.len() }), line);
    Ok(())
}
