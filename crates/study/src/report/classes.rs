//! The classes of voters: their ballots and weights, and which of them stayed sealed.

use maud::{Markup, html};

use super::{
    data::{Class, ReportData},
    format::{counted, grouped, percent},
};

/// What every class cast and counts; nothing if all ballots are alike.
pub(super) fn section(data: &ReportData) -> Markup {
    let sealed: Vec<&Class> = data.classes.iter().filter(|class| !class.counted.opened).collect();
    let parts = data.tally.parts();
    html! {
        @if !data.classes.is_empty() {
            section aria-labelledby="classes" {
                h2 #classes { "Classes of voters" }
                p.intro {
                    "A ballot counts as much as the weight of its voter's class says. The classes' ballots were "
                    "shuffled and opened apart. All figures of a count below are votes, not ballots"
                    @if parts > 1 { ", in units of 1/" (grouped(parts)) " vote" }
                    "."
                }
                div.scroll tabindex="0" role="region" aria-label="Classes of voters" {
                    (table(data))
                }
                @for class in sealed {
                    p.sealed {
                        strong { (class.name) ": not opened. " }
                        (counted(class.counted.ballots, "ballot was", "ballots were"))
                        " cast, fewer than the " (grouped(class.min_ballots))
                        " from which on opened ballots are enough to hide whose they are. They stay sealed and "
                        "count for nobody."
                    }
                }
            }
        }
    }
}

fn table(data: &ReportData) -> Markup {
    let votes = |class: &Class| match class.counted.opened {
        true => class.counted.ballots.saturating_mul(class.counted.votes),
        false => 0,
    };
    let all = data.classes.iter().fold(0_u64, |sum, class| sum.saturating_add(votes(class)));
    html! {
        table {
            caption { "Ballots of each class, and the votes that they count" }
            thead {
                tr {
                    th scope="col" { "Class" }
                    @for heading in ["Registered", "Ballots", "Turnout", "Weight", "Votes", "Share"] {
                        th.n scope="col" { (heading) }
                    }
                }
            }
            tbody {
                @for class in &data.classes {
                    tr {
                        th scope="row" { (class.name) }
                        td.n { (grouped(class.registered)) }
                        td.n { (grouped(class.counted.ballots)) }
                        td.n { (percent(class.counted.ballots, class.registered)) }
                        td.n { (class.counted.weight) }
                        @if class.counted.opened {
                            td.n { (grouped(votes(class))) }
                            td.n { (percent(votes(class), all)) }
                        } @else { td.n colspan="2" { "sealed" } }
                    }
                }
            }
        }
    }
}
