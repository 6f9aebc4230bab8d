//! What each party has in a session. How it takes part stands in [`prover`](super::prover) and
//! [`verifier`](super::verifier).

use std::marker::PhantomData;

use rand_core::CryptoRng;
use wire::Channel;
use zeroize::Zeroizing;

use super::state::State;
use crate::{field::Deltas, stock::Opened};

/// The prover's session. Its values have `'s` in their types, which no other session has.
pub struct Prover<'s, R: CryptoRng> {
    pub(super) channel: &'s mut Channel,
    pub(super) rng: &'s mut R,
    pub(super) state: State<Self>,
    /// If correlations are from a stock.
    pub(super) stock: Option<Opened<'s>>,
    pub(super) brand: PhantomData<fn(&'s ()) -> &'s ()>,
}

/// The verifier's session. Its values have `'s` in their types, which no other session has.
pub struct Verifier<'s, R: CryptoRng> {
    pub(super) channel: &'s mut Channel,
    pub(super) rng: &'s mut R,
    pub(super) deltas: Zeroizing<Deltas>,
    pub(super) state: State<Self>,
    /// If correlations are from a stock.
    pub(super) stock: Option<Opened<'s>>,
    pub(super) brand: PhantomData<fn(&'s ()) -> &'s ()>,
}
