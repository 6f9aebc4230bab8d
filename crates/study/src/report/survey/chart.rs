//! Lines over the years. Horizontal positions are percentages, so that text keeps its size.

use maud::{Markup, html};

use super::{Number, address, readable};

/// Colours that the style sheet has.
const COLOURS: usize = 8;
const HEIGHT: f64 = 260.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 226.0;
/// Percentages of the width between which years stand.
const LEFT: f64 = 9.0;
const RIGHT: f64 = 97.0;
/// Years that get a label.
const LABELS: u32 = 8;

/// A line and its points by year.
pub(super) struct Series<'a> {
    pub(super) label: String,
    pub(super) points: Vec<(u32, &'a Number)>,
}

/// A point's place: a percentage and units from the top.
#[derive(Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
}

/// Where years and values stand.
struct Scale {
    first: u32,
    last: u32,
    step: f64,
    steps: u32,
}

impl Scale {
    /// From zero to the first round number above everything; `None` if there is nothing to draw.
    fn of(series: &[Series<'_>]) -> Option<Self> {
        let points = || series.iter().flat_map(|series| &series.points);
        let first = points().map(|(year, _)| *year).min()?;
        let last = points().map(|(year, _)| *year).max()?;
        let most = points().map(|(_, number)| value(number)).fold(f64::MIN_POSITIVE, f64::max);
        let magnitude = 10_f64.powf((most / 4.0).log10().floor());
        let round = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * magnitude);
        let step = round.into_iter().find(|step| 4.0 * step >= most)?;
        let steps = (1..=4_u32).find(|steps| f64::from(*steps) * step >= most)?;
        Some(Self { first, last, step, steps })
    }

    fn x(&self, year: u32) -> f64 {
        match self.last.saturating_sub(self.first) {
            0 => (LEFT + RIGHT) / 2.0,
            span => LEFT + (RIGHT - LEFT) * f64::from(year - self.first) / f64::from(span),
        }
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * value / (self.step * f64::from(self.steps))
    }

    fn place(&self, (year, number): (u32, &Number)) -> Place {
        Place { x: self.x(year), y: self.y(value(number)) }
    }
}

fn value(number: &Number) -> f64 {
    number.text.parse().unwrap_or_default()
}

/// A chart with its legend, or nothing where all numbers are withheld.
pub(super) fn lines(title: &str, unit: &str, series: &[Series<'_>]) -> Markup {
    let Some(scale) = Scale::of(series) else { return html! {} };
    let every = (scale.last - scale.first) / LABELS + 1;
    let years = (scale.first..=scale.last).step_by(every as usize);
    html! {
        figcaption { h3 { (title) (unit) } }
        svg.lines role="img" aria-label={ (title) " by year; the table has the same numbers" }
            width="100%" height=(HEIGHT) {
            @for step in 0..=scale.steps {
                @let value = scale.step * f64::from(step);
                line.grid x1=(percent(LEFT)) x2="100%" y1=(units(scale.y(value))) y2=(units(scale.y(value))) {}
                text.soft x=(percent(LEFT - 1.5)) y=(units(scale.y(value) + 5.0)) text-anchor="end" {
                    (trimmed(value))
                }
            }
            @for year in years {
                text.soft x=(percent(scale.x(year))) y=(units(BOTTOM + 24.0)) text-anchor="middle" { (year) }
            }
            @for (index, series) in series.iter().enumerate() {
                g class=(colour(index)) { (line(&scale, series)) }
            }
        }
        p.legend {
            @for (index, series) in series.iter().enumerate() {
                span { i class={ "swatch " (colour(index)) } {} (series.label) }
            }
        }
    }
}

fn line(scale: &Scale, series: &Series<'_>) -> Markup {
    let places = || series.points.iter().map(|point| scale.place(*point));
    html! {
        @for (from, to) in places().zip(places().skip(1)) {
            line.trend x1=(percent(from.x)) y1=(units(from.y)) x2=(percent(to.x)) y2=(units(to.y)) {}
        }
        @for ((year, number), at) in series.points.iter().zip(places()) {
            a href=(address(number)) {
                circle cx=(percent(at.x)) cy=(units(at.y)) r="5" {
                    title { (series.label) ", " (year) ": " (readable(number)) }
                }
            }
        }
    }
}

fn colour(index: usize) -> String {
    format!("c{}", index.min(COLOURS - 1))
}

fn percent(value: f64) -> String {
    format!("{value:.3}%")
}

fn units(value: f64) -> String {
    format!("{value:.1}")
}

/// A round number without idle zeros.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
