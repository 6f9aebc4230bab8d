//! A table's folder: `genesis.json` for everybody, `table.redb` and `secrets/` for its operator.

use std::{
    fs::DirBuilder,
    path::{Path, PathBuf},
};

use ::table::{
    PublicKey,
    store::{Custodian, EpochState, MasterKey, RedbStore},
};
use board::Identity;
use study::election::PartySecret;
use wire::{DecodeError, Encode as _, FileHeader, Reader};
use zeroize::Zeroizing;

use crate::failure::Failure;

const MASTER: FileHeader = FileHeader { kind: "tablekey", version: 1 };
const MASTER_LIMIT: u64 = 1 << 10;
const HINT: &str = "`subrosa table init` makes a table's folder";

/// Where a table lives.
pub struct Folder(PathBuf);

impl Folder {
    /// A folder that is there, or will be.
    pub fn new(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// Creates the folder, which must not be there yet.
    pub fn create(&self) -> Result<(), Failure> {
        if self.0.symlink_metadata().is_ok() {
            return Err(Failure::file(&self.0, "already exists").hint("name another folder"));
        }
        let secrets = self.0.join("secrets");
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        builder.create(&self.0).map_err(|error| Failure::file(&self.0, error))?;
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&secrets).map_err(|error| Failure::file(&secrets, error))
    }

    /// The genesis, for everybody.
    pub fn genesis(&self) -> PathBuf {
        self.0.join("genesis.json")
    }

    /// The operator's first signing key.
    pub fn operator_key(&self) -> PathBuf {
        self.0.join("secrets/operator.key")
    }

    /// A key that the operator's key is changed to.
    pub fn later_key(&self, key: &PublicKey) -> PathBuf {
        self.0.join(format!("secrets/operator-{key}.key"))
    }

    fn master_key(&self) -> PathBuf {
        self.0.join("secrets/master.key")
    }

    /// The store, of a folder that is being made.
    pub fn store(&self) -> Result<RedbStore, Failure> {
        let path = self.0.join("table.redb");
        RedbStore::open(&path).map_err(|error| {
            Failure::file(&path, error).hint("one command at a time may work on a table")
        })
    }

    /// Writes the key that opens the store.
    pub fn save_master(&self, master: &MasterKey) -> Result<(), Failure> {
        let mut bytes = Zeroizing::new(Vec::new());
        MASTER.encode(&mut bytes);
        bytes.extend_from_slice(&*master.to_bytes());
        let path = self.master_key();
        wire::write_secret(&path, &bytes).map_err(|error| Failure::file(&path, error))
    }

    fn load_master(&self) -> Result<MasterKey, Failure> {
        let path = self.master_key();
        let bytes = wire::read_bounded(&path, MASTER_LIMIT);
        let bytes = Zeroizing::new(bytes.map_err(|error| Failure::file(&path, error).hint(HINT))?);
        let decode = || {
            let mut reader = Reader::new(&bytes);
            MASTER.expect(&mut reader)?;
            let key = Zeroizing::new(reader.array()?);
            reader.finish()?;
            Ok::<_, DecodeError>(MasterKey::from_bytes(&key))
        };
        decode().map_err(|error| Failure::file(&path, error))
    }

    /// The operator's signing key with this public key.
    pub fn operator(&self, key: &PublicKey) -> Result<Identity, Failure> {
        match self.later_key(key) {
            path if path.symlink_metadata().is_ok() => load_identity(&path),
            _ => load_identity(&self.operator_key()),
        }
    }

    /// The table, to work on.
    pub fn open(&self) -> Result<Custodian<RedbStore>, Failure> {
        // The store would be created: a wrong name must not leave files behind.
        let master = self.load_master()?;
        Ok(Custodian::open(self.store()?, master)?)
    }
}

/// Reads a key file, as `subrosa board keygen` writes it.
pub fn load_identity(path: &Path) -> Result<Identity, Failure> {
    let secret = PartySecret::load(path).map_err(|error| {
        Failure::file(path, error).hint("`subrosa board keygen --key FILE` makes a key")
    })?;
    Ok(secret.identity())
}

/// Requires that an epoch is in the log, so that it can be audited.
pub fn require_logged(custodian: &Custodian<RedbStore>, epoch: u32) -> Result<(), Failure> {
    match custodian.state(epoch)? {
        EpochState::Logged => Ok(()),
        _ => require_sealed(custodian, epoch),
    }
}

/// Requires that an epoch is sealed, so that it can be answered from.
pub fn require_sealed(custodian: &Custodian<RedbStore>, epoch: u32) -> Result<(), Failure> {
    match custodian.state(epoch)? {
        EpochState::Witnessed => Ok(()),
        EpochState::Logged => Err(Failure::input(format!(
            "epoch {epoch} is not sealed: too few witnesses have cosigned it"
        ))
        .hint("show them the log: `subrosa table log DIR --out FILE`, then `table cosign add`")),
        state => Err(Failure::input(format!("epoch {epoch} is not sealed: it is {state:?}"))
            .hint(format!("seal it first: `subrosa table seal DIR --epoch {epoch}`"))),
    }
}
