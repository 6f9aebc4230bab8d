//! The counts by other rules than first preferences and instant runoff: headline, chart, steps.

use count::{
    Decimal5, Graded, Matrix, MeekOutcome, MeekStv, Names, RankedPairs, Schulze, ScottishStv,
    Totals, Transfer,
};
use maud::{Markup, html};

use super::{
    charts::{self, shade, shade_class},
    data::Answered,
    format::{counted, grouped, share},
    people::People,
};
use crate::count::Count;

/// Who is elected, and by what.
pub(super) fn headline(count: &Count, seats: u8, people: &People<'_>) -> Markup {
    let elected = count.elected();
    let verb = if elected.len() > 1 { " are elected" } else { " is elected" };
    html! {
        @if elected.is_empty() {
            p.winner { "Nobody is elected" }
            p.lead { "No ballot marks a candidate." }
        } @else {
            p.winner { (people.list(&elected)) span.verb { (verb) } }
            p.lead {
                "By " (count.rule().title())
                @if seats > 1 { ", for " (counted(seats.into(), "seat", "seats")) }
                "."
                @if !count.ties().is_empty() { " Ties were decided as told below." }
            }
        }
    }
}

/// One count: its chart and every step.
pub(super) fn section(count: &Count, question: &Answered<'_>, people: &People<'_>) -> Markup {
    let id = people.id(count.rule().name());
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title(count)) }
            p.intro { (rule(count)) }
            (figure(count, question, people))
            (steps(count, people))
        }
    }
}

fn title(count: &Count) -> String {
    let title = count.rule().title();
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The rule in a sentence or two.
fn rule(count: &Count) -> &'static str {
    match count {
        Count::Borda(_) => {
            "A ballot gives each candidate a point for every candidate whom it ranks lower or does not \
             rank; whom it does not rank gets none."
        }
        Count::Schulze(_) | Count::RankedPairs(_) => {
            "Every two candidates are compared: how many ballots prefer the one, and how many the \
             other? Whom a ballot ranks it prefers to all whom it does not rank."
        }
        Count::ScottishStv(_) => {
            "Who has the quota is elected. What they have above it goes on to the next choices, every \
             ballot at a part of its value; otherwise the last candidate is excluded, and those ballots go \
             on at the value that they have. Values have five decimal places, as in Scotland's local \
             elections."
        }
        Count::MeekStv(_) => {
            "Every elected candidate keeps just so large a share of each ballot that all of them have a \
             quota, and passes on the rest. When nobody else reaches the quota, the last candidate leaves."
        }
        Count::Approval(_) => "A ballot gives one vote to each candidate whom it approves of.",
        Count::AtLarge(_) => "A ballot gives one vote to each candidate whom it chooses.",
        Count::Score(_) => "The grades of all ballots are added up. No grade is no point.",
        Count::Star(_) => {
            "The grades are added up. Of the two candidates with most points the one wins whom more \
             ballots grade higher."
        }
        Count::MajorityJudgment(_) => {
            "The highest median wins: the grade that a majority gives at least. Of equal medians one \
             ballot is taken away from each, until they differ. No grade is the worst grade."
        }
        _ => "",
    }
}

fn figure(count: &Count, question: &Answered<'_>, people: &People<'_>) -> Markup {
    match count {
        Count::Borda(totals) => bars(totals, "Points", people),
        Count::Approval(totals) => bars(totals, "Approvals", people),
        Count::AtLarge(totals) => bars(totals, "Votes", people),
        Count::Schulze(Schulze { prefer, .. }) | Count::RankedPairs(RankedPairs { prefer, .. }) => {
            matrix(prefer, people)
        }
        Count::ScottishStv(stv) => scottish(stv, people),
        Count::MeekStv(stv) => meek(stv, people),
        Count::Score(score) => html! {
            (bars(&score.totals, "Points", people))
            (histograms(&score.grades, question, people))
        },
        Count::Star(star) => html! {
            (bars(&star.scores, "Points", people))
            (histograms(&star.grades, question, people))
        },
        Count::MajorityJudgment(judgment) => histograms(&judgment.grades, question, people),
        _ => html! {},
    }
}

fn bars(totals: &Totals, unit: &str, people: &People<'_>) -> Markup {
    html! { figure { (charts::bars(unit, &people.id(unit), &totals.totals, people)) } }
}

/// What happened, in the words that `subrosa election count` prints.
fn steps(count: &Count, people: &People<'_>) -> Markup {
    html! {
        details open[count.elected().len() > 1] {
            summary { "Every step" }
            ol.steps-of-count {
                @for line in count.story(&Names(people.names())) { li { (line) } }
            }
        }
    }
}

