//! The page around the sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{ReportData, people::People, process, results};

const STYLE: &str = include_str!("style.css");

pub(super) fn render(data: &ReportData) -> Markup {
    let people = People::new(data);
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
                title { (data.title) " · Result" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (warning(data))
                    header {
                        p.kicker { "Election result" }
                        h1 { (data.title) }
                        p.question { (data.question) }
                        div.result { (results::headline(data, &people)) }
                        (about(data))
                    }
                    @if let Some(plurality) = &data.tally.plurality {
                        (results::first_preferences(plurality, &people))
                    }
                    @if let Some(irv) = &data.tally.irv { (results::rounds(irv, &people)) }
                    (process::participation(data))
                    (process::timeline(data))
                    (process::verification(data))
                }
                footer {
                    p { "Made from the election's bundle by " (data.software) ". This page runs no script and loads nothing." }
                }
            }
        }
    }
}

fn warning(data: &ReportData) -> Markup {
    html! {
        @if data.checks.iter().any(|check| !check.passed) {
            p.warning role="alert" {
                strong { "Do not rely on this result." } " A check failed: "
                @for (index, check) in data.checks.iter().filter(|check| !check.passed).enumerate() {
                    @if index > 0 { "; " }
                    (check.claim)
                }
                "."
            }
        }
    }
}

fn about(data: &ReportData) -> Markup {
    html! {
        @if let Some(notes) = &data.notes { p.notes { (notes) } }
        @if let Some(link) = &data.link {
            p.notes {
                "More: "
                @if link.starts_with("https://") || link.starts_with("http://") {
                    a href=(link) rel="noopener noreferrer" { (link) }
                } @else { (link) }
            }
        }
    }
}
