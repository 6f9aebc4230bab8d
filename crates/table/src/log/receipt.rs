//! Receipts: the operator's promise that a row will be in an epoch.

use board::Identity;
use wire::{Decode, DecodeError, Digest, Encode, Reader, put_bytes};

use crate::{
    Fault, Hash, Leaf, Row, Table, UserKeys,
    sum_tree::{decode_counted_leaf, encode_leaf},
};

const DOMAIN: &str = "subrosa/table/receipt";
/// Seconds by which the clocks of an operator and of whoever gets a receipt may differ.
pub const CLOCK_SKEW: u64 = 300;
/// Bytes of a key that a schema can have.
const MAX_KEY: usize = 128;

/// What the operator signs when it accepts a row; one per ordered column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The epoch.
    pub epoch: u32,
    /// The ordered column.
    pub column: u16,
    /// The key.
    pub key: Vec<u8>,
    /// The pseudonym.
    pub pseudonym: Hash,
    /// The leaf to be.
    pub leaf: Leaf,
    /// Epochs in the log at the time.
    pub log_size: u64,
    /// When the epoch will be in the log, in seconds since 1970.
    pub deadline: u64,
    /// The operator's, over all of it and the table.
    pub signature: [u8; 64],
}

impl Receipt {
    /// Signs for a row that is stored for good.
    ///
    /// # Errors
    /// [`Fault::Row`] for a row that the schema refuses.
    pub fn sign(
        operator: &Identity,
        table: &Table,
        (epoch, column): (u32, u16),
        (row, keys): (&Row, &UserKeys),
        (log_size, deadline): (u64, u64),
    ) -> Result<Self, Fault> {
        let leaf =
            Leaf::recompute(table.schema(), &table.place(epoch, &row.key, column), keys, row)?;
        let pseudonym = keys.pseudonym(table.id(), epoch, column, &row.user);
        let (key, signature) = (row.key.clone(), [0; 64]);
        let mut receipt =
            Self { epoch, column, key, pseudonym, leaf, log_size, deadline, signature };
        receipt.signature = operator.sign(DOMAIN, receipt.message(table));
        Ok(receipt)
    }

    fn message(&self, table: &Table) -> Digest {
        let mut bytes = table.id().to_bytes();
        self.encode_unsigned(&mut bytes);
        Digest::of(DOMAIN, &bytes)
    }

    fn encode_unsigned(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.column.encode(out);
        put_bytes(out, &self.key);
        self.pseudonym.encode(out);
        (self.leaf.commitments.len() as u16).encode(out);
        encode_leaf(&self.leaf, out);
        self.log_size.encode(out);
        self.deadline.encode(out);
    }

    /// Checks the operator's signature, and that tag and pseudonym belong together.
    ///
    /// # Errors
    /// [`Fault::Signature`], [`Fault::Mismatch`].
    pub fn verify(&self, table: &Table) -> Result<(), Fault> {
        let place = table.place(self.epoch, &self.key, self.column);
        if place.tag(&self.pseudonym) != self.leaf.tag {
            return Err(Fault::Mismatch { what: "the receipt's pseudonym" });
        }
        // The key that would sign the next checkpoint.
        let operator = table.operator(self.log_size.saturating_add(1)).0;
        let genuine = operator.verify(DOMAIN, self.message(table), &self.signature);
        genuine.then_some(()).ok_or(Fault::Signature { what: "receipt" })
    }

    /// Checks that the deadline is no later than the schema says: a receipt for some far day never
    /// convicts anybody of withholding. `now` is when the receipt came, or later, by its reader's clock,
    /// in seconds since 1970.
    ///
    /// # Errors
    /// [`Fault::Bounds`].
    pub fn in_time(&self, table: &Table, now: u64) -> Result<(), Fault> {
        let latest = now.saturating_add(table.schema().seal_deadline).saturating_add(CLOCK_SKEW);
        let in_time = self.deadline <= latest;
        in_time.then_some(()).ok_or(Fault::Bounds { what: "the deadline of the receipt" })
    }

    /// What a user checks before it calls its row submitted: the receipt is of this very row, and
    /// every commitment opens to its values.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn accept(&self, table: &Table, row: &Row, keys: &UserKeys) -> Result<(), Fault> {
        self.verify(table)?;
        let place = table.place(self.epoch, &row.key, self.column);
        let own = Leaf::recompute(table.schema(), &place, keys, row)?;
        match own == self.leaf && self.key == row.key {
            true => Ok(()),
            false => Err(Fault::Mismatch { what: "the receipt's leaf" }),
        }
    }
}

impl Encode for Receipt {
    fn encode(&self, out: &mut Vec<u8>) {
        self.encode_unsigned(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Receipt {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (epoch, column) = (reader.u32()?, reader.u16()?);
        let key = reader.bytes("key", MAX_KEY)?.to_vec();
        let pseudonym = Hash::decode(reader)?;
        let leaf = decode_counted_leaf(reader)?;
        let (log_size, deadline) = (reader.u64()?, reader.u64()?);
        let signature = reader.array()?;
        Ok(Self { epoch, column, key, pseudonym, leaf, log_size, deadline, signature })
    }
}
