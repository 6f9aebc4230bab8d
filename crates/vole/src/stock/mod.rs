//! Correlations that two parties made in advance, for sessions to come.
//!
//! 1. *Making.* The parties meet with keys, make correlations as for a session, and each keeps its
//!    half: [`Stock::make_prover`], [`Stock::make_verifier`].
//! 2. *Claiming.* When they meet again, each says how far it has used the stock, and how far it knows
//!    that the other has. They go on from the larger place of both. Each writes durably that the
//!    correlations from there on are used, by a [`Keeper`], before any of them leaves ([`meeting`]).
//! 3. *Burning.* Refused proofs tell a prover something about the verifier's keys. So a verifier erases
//!    its stock durably before it says no.
//!
//! If a correlation is used twice, whoever reads both messages learns the difference of two witnesses. What is claimed
//! is never given back, so a process may die at any moment. If a file is older than what its peer knows (a restored
//! copy), the peer refuses it. If both parties' files are restored to the same time, or if one is restored and its peer
//! is dishonest, the files do not show it. So never restore a stock from a copy.

mod meeting;
pub(crate) mod record;
mod sealed;
#[cfg(test)]
mod tests;

use std::io;

use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use wire::{Channel, Digest};
use zeroize::Zeroizing;

pub(crate) use meeting::Opened;
pub use record::{Position, StockRecord};

use crate::{
    ParameterSet,
    error::{VoleError, limit},
    field::{Authenticated, Deltas, Fp, Gf64},
    hello::Meeting,
    vole::{ProverVole, VerifierVole},
};

/// The most correlations over F_2 of a stock.
pub const MAX_STOCK_BITS: usize = 1 << 24;
/// The most correlations over F_p of a stock.
pub const MAX_STOCK_VALUES: usize = 1 << 22;

/// One party's half of correlations that were made in advance. Erased when dropped.
pub struct Stock {
    record: StockRecord,
    half: Half,
}

/// The secrets.
pub(crate) enum Half {
    Prover {
        /// MACs, with the bits in their lowest places.
        bits: Zeroizing<Vec<Gf64>>,
        values: Zeroizing<Vec<Authenticated>>,
    },
    Verifier {
        deltas: Zeroizing<Deltas>,
        bits: Zeroizing<Vec<Gf64>>,
        values: Zeroizing<Vec<Fp>>,
    },
}

impl Half {
    fn left(&self) -> Position {
        match self {
            Self::Prover { bits, values } => Position::new(bits.len(), values.len()),
            Self::Verifier { bits, values, .. } => Position::new(bits.len(), values.len()),
        }
    }

    fn burn(&mut self) {
        match self {
            Self::Prover { bits, values } => {
                *bits = Zeroizing::default();
                *values = Zeroizing::default();
            }
            Self::Verifier { deltas, bits, values } => {
                *deltas = Zeroizing::default();
                *bits = Zeroizing::default();
                *values = Zeroizing::default();
            }
        }
    }
}

/// Where a stock is kept between sessions, and during them.
pub trait Keeper {
    /// Replaces what was kept by the stock as it is now, and returns when a crash cannot undo it.
    ///
    /// # Errors
    /// Those of where it is kept: nothing of the stock is used then.
    fn keep(&mut self, stock: &Stock) -> io::Result<()>;
}

/// Who makes a stock, and how: both parties need keys.
struct Making<'a> {
    meeting: Meeting<'a>,
    own: AuthorId,
    correlations: ParameterSet,
    proves: bool,
}

impl<'a> Making<'a> {
    fn new(
        correlations: ParameterSet,
        (own, peer): (&'a Identity, AuthorId),
        context: &'a [u8],
        proves: bool,
    ) -> Self {
        let meeting = Meeting::about(context).signed_by(own).with(peer);
        Self { meeting, own: own.id(), correlations, proves }
    }

    fn stock(&self, id: Digest, peer: Option<AuthorId>, half: Half) -> Result<Stock, VoleError> {
        let record = StockRecord {
            id,
            proves: self.proves,
            correlations: self.correlations,
            own: self.own,
            peer: peer.ok_or(VoleError::Stranger { found: None })?,
            used: Position::default(),
            used_by_peer: Position::default(),
            left: half.left(),
            burnt: false,
        };
        Ok(Stock { record, half })
    }
}

/// What making a stock is about: both parties must want as much.
fn context(bits: usize, values: usize) -> Result<Vec<u8>, VoleError> {
    limit("correlations over F_2 of a stock", bits, MAX_STOCK_BITS)?;
    limit("correlations over F_p of a stock", values, MAX_STOCK_VALUES)?;
    Ok([&b"stock"[..], &(bits as u64).to_le_bytes(), &(values as u64).to_le_bytes()].concat())
}

impl Stock {
    /// Makes the prover's half of so many correlations over F_2 and F_p, or more, with the holder of a
    /// key; `met` is told when they have met.
    ///
    /// # Errors
    /// [`VoleError::TooMany`], and those of [`ProverVole::connect`] and [`ProverVole::extend`].
    pub fn make_prover(
        channel: &mut Channel,
        set: ParameterSet,
        parties: (&Identity, AuthorId),
        (bits, values): (usize, usize),
        rng: &mut impl CryptoRng,
        met: impl FnOnce(&mut Channel),
    ) -> Result<Self, VoleError> {
        let context = context(bits, values)?;
        let making = Making::new(set, parties, &context, true);
        let vole = ProverVole::connect(channel, set, making.meeting, rng)?;
        met(channel);
        let (vole, made) = vole.extend(bits, values, channel, rng)?;
        let half = Half::Prover { bits: made.bits, values: made.values };
        making.stock(vole.base().sid.name(), vole.base().peer, half)
    }

