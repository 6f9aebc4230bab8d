//! An election's result, in lines of text.

use ::count::Names;
use study::{
    count::{ClassTally, Count, Rule, Tally},
    description::{Class, Question},
};

use crate::output;

/// What became of every class's ballots, and what the figures below count.
pub fn class_lines(tally: &Tally, classes: &[Class]) -> Vec<String> {
    let line = |(class, counted): (&Class, &ClassTally)| {
        let ballots = output::count(counted.ballots);
        match counted.opened {
            true => format!("{ballots:>9}  {}, of weight {} each", class.name, counted.weight),
            false => format!(
                "{ballots:>9}  {}, not opened: fewer than {}",
                class.name, class.min_ballots
            ),
        }
    };
    let mut lines: Vec<String> = classes.iter().zip(&tally.classes).map(line).collect();
    if tally.parts() > 1 {
        lines.push(format!("Votes are counted in units of 1/{}", output::count(tally.parts())));
    }
    if !lines.is_empty() {
        lines.insert(0, "Ballots by class".to_owned());
    }
    lines
}

/// Who is elected, question by question, and first preferences.
pub fn result_lines(tally: &Tally, questions: &[Question]) -> Vec<String> {
    let several = questions.len() > 1;
    let mut lines = Vec::new();
    for (question, result) in questions.iter().zip(tally.by_question()) {
        let names = Names(&question.candidates);
        if several {
            lines.push(question.text.clone());
        }
        if let Some(Count::Plurality(plurality)) = result.by(Rule::Plurality) {
            lines.push("First preferences".to_owned());
            let mut votes = plurality.votes.clone();
            votes.sort_by_key(|votes| std::cmp::Reverse(votes.ballots));
            lines.extend(votes.iter().map(|votes| {
                format!("{:>9}  {}", output::count(votes.ballots), names.of(votes.candidate))
            }));
        }
        let others = result.counts.iter().filter(|count| count.rule() != Rule::Plurality);
        lines.extend(others.map(|count| {
            let how = match count {
                Count::Irv(irv) => {
                    let rounds = output::counted(irv.rounds.len() as u64, "round", "rounds");
                    format!("Instant runoff, {rounds}")
                }
                other => format!("By {}", other.rule().title()),
            };
            let elected = count.elected();
            let verb = if elected.len() > 1 { "are" } else { "is" };
            format!("{how}: {} {verb} elected", names.list(&elected))
        }));
    }
    lines
}
