//! Two parties with the halves of a stock meet again.

use board::AuthorId;
use rand_core::CryptoRng;
use wire::{Channel, Encode};

use super::{Half, Keeper, Position, Stock};
use crate::{
    Setup,
    error::VoleError,
    hash::SessionId,
    hello::{self, Greeting, Meeting, Role},
    message,
    vole::Toss,
};

/// A stock and where it is kept, for a session.
pub(crate) struct Opened<'a> {
    pub(crate) stock: &'a mut Stock,
    pub(crate) keeper: &'a mut dyn Keeper,
}

/// What a session takes from a stock.
pub(crate) struct Taken {
    pub(crate) sid: SessionId,
    pub(crate) peer: AuthorId,
    pub(crate) half: Half,
    /// What both parties chose for this session.
    pub(crate) toss: [u8; 32],
}

impl Opened<'_> {
    fn keep(&mut self) -> Result<(), VoleError> {
        self.keeper.keep(self.stock).map_err(VoleError::Unkept)
    }

    /// What a session with this stock agrees on.
    pub(crate) fn setup(&self, setup: Setup) -> Setup {
        Setup { correlations: self.stock.record().correlations, ..setup }
    }

    /// Erases the stock, durably.
    ///
    /// # Errors
    /// [`VoleError::Unkept`].
    pub(crate) fn burn(&mut self) -> Result<(), VoleError> {
        self.stock.burn();
        self.keep()
    }

    /// Meets the other party, and takes `count` correlations for a session with it. They are claimed
    /// durably when this returns.
    pub(crate) fn take(
        &mut self,
        channel: &mut Channel,
        role: Role,
        meeting: &Meeting<'_>,
        count: Position,
        rng: &mut impl CryptoRng,
    ) -> Result<Taken, VoleError> {
        let record = self.stock.record();
        if record.burnt {
            return Err(VoleError::Burnt);
        }
        // Both take as many.
        let mut context = meeting.context().to_vec();
        count.encode(&mut context);
        let meeting = meeting.with(record.peer).of(&context);
        if meeting.own() != Some(record.own) {
            return Err(VoleError::Shape { what: "stock and of the key that made it" });
        }
        if record.proves != (role == Role::Prover) {
            return Err(VoleError::Shape { what: "stock and of the role of its half" });
        }
        let set = record.correlations;
        let met = hello::exchange(channel, role, set, Some(record), &meeting, rng)?;
        let start = self.start(&met)?;
        self.stock.skipped(start, count)?;
        match role {
            Role::Prover => self.take_prover(channel, &met, &meeting, (start, count), rng),
            Role::Verifier => self.take_verifier(channel, &met, &meeting, (start, count), rng),
        }
    }

    /// The larger place of both, unless one party has forgotten what it once told the other.
    fn start(&self, met: &Greeting) -> Result<Position, VoleError> {
        let record = self.stock.record();
        let [of_peer, seen_by_peer] = met.positions;
        if record.used.is_before(seen_by_peer) {
            return Err(VoleError::Restored { whose: "this party's" });
        }
        match of_peer.is_before(record.used_by_peer) {
            true => Err(VoleError::Restored { whose: "the peer's" }),
            false => Ok(record.used.max(of_peer)),
        }
    }

    fn take_prover(
        &mut self,
        channel: &mut Channel,
        met: &Greeting,
        meeting: &Meeting<'_>,
        (start, count): (Position, Position),
        rng: &mut impl CryptoRng,
    ) -> Result<Taken, VoleError> {
        let confirmation = message::receive(channel, "confirmation", met.confirmation_len())?;
        met.confirm(&confirmation)?;
        let (sid, toss) = (met.sid, Toss::draw(rng));
        let commitment = Toss::commitment(&sid, &toss.opening);
        message::send(channel, &[met.confirmation(meeting), commitment.to_vec()].concat())?;
        // With its share of the toss the verifier says that it has claimed.
        let share = message::receive_array::<{ Toss::SHARE }>(channel, "toss")?;
        let half = self.stock.claim(start, count)?;
        self.stock.record.used_by_peer = self.stock.record.used;
        self.keep()?;
        channel.send(&toss.opening)?;
        let peer = self.stock.record.peer;
        Ok(Taken { sid, peer, half, toss: Toss::outcome(&sid, &toss.opening, &share) })
    }

    fn take_verifier(
        &mut self,
        channel: &mut Channel,
        met: &Greeting,
        meeting: &Meeting<'_>,
        (start, count): (Position, Position),
        rng: &mut impl CryptoRng,
    ) -> Result<Taken, VoleError> {
        message::send(channel, &met.confirmation(meeting))?;
        let answer = message::receive(channel, "confirmation", met.confirmation_len() + 32)?;
        let commitment = met.confirm(&answer)?;
        let half = self.stock.claim(start, count)?;
        self.keep()?;
        let mut share = [0; Toss::SHARE];
        rng.fill_bytes(&mut share);
        channel.send(&share)?;
        let opening = message::receive_array::<{ Toss::OPENING }>(channel, "toss opening")?;
        let sid = met.sid;
        if Toss::commitment(&sid, &opening) != commitment {
            return Err(VoleError::Cheating { check: "coin toss" });
        }
        // With its opening the prover says that it has claimed.
        self.stock.record.used_by_peer = self.stock.record.used;
        self.keep()?;
        let peer = self.stock.record.peer;
        Ok(Taken { sid, peer, half, toss: Toss::outcome(&sid, &opening, &share) })
    }
}