    /// Makes the verifier's half, as [`Stock::make_prover`].
    ///
    /// # Errors
    /// Those of [`Stock::make_prover`].
    pub fn make_verifier(
        channel: &mut Channel,
        set: ParameterSet,
        parties: (&Identity, AuthorId),
        (bits, values): (usize, usize),
        rng: &mut impl CryptoRng,
        met: impl FnOnce(&mut Channel),
    ) -> Result<Self, VoleError> {
        let context = context(bits, values)?;
        let making = Making::new(set, parties, &context, false);
        let vole = VerifierVole::connect(channel, set, making.meeting, rng)?;
        met(channel);
        let (vole, made) = vole.extend(bits, values, channel, rng)?;
        let deltas = Deltas { bits: vole.bit_delta(), values: vole.field_delta() };
        let deltas = Zeroizing::new(deltas);
        let half = Half::Verifier { deltas, bits: made.bits, values: made.values };
        making.stock(vole.base().sid.name(), vole.base().peer, half)
    }

    /// What may be known of it.
    pub fn record(&self) -> &StockRecord {
        &self.record
    }

    /// Erases everything that a proof could be made or verified with.
    pub(crate) fn burn(&mut self) {
        self.half.burn();
        self.record.left = Position::default();
        self.record.burnt = true;
    }

    /// Takes `count` correlations from a position on that is no smaller than that of the stock.
    ///
    /// # Errors
    /// [`VoleError::Exhausted`].
    fn claim(&mut self, start: Position, count: Position) -> Result<Half, VoleError> {
        let skipped = self.skipped(start, count)?;
        // Before anything is taken: a position that did not move would give the same again.
        let used = start.plus(count).ok_or(VoleError::Shape { what: "position of a stock" })?;
        let taken = match &mut self.half {
            Half::Prover { bits, values } => Half::Prover {
                bits: take(bits, skipped.bits, count.bits),
                values: take(values, skipped.values, count.values),
            },
            Half::Verifier { deltas, bits, values } => Half::Verifier {
                deltas: Zeroizing::new(Deltas { bits: deltas.bits, values: deltas.values }),
                bits: take(bits, skipped.bits, count.bits),
                values: take(values, skipped.values, count.values),
            },
        };
        self.record.used = used;
        self.record.left = self.half.left();
        Ok(taken)
    }

    /// What lies before a position, if there are so many after it.
    fn skipped(&self, start: Position, count: Position) -> Result<Position, VoleError> {
        let StockRecord { used, left, .. } = self.record;
        // Beyond all numbers nothing is left, so that whatever is taken is refused.
        let end = used.plus(left).unwrap_or(used);
        let beyond = |field, start: u64, count: u64, end: u64| {
            let left = end.saturating_sub(start);
            match count <= left && start <= end {
                true => Ok(()),
                false => Err(VoleError::Exhausted { field, wanted: count, left }),
            }
        };
        beyond("bits", start.bits, count.bits, end.bits)?;
        beyond("values", start.values, count.values, end.values)?;
        Ok(Position { bits: start.bits - used.bits, values: start.values - used.values })
    }
}

/// Drops the first `skipped`, and takes `count` after them.
fn take<T: zeroize::Zeroize>(
    all: &mut Zeroizing<Vec<T>>,
    skipped: u64,
    count: u64,
) -> Zeroizing<Vec<T>> {
    let before = (skipped as usize).min(all.len());
    let end = (before + count as usize).min(all.len());
    let rest = Zeroizing::new(all.split_off(end));
    let taken = Zeroizing::new(all.split_off(before));
    *all = rest;
    taken
}
