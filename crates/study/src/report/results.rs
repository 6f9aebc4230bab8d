//! The result: headline, first preferences, rounds.

use maud::{Markup, html};

use super::{
    charts, counts,
    data::Answered,
    format::{counted, grouped, percent},
    people::People,
};
use crate::count::{Count, InstantRunoff, Outcome, Plurality, Round, Rule, Tie, TieBreak};

/// Who is elected, in a sentence and a half.
pub(super) fn headline(question: &Answered<'_>, people: &People<'_>) -> Markup {
    let find = |rule| question.tally.by(rule);
    let plurality = match find(Rule::Plurality) {
        Some(Count::Plurality(plurality)) => Some(plurality),
        _ => None,
    };
    match question.asked.decides.and_then(find) {
        Some(Count::Irv(irv)) => runoff_headline(irv, plurality, people),
        Some(Count::Plurality(plurality)) => plurality_headline(plurality, people),
        Some(count) => counts::headline(count, question.asked.seats, people),
        None => html! { p.winner { "No result" } },
    }
}

fn runoff_headline(
    irv: &InstantRunoff,
    plurality: Option<&Plurality>,
    people: &People<'_>,
) -> Markup {
    let (Some(winner), Some(last)) = (irv.winner(), irv.rounds.last()) else { return nobody() };
    // For people: whoever wins stands in the last round.
    let ballots = last.ballots_of(winner).unwrap_or(0);
    let active = active(last);
    let leader = plurality.and_then(|plurality| plurality.winner).filter(|id| *id != winner);
    html! {
        p.winner { (people.name(winner)) span.verb { " is elected" } }
        p.lead {
            "By instant runoff, in " (counted(irv.rounds.len() as u64, "round", "rounds")) ": "
            strong { (grouped(ballots)) } " of the " (grouped(active))
            " " (people.unit().1) " still in play, " strong { (percent(ballots, active)) } "."
            @if let Some(leader) = leader {
                " " (people.name(leader)) " had the most first preferences."
            }
        }
    }
}

fn plurality_headline(plurality: &Plurality, people: &People<'_>) -> Markup {
    let Some(winner) = plurality.winner else { return nobody() };
    let ballots = plurality.votes.iter().filter(|votes| votes.candidate == winner);
    // For people: whoever wins is among those who have votes.
    let ballots = ballots.map(|votes| votes.ballots).next().unwrap_or(0);
    let all = plurality.votes.iter().fold(0_u64, |sum, votes| sum.saturating_add(votes.ballots));
    html! {
        p.winner { (people.name(winner)) span.verb { " is elected" } }
        p.lead {
            "By first preferences: " strong { (grouped(ballots)) } " of " (grouped(all))
            " votes, " strong { (percent(ballots, all)) } "."
            (plurality_tie(plurality, people))
        }
    }
}

fn nobody() -> Markup {
    html! {
        p.winner { "Nobody is elected" }
        p.lead { "No ballot ranks a candidate." }
    }
}

fn plurality_tie(plurality: &Plurality, people: &People<'_>) -> Markup {
    html! {
        @if !plurality.tied.is_empty() {
            " " (people.list(&plurality.tied)) " have the same number of votes; the order of the "
            "candidates in the description decided."
        }
    }
}

fn active(round: &Round) -> u64 {
    round.standing.iter().fold(0, |sum, votes| sum.saturating_add(votes.ballots))
}

pub(super) fn first_preferences(plurality: &Plurality, people: &People<'_>) -> Markup {
    let all = plurality.votes.iter().fold(0_u64, |sum, votes| sum.saturating_add(votes.ballots));
    html! {
        section aria-labelledby=(people.id("first")) {
            h2 id=(people.id("first")) { "First preferences" }
            p.intro {
                "Whom voters ranked first." (plurality_tie(plurality, people))
            }
            div.beside {
                figure { (charts::first_preferences(plurality, people)) }
                div.scroll {
                    table {
                        caption { "Votes in the order of the ballot" }
                        thead { tr { th scope="col" { "Candidate" } th.n scope="col" { "Votes" } th.n scope="col" { "Share" } } }
                        tbody {
                            @for votes in &plurality.votes {
                                tr class=[(Some(votes.candidate) == plurality.winner).then_some("best")] {
                                    th scope="row" { (people.name(votes.candidate)) }
                                    td.n { (grouped(votes.ballots)) }
                                    td.n { (percent(votes.ballots, all)) }
                                }
                            }
                        }
                        tfoot { tr { th scope="row" { "All" } td.n { (grouped(all)) } td.n {} } }
                    }
                }
            }
        }
    }
}

