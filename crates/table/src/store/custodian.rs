//! The operator's side of a table: taking rows in, and sealing epochs step by step.
//!
//! ```text
//! Open ─ rows come in, each batch in one transaction, receipts after it
//! Closing ─ no new rows
//! Built ─ trees built, their nodes and the core stored; a rebuild gives the same bytes
//! Proved ─ audit bundle made, checked by our own auditor, stored
//! Logged ─ digest and signed checkpoint stored in one transaction, before the signature leaves
//! Witnessed ─ as many cosignatures as the table asks for are stored
//! ```

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use board::Identity;
use rand_core::CryptoRng;
use wire::{Decode, Encode, Progress};

use super::{
    CustodyError, EpochState, MasterKey, Space, Store, Write, asked::Asked, layout::nodes,
    state::state,
};
use crate::{
    EpochHeader, Fault, Genesis, Hash, PublicKey, Row, Table, TableKeys, UserKeys, audit,
    log::{
        Attestation, Checkpoint, Cosignature, LoggedEpoch, Receipt, Scope, SignedCheckpoint, merkle,
    },
    puncture::Puncturable,
};

const GENESIS: &[u8] = b"genesis";
const SECRETS: &[u8] = b"secrets";
/// Holds a 1 if users are named by keyed hashes; stores that earlier versions made name them plainly.
pub(super) const ALIASED: &[u8] = b"aliased";
/// Of the names of an attestation's scope.
const SCOPE: &str = "subrosa/table/scope";
/// Bytes of an audit bundle in one value.
pub const BUNDLE_CHUNK: usize = 1 << 20;

/// A table, as its operator works on it. Threads may share it: what reads and then writes does so
/// one at a time, and never for as long as an epoch is proved.
pub struct Custodian<S> {
    pub(super) store: S,
    pub(super) master: MasterKey,
    pub(super) aliased: bool,
    pub(super) table: Table,
    pub(super) secrets: TableKeys,
    /// Held from reading to writing; with what is known of the questions answered.
    pub(super) writer: Mutex<Option<Asked>>,
    /// The secrets of some key periods.
    pub(super) periods: Mutex<BTreeMap<u32, Arc<Puncturable>>>,
    /// Held while an epoch is sealed, step by step.
    sealing: Mutex<()>,
}

