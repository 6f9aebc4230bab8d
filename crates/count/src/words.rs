//! A count in sentences, one a round or step.

use crate::{
    Count, Graded, InstantRunoff, MajorityJudgment, MeekOutcome, MeekStv, Outcome, Plurality,
    RankedPairs, Schulze, ScottishStv, Stage, Star, Tie, TieBreak, Totals, Transfer, Votes,
};

/// The names of the candidates, by index.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(pub &'a [String]);

impl Names<'_> {
    /// The name of a candidate.
    pub fn of(&self, candidate: u8) -> String {
        let name = self.0.get(usize::from(candidate)).cloned();
        // For people: whoever has no name is called by the number.
        name.unwrap_or_else(|| format!("Candidate {}", u16::from(candidate) + 1))
    }

    /// `A`, `A and B`, `A, B and C`; `nobody`.
    pub fn list(&self, candidates: &[u8]) -> String {
        let names: Vec<_> = candidates.iter().map(|candidate| self.of(*candidate)).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((last, _)) => last.clone(),
            None => "nobody".to_owned(),
        }
    }

    /// `A is elected`, `A and B are elected`.
    pub fn elected(&self, candidates: &[u8]) -> String {
        let verb = if candidates.len() > 1 { "are" } else { "is" };
        format!("{} {verb} elected", capitalised(&self.list(candidates)))
    }

    fn tie(&self, tie: Option<&Tie>) -> String {
        tie.map_or_else(String::new, |tie| {
            let how = match tie.decided_by {
                TieBreak::EarlierRound { round } => format!("round {round} decided"),
                TieBreak::CandidateOrder => "the order in the description decided".to_owned(),
            };
            format!(" ({} were equal; {how})", self.list(&tie.candidates))
        })
    }

    fn totals(&self, votes: &[Votes], unit: Unit) -> Vec<String> {
        let mut ranked = votes.to_vec();
        ranked.sort_by_key(|votes| (std::cmp::Reverse(votes.ballots), votes.candidate));
        let line = |votes: &Votes| {
            format!("{}: {}", self.of(votes.candidate), unit.counted(votes.ballots))
        };
        ranked.iter().map(line).collect()
    }

    fn places(&self, order: &[u8], ties: &[Tie]) -> Vec<String> {
        let place =
            |(number, candidate): (usize, &u8)| format!("{number}. {}", self.of(*candidate));
        let tie = |tie: &Tie| {
            format!(
                "{} were equal for a place; the order in the description decided",
                self.list(&tie.candidates)
            )
        };
        let places = (1..).zip(order).map(place);
        places.chain(ties.iter().map(tie)).collect()
    }
}

/// What is counted, in the singular and in the plural: a noun, or with its verb.
#[derive(Clone, Copy)]
struct Unit(&'static str, &'static str);

const BALLOTS: Unit = Unit("ballot", "ballots");
const VALID: Unit = Unit("valid ballot", "valid ballots");
const VOTES: Unit = Unit("vote", "votes");
const POINTS: Unit = Unit("point", "points");
const APPROVALS: Unit = Unit("approval", "approvals");

impl Unit {
    /// `1 ballot`, `2 ballots`.
    fn counted(self, number: u64) -> String {
        format!("{number} {}", if number == 1 { self.0 } else { self.1 })
    }
}

fn capitalised(text: &str) -> String {
    match text {
        "nobody" => "Nobody".to_owned(),
        text => text.to_owned(),
    }
}

impl Count {
    /// The count in sentences.
    pub fn story(&self, names: &Names<'_>) -> Vec<String> {
        match self {
            Self::Plurality(count) => plurality(count, names),
            Self::Irv(count) => runoff(count, names),
            Self::Borda(count) => totals(count, POINTS, names),
            Self::Approval(count) => totals(count, APPROVALS, names),
            Self::AtLarge(count) => totals(count, VOTES, names),
            Self::Score(count) => totals(&count.totals, POINTS, names),
            Self::Schulze(count) => schulze(count, names),
            Self::RankedPairs(count) => ranked_pairs(count, names),
            Self::ScottishStv(count) => scottish(count, names),
            Self::MeekStv(count) => meek(count, names),
            Self::Star(count) => star(count, names),
            Self::MajorityJudgment(count) => judgment(count, names),
        }
    }
}

fn plurality(count: &Plurality, names: &Names<'_>) -> Vec<String> {
    let mut lines = names.totals(&count.votes, VOTES);
    if !count.tied.is_empty() {
        lines.push(format!(
            "{} have as many votes; the order in the description decided",
            names.list(&count.tied)
        ));
    }
    lines
}

fn totals(count: &Totals, unit: Unit, names: &Names<'_>) -> Vec<String> {
    let mut lines = names.totals(&count.totals, unit);
    lines.extend(count.tie.as_ref().map(|tie| {
        format!(
            "{} have as many {}; the order in the description decided",
            names.list(&tie.candidates),
            unit.1
        )
    }));
    lines
}

fn runoff(count: &InstantRunoff, names: &Names<'_>) -> Vec<String> {
    let line = |(number, round): (usize, &crate::Round)| {
        // For people: whom a round is about stands in it.
        let held = |who: u8| round.ballots_of(who).unwrap_or(0);
        match &round.outcome {
            Outcome::Elected { candidate } => format!(
                "Round {number}: {} is elected with {}; {} needed",
                names.of(*candidate),
                BALLOTS.counted(held(*candidate)),
                Unit("was", "were").counted(round.majority)
            ),
            Outcome::Eliminated { candidate, tie, exhausted, .. } => format!(
                "Round {number}: {} leaves with {}{}; {} nobody else",
                names.of(*candidate),
                BALLOTS.counted(held(*candidate)),
                names.tie(tie.as_ref()),
                Unit("of them ranks", "of them rank").counted(*exhausted)
            ),
            Outcome::NoVotes => "No ballot ranks a candidate".to_owned(),
        }
    };
    (1..).zip(&count.rounds).map(line).collect()
}

