//! How far sources outside the store have been read. A watermark is written in the transaction of
//! the rows before it, so that after a crash the two never disagree.

use rand_core::CryptoRng;
use wire::{Decode, DecodeError, Encode, Reader};

use super::{Accepted, Custodian, CustodyError, Space, Store};
use crate::{Hash, Row};

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

    /// Takes rows of a source in, all or none. When it returns, rows, promises and the source's new
    /// watermark, if it has one, are stored for good. Rows that are there already keep their promises.
    ///
    /// # Errors
    /// Those of [`Custodian::ingest`].
    pub fn accept_from(
        &self,
        (epoch, deadline): (u32, u64),
        rows: &[Row],
        mark: Option<(&Hash, Watermark)>,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<Accepted>, CustodyError> {
        let _writer = self.write();
        let (mut writes, keys) = self.prepare(epoch, rows, rng)?;
        let promises = self.promise_all((epoch, deadline), rows, &mut writes)?;
        if let Some((source, watermark)) = mark {
            let place = place(epoch, source);
            writes.push((Space::Watermarks, place, Some(watermark.to_bytes())));
        }
        self.store.commit(writes)?;
        Ok(keys.into_iter().zip(promises).collect())
    }
}
