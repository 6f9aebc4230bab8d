//! Everything that a session found.

use serde::Serialize;
use serde_json::Value;

use crate::{
    bench::Scale,
    catalog::Figure,
    evaluate::{Command, FigureResult, evaluate},
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

    fn commands(&self) -> impl Iterator<Item = &Command> {
        self.figures.iter().flat_map(|figure| &figure.commands)
    }
}

/// A machine in one line.
fn machine_line(machine: &Value) -> String {
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
