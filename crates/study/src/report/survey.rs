//! The page of a pay survey: every number of the survey links to the claim that proves it.

mod chart;

use maud::{Markup, html};
use table::{Fraction, Hash};

use self::chart::Series;
use super::{Bundle, Check, format::grouped, page, process};
use crate::survey::{Cell, Number, SurveyDescription};

/// What the page says about repeating its checks.
const REPEAT: process::Repeat = process::Repeat {
    whose: "survey's",
    what: "The command checks every proof, audits every year once more and compares all numbers. \
           Compare these digests with those that the survey's custodian and auditor published \
           elsewhere.",
};

/// Everything that the page shows. The claims are expected beside it, in `bundle/claims`.
#[derive(Clone, Debug)]
pub struct SurveyReport<'a> {
    /// What was asked of whom.
    pub description: &'a SurveyDescription,
    /// The name of the table.
    pub table: Hash,
    /// The figures.
    pub cells: &'a [Cell],
    /// What was verified. If one failed, the page says so before anything else.
    pub checks: Vec<Check>,
    /// What a stranger verifies.
    pub bundle: Bundle,
}

/// Groups that are shown together: everybody, or the values of a column.
struct Part {
    heading: String,
    /// Positions and labels.
    groups: Vec<(usize, String)>,
}

