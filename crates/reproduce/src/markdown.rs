//! The same as the page, as a document for a repository.

use std::fmt::Write as _;

use crate::{
    bench::Scale,
    evaluate::FigureResult,
    panel::PanelResult,
    report::{Report, day},
    results::Status,
    table::{Table, table},
};

/// The document.
pub fn render(report: &Report) -> String {
    let (measured, all) = report.measured();
    let mut text = String::from("# Performance\n\n");
    text += "Written by `subrosa-lab reproduce run`; do not edit. [reproduce.md](reproduce.md) says how, and what\n";
    text += "its words mean. Less is better everywhere; a ratio says how many times less the second takes, and is\n";
    text += "made only of what one session measured on one machine.\n\n";
    if report.scale == Scale::Smoke {
        text += "**A smoke run: its sizes are too small to compare anything.**\n\n";
    }
    let period = report
        .period()
        .map_or_else(String::new, |(first, last)| format!(", {} to {}", day(first), day(last)));
    let scale = report.scale.name();
    // A write to a string does not fail.
    let _ = writeln!(
        text,
        "Subrosa {}, scale {scale}{period}, {measured} of {all} commands measured, on:\n",
        report.version
    );
    for machine in report.machines() {
        let _ = writeln!(text, "* {machine}");
    }
    text += "\n## Claims\n\n| figure | claim | verdict | numbers |\n|---|---|---|---|\n";
    for figure in &report.figures {
        for claim in &figure.claims {
            let (id, outcome) = (&figure.id, claim.outcome.label());
            let _ = writeln!(
                text,
                "| {id} | {} ({}) | {outcome} | {} |",
                plain(&claim.text),
                plain(&claim.cite),
                plain(&claim.reason)
            );
        }
    }
    for figure in &report.figures {
        text += &section(figure);
    }
    text
}

fn section(figure: &FigureResult) -> String {
    let mut text = format!("\n## {}\n\n{}.\n{}\n", figure.title, figure.source, figure.about);
    for panel in &figure.panels {
        text += &panel_table(panel);
    }
    let wanting = figure.commands.iter().filter(|c| c.status != Some(Status::Measured));
    for command in wanting {
        let reason = command.reason.as_deref().unwrap_or("not run yet");
        // A write to a string does not fail.
        let _ = writeln!(text, "\nNot measured: `{}` ({})", command.command, plain(reason));
    }
    text
}

fn panel_table(panel: &PanelResult) -> String {
    let Table { heads, rows, .. } = table(panel);
    let mut text = format!("\n### {} ({})\n\n", panel.title, panel.unit);
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    text += &line(&heads);
    text += &line(&heads.iter().map(|_| "---".to_owned()).collect::<Vec<_>>());
    rows.iter().for_each(|row| text += &line(row));
    for column in &panel.columns {
        let Some(cite) = &column.cite else { continue };
        let hardware = column.hardware.as_deref().unwrap_or("unknown hardware");
        let (name, label) = (&column.name, column.origin.label());
        let date = column.date.iter().map(|date| format!(", {date}")).collect::<String>();
        let size = column.size.iter().map(|(variable, value)| format!("; {variable} = {value}"));
        let size: String = size.collect();
        // As above.
        let _ = writeln!(text, "\n{name} ({label}): {}; {hardware}{date}{size}.", plain(cite));
    }
    text
}

/// Text that ends no cell.
fn plain(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
