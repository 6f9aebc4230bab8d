//! The questions answered so far, as far as budgets of a day count them.

use crate::questions::Question;

/// What is known of the questions answered, without reading all of them again.
pub(super) struct Asked {
    pub(super) count: u64,
    /// When the last day's answers were given, how many at once, and to whom.
    pub(super) recent: Vec<(u64, u64, Option<String>)>,
}

impl Asked {
    pub(super) fn read(questions: &[Question]) -> Self {
        let given = questions.iter().filter(|asked| asked.answers > 0);
        let recent = |asked: &Question| (asked.time, asked.answers.into(), asked.asker.clone());
        Self { count: questions.len() as u64, recent: given.map(recent).collect() }
    }

    /// Answers of the last day, to one who asked, or to everybody.
    pub(super) fn given(&self, to: Option<&Option<String>>) -> u64 {
        let counted = self.recent.iter().filter(|(_, _, asker)| to.is_none_or(|to| to == asker));
        counted.map(|(_, answers, _)| answers).sum()
    }
}
