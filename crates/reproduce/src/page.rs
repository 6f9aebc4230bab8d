//! One page with everything on it: no script, no other file.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{
    bench::Scale,
    catalog::Origin,
    claims::{Outcome, Verdict},
    error::ReproduceError,
    evaluate::{Command, FigureResult},
    panel::{Column, PanelResult},
    plot,
    report::{Report, day},
    results::Status,
    table::{Table, table},
};

const STYLE: &str = include_str!("style.css");

/// The page.
///
/// # Errors
/// If a plot cannot be drawn.
pub fn render(report: &Report) -> Result<String, ReproduceError> {
    let figures = report.figures.iter().map(figure).collect::<Result<Vec<_>, _>>()?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Subrosa: every figure, again" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (head(report))
                    (summary(report))
                    @for figure in figures { (figure) }
                }
            }
        }
    };
    Ok(page.into_string())
}

fn head(report: &Report) -> Markup {
    let (measured, all) = report.measured();
    html! {
        header {
            p.kicker { "Subrosa " (report.version) ", scale " (report.scale.name()) }
            h1 { "Every figure, again" }
            p.intro {
                "The figures of the documents that Subrosa builds on, measured with its software, "
                "beside what was published and beside other programs. A ratio says how many times "
                "less the second series takes: above 1 it is better. All axes of values are "
                "logarithmic, and less is better everywhere."
            }
            @if report.scale == Scale::Smoke {
                p.warning {
                    "This is a smoke run. Its sizes are too small to compare anything: it shows "
                    "that everything runs, and decides no claim about time."
                }
            }
            ul.facts {
                @for machine in report.machines() { li { (machine) } }
                @if let Some((first, last)) = report.period() {
                    li { "measured " (day(first)) @if day(first) != day(last) { " to " (day(last)) } }
                }
                li { (measured) " of " (all) " commands measured" }
            }
            ul.legend {
                @for origin in [Origin::Ours, Origin::Peer, Origin::Baseline, Origin::Published, Origin::Extrapolated] {
                    li { (swatch(origin, None)) (origin.label()) }
                }
            }
            nav {
                @for figure in &report.figures {
                    a href=(format!("#{}", figure.id)) { (figure.title) }
                }
            }
        }
    }
}

/// All claims in one list.
fn summary(report: &Report) -> Markup {
    let claims = || report.figures.iter().flat_map(|f| f.claims.iter().map(move |c| (f, c)));
    let count = |outcome: Outcome| claims().filter(|(_, claim)| claim.outcome == outcome).count();
    html! {
        section #claims {
            h2 { "Claims" }
            p.intro {
                (count(Outcome::Holds)) " hold, " (count(Outcome::DoesNotHold)) " do not, "
                (count(Outcome::NotComparable)) " cannot be compared. A statement of a source that "
                "does not hold here may have become false because our software does better."
            }
            div.wide { table.claims {
                thead { tr { th { "Figure" } th { "Claim" } th { "Verdict" } } }
                tbody {
                    @for (figure, claim) in claims() {
                        tr {
                            td { a href=(format!("#{}", figure.id)) { (figure.id) } }
                            td { (claim.text) }
                            td { (outcome(claim)) }
                        }
                    }
                }
            } }
        }
    }
}

fn outcome(claim: &Verdict) -> Markup {
    let class = match claim.outcome {
        Outcome::Holds => "holds",
        Outcome::DoesNotHold => "fails",
        Outcome::NotComparable => "open",
    };
    html! { span.verdict.(class) { (claim.outcome.label()) } }
}

