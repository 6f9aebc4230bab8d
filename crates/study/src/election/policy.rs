//! What a trustee or a mixer agrees to.

use std::{
    fmt,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use rand_core::CryptoRng;
use wire::Digest;

use super::{Election, Message, Ready, Rule, Scheme};
use crate::{description::Schedule, replay::SessionError};

/// Seconds by which the log's clock may be ahead of a party's own.
pub(super) const SKEW: u64 = 60;

/// Seconds since 1970, by the system's clock unless another one is given.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// Another clock.
    pub fn new(seconds: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(seconds))
    }

    /// The time.
    pub fn seconds(&self) -> u64 {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        // By a clock before 1970 nothing is over.
        Self::new(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("seconds", &self.seconds()).finish()
    }
}

/// What a trustee or a mixer asks of an election before it takes part, and before it signs the closing: nothing,
/// unless said otherwise, but that the polls were not closed before their time by its own clock.
#[derive(Clone, Debug, Default)]
pub struct PartyPolicy {
    /// The digest of the description, as `subrosa election init` shows it.
    pub description: Option<Digest>,
    /// The [words](Election::in_words) that the party heard from another one.
    pub words: Option<String>,
    /// The polls do not open before this time.
    pub not_before: Option<u64>,
    /// The polls do not close after this time.
    pub not_after: Option<u64>,
    /// So many ballots at least are opened.
    pub minimum_ballots: Option<usize>,
    /// What time it is.
    pub clock: Clock,
}

impl PartyPolicy {
    /// Whether the party takes part in an election.
    ///
    /// # Errors
    /// The reason, if it does not.
    pub fn agrees<S: Scheme>(&self, election: &Election<S>) -> Result<(), String> {
        let description = &election.setup().description;
        let digest = description.digest();
        if let Some(agreed) = self.description.filter(|agreed| *agreed != digest) {
            return Err(format!("its description is {digest}, and the policy is about {agreed}"));
        }
        let words = election.in_words();
        if let Some(heard) = self.words.as_ref().filter(|heard| **heard != words) {
            return Err(format!("its words are `{words}`, and the policy has `{heard}`"));
        }
        let Some(Schedule { opens, closes, .. }) = description.schedule else { return Ok(()) };
        let words = Schedule::in_words;
        if let Some(earliest) = self.not_before.filter(|earliest| opens < *earliest) {
            let (opens, earliest) = (words(opens), words(earliest));
            return Err(format!(
                "its polls open at {opens}, and the policy is for {earliest} or later"
            ));
        }
        if let Some(latest) = self.not_after.filter(|latest| closes > *latest) {
            let (closes, latest) = (words(closes), words(latest));
            return Err(format!(
                "its polls close at {closes}, and the policy is for {latest} or earlier"
            ));
        }
        Ok(())
    }

    /// That the party is there, with a nonce of its own, if it agrees.
    pub(super) fn ready<S: Scheme>(
        &self,
        election: &Election<S>,
        rng: &mut impl CryptoRng,
    ) -> Result<Message<S>, SessionError> {
        self.agrees(election).map_err(refused)?;
        let head = election.head().ok_or_else(|| refused("it does not stand on a log".into()))?;
        let mut nonce = [0; 32];
        rng.fill_bytes(&mut nonce);
        Ok(Message::Ready(Ready { nonce, head }))
    }

    /// That the party saw the closing, if it agrees to it: it is the one that it signs.
    pub(super) fn seen<S: Scheme>(
        &self,
        election: &Election<S>,
    ) -> Result<Message<S>, SessionError> {
        self.agrees(election).map_err(refused)?;
        // A policy that does not say how many is content with none.
        let (ballots, minimum) = (election.accepted(), self.minimum_ballots.unwrap_or(0));
        if ballots < minimum {
            let reason = format!("ballots cast: {ballots}, and the policy asks for {minimum}");
            return Err(refused(reason));
        }
        let closes = election.rules().schedule().map_or(0, |schedule| schedule.closes);
        let now = self.clock.seconds();
        if !Rule::OwnClock.allows(now.saturating_add(SKEW) >= closes) {
            let (now, closes) = (Schedule::in_words(now), Schedule::in_words(closes));
            return Err(refused(format!(
                "the log says that it is {closes} or later and closed the polls, and it is {now} here: its clock, or \
                 this one, is wrong"
            )));
        }
        let seen = election.seen().ok_or_else(|| refused("the polls are not closed".into()))?;
        Ok(Message::Seen(seen))
    }
}

fn refused(reason: String) -> SessionError {
    SessionError::Party(format!("this party takes no part in the election: {reason}"))
}