fn schulze(count: &Schulze, names: &Names<'_>) -> Vec<String> {
    let Some((winner, others)) = count.order.split_first() else {
        return vec!["No ballot prefers a candidate".to_owned()];
    };
    let mut lines: Vec<String> = others
        .iter()
        .map(|other| {
            format!(
                "{} to {}: path of strength {}; back: {}",
                names.of(*winner),
                names.of(*other),
                count.paths.get(*winner, *other),
                count.paths.get(*other, *winner)
            )
        })
        .collect();
    lines.extend(names.places(&count.order, &count.ties));
    lines
}

fn ranked_pairs(count: &RankedPairs, names: &Names<'_>) -> Vec<String> {
    if count.order.is_empty() {
        return vec!["No ballot prefers a candidate".to_owned()];
    }
    let line = |pair: &crate::Pair| {
        let verdict = if pair.locked { "locked" } else { "would close a circle, passed over" };
        let tied = if pair.tied_with_next { "; as strong as the next" } else { "" };
        format!(
            "{} over {}: {} to {}: {verdict}{tied}",
            names.of(pair.winner),
            names.of(pair.loser),
            pair.ballots,
            pair.against
        )
    };
    let mut lines: Vec<String> = count.pairs.iter().map(line).collect();
    lines.extend(names.places(&count.order, &count.ties));
    lines
}

fn scottish(count: &ScottishStv, names: &Names<'_>) -> Vec<String> {
    let mut lines = vec![format!("{}, quota {}", VALID.counted(count.valid), count.quota)];
    let line = |(number, stage): (usize, &Stage)| {
        let cause = match &stage.transfer {
            Transfer::FirstPreferences => "first preferences".to_owned(),
            Transfer::Surplus { candidate, surplus, tie } => {
                format!(
                    "surplus of {} ({surplus}){}",
                    names.of(*candidate),
                    names.tie(tie.as_ref())
                )
            }
            Transfer::Exclusion { candidate, tie } => {
                format!("{} is excluded{}", names.of(*candidate), names.tie(tie.as_ref()))
            }
        };
        let mut line = format!("Stage {number}: {cause}");
        if !stage.elected.is_empty() {
            line += &format!("; {}", names.elected(&stage.elected));
        }
        if !stage.remaining.is_empty() {
            line += &format!("; {} without a quota", names.elected(&stage.remaining));
        }
        line
    };
    lines.extend((1..).zip(&count.stages).map(line));
    lines
}

fn meek(count: &MeekStv, names: &Names<'_>) -> Vec<String> {
    let mut lines = vec![VALID.counted(count.valid)];
    let line = |(number, round): (usize, &crate::MeekRound)| {
        let outcome = match &round.outcome {
            MeekOutcome::Elected { candidates } => names.elected(candidates),
            MeekOutcome::Defeated { candidate, tie } => {
                format!("{} leaves{}", names.of(*candidate), names.tie(tie.as_ref()))
            }
            MeekOutcome::Remaining { candidates } if candidates.is_empty() => {
                "all seats are taken".to_owned()
            }
            MeekOutcome::Remaining { candidates } => {
                format!("{} without a quota", names.elected(candidates))
            }
        };
        format!("Round {number}: quota {}; {outcome}", round.quota)
    };
    lines.extend((1..).zip(&count.rounds).map(line));
    lines
}

fn star(count: &Star, names: &Names<'_>) -> Vec<String> {
    let mut lines = totals(&count.scores, POINTS, names);
    let grade = Unit("grades", "grade");
    if let [one, other] = count.runoff.as_slice() {
        lines.push(format!(
            "Runoff: {} {} higher, {} {} higher, {} them alike{}",
            Unit("ballot grades", "ballots grade").counted(one.ballots),
            names.of(one.candidate),
            grade.counted(other.ballots),
            names.of(other.candidate),
            grade.counted(count.equal),
            names.tie(count.tie.as_ref())
        ));
    }
    lines
}

fn judgment(count: &MajorityJudgment, names: &Names<'_>) -> Vec<String> {
    let line = |(number, judged): (usize, &crate::Judged)| {
        let further = match judged.removed {
            Some(removed) if removed > 0 => {
                let medians = Unit("equal median is", "equal medians are").counted(removed);
                format!(", ahead after {medians} taken away")
            }
            _ => String::new(),
        };
        format!("{number}. {}: median grade {}{further}", names.of(judged.candidate), judged.median)
    };
    if count.order.is_empty() {
        return vec!["No ballot grades a candidate".to_owned()];
    }
    let mut lines: Vec<String> = (1..).zip(&count.order).map(line).collect();
    lines.extend(count.ties.iter().map(|tie| {
        format!(
            "{} have the same grades; the order in the description decided",
            names.list(&tie.candidates)
        )
    }));
    lines
}

impl Count {
    /// The grades of every candidate, if ballots grade.
    pub fn grades(&self) -> Option<&[Graded]> {
        match self {
            Self::Score(count) => Some(&count.grades),
            Self::Star(count) => Some(&count.grades),
            Self::MajorityJudgment(count) => Some(&count.grades),
            _ => None,
        }
    }
}
