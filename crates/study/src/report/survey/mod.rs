//! The page of a pay survey: every number of the survey links to the claim that proves it.

mod chart;
mod figures;

use std::collections::BTreeSet;

use maud::{Markup, html};
use table::{Fraction, Hash};

use self::{
    chart::Series,
    figures::{address, readable},
};
use super::{
    data::{Bundle, Check},
    format::grouped,
    page, process,
};
use crate::survey::{Cell, Number, SurveyDescription};

/// Lines that are told apart in one chart; more groups get a chart each.
const MANY: usize = 6;

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

/// A row of figures.
#[derive(Clone, Copy)]
enum Measure {
    People,
    Median,
    Mean,
    /// The position among the top shares.
    Top(usize),
}

impl Measure {
    fn of(self, cell: &Cell) -> Option<&Number> {
        match self {
            Self::People => cell.count.as_ref(),
            Self::Median => cell.median.as_ref(),
            Self::Mean => cell.mean.as_ref(),
            Self::Top(position) => cell.shares.get(position)?.share.as_ref(),
        }
    }
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

    /// The unit of wages, after a comma.
    fn in_unit(&self) -> String {
        let unit = self.unit();
        if unit.is_empty() { unit } else { format!(",{unit}") }
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

    /// A measure of a group over the years, without those that are withheld.
    fn series(&self, label: &str, measure: Measure, group: usize) -> Series<'_> {
        let cells = self.cells.iter().filter(|cell| cell.group == group);
        let points = cells.filter_map(|cell| Some((cell.year, measure.of(cell)?))).collect();
        Series { label: label.to_owned(), points }
    }

    /// The measures of the tables, each with its name and unit.
    fn measures(&self) -> Vec<(Measure, String)> {
        let wages = [(Measure::Median, "Median"), (Measure::Mean, "Mean")];
        let wages = wages.map(|(measure, name)| (measure, format!("{name}{}", self.in_unit())));
        let tops = self.description.top.iter().enumerate();
        let tops =
            tops.map(|(position, fraction)| (Measure::Top(position), top_heading(*fraction)));
        std::iter::once((Measure::People, "People".to_owned())).chain(wages).chain(tops).collect()
    }

    fn part(&self, part: &Part) -> Markup {
        let measures = self.measures();
        let drawn = measures.iter().filter(|(measure, _)| match measure {
            Measure::Median | Measure::Top(_) => true,
            Measure::People | Measure::Mean => false,
        });
        html! {
            section {
                h2 { (part.heading) }
                @for (measure, name) in drawn { figure { (self.chart(part, *measure, name)) } }
                // Scrolls on a phone, so a keyboard must reach it.
                div.scroll tabindex="0" role="region" aria-label={ "Figures: " (part.heading) } {
                    (self.figures(part, &measures))
                }
            }
        }
    }

    /// Everybody's median stands beside their mean, a group's among those of the others.
    fn chart(&self, part: &Part, measure: Measure, name: &str) -> Markup {
        let everybody = self.series("Everybody", measure, 0);
        match (part.groups.as_slice(), measure) {
            ([(group, _)], Measure::Median) => {
                let both = [("Median", measure), ("Mean", Measure::Mean)];
                let both = both.map(|(label, measure)| self.series(label, measure, *group));
                chart::lines(&format!("Median and mean{}", self.in_unit()), &both)
            }
            ([_], _) => chart::lines(name, &[everybody]),
            (groups, _) => {
                let groups = groups.iter();
                let groups: Vec<_> =
                    groups.map(|(group, label)| self.series(label, measure, *group)).collect();
                match groups.len() > MANY {
                    true => chart::panels(name, &groups, &everybody),
                    false => chart::lines(name, &groups),
                }
            }
        }
    }

    fn figures(&self, part: &Part, measures: &[(Measure, String)]) -> Markup {
        let years: BTreeSet<u32> = self.cells.iter().map(|cell| cell.year).collect();
        let find = |year: u32, group: usize| {
            self.cells.iter().find(|cell| cell.year == year && cell.group == group)
        };
        let row = |label: &str, group: usize, measure: Measure| {
            html! {
                tr {
                    th scope="row" { (label) }
                    @for year in &years {
                        td.n { (optional(find(*year, group).and_then(|cell| measure.of(cell)))) }
                    }
                }
            }
        };
        html! {
            table.years {
                caption { "Every number links to the claim that proves it" }
                thead {
                    tr { th { } @for year in &years { th.n scope="col" { (year) } } }
                }
                @if let [(group, _)] = part.groups.as_slice() {
                    tbody { @for (measure, name) in measures { (row(name, *group, *measure)) } }
                } @else {
                    @for (measure, name) in measures {
                        tbody {
                            tr { th.measure scope="rowgroup" colspan=(years.len() + 1) { (name) } }
                            @for (group, label) in &part.groups { (row(label, *group, *measure)) }
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
                    (grouped(policy.min_count)) " people are withheld (–), and medians of groups "
                    "in which some combination is that of fewer. "
                    @if policy.hierarchy.is_some() {
                        "No sum or difference of figures is about fewer, either. "
                    }
                    @if !self.description.top.is_empty() {
                        "A top share is the quotient of two proven sums: that of its own claim and "
                        "that of the mean's. "
                    }
                    "How many people are in each combination of groups is public."
                }
                p.intro { "Table " code { (self.table) } }
            }
        }
    }
}

fn top_heading(Fraction { part, whole }: Fraction) -> String {
    match (100 * u64::from(part)).checked_rem(u64::from(whole)) {
        Some(0) => {
            format!(
                "Share of the top {}\u{a0}%, in percent",
                100 * u64::from(part) / u64::from(whole)
            )
        }
        _ => format!("Share of the top {part}/{whole}, in percent"),
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