impl SurveyReport<'_> {
    /// The page. The same figures give the same bytes.
    pub fn to_html(&self) -> String {
        let description = self.description;
        let body = html! {
            (page::warning("survey", &self.checks))
            header {
                p.kicker { "Pay survey" }
                h1 { (description.title) }
                p.question { (description.summary) }
                div.result { (self.headline()) }
                p.notes { "Source: " (description.source) " Licence: " (description.licence) }
                (page::about(description.notes.as_deref(), description.link.as_deref()))
            }
            @for part in self.parts() { (self.part(&part)) }
            (self.privacy())
            (process::verification(&self.checks, &self.bundle, &REPEAT))
        };
        let footer = html! {
            "Made from the survey's bundle by Subrosa " (env!("CARGO_PKG_VERSION"))
            ". This page runs no script and loads nothing."
        };
        page::document(&description.title, "Pay survey", &body, &footer).into_string()
    }

    fn parts(&self) -> Vec<Part> {
        let groups = self.description.groups();
        let labelled = |position: Option<usize>| {
            let of = groups.iter().enumerate();
            let of = of.filter(move |(_, group)| group.restriction.map(|(at, _)| at) == position);
            of.map(|(index, group)| (index, group.label.clone())).collect()
        };
        let everybody = Part { heading: "Everybody".to_owned(), groups: labelled(None) };
        let types = &self.description.table.types;
        let column = |name: &String| Part {
            heading: format!("By {name}"),
            groups: labelled(types.iter().position(|column| column.name == *name)),
        };
        std::iter::once(everybody).chain(self.description.groups.iter().map(column)).collect()
    }

    /// The unit of wages, with a space before it.
    fn unit(&self) -> String {
        let column = self.description.column().and_then(|at| self.description.table.value(at));
        let unit = column.map_or("", |column| column.unit.as_str());
        if unit.is_empty() { String::new() } else { format!("\u{a0}{unit}") }
    }

    /// The newest median of everybody.
    fn headline(&self) -> Markup {
        let newest = self.cells.iter().rev().filter(|cell| cell.group == 0);
        let newest = newest.filter_map(|cell| Some((cell, cell.median.as_ref()?)));
        html! {
            @match newest.max_by_key(|(cell, _)| cell.year) {
                Some((cell, median)) => {
                    p.winner { (link(median)) span.verb { (self.unit()) } }
                    p.lead {
                        "Half of the " (optional(cell.count.as_ref())) " people asked in "
                        (cell.year) " had at most so much; the mean was "
                        (optional(cell.mean.as_ref())) (self.unit()) "."
                    }
                }
                None => p.lead { "Too few people answered for any figure." },
            }
        }
    }

    fn part(&self, part: &Part) -> Markup {
        let series = |label: String, pick: &dyn Fn(&Cell) -> Option<&Number>, group| {
            let cells = self.cells.iter().filter(|cell| cell.group == group);
            let points = cells.filter_map(|cell| Some((cell.year, pick(cell)?))).collect();
            Series { label, points }
        };
        let of_groups = |pick: &dyn Fn(&Cell) -> Option<&Number>| -> Vec<Series<'_>> {
            let groups = part.groups.iter();
            groups.map(|(index, label)| series(label.clone(), pick, *index)).collect()
        };
        let wages = match part.groups.as_slice() {
            [(everybody, _)] => vec![
                series("Median".to_owned(), &|cell| cell.median.as_ref(), *everybody),
                series("Mean".to_owned(), &|cell| cell.mean.as_ref(), *everybody),
            ],
            _ => of_groups(&|cell| cell.median.as_ref()),
        };
        let what = if part.groups.len() == 1 { "Median and mean" } else { "Median" };
        html! {
            section {
                h2 { (part.heading) }
                figure { (chart::lines(what, &self.unit(), &wages)) }
                @for (position, fraction) in self.description.top.iter().enumerate() {
                    @let shares = of_groups(&|cell| cell.shares.get(position)?.share.as_ref());
                    figure { (chart::lines(&top_heading(*fraction), "\u{a0}%", &shares)) }
                }
                // Scrolls on a phone, so a keyboard must reach it.
                div.scroll tabindex="0" role="region" aria-label={ "Figures: " (part.heading) } {
                    (self.figures(part))
                }
            }
        }
    }

    fn figures(&self, part: &Part) -> Markup {
        let of = |group: usize| self.cells.iter().filter(move |cell| cell.group == group);
        html! {
            table {
                caption { "Every number links to its claim" (self.unit()) }
                thead {
                    tr {
                        th scope="col" { "Group" }
                        th.n scope="col" { "Year" }
                        th.n scope="col" { "People" }
                        th.n scope="col" { "Median" }
                        th.n scope="col" { "Mean" }
                        @for fraction in &self.description.top {
                            th.n scope="col" { (top_heading(*fraction)) }
                        }
                    }
                }
                tbody {
                    @for (index, label) in &part.groups {
                        @for cell in of(*index) {
                            tr {
                                th scope="row" { (label) }
                                td.n { (cell.year) }
                                td.n { (optional(cell.count.as_ref())) }
                                td.n { (optional(cell.median.as_ref())) }
                                td.n { (optional(cell.mean.as_ref())) }
                                @for share in &cell.shares {
                                    td.n {
                                        (optional(share.share.as_ref()))
                                        @if share.share.is_some() { "\u{a0}%" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn privacy(&self) -> Markup {
        let policy = &self.description.table.policy;
        html! {
            section {
                h2 { "How the wages stayed secret" }
                p.intro {
                    "The custodian committed to every wage before any question was asked, and every "
                    "year's table was sealed for good. An auditor checked without seeing a wage that "
                    "all of them are counted, once each and in order. Figures about fewer than "
                    (grouped(policy.min_count)) " people are withheld (–). A top share is the "
                    "quotient of two proven sums: that of its own claim and that of the mean's. How "
                    "many people are in each combination of groups is public."
                }
                p.intro { "Table " code { (self.table) } }
            }
        }
    }
}

fn top_heading(Fraction { part, whole }: Fraction) -> String {
    match (100 * u64::from(part)).checked_rem(u64::from(whole)) {
        Some(0) => {
            format!("Share of the top {}\u{a0}%", 100 * u64::from(part) / u64::from(whole))
        }
        _ => format!("Share of the top {part}/{whole}"),
    }
}

/// Where a number's claim is, beside the page.
fn address(number: &Number) -> String {
    format!("bundle/claims/{}.json", number.claim)
}

/// A number as people read it, with thousands apart.
fn readable(number: &Number) -> String {
    let (whole, part) = match number.text.split_once('.') {
        Some((whole, part)) => (whole, format!(".{part}")),
        None => (number.text.as_str(), String::new()),
    };
    match whole.parse() {
        Ok(whole) => format!("{}{part}", grouped(whole)),
        Err(_) => number.text.clone(),
    }
}

fn link(number: &Number) -> Markup {
    html! { a href=(address(number)) { (readable(number)) } }
}

fn optional(number: Option<&Number>) -> Markup {
    html! {
        @match number {
            Some(number) => (link(number)),
            None => span.gone aria-label="withheld" { "–" },
        }
    }
}
