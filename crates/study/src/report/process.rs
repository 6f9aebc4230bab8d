//! What happened and how to check it: participation, timeline, checks, digests.

use maud::{Markup, html};

use super::{
    data::{Bundle, Check, ReportData},
    format::{bytes, counted, duration, grouped, percent},
};

pub(super) fn participation(data: &ReportData) -> Markup {
    let (people, tally) = (&data.participation, &data.tally);
    let valid = tally.ballots.saturating_sub(tally.blank).saturating_sub(tally.spoiled_total());
    html! {
        section aria-labelledby="part" {
            h2 #part { "Participation" }
            dl.tiles {
                div { dt { "Registered" } dd { (grouped(people.registered)) } }
                div {
                    dt { "Ballots cast" }
                    dd { (grouped(people.cast)) }
                    dd.soft { (percent(people.cast, people.registered)) " turnout" }
                }
                div {
                    dt { "Opened" }
                    dd { (grouped(tally.ballots)) }
                    dd.soft { (percent(tally.ballots, people.cast)) " of those cast" }
                }
                div {
                    dt { "With a choice" }
                    dd { (grouped(valid)) }
                    dd.soft { (percent(valid, tally.ballots)) " of those opened" }
                }
            }
            div.scroll {
                table {
                    caption { "Ballots that count for nobody" }
                    thead { tr { th scope="col" { "Reason" } th.n scope="col" { "Ballots" } } }
                    tbody {
                        @for refused in &people.refused {
                            tr {
                                th scope="row" { "Refused before mixing: " (refused.reason) }
                                td.n { (grouped(refused.ballots)) }
                            }
                        }
                        @if people.refused.is_empty() {
                            tr { th scope="row" { "Refused before mixing" } td.n { "0" } }
                        }
                        @for spoiled in &tally.spoiled {
                            tr {
                                th scope="row" { "Spoiled: " (spoiled.reason) }
                                td.n { (grouped(spoiled.ballots)) }
                            }
                        }
                        @if tally.spoiled.is_empty() {
                            tr { th scope="row" { "Spoiled" } td.n { "0" } }
                        }
                        tr { th scope="row" { "Blank" } td.n { (grouped(tally.blank)) } }
                    }
                }
            }
        }
    }
}

pub(super) fn timeline(data: &ReportData) -> Markup {
    let parties = &data.parties;
    html! {
        section aria-labelledby="process" {
            h2 #process { "How the ballots stayed secret" }
            p.intro {
                "Each ballot was encrypted by its voter. "
                (counted(parties.trustees.into(), "trustee shares", "trustees share"))
                " the key, and any " (parties.threshold) " of them can decrypt. Before that, "
                "mixers shuffled and re-encrypted all ballots, so that no opened ballot can be "
                "traced to a voter; " (counted(parties.mixers.into(), "mixer was", "mixers were"))
                " invited and at least " (parties.minimum_mixers) " had to mix. Every step is on a "
                "signed board that nobody can alter unnoticed."
            }
            ol.timeline {
                @for phase in &data.timeline {
                    li {
                        h3 { (phase.name) }
                        @if !phase.summary.is_empty() { p { (phase.summary) } }
                        @if !phase.steps.is_empty() {
                            div.scroll {
                                table.steps {
                                    thead {
                                        tr {
                                            th scope="col" { "Party" }
                                            th.n scope="col" { "Entries" }
                                            th.n scope="col" { "Size" }
                                            th.n scope="col" { "Time" }
                                        }
                                    }
                                    tbody {
                                        @for step in &phase.steps {
                                            tr {
                                                th scope="row" { (step.party) }
                                                td.n { (grouped(step.entries)) }
                                                td.n { (bytes(step.bytes)) }
                                                td.n { (step.milliseconds.map_or("–".to_owned(), duration)) }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How a page speaks about repeating its checks.
pub(super) struct Repeat {
    /// Whose bundle it is.
    pub(super) whose: &'static str,
    /// What the command does, and what to compare.
    pub(super) what: &'static str,
}

pub(super) fn verification(checks: &[Check], bundle: &Bundle, repeat: &Repeat) -> Markup {
    html! {
        section aria-labelledby="verify" {
            h2 #verify { "Checks, and how to repeat them" }
            ul.checks {
                @for check in checks {
                    li class=(if check.passed { "passed" } else { "failed" }) {
                        span.mark role="img" aria-label=(if check.passed { "Passed" } else { "Failed" }) {
                            (if check.passed { "✓" } else { "✗" })
                        }
                        div { strong { (check.claim) } p { (check.detail) } }
                    }
                }
            }
            div.yourself {
                p {
                    "This page is only a summary. Everything above can be recomputed from the "
                    (repeat.whose) " bundle by anybody, without a secret and without a network:"
                }
                pre { code { "subrosa verify " (quoted(&bundle.path)) } }
                // Anything but a file's name is no link.
                @if let Some(page) = bundle.page.as_deref().filter(|page| is_plain(page)) {
                    p {
                        "Without a program: drop the bundle's folder on "
                        a href=(page) { "the page that verifies it" }
                        ", in your browser and without a network."
                    }
                }
                p { (repeat.what) }
                dl.digests {
                    @for digest in &bundle.digests {
                        div { dt { (digest.name) } dd { code { (digest.digest) } } }
                    }
                }
            }
        }
    }
}

/// A path as a shell takes it: what is copied from this page must do what it shows.
fn quoted(path: &str) -> String {
    match path.split('/').all(|part| part.is_empty() || is_plain(part)) && !path.is_empty() {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// Whether it is a name of letters, digits and what means nothing to a shell or a browser.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.chars().all(plain)
}