impl<S: Store> Custodian<S> {
    /// Starts a table in an empty store.
    ///
    /// # Errors
    /// [`CustodyError::Occupied`], and [`CustodyError::Fault`] for a genesis that is refused.
    pub fn create(
        store: S,
        master: MasterKey,
        genesis: Genesis,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, CustodyError> {
        if store.get(Space::Meta, GENESIS)?.is_some() {
            return Err(CustodyError::Occupied);
        }
        let table = Table::new(genesis).map_err(Fault::from)?;
        let secrets = TableKeys::generate(rng);
        let sealed = master.seal((Space::Meta, SECRETS), &*secrets.to_bytes(), rng);
        let sealed = sealed.ok_or(CustodyError::Damaged("secrets too long"))?;
        store.commit(vec![
            (Space::Meta, GENESIS.to_vec(), Some(table.genesis().to_bytes())),
            (Space::Meta, SECRETS.to_vec(), Some(sealed)),
            (Space::Meta, ALIASED.to_vec(), Some(vec![1])),
        ])?;
        Ok(Self {
            store,
            master,
            aliased: true,
            table,
            secrets,
            writer: Mutex::default(),
            periods: Mutex::default(),
            sealing: Mutex::default(),
        })
    }

    /// Opens a store with a table.
    ///
    /// # Errors
    /// [`CustodyError::WrongKey`], [`CustodyError::Damaged`]; [`CustodyError::Unerased`] for a copy from before rows
    /// were erased.
    pub fn open(store: S, master: MasterKey) -> Result<Self, CustodyError> {
        let custodian = Self::open_copy(store, master)?;
        custodian.require_erased()?;
        Ok(custodian)
    }

    /// Opens a store that was put back from a copy, also one with rows that were erased since: to erase them once
    /// more, and for nothing else.
    ///
    /// # Errors
    /// As [`Custodian::open`], but [`CustodyError::Unerased`].
    pub fn open_copy(store: S, master: MasterKey) -> Result<Self, CustodyError> {
        let missing = CustodyError::Damaged("there is no table");
        let genesis = store.get(Space::Meta, GENESIS)?.ok_or(missing)?;
        let table = Genesis::from_bytes(&genesis).and_then(Table::new).map_err(Fault::from)?;
        let missing = CustodyError::Damaged("there are no secrets");
        let sealed = store.get(Space::Meta, SECRETS)?.ok_or(missing)?;
        let secrets = master.open((Space::Meta, SECRETS), &sealed).ok_or(CustodyError::WrongKey)?;
        let secrets = secrets.as_slice().try_into().map(TableKeys::from_bytes);
        let secrets = secrets.map_err(|_| CustodyError::Damaged("secrets"))?;
        let aliased = match store.get(Space::Meta, ALIASED)?.as_deref() {
            None => false,
            Some([1]) => true,
            Some(_) => return Err(CustodyError::Damaged("how users are named")),
        };
        let mut custodian = Self {
            store,
            master,
            aliased,
            table,
            secrets,
            writer: Mutex::default(),
            periods: Mutex::default(),
            sealing: Mutex::default(),
        };
        custodian.know_rotations()?;
        Ok(custodian)
    }

    /// The store.
    pub fn into_store(self) -> S {
        self.store
    }

    /// The table, with every change of the operator's key.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Whether the store can be read, and written if the last writing failed.
    ///
    /// # Errors
    /// [`CustodyError::Store`].
    pub fn probe(&self) -> Result<(), CustodyError> {
        Ok(self.store.probe()?)
    }

    /// How far an epoch is.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn state(&self, epoch: u32) -> Result<EpochState, CustodyError> {
        let stored = self.store.get(Space::States, &epoch.to_be_bytes())?;
        // What is stored of an epoch is one byte; before it there is nothing, and rows are accepted.
        let byte = stored.and_then(|state| state.first().copied()).unwrap_or(0);
        EpochState::from_byte(byte).ok_or(CustodyError::Damaged("the state of an epoch"))
    }

