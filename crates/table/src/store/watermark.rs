//! How far sources outside the store have been read. A watermark is written in the transaction of
//! the rows before it, so that after a crash the two never disagree.

use rand_core::CryptoRng;
use wire::{Decode, DecodeError, Encode, Reader};

use super::{Custodian, CustodyError, Space, Store, Write};
use crate::{Hash, Row, UserKeys};

/// How far a source of an epoch's rows has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermark {
    /// The last row that is stored, in the order of the source.
    pub position: i128,
    /// How many rows of the source are stored.
    pub rows: u64,
}

impl Encode for Watermark {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.position.to_be_bytes());
        self.rows.encode(out);
    }
}

impl Decode for Watermark {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { position: i128::from_be_bytes(reader.array()?), rows: reader.u64()? })
    }
}

fn place(epoch: u32, source: &Hash) -> Vec<u8> {
    [&epoch.to_be_bytes()[..], source.as_bytes()].concat()
}

impl<S: Store> Custodian<S> {
    /// How far a source, named by a hash of what it is, has been read for an epoch.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn watermark(&self, epoch: u32, source: &Hash) -> Result<Option<Watermark>, CustodyError> {
        let stored = self.store.get(Space::Watermarks, &place(epoch, source))?;
        Ok(stored.map(|bytes| Watermark::from_bytes(&bytes)).transpose()?)
    }

    /// [`Custodian::ingest`], with the source's new watermark in the same transaction.
    ///
    /// # Errors
    /// Those of [`Custodian::ingest`].
    pub fn ingest_from(
        &self,
        epoch: u32,
        rows: &[Row],
        (source, watermark): (&Hash, Watermark),
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<UserKeys>, CustodyError> {
        let _writer = self.write();
        let (mut writes, keys) = self.prepare(epoch, rows, rng)?;
        let mark: Write = (Space::Watermarks, place(epoch, source), Some(watermark.to_bytes()));
        writes.push(mark);
        self.store.commit(writes)?;
        Ok(keys)
    }
}