fn figure(figure: &FigureResult) -> Result<Markup, ReproduceError> {
    let panels = figure.panels.iter().map(panel).collect::<Result<Vec<_>, _>>()?;
    let wanting: Vec<&Command> =
        figure.commands.iter().filter(|c| c.status != Some(Status::Measured)).collect();
    Ok(html! {
        section.figure id=(figure.id) {
            h2 { (figure.title) }
            p.source { (figure.source) }
            p.intro { (figure.about) }
            @for panel in panels { (panel) }
            @if !figure.claims.is_empty() {
                ul.verdicts {
                    @for claim in &figure.claims {
                        li {
                            (outcome(claim)) " " (claim.text) "."
                            p.reason { (claim.by) ": " (claim.cite) ". Here: " (claim.reason) "." }
                        }
                    }
                }
            }
            @if !wanting.is_empty() {
                p.missing {
                    "Not measured: "
                    @for (index, command) in wanting.iter().enumerate() {
                        @if index > 0 { "; " }
                        code { (command.command) }
                        @if let Some(reason) = &command.reason { " (" (reason) ")" }
                    }
                }
            }
            details {
                summary { "Commands (" (figure.commands.len()) ")" }
                ul.commands {
                    @for command in &figure.commands {
                        li {
                            code { (command.command) }
                            @if command.repetitions > 1 { ", " (command.repetitions) " times" }
                            @if let Some(started) = command.started { ", " (day(started)) }
                        }
                    }
                }
            }
        }
    })
}

fn panel(panel: &PanelResult) -> Result<Markup, ReproduceError> {
    let drawing = plot::svg(panel)?;
    let Table { columns, heads, rows } = table(panel);
    let series = columns.len();
    Ok(html! {
        div.panel {
            h3 { (panel.title) span.soft { ", " (panel.unit) } }
            @match drawing {
                Some(drawing) => figure { (PreEscaped(drawing)) },
                None => p.missing { "Nothing is measured yet." },
            }
            ul.legend {
                @for column in &columns {
                    li { (swatch(column.origin, Some(plot::colour(panel, &column.id)))) (column.name) }
                }
            }
            div.wide { table {
                thead {
                    tr {
                        @for (index, head) in heads.iter().enumerate() {
                            th.n[index > 0] {
                                (head)
                                @if let Some(column) = index.checked_sub(1).and_then(|i| columns.get(i)) {
                                    br; span.soft { (column.origin.label()) }
                                }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                td.n[index > 0].ratio[index > series] { (cell) }
                            }
                        }
                    }
                }
            } }
            (sources(panel))
        }
    })
}

/// Where published values come from, and why ours are missing.
fn sources(panel: &PanelResult) -> Markup {
    let cited: Vec<(&Column, &String)> =
        panel.columns.iter().filter_map(|column| Some((column, column.cite.as_ref()?))).collect();
    html! {
        @if !cited.is_empty() {
            p.sources {
                @for (column, cite) in cited {
                    b { (column.name) } ": " (cite)
                    @if let Some(hardware) = &column.hardware { "; " (hardware) }
                    @if let Some(date) = &column.date { ", " (date) }
                    @for (variable, value) in &column.size { "; " (variable) " = " (value) }
                    ". "
                }
            }
        }
        @for column in panel.columns.iter().filter(|column| column.points.is_empty()) {
            p.missing {
                "No value of " b { (column.name) }
                @if let Some(reason) = column.missing.first() { ": " (reason) }
            }
        }
    }
}

/// The mark of a series in a legend.
fn swatch(origin: Origin, colour: Option<u8>) -> Markup {
    let paint = colour.map_or_else(|| "currentColor".to_owned(), |c| format!("var(--c{c})"));
    html! {
        svg.swatch viewBox="0 0 16 16" aria-hidden="true" {
            @match origin {
                Origin::Ours => circle cx="8" cy="8" r="5" fill=(paint) {},
                Origin::Published => circle cx="8" cy="8" r="5" fill="none" stroke=(paint) stroke-width="2" {},
                Origin::Extrapolated => circle cx="8" cy="8" r="3" fill="none" stroke=(paint) stroke-width="2" {},
                Origin::Baseline => path d="M8 2 L14 13 L2 13 Z" fill=(paint) {},
                Origin::Peer => path d="M3 3 L13 13 M13 3 L3 13" stroke=(paint) stroke-width="2" {},
            }
        }
    }
}
