//! A statement from the first message to the last, as prover or as verifier.

use std::collections::BTreeMap;

use board::AuthorId;
use rand_core::CryptoRng;
use wire::{Channel, Digest, Progress};

use super::{Statement, Witness};
use crate::{
    Keeper, Meeting, Position, Prover, Session, Setup, Soundness, Stock, Verifier, error::VoleError,
};

/// What a party knows when a statement has been proven.
pub struct Proven {
    /// All outputs, bits as 0 and 1.
    pub outputs: BTreeMap<String, Vec<i64>>,
    /// The name of the session: of the last one, which names those before it.
    pub session: Digest,
    /// The key that the other party has shown.
    pub peer: Option<AuthorId>,
}

/// A connection, who meets there, and the own generator.
pub type Party<'a, R> = (&'a mut Channel, Meeting<'a>, &'a mut R);

impl Statement<'_> {
    /// Proves the statement in as many sessions as the soundness takes. `met` is told of each when
    /// the parties have met, and says where progress goes.
    ///
    /// # Errors
    /// Those of [`Prover::run`] and [`Statement::run`].
    pub fn prove<'p, R: CryptoRng>(
        &self,
        (channel, meeting, rng): Party<'_, R>,
        setup: Setup,
        witness: &Witness,
        mut met: impl FnMut(&mut Prover<'_, R>) -> &'p dyn Progress,
    ) -> Result<Proven, VoleError> {
        repeat(setup, meeting, |meeting| {
            Prover::run(channel, setup, meeting, rng, |prover| {
                let progress = met(prover);
                let outputs = self.run_with(prover, Some(witness), progress)?;
                Ok(Proven { outputs, session: prover.name(), peer: prover.peer() })
            })
        })
    }

    /// Verifies the statement, as [`Statement::prove`] proves it.
    ///
    /// # Errors
    /// Those of [`Verifier::run`] and [`Statement::run`]; [`VoleError::Cheating`] also if two
    /// sessions show different outputs.
    pub fn verify<'p, R: CryptoRng>(
        &self,
        (channel, meeting, rng): Party<'_, R>,
        setup: Setup,
        mut met: impl FnMut(&mut Verifier<'_, R>) -> &'p dyn Progress,
    ) -> Result<Proven, VoleError> {
        repeat(setup, meeting, |meeting| {
            Verifier::run(channel, setup, meeting, rng, |verifier| {
                let progress = met(verifier);
                let outputs = self.run_with(verifier, None, progress)?;
                Ok(Proven { outputs, session: verifier.name(), peer: verifier.peer() })
            })
        })
    }
}

impl Statement<'_> {
    /// Correlations that a session takes for the statement, from a [`Stock`].
    pub fn correlations(&self, setup: Setup) -> Position {
        let (bits, values) = self.demand(setup.converter);
        // Each further check has masks of its own.
        let [bit_masks, value_masks] = setup.converter.masks();
        let more = self.checks() - 1;
        Position::new(bits + more * bit_masks, values + more * value_masks)
    }

    /// As [`Statement::prove`], in one session, with correlations of a stock.
    ///
    /// # Errors
    /// [`VoleError::Shape`] if the soundness takes two sessions: a stock has one key; and those of
    /// [`Prover::run_from`] and [`Statement::run`].
    pub fn prove_from<'p, R: CryptoRng>(
        &self,
        (channel, meeting, rng): Party<'_, R>,
        setup: Setup,
        stock: (&mut Stock, &mut dyn Keeper),
        witness: &Witness,
        mut met: impl FnMut(&mut Prover<'_, R>) -> &'p dyn Progress,
    ) -> Result<Proven, VoleError> {
        let count = self.one_session(setup)?;
        Prover::run_from(channel, setup, meeting, stock, count, rng, |prover| {
            let progress = met(prover);
            let outputs = self.run_with(prover, Some(witness), progress)?;
            Ok(Proven { outputs, session: prover.name(), peer: prover.peer() })
        })
    }

    /// As [`Statement::verify`], in one session, with correlations of a stock.
    ///
    /// # Errors
    /// As for [`Statement::prove_from`].
    pub fn verify_from<'p, R: CryptoRng>(
        &self,
        (channel, meeting, rng): Party<'_, R>,
        setup: Setup,
        stock: (&mut Stock, &mut dyn Keeper),
        mut met: impl FnMut(&mut Verifier<'_, R>) -> &'p dyn Progress,
    ) -> Result<Proven, VoleError> {
        let count = self.one_session(setup)?;
        Verifier::run_from(channel, setup, meeting, stock, count, rng, |verifier| {
            let progress = met(verifier);
            let outputs = self.run_with(verifier, None, progress)?;
            Ok(Proven { outputs, session: verifier.name(), peer: verifier.peer() })
        })
    }

    fn one_session(&self, setup: Setup) -> Result<Position, VoleError> {
        match setup.soundness {
            Soundness::Bits57 => Ok(self.correlations(setup)),
            _ => Err(VoleError::Shape { what: "stock, which has one key, and of two sessions" }),
        }
    }
}

/// One session after the other, each under keys and challenges of its own. Each names the one before
/// it: no two of them can be of different runs.
fn repeat(
    setup: Setup,
    meeting: Meeting<'_>,
    mut session: impl FnMut(Meeting<'_>) -> Result<Proven, VoleError>,
) -> Result<Proven, VoleError> {
    let mut proven = session(meeting)?;
    for _ in 1..setup.soundness.repetitions() {
        let context = [meeting.context(), proven.session.as_bytes()].concat();
        let next = session(meeting.of(&context))?;
        if next.peer != proven.peer {
            return Err(VoleError::Stranger { found: next.peer });
        }
        if next.outputs != proven.outputs {
            return Err(VoleError::Cheating { check: "outputs of two sessions" });
        }
        proven = next;
    }
    Ok(proven)
}
