//! The election that is played, and how a member may break its rules.

use crate::description::{Draft, ElectionDescription, Question, Rule as Method, Schedule, Shuffle};

pub(super) const SCHEDULE: Schedule =
    Schedule { opens: 1_001_000, closes: 1_002_000, patience: 100, quorum: 4 };
pub(super) const VOTERS: u32 = 4;

/// What is done otherwise than it is written, beside a rule of the election that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Nothing.
    Nothing,
    /// A member that is killed, or shown another board, forgets what it signed.
    Forgetful,
}

pub(super) fn description() -> ElectionDescription {
    let methods = [Method::Plurality, Method::Irv];
    ElectionDescription::new(Draft {
        title: "Lunch".into(),
        questions: vec![Question::ranked("What?", &["soup", "salad", "stew"], 3, &methods)],
        classes: Vec::new(),
        trustees: 3,
        threshold: 2,
        mixers: 3,
        minimum_mixers: 2,
        schedule: Some(SCHEDULE),
        shuffle: Shuffle::TereliusWikstrom,
        notes: None,
        link: None,
    })
    .unwrap()
}