    /// Lets one thread at a time write.
    pub(super) fn write(&self) -> MutexGuard<'_, Option<Asked>> {
        self.writer.lock().unwrap_or_else(|poisoned| {
            // Whoever panicked may have stored a question that is not counted: they are read again.
            let mut asked = poisoned.into_inner();
            *asked = None;
            asked
        })
    }

    /// Lets nobody seal.
    pub(super) fn seal_none(&self) -> MutexGuard<'_, ()> {
        // It guards no data.
        self.sealing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A receipt for a row that is stored, one per ordered column.
    ///
    /// # Errors
    /// [`CustodyError::Fault`], [`CustodyError::RolledBack`].
    pub fn receipts(
        &self,
        operator: &Identity,
        epoch: u32,
        (row, keys): (&Row, &UserKeys),
        deadline: u64,
    ) -> Result<Vec<Receipt>, CustodyError> {
        self.require_caught_up()?;
        let size = self.digests()?.len() as u64;
        let sign = |column| {
            let place = (epoch, column);
            Ok(Receipt::sign(operator, &self.table, place, (row, keys), (size, deadline))?)
        };
        self.table.schema().ordered().map(sign).collect()
    }

    /// Seals the next epoch, going on wherever an earlier attempt stopped: its signed checkpoint.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn seal_epoch(
        &self,
        epoch: u32,
        operator: &Identity,
        progress: &dyn Progress,
    ) -> Result<SignedCheckpoint, CustodyError> {
        if PublicKey::of(operator) != self.sealing_key(epoch) {
            return Err(Fault::Signature { what: "operator" }.into());
        }
        let _sealing = self.seal_none();
        let digests = self.digests()?;
        let next = self.next_epoch()?;
        if self.state(epoch)? < EpochState::Logged {
            if epoch != next {
                return Err(CustodyError::OutOfOrder { epoch, next });
            }
            self.require_restored()?;
            self.close(epoch)?;
            let header = match self.state(epoch)? {
                EpochState::Proved => self.header(epoch)?,
                _ => self.prove(epoch, &digests, progress)?,
            };
            self.log(epoch, &header, digests, operator)?;
        }
        let index = epoch.saturating_sub(self.table.genesis().first_epoch);
        self.checkpoint(u64::from(index) + 1)
    }

    /// Builds and audits an epoch, and stores core, bundle and header.
    fn prove(
        &self,
        epoch: u32,
        digests: &[Hash],
        progress: &dyn Progress,
    ) -> Result<EpochHeader, CustodyError> {
        // The first epoch follows the table's name.
        let previous = digests.last().unwrap_or(self.table.id());
        // Of an attempt that got as far as `Built`, the nodes are there.
        let mut built = self.build(epoch, *previous)?;
        self.roll_up(&mut built)?;
        let place = epoch.to_be_bytes().to_vec();
        let header = EpochHeader { core: built.core.clone(), audit: [0; 32].into() };
        if self.state(epoch)? == EpochState::Closing {
            let mut batch = nodes(&built);
            batch.push((Space::Headers, place.clone(), Some(header.to_bytes())));
            batch.push(state(epoch, EpochState::Built));
            self.store.commit(batch)?;
        } else if self.header(epoch)?.core != built.core {
            return Err(CustodyError::Damaged("the rows of a closed epoch have changed"));
        }
        let bundle = audit::prove(&self.table, &self.secrets, &built, progress)?;
        let header = EpochHeader { audit: audit::hash(&bundle), ..header };
        // The digest fixes the bundle for ever: our own auditor is the first.
        audit::verify(&self.table, &header, &bundle, progress)?;
        let chunk = |(number, chunk): (usize, &[u8])| {
            let key = [&place[..], &(number as u32).to_be_bytes()].concat();
            (Space::Bundles, key, Some(chunk.to_vec()))
        };
        let mut batch: Vec<Write> = bundle.chunks(BUNDLE_CHUNK).enumerate().map(chunk).collect();
        batch.push((Space::Headers, place, Some(header.to_bytes())));
        batch.push(state(epoch, EpochState::Proved));
        self.store.commit(batch)?;
        Ok(header)
    }

    /// Appends an epoch's digest, with the one checkpoint that is ever signed for that size.
    fn log(
        &self,
        epoch: u32,
        header: &EpochHeader,
        mut digests: Vec<Hash>,
        operator: &Identity,
    ) -> Result<(), CustodyError> {
        let _writer = self.write();
        // Somebody may have shown a longer log while this one was proved.
        self.require_restored()?;
        let digest = header.digest(self.table.id());
        digests.push(digest);
        let signed = Checkpoint::of(&self.table, &digests).sign(operator);
        let size = signed.checkpoint.size.to_be_bytes().to_vec();
        let reached = match self.table.genesis().quorum {
            0 => EpochState::Witnessed,
            _ => EpochState::Logged,
        };
        // The signature is deterministic and stored before anybody sees it.
        self.store.commit(vec![
            (Space::Log, epoch.to_be_bytes().to_vec(), Some(digest.as_bytes().to_vec())),
            (Space::Checkpoints, size, Some(signed.to_note().into_bytes())),
            state(epoch, reached),
        ])?;
        Ok(())
    }

    /// Stores a witness's cosignature of a checkpoint; the epoch's state after it.
    ///
    /// # Errors
    /// [`CustodyError::Fault`] for a cosignature that is not of a witness or of another checkpoint.
    pub fn cosign(&self, size: u64, cosignature: Cosignature) -> Result<EpochState, CustodyError> {
        let _writer = self.write();
        let mut signed = self.checkpoint(size)?;
        let epoch = self.table.genesis().first_epoch.saturating_add(size.saturating_sub(1) as u32);
        signed.cosignatures.retain(|known| known.witness != cosignature.witness);
        signed.cosignatures.push(cosignature);
        let reached = match signed.verify(&self.table) {
            Ok(_) => EpochState::Witnessed,
            Err(Fault::Number { .. }) => EpochState::Logged,
            Err(fault) => return Err(fault.into()),
        };
        let note = (Space::Checkpoints, size.to_be_bytes().to_vec(), Some(signed.to_note().into()));
        let mut batch = vec![note, state(epoch, reached)];
        if reached == EpochState::Witnessed {
            // Who saw this log saw every epoch in it.
            for earlier in (self.table.genesis().first_epoch..epoch).rev() {
                if self.state(earlier)? == reached {
                    break;
                }
                batch.push(state(earlier, reached));
            }
        }
        self.store.commit(batch)?;
        Ok(reached)
    }

    /// Stores an auditor's word.
    ///
    /// # Errors
    /// [`CustodyError::Fault`] if it is not of an epoch in the log.
    pub fn attest(&self, attestation: &Attestation) -> Result<(), CustodyError> {
        attestation.verify(&self.table)?;
        if self.header(attestation.epoch)?.digest(self.table.id()) != attestation.digest {
            return Err(Fault::Mismatch { what: "the attestation" }.into());
        }
        let mut key =
            [&attestation.epoch.to_be_bytes()[..], attestation.auditor.0.as_bytes()].concat();
        if attestation.scope != Scope::Whole {
            key.extend_from_slice(Hash::of(SCOPE, &attestation.scope.to_bytes()).as_bytes());
        }
        let value = Some(attestation.to_bytes());
        Ok(self.store.commit(vec![(Space::Attestations, key, value)])?)
    }

    /// What auditors said of an epoch.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn attestations(&self, epoch: u32) -> Result<Vec<Attestation>, CustodyError> {
        let stored = self.store.scan(Space::Attestations, &epoch.to_be_bytes())?;
        stored.iter().map(|(_, value)| Ok(Attestation::from_bytes(value)?)).collect()
    }

    /// The digests in the log.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn digests(&self) -> Result<Vec<Hash>, CustodyError> {
        let stored = self.store.scan(Space::Log, &[])?;
        stored.iter().map(|(_, digest)| Ok(Hash::from_bytes(digest)?)).collect()
    }

    /// The checkpoint of a size, with the cosignatures known.
    ///
    /// # Errors
    /// [`CustodyError::Damaged`] if there is none.
    pub fn checkpoint(&self, size: u64) -> Result<SignedCheckpoint, CustodyError> {
        let missing = CustodyError::Damaged("there is no checkpoint of this size");
        let note = self.store.get(Space::Checkpoints, &size.to_be_bytes())?.ok_or(missing)?;
        let note = String::from_utf8(note).map_err(|_| CustodyError::Damaged("a checkpoint"))?;
        Ok(SignedCheckpoint::from_note(&self.table, &note)?)
    }

    /// The header of an epoch that is built.
    ///
    /// # Errors
    /// [`CustodyError::Damaged`] if there is none.
    pub fn header(&self, epoch: u32) -> Result<EpochHeader, CustodyError> {
        let missing = CustodyError::Damaged("the epoch has no header");
        let bytes = self.store.get(Space::Headers, &epoch.to_be_bytes())?.ok_or(missing)?;
        Ok(EpochHeader::from_bytes(&bytes)?)
    }

    /// An epoch's place in a log of `size` epochs.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn logged(&self, epoch: u32, size: u64) -> Result<LoggedEpoch, CustodyError> {
        let digests = self.digests()?;
        let leaves: Vec<_> = digests.iter().take(size as usize).map(Hash::as_bytes).collect();
        let index = epoch.saturating_sub(self.table.genesis().first_epoch) as usize;
        let inclusion = merkle::inclusion(index, &leaves);
        Ok(LoggedEpoch { header: self.header(epoch)?, inclusion })
    }

    /// A part of an epoch's audit bundle: [`BUNDLE_CHUNK`] bytes, less in the last; none after it.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn bundle_chunk(&self, epoch: u32, number: u32) -> Result<Option<Vec<u8>>, CustodyError> {
        let key = [epoch.to_be_bytes(), number.to_be_bytes()].concat();
        Ok(self.store.get(Space::Bundles, &key)?)
    }

    /// An epoch's audit bundle.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn bundle(&self, epoch: u32) -> Result<Vec<u8>, CustodyError> {
        let chunks = self.store.scan(Space::Bundles, &epoch.to_be_bytes())?;
        Ok(chunks.into_iter().flat_map(|(_, chunk)| chunk).collect())
    }

    pub(super) fn seal(
        &self,
        space: Space,
        key: Vec<u8>,
        plaintext: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Write, CustodyError> {
        let sealed = self.master.seal((space, &key), plaintext, rng);
        let sealed = sealed.ok_or(CustodyError::Damaged("a value is too long to be sealed"))?;
        Ok((space, key, Some(sealed)))
    }
}
