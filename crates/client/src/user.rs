//! What a user of the table asks: whether its row is there, as it knows it.

use std::path::Path;

use claim::{Bundle, BundleWriter};
use data_encoding::HEXLOWER;
use table::{
    AbsenceProof, Fault, Lookup, Row, Table, UserKeys,
    log::{ErasureProof, Receipt, Tombstone},
};
use zeroize::Zeroizing;

use crate::{
    Client, ClientError,
    api::{Keys, ReceiptItem, Receipts, UserAnswer},
    error::refused,
    log::{VerifiedLog, decode},
};

/// A user with its keys of a key period.
pub struct User {
    name: Vec<u8>,
    keys: UserKeys,
    period: u32,
}

/// A row that is in its epoch, the absence of one, or that it was erased, for every ordered column.
pub struct Present {
    log: VerifiedLog,
    lookups: Vec<(u16, Lookup)>,
    absences: Vec<(u16, AbsenceProof)>,
    erasures: Vec<(u16, ErasureProof)>,
}

impl Client {
    /// The keys of the user whose token is shown, in the key period of an epoch. Pin them: who gets
    /// other keys later is being deceived.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn keys(&self, user: &[u8], epoch: u32) -> Result<User, ClientError> {
        let answer: Keys = self.connection.get(&format!("/keys?epoch={epoch}"))?;
        self.pinned(user, epoch, &answer)
    }

    /// Keys of the user whose token is shown, which it gets if it has none in the key period of an epoch.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn issue_keys(&self, user: &[u8], epoch: u32) -> Result<User, ClientError> {
        let answer: Keys = self.connection.post(&format!("/keys?epoch={epoch}"), &(), &[])?;
        self.pinned(user, epoch, &answer)
    }

    fn pinned(&self, user: &[u8], epoch: u32, answer: &Keys) -> Result<User, ClientError> {
        let bytes = HEXLOWER.decode(answer.keys.as_bytes()).map(Zeroizing::new);
        let bytes = bytes.map_err(ClientError::answer)?;
        let bytes: Zeroizing<[u8; UserKeys::LEN]> = match bytes.as_slice().try_into() {
            Ok(bytes) => Zeroizing::new(bytes),
            Err(_) => return Err(ClientError::answer("the keys are not 64 bytes")),
        };
        let genesis = self.table().genesis();
        if genesis.schema.period(genesis.first_epoch, epoch) != answer.period {
            return Err(ClientError::answer("the keys are of another key period"));
        }
        Ok(User::new(user, UserKeys::from_bytes(&bytes), answer.period))
    }

    /// Looks the user's own row up in an epoch. It is there under the user's pseudonym, with exactly
    /// these values, in every ordered column.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn lookup(&mut self, user: &User, row: &Row, epoch: u32) -> Result<Present, ClientError> {
        let (log, proofs) = self.ask(user, epoch, "lookup")?;
        let mut lookups = Vec::new();
        for (column, proof) in log.table.schema().ordered().zip(&proofs) {
            let lookup: Lookup = decode(proof)?;
            if (lookup.column, lookup.epoch.header.core.epoch) != (column, epoch) {
                return Err(ClientError::answer("the proof is of another column or epoch"));
            }
            lookup
                .verify_own(&log.table, &log.signed, row, &user.keys)
                .map_err(refused("the row"))?;
            lookups.push((column, lookup));
        }
        Ok(Present { log, lookups, absences: Vec::new(), erasures: Vec::new() })
    }

    /// Requires that the user has no row in an epoch, in any ordered column.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn absence(&mut self, user: &User, epoch: u32) -> Result<Present, ClientError> {
        let (log, proofs) = self.ask(user, epoch, "absence")?;
        let mut absences = Vec::new();
        for (column, proof) in log.table.schema().ordered().zip(&proofs) {
            let absence: AbsenceProof = decode(proof)?;
            let own = user.keys.pseudonym(log.table.id(), epoch, column, &user.name);
            let about = (absence.column, absence.epoch.header.core.epoch, absence.pseudonym);
            if about != (column, epoch, own) {
                return Err(ClientError::answer("the proof is about something else"));
            }
            absence.verify(&log.table, &log.signed).map_err(refused("the absence"))?;
            absences.push((column, absence));
        }
        Ok(Present { log, lookups: Vec::new(), absences, erasures: Vec::new() })
    }

    /// Requires that the operator says in its log that it erased the user's row of an epoch, in every ordered
    /// column.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn erased(&mut self, user: &User, epoch: u32) -> Result<Present, ClientError> {
        let (log, proofs) = self.ask(user, epoch, "erased")?;
        let mut erasures = Vec::new();
        for (column, proof) in log.table.schema().ordered().zip(&proofs) {
            let erasure: ErasureProof = decode(proof)?;
            let own = user.keys.pseudonym(log.table.id(), epoch, column, &user.name);
            if erasure.tombstone != (Tombstone { epoch, column, pseudonym: own }) {
                return Err(ClientError::answer("the proof is about something else"));
            }
            erasure.verify(&log.table, &log.signed.checkpoint).map_err(refused("the erasure"))?;
            erasures.push((column, erasure));
        }
        Ok(Present { log, lookups: Vec::new(), absences: Vec::new(), erasures })
    }

    /// The operator's receipts for the user's row in an epoch: for exactly this row, and no later day
    /// than the schema says; `now` is in seconds since 1970.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn receipts(
        &mut self,
        user: &User,
        row: &Row,
        epoch: u32,
        now: u64,
    ) -> Result<Vec<Receipt>, ClientError> {
        let answer: Receipts = self.connection.get(&format!("/receipts?epoch={epoch}"))?;
        let table = self.newest_table()?;
        let receipts = read_receipts(&table, &answer.receipts, epoch)?;
        for receipt in &receipts {
            receipt
                .accept(&table, row, &user.keys)
                .and_then(|()| receipt.in_time(&table, now))
                .map_err(refused("the receipt"))?;
        }
        Ok(receipts)
    }

    fn ask(
        &mut self,
        user: &User,
        epoch: u32,
        what: &str,
    ) -> Result<(VerifiedLog, Vec<String>), ClientError> {
        let genesis = self.table().genesis();
        if epoch < genesis.first_epoch
            || genesis.schema.period(genesis.first_epoch, epoch) != user.period
        {
            let reason = format!("the keys are not those of epoch {epoch}");
            return Err(ClientError::Options(reason));
        }
        let answer: UserAnswer = self.connection.get(&format!("/{what}?epoch={epoch}"))?;
        let log = self.verify_log(&answer.log)?;
        match answer.proofs.len() == log.table.schema().ordered().count() {
            true => Ok((log, answer.proofs)),
            false => Err(ClientError::answer("there is not one proof for every ordered column")),
        }
    }
}

