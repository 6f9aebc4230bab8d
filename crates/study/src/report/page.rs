//! The page around the sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    answers, classes, counts,
    data::{Answered, Check, ReportData},
    people::People,
    process, results,
};
use crate::count::Count;

const STYLE: &str = include_str!("style.css");

impl ReportData {
    /// The page.
    pub fn to_html(&self) -> String {
        render(self).into_string()
    }
}

fn render(data: &ReportData) -> Markup {
    let tallies = data.tally.by_question();
    let several = data.questions.len() > 1;
    let answered = |(index, (asked, tally))| Answered {
        number: if several { index + 1 } else { 0 },
        asked,
        tally,
        is_weighted: !data.classes.is_empty(),
    };
    let questions: Vec<Answered<'_>> =
        data.questions.iter().zip(&tallies).enumerate().map(answered).collect();
    let body = html! {
        (warning("result", &data.checks))
        header {
            p.kicker { "Election result" }
            h1 { (data.title) }
            @for question in &questions {
                p.question {
                    @if several { (question.number) ". " }
                    (question.asked.text)
                }
                div.result { (results::headline(question, &People::new(question))) }
            }
            (about(data.notes.as_deref(), data.link.as_deref()))
        }
        (classes::section(data))
        @for question in &questions { (counted(question)) }
        (answers::section(&data.answers))
        (process::participation(data))
        (process::timeline(data))
        (process::verification(&data.checks, &data.bundle, &ELECTION))
    };
    document(
        &data.title,
        "Result",
        &body,
        &html! {
            "Made from the election's bundle by " (data.software)
            ". This page runs no script and loads nothing."
        },
    )
}

/// Every count of a question: first preferences first, the one that decides before the others.
fn counted(question: &Answered<'_>) -> Markup {
    let people = People::new(question);
    html! {
        @if question.number > 0 { section { h2 { (question.number) ". " (question.asked.text) } } }
        @for count in &question.tally.counts {
            @match count {
                Count::Plurality(plurality) => (results::first_preferences(plurality, &people)),
                Count::Irv(irv) => (results::rounds(irv, &people)),
                other => (counts::section(other, question, &people)),
            }
        }
    }
}

/// What the page on an election says about repeating its checks.
const ELECTION: process::Repeat = process::Repeat {
    whose: "election's",
    what: "The command checks every signature and every proof, counts the ballots again and \
           compares the result. Compare these digests with those that the election's officers \
           published elsewhere.",
};

/// A page of its own: no script, nothing loaded.
pub(super) fn document(title: &str, kind: &str, body: &Markup, footer: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Even a mistake in escaping could not load or run anything.
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                meta name="referrer" content="no-referrer";
                title { (title) " · " (kind) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { (body) }
                footer { p { (footer) } }
            }
        }
    }
}

/// Says before anything else that a check failed.
pub(super) fn warning(what: &str, checks: &[Check]) -> Markup {
    html! {
        @if checks.iter().any(|check| !check.passed) {
            p.warning role="alert" {
                strong { "Do not rely on this " (what) "." } " A check failed: "
                @for (index, check) in checks.iter().filter(|check| !check.passed).enumerate() {
                    @if index > 0 { "; " }
                    (check.claim)
                }
                "."
            }
        }
    }
}

/// Notes and a link, which is shown as text unless it is a web address.
pub(super) fn about(notes: Option<&str>, link: Option<&str>) -> Markup {
    html! {
        @if let Some(notes) = notes { p.notes { (notes) } }
        @if let Some(link) = link {
            p.notes {
                "More: "
                @if link.starts_with("https://") || link.starts_with("http://") {
                    a href=(link) rel="noopener noreferrer" { (link) }
                } @else { (link) }
            }
        }
    }
}
