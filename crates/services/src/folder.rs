//! A table's folder: `genesis.json` for everybody, `table.redb` and `secrets/` for its operator. The
//! operator alone may look into it.

use std::{
    fmt,
    fs::{DirBuilder, File},
    path::{Path, PathBuf},
};

use board::Identity;
use getrandom::SysRng;
use log::PartyKey;
use rand_core::UnwrapErr;
use table::{
    Continued, Genesis, PublicKey, Schema,
    store::{Custodian, CustodyError, MasterKey, RedbStore},
};
use thiserror::Error;
use wire::{DecodeError, Encode as _, FileHeader, Reader};
use zeroize::Zeroizing;

const MASTER: FileHeader = FileHeader { kind: "tablekey", version: 1 };
const MASTER_LIMIT: u64 = 1 << 10;
const INIT_HINT: &str = "`subrosa table init` makes a table's folder";
const KEY_HINT: &str = "`subrosa keygen -o FILE` makes a key";

/// Why a table's folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file or folder.
    #[error("{}: {reason}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do about it.
        hint: Option<&'static str>,
    },
    /// The table in it.
    #[error(transparent)]
    Custody(#[from] CustodyError),
}

impl FolderError {
    fn file(path: &Path, reason: impl fmt::Display) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string(), hint: None }
    }

    fn hinted(path: &Path, reason: impl fmt::Display, hint: &'static str) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string(), hint: Some(hint) }
    }
}

/// What a table is made of, besides keys and a nonce that are drawn.
pub struct Plan {
    /// Types, values and policy.
    pub schema: Schema,
    /// The number of the first epoch.
    pub first_epoch: u32,
    /// Who cosigns the log.
    pub witnesses: Vec<PublicKey>,
    /// Cosignatures that a checkpoint needs.
    pub quorum: u32,
    /// Witnesses that may be dishonest.
    pub dishonest: u32,
    /// Whose word makes answers audited.
    pub auditors: Vec<PublicKey>,
    /// The log of the table that it continues.
    pub continues: Option<Continued>,
}

