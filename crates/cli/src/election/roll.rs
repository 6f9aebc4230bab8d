//! Voters' credentials and the roll.

use std::path::{Path, PathBuf};

use board::{AuthorId, Identity};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde::{Deserialize, Serialize};
use serde_json::json;
use study::{
    description::Class,
    election::{MAX_VOTERS, Voter, check_roll},
    preferences::CastBallot,
};
use wire::{DecodeError, Encode, FileHeader, Reader, put_bytes};
use zeroize::Zeroizing;

use super::folder::{read_ballots, read_description};
use crate::{
    failure::Failure,
    output::{self, Output},
};

const HEADER: FileHeader = FileHeader { kind: "voters", version: 1 };
const FILE_LIMIT: u64 = 1 << 30;
const NAME_LIMIT: usize = 1000;

/// Options of `register`.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("who").required(true).args(["voters", "generate_for"]))]
pub struct RegisterArgs {
    /// The election's description.
    #[arg(value_name = "TOML")]
    description: PathBuf,
    /// The voters and the public keys that they made themselves (`subrosa vote keygen`), a CSV file with
    /// the columns `voter`, `public_key`, and `class` if there are classes.
    #[arg(long, value_name = "CSV")]
    voters: Option<PathBuf>,
    /// For trials only: make the keys of all voters in this ballot file. Whoever makes the keys can vote
    /// for everybody.
    #[arg(long, alias = "ballots", value_name = "CSV", requires = "credentials")]
    generate_for: Option<PathBuf>,
    /// The key file to create, with all voters' keys. Only its owner may read it.
    #[arg(long, value_name = "FILE", requires = "generate_for")]
    credentials: Option<PathBuf>,
    /// The roll to create, for the operator: each voter's name and public key, and the class if there are
    /// classes.
    #[arg(long, value_name = "CSV")]
    roll: PathBuf,
}

/// A voter's name, and the class if there are classes.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The name on the roll.
    pub name: String,
    /// The class, numbered from 0.
    pub class: Option<u8>,
}

impl Registered {
    /// The voters of ballots.
    pub fn all_of(ballots: Vec<CastBallot>) -> Vec<Self> {
        let voter = |ballot: CastBallot| Self { name: ballot.voter, class: ballot.class };
        ballots.into_iter().map(voter).collect()
    }
}

/// A voter's name and signing key.
pub struct Credential {
    /// The name on the roll.
    pub name: String,
    /// The signing key.
    pub identity: Identity,
}

impl Credential {
    /// Draws keys for voters of these names.
    pub fn generate(names: impl IntoIterator<Item = String>) -> Vec<Self> {
        let mut rng = UnwrapErr(SysRng);
        let names = names.into_iter();
        names.map(|name| Self { name, identity: Identity::generate(&mut rng) }).collect()
    }

    /// Writes a new file of credentials that only its owner may read.
    pub fn save_all(credentials: &[Self], path: &Path) -> Result<(), Failure> {
        let mut bytes = Zeroizing::new(Vec::new());
        HEADER.encode(&mut bytes);
        // There are MAX_VOTERS at most.
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

/// A line of a roll file, and of the registrar's.
#[derive(Serialize, Deserialize)]
pub struct Line {
    /// The name on the roll.
    pub voter: String,
    /// The voter's key.
    pub public_key: String,
    /// The name of the class, if there are classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

/// Writes a roll, with the names of the classes.
pub fn write_roll(path: &Path, voters: &[Voter], classes: &[Class]) -> Result<(), Failure> {
    let line = |voter: &Voter| {
        let class = voter.class.and_then(|class| classes.get(usize::from(class)));
        Line {
            voter: voter.name.clone(),
            public_key: voter.credential.to_string(),
            class: class.map(|class| class.name.clone()),
        }
    };
    write_lines(path, voters.iter().map(line))
}

/// Writes voters with their public keys.
pub fn write_lines(path: &Path, lines: impl Iterator<Item = Line>) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    wire::write_atomic(path, &bytes).map_err(|error| failed(&error))
}

/// Reads a roll, whose voters are in these classes, or in none if there are none.
pub fn read_roll(path: &Path, classes: &[Class]) -> Result<Vec<Voter>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let mut reader = csv::Reader::from_path(path).map_err(|error| failed(&error))?;
    let mut voters = Vec::new();
    for line in reader.deserialize() {
        let Line { voter, public_key, class } = line.map_err(|error| failed(&error))?;
        let credential: Result<AuthorId, _> = public_key.parse();
        let credential =
            credential.map_err(|error| Failure::file(path, format!("voter `{voter}`: {error}")))?;
        let class = place(classes, class.as_deref());
        let class = class.map_err(|why| Failure::file(path, format!("voter `{voter}`: {why}")))?;
        voters.push(Voter { name: voter, credential, class });
        if voters.len() > MAX_VOTERS {
            return Err(Failure::file(path, format!("more than {MAX_VOTERS} voters")));
        }
    }
    Ok(voters)
}

/// Reads the registrar's file: what may come on a roll.
pub fn read_registered(path: &Path, classes: &[Class]) -> Result<Vec<Voter>, Failure> {
    let voters = read_roll(path, classes)?;
    check_roll(&voters, classes).map_err(|reason| Failure::file(path, reason))?;
    Ok(voters)
}

/// The place of a class of this name.
fn place(classes: &[Class], name: Option<&str>) -> Result<Option<u8>, String> {
    match name {
        None if classes.is_empty() => Ok(None),
        None => Err("the column `class` is missing".to_owned()),
        Some(_) if classes.is_empty() => {
            Err("the roll has a column `class`, but the description has no classes".to_owned())
        }
        Some(name) => {
            let found = (0..).zip(classes).find(|(_, class)| class.name == name);
            let missing = || format!("the description has no class `{}`", name.escape_debug());
            found.map(|(place, _)| Some(place)).ok_or_else(missing)
        }
    }
}

/// Runs `register`.
pub fn register(args: &RegisterArgs, output: &Output) -> Result<(), Failure> {
    let description = read_description(&args.description)?;
    let voters = match (&args.voters, &args.generate_for, &args.credentials) {
        (Some(path), ..) => read_registered(path, &description.classes)?,
        (None, Some(ballots), Some(path)) => {
            let registered = Registered::all_of(read_ballots(ballots, &description, None)?);
            let names = registered.iter().map(|voter| voter.name.clone());
            let credentials = Credential::generate(names);
            Credential::save_all(&credentials, path)?;
            let keys = credentials.iter().map(|own| own.identity.id());
            let voters = registered.into_iter().zip(keys);
            let voter =
                |(Registered { name, class }, credential)| Voter { name, credential, class };
            voters.map(voter).collect()
        }
        _ => return Err(Failure::input("give the file of voters with --voters")),
    };
    write_roll(&args.roll, &voters, &description.classes)?;
    let line = || vec![output::counted(voters.len() as u64, "voter", "voters")];
    output.result(&json!({ "voters": voters.len() }), line);
    Ok(())
}
