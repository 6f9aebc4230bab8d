//! Figures with their values: published, measured before, measured now, and their ratios.

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    bench::{Scale, Variable, Variables, fill},
    catalog::{Figure, Panel, Pick, Series, X},
    claims::{self, Verdict},
    measure,
    panel::{Column, PanelResult, Point, Ratio},
    results::{PROGRAM, Results, Run, Status, command_line},
};

/// A command behind a figure.
#[derive(Clone, Debug, Serialize)]
pub struct Command {
    /// As a person types it.
    pub command: String,
    /// How the run that counts ended: the newest measured one, else the newest; `None` if there is none.
    pub status: Option<Status>,
    /// Why it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The version of the program that ran it.
    pub version: Option<String>,
    /// What it ran on.
    pub machine: Option<Json>,
    /// When it started, in seconds since 1970.
    pub started: Option<u64>,
    /// When the session began that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// How often it was repeated.
    pub repetitions: usize,
}

/// A figure with everything that is known about it.
#[derive(Clone, Debug, Serialize)]
pub struct FigureResult {
    /// Its name on the command line.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The document and the figure or table in it.
    pub source: String,
    /// What is measured.
    pub about: String,
    /// The commands behind it.
    pub commands: Vec<Command>,
    /// Plots and tables.
    pub panels: Vec<PanelResult>,
    /// What the source claims, decided.
    pub claims: Vec<Verdict>,
}

/// Puts a figure's values together from the newest results at a scale.
pub fn evaluate(figure: &Figure, results: &Results, scale: Scale) -> FigureResult {
    let panels: Vec<PanelResult> =
        figure.panels.iter().map(|panel| fill_panel(figure, panel, results, scale)).collect();
    let commands = figure.invocations(scale).into_iter().map(|invocation| {
        let run = results.latest(&invocation, scale);
        let program = invocation.peer.as_deref().unwrap_or(PROGRAM);
        Command {
            command: command_line(program, &invocation.arguments),
            status: run.map(|run| run.status),
            reason: run.and_then(|run| run.reason.clone()),
            version: run.map(|run| run.version.clone()),
            machine: run.map(|run| run.machine.clone()),
            started: run.map(|run| run.started),
            session: run.and_then(|run| run.session),
            repetitions: run.map_or(0, |run| run.repetitions),
        }
    });
    let mut commands: Vec<Command> = commands.collect();
    // Several benches may run the same command.
    let mut seen = Vec::new();
    commands.retain(|command| {
        let new = !seen.contains(&command.command);
        seen.push(command.command.clone());
        new
    });
    let claims = figure.claims.iter().map(|claim| claims::decide(claim, &panels, scale)).collect();
    FigureResult {
        id: figure.id.clone(),
        title: figure.title.clone(),
        source: figure.source.clone(),
        about: figure.about.clone(),
        commands,
        panels,
        claims,
    }
}

fn fill_panel(figure: &Figure, panel: &Panel, results: &Results, scale: Scale) -> PanelResult {
    let mut columns: Vec<Column> = Vec::new();
    for series in &panel.series {
        let mut column = Column {
            id: series.id.clone(),
            name: series.name.clone(),
            origin: series.kind,
            like: series.like.clone(),
            cite: series.cite.clone(),
            hardware: series.hardware.clone(),
            date: series.date.clone(),
            size: series.size.clone(),
            points: series.points.iter().map(published).collect(),
            missing: Vec::new(),
        };
        for pick in &series.pick {
            measured(figure, series, pick, results, scale, &mut column);
        }
        // What a series continues stands above it in the panel.
        if let Some(of) = series.of.as_deref().and_then(|of| columns.iter().find(|c| c.id == of)) {
            column.points = extrapolated(of, &series.at);
        }
        columns.push(column);
    }
    let ratios = panel.ratios.iter().flat_map(|pair| quotients(&columns, pair)).collect();
    PanelResult {
        id: panel.id.clone(),
        title: panel.title.clone(),
        unit: panel.unit.clone(),
        x: panel.x.clone(),
        kind: panel.kind,
        log_x: panel.log_x,
        pairs: panel.ratios.clone(),
        columns,
        ratios,
    }
}

fn published((x, value): &(X, f64)) -> Point {
    let (x, value) = (x.clone(), *value);
    Point { x, value, values: Vec::new(), command: None, variables: Variables::new(), run: None }
}