/// Reads one receipt for every ordered column of an epoch.
pub(crate) fn read_receipts(
    table: &Table,
    items: &[ReceiptItem],
    epoch: u32,
) -> Result<Vec<Receipt>, ClientError> {
    let receipts: Vec<Receipt> =
        items.iter().map(|item| decode(&item.receipt)).collect::<Result<_, _>>()?;
    let columns = receipts.iter().map(|receipt| receipt.column);
    if !table.schema().ordered().eq(columns) || receipts.iter().any(|one| one.epoch != epoch) {
        let fault = Fault::Number {
            what: "receipts for the ordered columns of the epoch",
            got: receipts.len() as u64,
            expected: table.schema().ordered().count() as u64,
        };
        return Err(ClientError::Refused { what: "the receipts", fault });
    }
    Ok(receipts)
}

impl User {
    /// A user by the name that the table knows it by, its keys, and their key period.
    pub fn new(name: &[u8], keys: UserKeys, period: u32) -> Self {
        Self { name: name.to_vec(), keys, period }
    }

    /// The keys.
    pub fn keys(&self) -> &UserKeys {
        &self.keys
    }

    /// Their key period.
    pub fn period(&self) -> u32 {
        self.period
    }
}

impl Present {
    /// Writes the proofs as a bundle, which the user verifies offline.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn write(&self, directory: &Path) -> Result<Bundle, ClientError> {
        let mut writer = BundleWriter::create(directory)?;
        let mut tables = self.log.writer(&mut writer)?;
        for (column, lookup) in &self.lookups {
            tables.lookup(&format!("lookup-{column}"), lookup)?;
        }
        for (column, absence) in &self.absences {
            tables.absence(&format!("absence-{column}"), absence)?;
        }
        for (column, erasure) in &self.erasures {
            tables.erased(&format!("erased-{column}"), erasure)?;
        }
        Ok(writer.finish()?)
    }
}
