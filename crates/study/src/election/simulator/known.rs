//! A schedule in which something goes wrong without a rule, as `search_for_what_every_rule_keeps_out` prints them.

use super::setting::Broken;
use crate::election::Rule;

pub(super) const KNOWN: [(Rule, u64); 38] = [
    (Rule::SaidOnce, 5),
    (Rule::OwnSubject, 8),
    (Rule::ThisBoard, 5),
    (Rule::ReadyForRoll, 5),
    (Rule::Nonces, 10),
    (Rule::KeyAuthor, 2),
    (Rule::AbsentIfAwaited, 12),
    (Rule::AbsentNow, 8),
    (Rule::Patience, 2),
    (Rule::EnoughWithout, 47),
    (Rule::ComesBack, 5),
    (Rule::AskedAgain, 7),
    (Rule::OpensInTime, 2),
    (Rule::OpeningKey, 133),
    (Rule::Confirmed, 127),
    (Rule::BoundToOpening, 23),
    (Rule::PollsOpen, 4),
    (Rule::VoterSigned, 4),
    (Rule::BallotProof, 659),
    (Rule::FreshCiphertexts, 88),
    (Rule::FirstOfRevision, 151),
    (Rule::GreatestRevision, 106),
    (Rule::TrackerOfBallot, 4),
    (Rule::TrackerOfRevision, 402),
    (Rule::ClosesByTime, 66),
    (Rule::ClosesBehindBallots, 328),
    (Rule::ClosingBallots, 0),
    (Rule::Quorum, 0),
    (Rule::SeenThisClosing, 0),
    (Rule::OwnClock, 17),
    (Rule::MixTurn, 1),
    (Rule::MixNumber, 157),
    (Rule::MixInput, 1),
    (Rule::MixProof, 55),
    (Rule::MinimumMixes, 725),
    (Rule::DecryptionAuthor, 14),
    (Rule::OutcomeFaults, 57),
    (Rule::OutcomeTally, 3),
];

pub(super) const BROKEN: [(Broken, u64); 1] = [(Broken::Forgetful, 5)];
