//! Lines over the years. Horizontal positions are percentages, so that text keeps its size.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::figures::{address, readable, thousands};
use crate::survey::Number;

/// Colours that the style sheet has.
const COLOURS: usize = 8;

/// Where a chart has its lines: units from the top, and percentages of the width.
#[derive(Clone, Copy)]
struct Frame {
    height: f64,
    top: f64,
    bottom: f64,
    /// Where the lines at round values begin.
    left: f64,
    /// The first and the last year.
    first: f64,
    last: f64,
    /// Years that get a label; on a phone half of them.
    labels: usize,
}

/// A chart on its own.
const LARGE: Frame = Frame {
    height: 300.0,
    top: 12.0,
    bottom: 268.0,
    left: 8.0,
    first: 10.0,
    last: 97.0,
    labels: 12,
};
/// One of several beside each other.
const SMALL: Frame = Frame {
    height: 150.0,
    top: 10.0,
    bottom: 122.0,
    left: 19.0,
    first: 24.0,
    last: 95.0,
    labels: 4,
};

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
    frame: Frame,
    first: u32,
    last: u32,
    step: f64,
    steps: u32,
}

impl Scale {
    /// From zero to the first round number above everything; `None` if there is nothing to draw.
    fn of<'a>(series: impl IntoIterator<Item = &'a Series<'a>>, frame: Frame) -> Option<Self> {
        let points: Vec<_> = series.into_iter().flat_map(|series| &series.points).collect();
        let points = || points.iter();
        let first = points().map(|(year, _)| *year).min()?;
        let last = points().map(|(year, _)| *year).max()?;
        let most = points().map(|(_, number)| value(number)).fold(f64::MIN_POSITIVE, f64::max);
        let magnitude = 10_f64.powf((most / 4.0).log10().floor());
        let round = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * magnitude);
        let step = round.into_iter().find(|step| 4.0 * step >= most)?;
        let steps = (1..=4_u32).find(|steps| f64::from(*steps) * step >= most)?;
        Some(Self { frame, first, last, step, steps })
    }

    fn x(&self, year: u32) -> f64 {
        let Frame { first, last, .. } = self.frame;
        match self.last.saturating_sub(self.first) {
            0 => f64::midpoint(first, last),
            span => first + (last - first) * f64::from(year - self.first) / f64::from(span),
        }
    }

    fn y(&self, value: f64) -> f64 {
        let Frame { top, bottom, .. } = self.frame;
        bottom - (bottom - top) * value / (self.step * f64::from(self.steps))
    }

    fn place(&self, (year, number): (u32, &Number)) -> Place {
        Place { x: self.x(year), y: self.y(value(number)) }
    }
}

fn value(number: &Number) -> f64 {
    // Numbers are written as decimals (`to_decimal`), and stand in the table as they are.
    number.text.parse().unwrap_or_default()
}

/// A chart with its legend, or nothing where all numbers are withheld.
pub(super) fn lines(title: &str, series: &[Series<'_>]) -> Markup {
    let Some(scale) = Scale::of(series, LARGE) else { return html! {} };
    html! {
        figcaption { h3 { (title) } }
        svg.lines role="img" aria-label={ (title) " by year; the table has the same numbers" }
            width="100%" height=(units(LARGE.height)) {
            (axes(&scale, &years(series)))
            @for (index, series) in series.iter().enumerate() {
                g class=(colour(index)) { (line(&scale, series)) }
            }
        }
        @if series.len() > 1 {
            p.legend {
                @for (index, series) in series.iter().enumerate() {
                    span { i class={ "swatch " (colour(index)) } {} (series.label) }
                }
            }
        }
    }
}

/// A small chart for each group, all on one scale, with everybody's line behind the group's.
pub(super) fn panels(title: &str, series: &[Series<'_>], everybody: &Series<'_>) -> Markup {
    let Some(scale) = Scale::of(series.iter().chain([everybody]), SMALL) else {
        return html! {};
    };
    let years = years(series.iter().chain([everybody]));
    html! {
        figcaption { h3 { (title) } }
        div.panels {
            @for series in series.iter().filter(|series| !series.points.is_empty()) {
                div {
                    p.label { (series.label) }
                    svg.lines role="img"
                        aria-label={ (series.label) " by year; the table has the same numbers" }
                        width="100%" height=(units(SMALL.height)) {
                        (axes(&scale, &years))
                        g.behind { (trend(&scale, everybody)) }
                        g.c0 { (line(&scale, series)) }
                    }
                }
            }
        }
        p.legend {
            span { i.swatch.c0 {} "The group" }
            span { i.swatch.behind {} (everybody.label) }
        }
    }
}

/// Years that have a point.
fn years<'a>(series: impl IntoIterator<Item = &'a Series<'a>>) -> BTreeSet<u32> {
    series.into_iter().flat_map(|series| &series.points).map(|(year, _)| *year).collect()
}

/// Lines at round values, and the years with points; a phone has room for fewer.
fn axes(scale: &Scale, years: &BTreeSet<u32>) -> Markup {
    let every = |labels: usize| years.len().div_ceil(labels).max(1);
    let (wide, narrow) = (every(scale.frame.labels), every(scale.frame.labels / 2));
    // The newest year always has a label.
    let labelled = years.iter().rev().enumerate().step_by(wide);
    let frame = scale.frame;
    html! {
        @for step in 0..=scale.steps {
            @let value = scale.step * f64::from(step);
            @let y = scale.y(value);
            line.grid x1=(percent(frame.left)) x2="100%" y1=(units(y)) y2=(units(y)) {}
            text.soft x=(percent(frame.left - 1.5)) y=(units(y + 5.0)) text-anchor="end" {
                (thousands(&trimmed(value)))
            }
        }
        @for (position, year) in labelled {
            @let class = if position % narrow.next_multiple_of(wide) == 0 { "soft" } else { "soft wide" };
            text class=(class) x=(percent(scale.x(*year))) y=(units(frame.bottom + 22.0)) text-anchor="middle" {
                (year)
            }
        }
    }
}

fn trend(scale: &Scale, series: &Series<'_>) -> Markup {
    let places = || series.points.iter().map(|point| scale.place(*point));
    html! {
        @for (from, to) in places().zip(places().skip(1)) {
            line.trend x1=(percent(from.x)) y1=(units(from.y)) x2=(percent(to.x)) y2=(units(to.y)) {}
        }
    }
}

fn line(scale: &Scale, series: &Series<'_>) -> Markup {
    html! {
        (trend(scale, series))
        @for (year, number) in &series.points {
            @let at = scale.place((*year, number));
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
