//! The methods, by name.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    Choices, Grades, InstantRunoff, MajorityJudgment, Marks, MeekStv, Plurality, RankedPairs,
    Schulze, Score, ScottishStv, Star, Tie, Totals, grades, irv, meek, pairwise, plurality,
    scottish, totals,
};

/// What a voter marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BallotKind {
    /// Candidates in the order of preference.
    Ranking,
    /// Candidates chosen.
    Choices,
    /// Candidates graded.
    Grades,
}

/// How ballots become a winner, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Most first preferences.
    Plurality,
    /// Instant runoff: the weakest candidate leaves until one has a majority.
    Irv,
    /// A point for each candidate ranked below.
    Borda,
    /// Condorcet's comparison of pairs, circles resolved by strongest paths.
    Schulze,
    /// Condorcet's comparison of pairs, locked from the strongest to the weakest.
    RankedPairs,
    /// The single transferable vote by the rules of Scotland's local elections.
    ScottishStv,
    /// The single transferable vote by Meek's method.
    MeekStv,
    /// Most approvals.
    Approval,
    /// As many votes as there are seats.
    AtLarge,
    /// The highest sum of grades.
    Score,
    /// The two with most points, then the one graded higher by more.
    Star,
    /// The highest median grade.
    MajorityJudgment,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 12] = [
        Self::Plurality,
        Self::Irv,
        Self::Borda,
        Self::Schulze,
        Self::RankedPairs,
        Self::ScottishStv,
        Self::MeekStv,
        Self::Approval,
        Self::AtLarge,
        Self::Score,
        Self::Star,
        Self::MajorityJudgment,
    ];

    /// The name in descriptions and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plurality => "plurality",
            Self::Irv => "irv",
            Self::Borda => "borda",
            Self::Schulze => "schulze",
            Self::RankedPairs => "ranked-pairs",
            Self::ScottishStv => "scottish-stv",
            Self::MeekStv => "meek-stv",
            Self::Approval => "approval",
            Self::AtLarge => "at-large",
            Self::Score => "score",
            Self::Star => "star",
            Self::MajorityJudgment => "majority-judgment",
        }
    }

    /// The name for people, as it stands after "by".
    pub fn title(self) -> &'static str {
        match self {
            Self::Plurality => "first preferences",
            Self::Irv => "instant runoff",
            Self::Borda => "Borda's points",
            Self::Schulze => "Schulze's method",
            Self::RankedPairs => "ranked pairs",
            Self::ScottishStv => "single transferable vote (Scottish rules)",
            Self::MeekStv => "single transferable vote (Meek's method)",
            Self::Approval => "approval",
            Self::AtLarge => "plurality at large",
            Self::Score => "score",
            Self::Star => "STAR",
            Self::MajorityJudgment => "majority judgment",
        }
    }

    /// What ballots it reads.
    pub fn kind(self) -> BallotKind {
        match self {
            Self::Plurality
            | Self::Irv
            | Self::Borda
            | Self::Schulze
            | Self::RankedPairs
            | Self::ScottishStv
            | Self::MeekStv => BallotKind::Ranking,
            Self::Approval | Self::AtLarge => BallotKind::Choices,
            Self::Score | Self::Star | Self::MajorityJudgment => BallotKind::Grades,
        }
    }

    /// Whether it can fill several seats.
    pub fn fills_seats(self) -> bool {
        match self {
            Self::Borda
            | Self::ScottishStv
            | Self::MeekStv
            | Self::Approval
            | Self::AtLarge
            | Self::Score => true,
            Self::Plurality
            | Self::Irv
            | Self::Schulze
            | Self::RankedPairs
            | Self::Star
            | Self::MajorityJudgment => false,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|rule| rule.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no method is named `{text}`; there are {names}")
        })
    }
}

/// What there is to win, and how well one can be graded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The number of candidates, at most [`MAX_CANDIDATES`](crate::MAX_CANDIDATES).
    pub candidates: usize,
    /// The seats, at least 1. Rules for one winner pass it over.
    pub seats: u8,
    /// The best grade; the worst is 0. Rules without grades pass it over.
    pub best_grade: u8,
}

/// A count by one rule, with every step of the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "named after the rules")]
#[non_exhaustive]
pub enum Count {
    Plurality(Plurality),
    Irv(InstantRunoff),
    Borda(Totals),
    Schulze(Schulze),
    RankedPairs(RankedPairs),
    ScottishStv(ScottishStv),
    MeekStv(MeekStv),
    Approval(Totals),
    AtLarge(Totals),
    Score(Score),
    Star(Star),
    MajorityJudgment(MajorityJudgment),
}

