//! Everything that a session found, as files.

use std::{io, path::Path};

use serde::Serialize;
use serde_json::Value;
use wire::write_atomic;

use crate::{
    catalog::{Figure, Scale, X},
    error::ReproduceError,
    evaluate::{Column, FigureResult, PanelResult, Point, Ratio, evaluate},
    format::{number, times},
    markdown, page,
    results::{Results, Status},
};

/// All figures, with their values.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The scale of the runs that it shows.
    pub scale: Scale,
    /// The version of the program that wrote it.
    pub version: String,
    /// The figures.
    pub figures: Vec<FigureResult>,
}

impl Report {
    /// Evaluates figures by the newest results at a scale.
    pub fn new(figures: &[&Figure], results: &Results, scale: Scale, version: &str) -> Self {
        let figures = figures.iter().map(|figure| evaluate(figure, results, scale)).collect();
        Self { scale, version: version.to_owned(), figures }
    }

    /// Writes `index.html`, `performance.md` and `figures.json` into a directory.
    ///
    /// # Errors
    /// If a plot cannot be drawn or a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), ReproduceError> {
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other);
        let files = [
            ("index.html", Ok(page::render(self)?)),
            ("performance.md", Ok(markdown::render(self))),
            ("figures.json", json.map(|text| text + "\n")),
        ];
        for (name, text) in files {
            let path = directory.join(name);
            let written = text.and_then(|text| write_atomic(&path, text.as_bytes()));
            written.map_err(|error| ReproduceError::File { path, error })?;
        }
        Ok(())
    }

    /// The machines that measured.
    pub fn machines(&self) -> Vec<String> {
        let mut machines: Vec<String> = Vec::new();
        for machine in self.commands().filter_map(|command| command.machine.as_ref()) {
            let line = machine_line(machine);
            if !machines.contains(&line) {
                machines.push(line);
            }
        }
        machines
    }

    /// When the oldest and the newest of its runs started, in seconds since 1970.
    pub fn period(&self) -> Option<(u64, u64)> {
        let started = || self.commands().filter_map(|command| command.started);
        Some((started().min()?, started().max()?))
    }

    /// How many commands were measured, and how many there are.
    pub fn measured(&self) -> (usize, usize) {
        let measured = self.commands().filter(|c| c.status == Some(Status::Measured)).count();
        (measured, self.commands().count())
    }

    fn commands(&self) -> impl Iterator<Item = &crate::evaluate::Command> {
        self.figures.iter().flat_map(|figure| &figure.commands)
    }
}

/// A machine in one line.
pub(crate) fn machine_line(machine: &Value) -> String {
    let text = |name: &str| machine.get(name).and_then(Value::as_str).unwrap_or("unknown");
    let count = |name: &str| machine.get(name).and_then(Value::as_u64).unwrap_or(0);
    let memory = (count("memory") as f64 / (1u64 << 30) as f64).round();
    format!("{}, {} cores, {memory} GiB, {}", text("cpu"), count("cores"), text("os"))
}

/// A day, from seconds since 1970, in the proleptic Gregorian calendar.
pub(crate) fn day(seconds: u64) -> String {
    // Days are counted in eras of 400 years that begin on 1 March.
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let (date, month) = (of_year - (153 * march + 2) / 5 + 1, (march + 2) % 12 + 1);
    format!("{:04}-{month:02}-{date:02}", era * 400 + year + u64::from(month <= 2))
}

/// A table of a panel, as text.
pub(crate) struct Table<'a> {
    /// The series.
    pub columns: Vec<&'a Column>,
    /// The heads of all columns.
    pub heads: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

/// The table of a panel, of the series and pairs that have a value.
pub(crate) fn table(panel: &PanelResult) -> Table<'_> {
    let name = |id: &String| panel.column(id).map_or_else(|| id.clone(), |c| c.name.clone());
    let columns: Vec<&Column> = panel.columns.iter().filter(|c| !c.points.is_empty()).collect();
    let of =
        |ratio: &Ratio, [over, under]: &[String; 2]| ratio.over == *over && ratio.under == *under;
    let has_ratio = |pair: &&[String; 2]| panel.ratios.iter().any(|ratio| of(ratio, pair));
    let pairs: Vec<&[String; 2]> = panel.pairs.iter().filter(has_ratio).collect();
    let mut heads = vec![panel.x.clone().unwrap_or_default()];
    heads.extend(columns.iter().map(|column| column.name.clone()));
    heads.extend(pairs.iter().map(|[over, under]| format!("{} ÷ {}", name(over), name(under))));
    let row = |place: &X| {
        let mut cells = vec![place_name(place)];
        cells.extend(columns.iter().map(|c| c.at(place).map_or_else(String::new, cell)));
        cells.extend(pairs.iter().map(|pair| {
            let found = panel.ratios.iter().find(|ratio| of(ratio, pair) && ratio.x == *place);
            found.map_or_else(String::new, |ratio| times(ratio.value))
        }));
        cells
    };
    let rows = panel.places().iter().map(row).collect();
    Table { columns, heads, rows }
}

pub(crate) fn place_name(place: &X) -> String {
    match place {
        X::Name(name) => name.clone(),
        X::Number(place) => number(*place),
    }
}

/// The median, with the least and the greatest repetition where there are several.
fn cell(point: &Point) -> String {
    let median = number(point.value);
    let Some((least, greatest)) = point.spread() else { return median };
    let (least, greatest) = (number(least), number(greatest));
    if least == greatest { median } else { format!("{median} ({least}–{greatest})") }
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_have_dates() {
        let days = [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (1_795_315_477, "2026-11-22")];
        for (seconds, date) in days {
            assert_eq!(day(seconds), date);
        }
    }
}
