//! From the first ballot to the list that is mixed.

use std::collections::BTreeSet;

use board::{Entry, Head};

use super::{
    super::{
        BallotList, Close, Closing, Party, RefusedBallot, Role, Rule, Scheme, Seen, SignedBallot,
        turns::Turns,
    },
    Certificate, Election, Stage,
};

impl<S: Scheme> Election<S> {
    /// Takes ballots, in version 2 while the polls are open by the log's times.
    pub(super) fn take_ballots(
        &mut self,
        entry: &Entry,
        ballots: &[SignedBallot<S>],
    ) -> Result<(), String> {
        if let Some((schedule, time)) = self.rules.schedule().zip(entry.time())
            && !Rule::PollsOpen.allows(schedule.is_open(time))
        {
            let when = if time < schedule.opens { "not open yet" } else { "closed" };
            return Err(format!("the polls are {when}, by the log's time"));
        }
        let ballot_box = self.ballots.as_mut().ok_or("the polls are not open")?;
        ballot_box.take(entry.sequence(), &self.roll, ballots);
        self.last_ballots = entry.sequence();
        Ok(())
    }

    /// Closes the polls when the operator says so, in version 1.
    pub(super) fn close(&mut self, close: &Close) -> Result<(), String> {
        self.check_close(close)?;
        self.draw_up_lists();
        self.begin_mixing();
        Ok(())
    }

    /// Closes the polls when their time is over. What is mixed is signed by a quorum first.
    pub(super) fn close_in_time(&mut self, entry: &Entry, closing: &Closing) -> Result<(), String> {
        let closes = self.rules.schedule().map_or(0, |schedule| schedule.closes);
        // Polls close so in version 2 only, which stands on a log, whose entries have times.
        let time = entry.time().unwrap_or(0);
        if !Rule::ClosesByTime.allows(time >= closes) {
            return Err(format!(
                "the polls are open for {} s, by the log's time",
                closes.saturating_sub(time)
            ));
        }
        if !Rule::ClosesBehindBallots.allows(closing.head.size > self.last_ballots) {
            return Err("it is about a board without all the ballots".to_owned());
        }
        self.check_close(&closing.close)?;
        let head = entry.head().ok_or("an election with times stands on a log")?;
        let seen = Seen { closing: entry.digest(), head };
        self.certificate = Some(Certificate { seen, signers: BTreeSet::new() });
        self.draw_up_lists();
        self.stage = Stage::Certification;
        Ok(())
    }

    fn check_close(&self, close: &Close) -> Result<(), String> {
        let ballots = self.ballots.as_ref().ok_or("the polls are not open")?;
        let found = ballots.close();
        if !Rule::ClosingBallots.allows(found == *close) {
            let Close { accepted, refused, .. } = close;
            if (found.accepted, found.refused) == (*accepted, *refused) {
                let reason = "the closing is about other ballots, or another order, than the board";
                return Err(reason.to_owned());
            }
            let refusal = ballots.refused().first().map(|refused| {
                let RefusedBallot { sequence, index, voter, reason, .. } = refused;
                format!("; first refused: ballot {index} of entry {sequence}, {voter}: {reason}")
            });
            return Err(format!(
                "the closing says {accepted} ballots accepted and {refused} refused, the board \
                 has {} and {}{}",
                found.accepted,
                found.refused,
                // For people: if no ballot was refused there is none to tell of.
                refusal.unwrap_or_default()
            ));
        }
        Ok(())
    }

    fn draw_up_lists(&mut self) {
        let classes = &self.setup.description.classes;
        self.lists = self.ballots.iter().flat_map(|ballots| ballots.lists(classes)).collect();
        // Without lists nothing is mixed.
        let longest = self.lists.iter().map(BallotList::rows).max().unwrap_or(0);
        if let Some(parameters) = &mut self.parameters {
            S::extend(parameters, longest);
        }
    }

    /// Whether a trustee or a mixer may still say that it saw the closing.
    pub(super) fn may_sign(&self, party: Party, kind: &str) -> bool {
        let is_unsigned = |certificate: &Certificate| !certificate.signers.contains(&party);
        kind == "election/seen"
            && matches!(party.role, Role::Trustee | Role::Mixer)
            && self.certificate.as_ref().is_some_and(is_unsigned)
    }

    /// Takes that a party saw this closing, and nothing else before it. With a quorum of them there is no other.
    pub(super) fn take_seen(&mut self, party: Party, seen: &Seen) -> Result<(), String> {
        let certificate = self.certificate.as_mut().ok_or("the polls are not closed")?;
        if !Rule::SeenThisClosing.allows(certificate.seen == *seen) {
            let Head { size, .. } = seen.head;
            return Err(format!("it saw another closing, on a board of {size} leaves"));
        }
        certificate.signers.insert(party);
        let quorum = self.rules.schedule().map_or(0, |schedule| schedule.quorum);
        let is_certified = Rule::Quorum.allows(certificate.signers.len() >= usize::from(quorum));
        if is_certified && matches!(self.stage, Stage::Certification) {
            self.begin_mixing();
        }
        Ok(())
    }

    fn begin_mixing(&mut self) {
        self.stage = Stage::Mixing(Turns::new(self.rules, self.setup.description.mixers));
    }
}