impl Count {
    /// Counts distinct ballots and how many there are of each; those of another kind are passed over,
    /// and so are candidates who do not stand. Together they are at most
    /// [`MAX_BALLOTS`](crate::MAX_BALLOTS), as a [`Profile`](crate::Profile) holds them.
    pub fn new(rule: Rule, contest: &Contest, ballots: &[(&Marks, u64)]) -> Self {
        let Contest { candidates, seats, best_grade: best } = *contest;
        let rankings = || select(ballots, Marks::ranking);
        match rule {
            Rule::Plurality => Self::Plurality(plurality::count(candidates, &rankings())),
            Rule::Irv => Self::Irv(irv::count(candidates, &rankings())),
            Rule::Borda => Self::Borda(totals::borda(candidates, seats, &rankings())),
            Rule::Schulze => Self::Schulze(pairwise::schulze(candidates, &rankings())),
            Rule::RankedPairs => Self::RankedPairs(pairwise::ranked_pairs(candidates, &rankings())),
            Rule::ScottishStv => Self::ScottishStv(scottish::count(candidates, seats, &rankings())),
            Rule::MeekStv => Self::MeekStv(meek::count(candidates, seats, &rankings())),
            Rule::Approval => Self::Approval(totals::choices(candidates, seats, &chosen(ballots))),
            Rule::AtLarge => Self::AtLarge(totals::choices(candidates, seats, &chosen(ballots))),
            Rule::Score => Self::Score(totals::score(candidates, best, seats, &graded(ballots))),
            Rule::Star => Self::Star(grades::star(candidates, best, &graded(ballots))),
            Rule::MajorityJudgment => Self::MajorityJudgment(grades::majority_judgment(
                candidates,
                best,
                &graded(ballots),
            )),
        }
    }

    /// The rule that was applied.
    pub fn rule(&self) -> Rule {
        match self {
            Self::Plurality(_) => Rule::Plurality,
            Self::Irv(_) => Rule::Irv,
            Self::Borda(_) => Rule::Borda,
            Self::Schulze(_) => Rule::Schulze,
            Self::RankedPairs(_) => Rule::RankedPairs,
            Self::ScottishStv(_) => Rule::ScottishStv,
            Self::MeekStv(_) => Rule::MeekStv,
            Self::Approval(_) => Rule::Approval,
            Self::AtLarge(_) => Rule::AtLarge,
            Self::Score(_) => Rule::Score,
            Self::Star(_) => Rule::Star,
            Self::MajorityJudgment(_) => Rule::MajorityJudgment,
        }
    }

    /// Who is elected, in the order in which the rule elects.
    pub fn elected(&self) -> Vec<u8> {
        let first = |order: &[u8]| order.first().copied().into_iter().collect();
        match self {
            Self::Plurality(count) => count.winner.into_iter().collect(),
            Self::Irv(count) => count.winner().into_iter().collect(),
            Self::Borda(totals) | Self::Approval(totals) | Self::AtLarge(totals) => {
                totals.elected.clone()
            }
            Self::Score(score) => score.totals.elected.clone(),
            Self::Schulze(count) => first(&count.order),
            Self::RankedPairs(count) => first(&count.order),
            Self::ScottishStv(count) => count.elected.clone(),
            Self::MeekStv(count) => count.elected.clone(),
            Self::Star(count) => count.winner.into_iter().collect(),
            Self::MajorityJudgment(count) => {
                count.order.first().map(|judged| judged.candidate).into_iter().collect()
            }
        }
    }

    /// Every tie that something else than the ballots, or an earlier round of them, had to decide.
    pub fn ties(&self) -> Vec<Tie> {
        match self {
            Self::Plurality(count) => {
                let tied = (!count.tied.is_empty()).then(|| Tie {
                    candidates: count.tied.clone(),
                    decided_by: crate::TieBreak::CandidateOrder,
                });
                tied.into_iter().collect()
            }
            Self::Irv(count) => count.ties().cloned().collect(),
            Self::Borda(totals) | Self::Approval(totals) | Self::AtLarge(totals) => {
                totals.tie.iter().cloned().collect()
            }
            Self::Score(score) => score.totals.tie.iter().cloned().collect(),
            Self::Schulze(count) => count.ties.clone(),
            Self::RankedPairs(count) => count.ties.clone(),
            Self::ScottishStv(count) => count.ties().cloned().collect(),
            Self::MeekStv(count) => count.ties().cloned().collect(),
            Self::Star(count) => count.scores.tie.iter().chain(&count.tie).cloned().collect(),
            Self::MajorityJudgment(count) => count.ties.clone(),
        }
    }
}

fn select<'a, T>(
    ballots: &[(&'a Marks, u64)],
    part: impl Fn(&'a Marks) -> Option<&'a T>,
) -> Vec<(&'a T, u64)> {
    ballots.iter().filter_map(|(marks, count)| Some((part(marks)?, *count))).collect()
}

fn chosen<'a>(ballots: &[(&'a Marks, u64)]) -> Vec<(&'a Choices, u64)> {
    select(ballots, |marks| match marks {
        Marks::Choices(choices) => Some(choices),
        _ => None,
    })
}

fn graded<'a>(ballots: &[(&'a Marks, u64)]) -> Vec<(&'a Grades, u64)> {
    select(ballots, |marks| match marks {
        Marks::Grades(grades) => Some(grades),
        _ => None,
    })
}
