//! Values that are shown with a proof, and read once it is accepted.
//!
//! The prover binds itself to them before the challenge, by a hash, and shows them beside the proof:
//! a check that fails before that shows nothing.

use std::{marker::PhantomData, ops::Range};

use rand_core::CryptoRng;
use wire::Reader;
use zeroize::Zeroizing;

use super::{
    MAX_CLAIMS, Session,
    stock::{Showing, Stocks},
};
use crate::{
    error::{VoleError, limit},
    field::{Fp, Gf64, MacField, PerField},
    hash::SessionId,
};

/// What was shown at a check that has accepted.
pub struct Checked<S: Session> {
    check: u64,
    values: PerField<Vec<bool>, Vec<Fp>>,
    session: PhantomData<fn(S) -> S>,
}

impl<S: Session> Checked<S> {
    pub(super) fn new(check: u64, values: PerField<Vec<bool>, Vec<Fp>>) -> Self {
        Self { check, values, session: PhantomData }
    }
}

/// Values that are shown at the next check.
#[must_use = "the values are read from what the check returns"]
pub struct Revealed<S: Session, F: MacField> {
    check: u64,
    places: Range<usize>,
    session: PhantomData<fn(S, F) -> S>,
}

impl<S: Session, F: MacField> Revealed<S, F> {
    /// The values, which the verifier has accepted.
    ///
    /// # Errors
    /// [`VoleError::Shape`] if they were shown at another check.
    pub fn values(&self, checked: &Checked<S>) -> Result<Vec<F::Value>, VoleError> {
        let values = F::shown(&checked.values).get(self.places.clone());
        match values.filter(|_| checked.check == self.check) {
            Some(values) => Ok(values.to_vec()),
            None => Err(VoleError::Shape { what: "value that another check has shown" }),
        }
    }
}

/// Shows values at the next check.
pub(super) fn reveal<S: Session, F: MacField>(
    session: &mut S,
    showing: Showing<S, F>,
) -> Result<Revealed<S, F>, VoleError> {
    let state = session.state_mut();
    let check = state.phase;
    let stock = F::stock(&mut state.stocks);
    let first = stock.showing();
    let places = first..first.saturating_add(showing.len());
    limit("values to reveal", places.end, MAX_CLAIMS)?;
    stock.shown.push(showing);
    Ok(Revealed { check, places, session: PhantomData })
}

/// What goes with a proof: a nonce, then the values.
pub(super) struct Opening(Zeroizing<Vec<u8>>);

const NONCE: usize = 32;

impl Opening {
    /// Nothing, if nothing is shown.
    pub(super) fn new<S: Session>(stocks: &Stocks<S>, rng: &mut impl CryptoRng) -> Self {
        let mut bytes = Zeroizing::new(Vec::new());
        if Self::len(stocks) > 0 {
            bytes.resize(NONCE, 0);
            rng.fill_bytes(&mut bytes);
            bytes.extend(Gf64::put_values(&stocks.bits.own_values()));
            bytes.extend(Fp::put_values(&stocks.values.own_values()));
        }
        Self(bytes)
    }

    /// Bytes beside the proof.
    pub(super) fn len<S: Session>(stocks: &Stocks<S>) -> usize {
        let (bits, values) = (stocks.bits.showing(), stocks.values.showing());
        match bits + values {
            0 => 0,
            _ => NONCE + Gf64::values_len(bits) + Fp::values_len(values),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    /// Binds the prover without showing anything.
    pub(super) fn commitment(&self, sid: &SessionId, check: u64) -> [u8; 32] {
        sid.derive_array("shown values", &[&check.to_le_bytes(), &self.0])
    }

    /// The values, as many as are to be shown.
    pub(super) fn read<S: Session>(
        &self,
        stocks: &Stocks<S>,
    ) -> Result<PerField<Vec<bool>, Vec<Fp>>, VoleError> {
        let (bits, values) = (stocks.bits.showing(), stocks.values.showing());
        // A message that is shorter than its nonce has no values, and is refused for that.
        let mut reader = Reader::new(self.0.get(NONCE..).unwrap_or_default());
        let mut take = |len| reader.take(len).map_err(wire::ChannelError::Decode);
        let of_bits = take(Gf64::values_len(bits))?;
        let of_values = take(Fp::values_len(values))?;
        Ok(PerField {
            bits: Gf64::read_values(of_bits, bits)?,
            values: Fp::read_values(of_values, values)?,
        })
    }
}