/// Where a table lives.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A folder that is there, or will be.
    pub fn new(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// Makes the folder, which must not be there yet, with a table in it.
    ///
    /// # Errors
    /// [`FolderError`]; a plan that no table can have is [`CustodyError::Fault`], and then nothing
    /// is made.
    pub fn make(&self, plan: Plan) -> Result<Custodian<RedbStore>, FolderError> {
        let rng = &mut UnwrapErr(SysRng);
        let Plan { schema, first_epoch, witnesses, quorum, dishonest, auditors, continues } = plan;
        let secret = PartyKey::generate(rng);
        let operator = PublicKey::of(&secret.identity());
        let nonce = Genesis::draw_nonce(rng);
        let genesis = Genesis {
            schema,
            first_epoch,
            operator,
            witnesses,
            quorum,
            dishonest,
            auditors,
            nonce,
            continues,
        };
        genesis.check().map_err(|error| CustodyError::Fault(error.into()))?;
        self.create()?;
        let key = self.operator_key();
        secret.save(&key).map_err(|error| FolderError::file(&key, error))?;
        let master = MasterKey::generate(rng);
        self.save_master(&master)?;
        let custodian = Custodian::create(self.store(None)?, master, genesis, rng)?;
        let path = self.genesis();
        wire::write_new(&path, &custodian.table().genesis().to_bytes())
            .map_err(|error| FolderError::file(&path, error))?;
        Ok(custodian)
    }

    fn create(&self) -> Result<(), FolderError> {
        if self.0.symlink_metadata().is_ok() {
            return Err(FolderError::hinted(&self.0, "already exists", "name another folder"));
        }
        let secrets = self.0.join("secrets");
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        if let Some(parent) = self.0.parent() {
            builder.create(parent).map_err(|error| FolderError::file(parent, error))?;
        }
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0).map_err(|error| FolderError::file(&self.0, error))?;
        builder.create(&secrets).map_err(|error| FolderError::file(&secrets, error))
    }

    /// Gives the folder another name, for good when it returns. Nobody may have it open.
    ///
    /// # Errors
    /// [`FolderError::File`].
    pub fn rename(self, path: &Path) -> Result<Self, FolderError> {
        let failed = |error| FolderError::file(path, error);
        std::fs::rename(&self.0, path).map_err(failed)?;
        if let Some(parent) = path.parent() {
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(failed)?;
        }
        Ok(Self(path.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The genesis, for everybody.
    pub fn genesis(&self) -> PathBuf {
        self.0.join("genesis.json")
    }

    /// The operator's first signing key.
    fn operator_key(&self) -> PathBuf {
        self.0.join("secrets/operator.key")
    }

    /// A key that the operator's key is changed to.
    fn later_key(&self, key: &PublicKey) -> PathBuf {
        self.0.join(format!("secrets/operator-{key}.key"))
    }

    fn master_key(&self) -> PathBuf {
        self.0.join("secrets/master.key")
    }

    fn store(&self, cache: Option<usize>) -> Result<RedbStore, FolderError> {
        let path = self.0.join("table.redb");
        let opened = match cache {
            Some(bytes) => RedbStore::open_with_cache(&path, bytes),
            None => RedbStore::open(&path),
        };
        opened.map_err(|error| {
            FolderError::hinted(
                &path,
                error,
                "one process at a time may work on a table: while a server does, ask the server",
            )
        })
    }

    /// Writes the key that opens the store.
    fn save_master(&self, master: &MasterKey) -> Result<(), FolderError> {
        let mut bytes = Zeroizing::new(Vec::new());
        MASTER.encode(&mut bytes);
        bytes.extend_from_slice(&*master.to_bytes());
        let path = self.master_key();
        wire::write_secret(&path, &bytes).map_err(|error| FolderError::file(&path, error))
    }

    fn load_master(&self) -> Result<MasterKey, FolderError> {
        let path = self.master_key();
        let bytes = wire::read_bounded(&path, MASTER_LIMIT)
            .map_err(|error| FolderError::hinted(&path, error, INIT_HINT))?;
        let bytes = Zeroizing::new(bytes);
        let decode = || {
            let mut reader = Reader::new(&bytes);
            MASTER.expect(&mut reader)?;
            let key = Zeroizing::new(reader.array()?);
            reader.finish()?;
            Ok::<_, DecodeError>(MasterKey::from_bytes(&key))
        };
        decode().map_err(|error| FolderError::file(&path, error))
    }

    /// The operator's signing key with this public key.
    ///
    /// # Errors
    /// [`FolderError::File`].
    pub fn operator(&self, key: &PublicKey) -> Result<Identity, FolderError> {
        match self.later_key(key) {
            path if path.symlink_metadata().is_ok() => load_identity(&path),
            _ => load_identity(&self.operator_key()),
        }
    }

    /// The table, to work on.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn open(&self) -> Result<Custodian<RedbStore>, FolderError> {
        self.open_caching(None)
    }

    /// The table, to work on, with so many bytes of its store in memory.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn open_with_cache(&self, bytes: usize) -> Result<Custodian<RedbStore>, FolderError> {
        self.open_caching(Some(bytes))
    }

    /// Opens the table of a folder that was put back from a copy ([`Custodian::open_copy`]).
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn open_copy(&self) -> Result<Custodian<RedbStore>, FolderError> {
        let master = self.load_master()?;
        Ok(Custodian::open_copy(self.store(None)?, master)?)
    }

    fn open_caching(&self, cache: Option<usize>) -> Result<Custodian<RedbStore>, FolderError> {
        // The store would be created: a wrong name must not leave files behind.
        let master = self.load_master()?;
        Ok(Custodian::open(self.store(cache)?, master)?)
    }

    /// Draws the operator's next key and records the change in the next epoch; the key's file.
    ///
    /// # Errors
    /// [`FolderError`]; then no key is left behind, unless the store failed.
    pub fn rotate(
        &self,
        custodian: &mut Custodian<RedbStore>,
    ) -> Result<(table::log::Rotation, PathBuf), FolderError> {
        let old = self.operator(&custodian.sealing_key(custodian.next_epoch()?))?;
        let secret = PartyKey::generate(&mut UnwrapErr(SysRng));
        let new = secret.identity();
        // On the disk before anything says that it will be needed.
        let path = self.later_key(&PublicKey::of(&new));
        secret.save(&path).map_err(|error| FolderError::file(&path, error))?;
        let rotation = custodian.rotate(&old, &new).inspect_err(|error| {
            // What failed while it was stored may be stored, and needs the key.
            if !matches!(error, CustodyError::Store(_)) {
                // One that stays belongs to no rotation, and signs nothing.
                std::fs::remove_file(&path).ok();
            }
        })?;
        Ok((rotation, path))
    }
}

/// Reads a key file, as `subrosa keygen` writes it.
///
/// # Errors
/// [`FolderError::File`].
pub fn load_identity(path: &Path) -> Result<Identity, FolderError> {
    let secret =
        PartyKey::load(path).map_err(|error| FolderError::hinted(path, error, KEY_HINT))?;
    Ok(secret.identity())
}