/// Who is preferred to whom by how many ballots; the darker, the more of both.
fn matrix(prefer: &Matrix, people: &People<'_>) -> Markup {
    let order = people.by_finish();
    let cell = |row: u8, column: u8| {
        let (own, other) = (prefer.get(row, column), prefer.get(column, row));
        let strength = share(own, own.saturating_add(other), 100);
        let class = if own > other { "n pair wins" } else { "n pair" };
        html! { td class=(class) style={ "--p:" (strength) "%" } { (grouped(own)) } }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Comparison of pairs" {
            table.pairs {
                caption { (people.unit().1) " that prefer the candidate of the row to that of the column" }
                thead {
                    tr {
                        th scope="col" { "Preferred" }
                        @for column in order { th.n scope="col" { "to " (people.name(*column)) } }
                    }
                }
                tbody {
                    @for row in order {
                        tr {
                            th scope="row" { i class={ "swatch " (people.colour(*row)) } {} (people.name(*row)) }
                            @for column in order {
                                @if row == column { td.n { span.gone { "–" } } }
                                @else { (cell(*row, *column)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One bar a candidate, from the best grade to the worst.
fn histograms(grades: &[Graded], question: &Answered<'_>, people: &People<'_>) -> Markup {
    let names = &question.asked.grades;
    let best = names.len().saturating_sub(1);
    let find = |candidate: u8| grades.iter().find(|graded| graded.candidate == candidate);
    let ordered: Vec<&Graded> = people.by_finish().iter().filter_map(|id| find(*id)).collect();
    html! {
        figure {
            (charts::grades(&ordered, &people.id("grades"), people))
            figcaption.legend {
                @for (grade, name) in names.iter().enumerate().rev() {
                    span {
                        i class={ "swatch " (shade_class(grade, best)) }
                            style={ "--g:" (shade(grade, best)) "%" } {}
                        (name)
                    }
                }
                span { i.swatch.exhausted {} "No grade" }
            }
        }
    }
}

/// A table of stages: every candidate's votes, who is elected and who leaves.
fn scottish(stv: &ScottishStv, people: &People<'_>) -> Markup {
    let name = |transfer: &Transfer| match transfer {
        Transfer::FirstPreferences => "First preferences".to_owned(),
        Transfer::Surplus { candidate, .. } => format!("Surplus of {}", people.name(*candidate)),
        Transfer::Exclusion { candidate, .. } => format!("{} leaves", people.name(*candidate)),
    };
    let columns: Vec<Column> = stv
        .stages
        .iter()
        .map(|stage| Column {
            heading: name(&stage.transfer),
            votes: stage.votes.iter().map(|votes| votes.floor()).collect(),
            exact: stage.votes.iter().map(Decimal5::to_string).collect(),
            exhausted: (stage.exhausted.floor(), stage.exhausted.to_string()),
            elected: stage.elected.iter().chain(&stage.remaining).copied().collect(),
        })
        .collect();
    stages(&columns, stv.valid, stv.quota, people)
}

fn meek(stv: &MeekStv, people: &People<'_>) -> Markup {
    let column = |round: &count::MeekRound| Column {
        heading: match &round.outcome {
            MeekOutcome::Defeated { candidate, .. } => {
                format!("then {} leaves", people.name(*candidate))
            }
            MeekOutcome::Elected { .. } | MeekOutcome::Remaining { .. } => String::new(),
        },
        votes: round.votes.iter().map(|votes| votes.floor()).collect(),
        exact: round.votes.iter().map(ToString::to_string).collect(),
        exhausted: (round.exhausted.floor(), round.exhausted.to_string()),
        elected: match &round.outcome {
            MeekOutcome::Elected { candidates } | MeekOutcome::Remaining { candidates } => {
                candidates.clone()
            }
            MeekOutcome::Defeated { .. } => Vec::new(),
        },
    };
    let columns: Vec<Column> = stv.rounds.iter().map(column).collect();
    let quota = stv.rounds.last().map_or(0, |round| round.quota.floor());
    stages(&columns, stv.valid, quota, people)
}

/// A stage as table and chart show it.
struct Column {
    heading: String,
    votes: Vec<u64>,
    exact: Vec<String>,
    exhausted: (u64, String),
    elected: Vec<u8>,
}

fn stages(columns: &[Column], valid: u64, quota: u64, people: &People<'_>) -> Markup {
    let drawn: Vec<charts::Seats<'_>> = columns
        .iter()
        .map(|column| charts::Seats {
            votes: &column.votes,
            exhausted: column.exhausted.0,
            elected: &column.elected,
        })
        .collect();
    let exact = |column: &Column, candidate: u8| {
        // For people: a stage has the votes of every candidate.
        column.exact.get(usize::from(candidate)).cloned().unwrap_or_default()
    };
    html! {
        figure {
            (charts::seats(&drawn, valid, &people.id("seats"), people))
            figcaption.legend {
                @for id in people.by_finish() {
                    span { i class={ "swatch " (people.colour(*id)) } {} (people.name(*id)) }
                }
                span { i.swatch.exhausted {} "Not transferable" }
            }
        }
        div.scroll tabindex="0" role="region" aria-label="Table of stages" {
            table.rounds {
                caption { "Votes after each stage; ✓ reached a seat. " (grouped(valid)) " valid " (people.unit().1) ", quota " (grouped(quota)) }
                thead {
                    tr {
                        th scope="col" { "Candidate" }
                        @for (number, column) in (1..).zip(columns) {
                            th.n scope="col" { (number) @if !column.heading.is_empty() { ". " (column.heading) } }
                        }
                    }
                }
                tbody {
                    @for id in people.by_finish() {
                        tr {
                            th scope="row" { i class={ "swatch " (people.colour(*id)) } {} (people.name(*id)) }
                            @for column in columns {
                                td.n { @if column.elected.contains(id) { "✓ " } (exact(column, *id)) }
                            }
                        }
                    }
                }
                tfoot {
                    tr {
                        th scope="row" { "Not transferable" }
                        @for column in columns { td.n { (column.exhausted.1) } }
                    }
                }
            }
        }
    }
}
