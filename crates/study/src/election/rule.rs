//! The rules of an election of version 2 by name, so that tests can find out what each of them is for.

/// A rule that the simulator of this crate can play without, to see that something goes wrong then. What is built keeps
/// every rule.
///
/// Not here is what others cover. A trustee who decrypts again, and a party that signs the closing again, do so in a slot
/// that they filled ([`Rule::SaidOnce`]) or in one that is not their message's ([`Rule::OwnSubject`]); a second announcement
/// in a turn is out of turn like any other entry; parts of a mix in another order, or of another digest than announced, are
/// another mix, and what counts of that is [`Rule::MixProof`]. Proofs of decryption and of dealt shares are checked where
/// the types are made that stand for it (`shuffle`), and cannot be left out here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// `BD-4`: what an author says again in a slot has no effect.
    SaidOnce,
    /// `BD-5`: an entry has the subject of its message.
    OwnSubject,
    /// `EL-21`: a head is one of this board.
    ThisBoard,
    /// `EL-22`: who is ready saw the roll.
    ReadyForRoll,
    /// `EL-22`: the key generation is bound to what every party drew.
    Nonces,
    /// `EL-6`: a message names its author.
    KeyAuthor,
    /// `EL-7`: only who is waited for is absent.
    AbsentIfAwaited,
    /// `EL-7`: an absence is about this wait.
    AbsentNow,
    /// `EL-7`, `EL-8`: the wait has lasted for longer than `patience`.
    Patience,
    /// `EL-7`: nobody is passed over without whom the phase cannot end.
    EnoughWithout,
    /// `EL-7`, `EL-24`: who was absent may come back.
    ComesBack,
    /// `EL-24`: absent mixers are asked again while mixes are missing.
    AskedAgain,
    /// The polls open before they close, or never.
    OpensInTime,
    /// `EL-8`: the key is the trustees'.
    OpeningKey,
    /// `EL-8`: the opening names the trustees who confirmed the key.
    Confirmed,
    /// `EL-8`: what follows is bound to the opening.
    BoundToOpening,
    /// `EL-9`: ballots count while the polls are open.
    PollsOpen,
    /// `VO-1`: the voter signed the ballot.
    VoterSigned,
    /// `TH-5`: who made a ballot knows what is in it.
    BallotProof,
    /// `TH-6`: no ciphertext counts twice.
    FreshCiphertexts,
    /// `VO-2`: the first ballot of a revision counts.
    FirstOfRevision,
    /// `VO-3`: the greatest revision counts.
    GreatestRevision,
    /// The tracker depends on the sealed ballot.
    TrackerOfBallot,
    /// The tracker depends on the revision.
    TrackerOfRevision,
    /// `EL-10`: the polls close when their time is over.
    ClosesByTime,
    /// `EL-10`: the closing is about a board with all ballots.
    ClosesBehindBallots,
    /// `EL-10`: the closing says which ballots count.
    ClosingBallots,
    /// `EL-23`: a quorum signs the closing before it is mixed.
    Quorum,
    /// `EL-23`: who signs a closing signs this one.
    SeenThisClosing,
    /// A party does not sign a closing that comes too early by its own clock.
    OwnClock,
    /// `EL-24`: a mixer mixes in its turn.
    MixTurn,
    /// `EL-25`: a mix is said for this turn.
    MixNumber,
    /// `EL-11`: a mix begins with what the one before it left.
    MixInput,
    /// `EL-11`: the proof of a mix holds.
    MixProof,
    /// `EL-24`: nothing is decrypted without the minimum of mixes.
    MinimumMixes,
    /// `EL-12`: a decryption names its author.
    DecryptionAuthor,
    /// `EL-13`: the outcome lists the faults.
    OutcomeFaults,
    /// `EL-13`: the outcome is the count of the opened ballots.
    OutcomeTally,
}

impl Rule {
    /// Whether what the rule asks for is the case.
    pub(crate) fn allows(self, is_so: bool) -> bool {
        is_so || !self.is_kept()
    }

    /// Whether the rule holds: always, but in a schedule that is to show what it is for.
    #[cfg(not(test))]
    pub(crate) const fn is_kept(self) -> bool {
        true
    }
}

#[cfg(test)]
mod waived {
    use std::cell::Cell;

    use super::Rule;

    thread_local! {
        static WAIVED: Cell<Option<Rule>> = const { Cell::new(None) };
    }

    impl Rule {
        pub(crate) fn is_kept(self) -> bool {
            WAIVED.get() != Some(self)
        }

        /// Does something on this thread without a rule.
        pub(crate) fn without<T>(rule: Option<Self>, f: impl FnOnce() -> T) -> T {
            let before = WAIVED.replace(rule);
            let done = f();
            WAIVED.set(before);
            done
        }
    }
}