pub(super) fn rounds(irv: &InstantRunoff, people: &People<'_>) -> Markup {
    html! {
        section aria-labelledby=(people.id("rounds")) {
            h2 id=(people.id("rounds")) { "Round by round" }
            p.intro {
                "A ballot counts for its most preferred candidate who is still standing. In each "
                "round a candidate with more than half of the ballots in play is elected; otherwise "
                "the one with the fewest leaves, and those ballots move to their next choice. A "
                "ballot without a next choice is exhausted."
            }
            @if irv.winner().is_some() {
                figure {
                    (charts::rounds(irv, people))
                    figcaption.legend {
                        @for id in people.by_finish() {
                            span { i class={ "swatch " (people.colour(*id)) } {} (people.name(*id)) }
                        }
                        span { i.swatch.exhausted {} "Exhausted" }
                        span { i.swatch.line {} "Majority of the " (people.unit().1) " in play" }
                    }
                }
            }
            // Scrolls on a phone, so a keyboard must reach it.
            div.scroll tabindex="0" role="region" aria-label="Table of rounds" {
                (table(irv, people))
            }
            ol.story {
                @for round in &irv.rounds { li { (story(round, people)) } }
            }
        }
    }
}

fn table(irv: &InstantRunoff, people: &People<'_>) -> Markup {
    html! {
        table.rounds {
            caption { (people.unit().1) " per candidate, with what each round added" }
            thead {
                tr {
                    th scope="col" { "Candidate" }
                    @for number in 1..=irv.rounds.len() { th.n scope="col" { "Round " (number) } }
                }
            }
            tbody {
                @for id in people.by_finish() {
                    tr class=[(Some(*id) == irv.winner()).then_some("best")] {
                        th scope="row" { i class={ "swatch " (people.colour(*id)) } {} (people.name(*id)) }
                        @let before = std::iter::once(None).chain(irv.rounds.iter().map(Some));
                        @for (round, before) in irv.rounds.iter().zip(before) {
                            td.n { (cell(round.ballots_of(*id), before.and_then(|r| r.ballots_of(*id)))) }
                        }
                    }
                }
            }
            tfoot {
                tr {
                    th scope="row" { "Exhausted" }
                    @let before = std::iter::once(None).chain(irv.rounds.iter().map(Some));
                    @for (round, before) in irv.rounds.iter().zip(before) {
                        td.n { (cell(Some(round.exhausted), before.map(|before| before.exhausted))) }
                    }
                }
                tr {
                    th scope="row" { "Majority" }
                    @for round in &irv.rounds { td.n { (grouped(round.majority)) } }
                }
            }
        }
    }
}

fn cell(ballots: Option<u64>, before: Option<u64>) -> Markup {
    let gain = ballots.zip(before).map(|(ballots, before)| ballots.saturating_sub(before));
    html! {
        @match ballots {
            Some(ballots) => {
                (grouped(ballots))
                @if let Some(gain) = gain.filter(|gain| *gain > 0) {
                    span.gain { "+" (grouped(gain)) }
                }
            }
            None => span.gone aria-label="eliminated" { "–" }
        }
    }
}

fn story(round: &Round, people: &People<'_>) -> Markup {
    // For people: whom a round is about stands in it.
    match &round.outcome {
        Outcome::Elected { candidate } => html! {
            strong { (people.name(*candidate)) " is elected" } " with "
            (people.counted(round.ballots_of(*candidate).unwrap_or(0))) "; "
            (grouped(round.majority)) " were needed."
        },
        Outcome::Eliminated { candidate, tie, transfers, exhausted } => html! {
            strong { (people.name(*candidate)) " leaves" } " with "
            (people.counted(round.ballots_of(*candidate).unwrap_or(0)))
            @if let Some(tie) = tie { " " (tie_story(tie, people)) }
            "."
            @if !transfers.is_empty() || *exhausted > 0 {
                " "
                @for (index, votes) in transfers.iter().enumerate() {
                    @if index > 0 { ", " }
                    (grouped(votes.ballots)) " to " (people.name(votes.candidate))
                }
                @if *exhausted > 0 {
                    @if !transfers.is_empty() { ", " }
                    (grouped(*exhausted)) " exhausted"
                }
                "."
            }
        },
        Outcome::NoVotes => html! { "No ballot ranks a candidate, so nobody is elected." },
    }
}

fn tie_story(tie: &Tie, people: &People<'_>) -> Markup {
    html! {
        "(tied: " (people.list(&tie.candidates)) "; "
        @match tie.decided_by {
            TieBreak::EarlierRound { round } => { "fewest in round " (round) },
            TieBreak::CandidateOrder => "equal in every round, so the last in the description leaves",
        }
        ")"
    }
}