/// Adds the points that one rule picks from the runs of its bench.
fn measured(
    figure: &Figure,
    series: &Series,
    pick: &Pick,
    results: &Results,
    scale: Scale,
    column: &mut Column,
) {
    let bench = pick.bench.as_ref().or(series.bench.as_ref());
    let Some(bench) = bench.and_then(|bench| figure.bench(bench)) else { return };
    for invocation in bench.invocations(scale) {
        let same = |(name, value)| invocation.variables.get(name) == Some(value);
        if !pick.only.iter().all(same) {
            continue;
        }
        let x = place(&fill(&pick.x, &invocation.variables));
        // Several runs may fall on one place, such as those that differ in a variable that x does not name: the
        // first that was measured counts.
        if column.at(&x).is_some() {
            continue;
        }
        let run = results.latest(&invocation, scale);
        let Some(run) = run.filter(|run| run.status == Status::Measured) else {
            let line =
                command_line(invocation.peer.as_deref().unwrap_or(PROGRAM), &invocation.arguments);
            let why = run.and_then(|run| run.reason.as_deref()).unwrap_or("not run yet");
            let reason = format!("{line}: {why}");
            if !column.missing.contains(&reason) {
                column.missing.push(reason);
            }
            continue;
        };
        // A row that is missing in one repetition is as good as missing.
        let values = picked(series, pick, run, &invocation.variables);
        let Some(value) = measure::median(&values).filter(|_| values.len() == run.repetitions)
        else {
            column.missing.push(format!("{}: no row `{}`", run.command(), pick.sum.join("`, `")));
            continue;
        };
        let (command, variables) = (Some(run.command()), invocation.variables);
        let run = Some(run.clone());
        column.points.push(Point { x, value, values, command, variables, run });
    }
}

/// The value in each repetition: the sum of the rows of these names, times the factor, divided by the variable `per`.
/// A repetition that lacks one of the rows has no value, and without a number to divide by none has.
fn picked(series: &Series, pick: &Pick, run: &Run, variables: &Variables) -> Vec<f64> {
    let divisor = pick.per.as_ref().map_or(Some(1.0), |name| match variables.get(name) {
        Some(Variable::Number(number)) => Some(*number as f64),
        _ => None,
    });
    let Some(divisor) = divisor else { return Vec::new() };
    let value = |repetition: usize| {
        let numbers: measure::Numbers = run
            .values
            .iter()
            .filter_map(|(name, values)| Some((name.clone(), *values.get(repetition)?)))
            .collect();
        let parts = pick
            .sum
            .iter()
            .map(|name| measure::sum(&numbers, &fill(name, variables), series.field.name()));
        Some(parts.sum::<Option<f64>>()? * pick.times / divisor)
    };
    (0..run.repetitions).filter_map(value).collect()
}

/// A number, a power of two (`2^18`), or a name.
fn place(text: &str) -> X {
    let power = text.strip_prefix("2^").and_then(|power| power.parse::<f64>().ok());
    let number = power.map(f64::exp2).or_else(|| text.parse().ok());
    number.map_or_else(|| X::Name(text.to_owned()), X::Number)
}

/// In proportion from the last point, to places beyond it: `value · x / last`. Without a run, so that these points
/// are in no ratio and decide no claim.
fn extrapolated(of: &Column, at: &[f64]) -> Vec<Point> {
    let numbers = of.points.iter().filter_map(|point| match point.x {
        X::Number(x) => Some((x, point)),
        X::Name(_) => None,
    });
    let Some((last, from)) = numbers.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
        return Vec::new();
    };
    let far = at.iter().filter(|x| **x > last);
    let point = |x: &f64| Point {
        x: X::Number(*x),
        value: from.value * x / last,
        values: Vec::new(),
        command: from.command.clone(),
        variables: Variables::new(),
        run: None,
    };
    far.map(point).collect()
}

/// All places at which both series have a value, measured on one machine in one session.
fn quotients(columns: &[Column], [over, under]: &[String; 2]) -> Vec<Ratio> {
    let column = |id: &str| columns.iter().find(|column| column.id == id);
    let (Some(above), Some(below)) = (column(over), column(under)) else { return Vec::new() };
    let quotient = |top: &Point| {
        let bottom = below.at(&top.x)?;
        let fits = top.is_comparable(bottom) && bottom.value > 0.0;
        let (over, under, x) = (over.clone(), under.clone(), top.x.clone());
        fits.then(|| Ratio { over, under, x, value: top.value / bottom.value })
    };
    above.points.iter().filter_map(quotient).collect()
}
