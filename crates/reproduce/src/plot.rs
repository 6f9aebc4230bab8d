//! Plots as inline SVG, in colours of the page.
//!
//! The drawing library knows colours only as numbers. So it draws in nearly black colours, which no figure uses, and
//! each of these is then replaced by a variable of the style sheet, which is light or dark.

use std::ops::Range;

use plotters::{
    coord::{
        Shift,
        ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter},
    },
    element::{Circle, Cross, PathElement, TriangleMarker},
    prelude::{
        Cartesian2d, ChartBuilder, ChartContext, DrawingArea, IntoDrawingArea, IntoFont, RGBColor,
        Ranged, SVGBackend, ShapeStyle, TRANSPARENT,
    },
};

use crate::{
    catalog::{Kind, Origin, X},
    error::ReproduceError,
    format::number,
    panel::{Column, PanelResult, Point},
    table::place_name,
};

const INK: RGBColor = RGBColor(1, 1, 1);
const GRID: RGBColor = RGBColor(2, 2, 2);
/// Colours of the style sheet.
pub(crate) const COLOURS: u8 = 8;
const WIDTH: u32 = 760;
const LINES_HEIGHT: u32 = 360;
const ROW_HEIGHT: u32 = 34;
const FONT: (&str, i32) = ("sans-serif", 13);

/// The colour of a series: that of the one it goes with, or the next one.
pub(crate) fn colour(panel: &PanelResult, id: &str) -> u8 {
    let like = |column: &Column| column.like.clone().unwrap_or_else(|| column.id.clone());
    let leaders: Vec<String> =
        panel.columns.iter().filter(|c| c.like.is_none()).map(like).collect();
    // A series that the panel does not have takes the first colour; a remainder of eight fits a byte.
    let own = panel.column(id).map(like).unwrap_or_default();
    let place = leaders.iter().position(|leader| *leader == own).unwrap_or(0);
    u8::try_from(place % usize::from(COLOURS)).unwrap_or(0)
}

fn stand_in(colour: u8) -> RGBColor {
    RGBColor(16 + colour, 0, 0)
}

/// Draws a panel. `None` if it has no value at all.
///
/// # Errors
/// If the drawing library refuses.
pub fn svg(panel: &PanelResult) -> Result<Option<String>, ReproduceError> {
    let values = panel.columns.iter().flat_map(|column| &column.points).map(|point| point.value);
    let Some(axis) = logarithmic(values) else { return Ok(None) };
    let mut text = String::new();
    let drawn = match panel.kind {
        Kind::Dots => dots(panel, axis, &mut text),
        Kind::Lines => lines(panel, axis, &mut text),
    };
    drawn.map_err(|reason| ReproduceError::Plot { panel: panel.title.clone(), reason })?;
    Ok(Some(dress(text)))
}

/// Puts the style sheet's colours in.
fn dress(mut text: String) -> String {
    let hex = |RGBColor(r, g, b): RGBColor| format!("#{r:02X}{g:02X}{b:02X}");
    text = text.replace(&hex(INK), "currentColor").replace(&hex(GRID), "var(--rule)");
    for colour in 0..COLOURS {
        text = text.replace(&hex(stand_in(colour)), &format!("var(--c{colour})"));
    }
    // The page sets the width; the drawing keeps its proportions.
    // The library writes both words; a drawing without them would stay whole.
    let start = text.find("<svg").unwrap_or(0);
    let (_, drawing) = text.split_at(start);
    let fixed = drawing.find("viewBox").unwrap_or(0);
    let (_, rest) = drawing.split_at(fixed);
    let rest = rest.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    format!("<svg class=\"plot\" role=\"img\" {rest}")
}

/// An axis: its ends, and its ticks with their names.
#[derive(Clone, Debug)]
struct Axis {
    from: f64,
    to: f64,
    ticks: Vec<(f64, String)>,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let part = (value - self.from) / (self.to - self.from);
        start + (part * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|(tick, _)| *tick).collect()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        number(*value)
    }

    fn format_ext(&self, value: &f64) -> String {
        let found = self.ticks.iter().find(|(tick, _)| tick == value);
        found.map_or_else(String::new, |(_, name)| name.clone())
    }
}

/// The smallest round axis around the logarithms of all positive values.
fn logarithmic(values: impl Iterator<Item = f64>) -> Option<Axis> {
    let logs: Vec<f64> = values.filter(|value| *value > 0.0).map(f64::log10).collect();
    let least = logs.iter().copied().reduce(f64::min)? - 0.08;
    let greatest = logs.iter().copied().reduce(f64::max)? + 0.08;
    let (low, high) = (least.floor(), greatest.ceil());
    let decades = (high - low) as usize;
    let factors: &[f64] = match decades {
        0..=2 => &[1.0, 2.0, 5.0],
        3 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let starts = (0..=decades).step_by(1 + decades / 10).map(|decade| low + decade as f64);
    let mut ticks: Vec<f64> =
        starts.flat_map(|start| factors.iter().map(move |factor| start + factor.log10())).collect();
    // From the last tick below everything to the first above it.
    // Where no tick is beyond the values, the axis ends at the decade.
    let from = ticks.iter().copied().filter(|tick| *tick <= least).reduce(f64::max).unwrap_or(low);
    let to = ticks.iter().copied().filter(|tick| *tick >= greatest).reduce(f64::min);
    let to = to.unwrap_or(high);
    ticks.retain(|tick| (from..=to).contains(tick));
    let named = |tick: f64| (tick, number(10f64.powf(tick)));
    Some(Axis { from, to, ticks: ticks.into_iter().map(named).collect() })
}

/// An axis of a few numbers, with a tick at each.
fn linear(places: &[f64]) -> Axis {
    let least = places.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = ((greatest - least) * 0.06).max(0.5);
    let ticks = places.iter().map(|place| (*place, number(*place))).collect();
    Axis { from: least - room, to: greatest + room, ticks }
}

/// An axis of rows, the first at the top.
fn rows(names: &[String]) -> Axis {
    let last = names.len() as f64 - 1.0;
    let named = |(row, name): (usize, &String)| (last - row as f64, name.clone());
    Axis { from: -0.6, to: last + 0.6, ticks: names.iter().enumerate().map(named).collect() }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn canvas(text: &mut String, height: u32) -> Area<'_> {
    SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area()
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Named rows, one below the other.
fn dots(panel: &PanelResult, values: Axis, text: &mut String) -> Result<(), String> {
    let names: Vec<String> = panel.places().iter().map(place_name).collect();
    // No panel has so many names that they are not counted, nor such long ones.
    let height = ROW_HEIGHT * u32::try_from(names.len()).unwrap_or(1) + 62;
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let margin = u32::try_from(longest * 7 + 18).unwrap_or(200);
    let area = canvas(text, height);
    let axis = rows(&names);
    let mut chart = ChartBuilder::on(&area)
        .margin_right(28)
        .margin_top(8)
        .x_label_area_size(46)
        .y_label_area_size(margin)
        .build_cartesian_2d(values, axis.clone())
        .map_err(said)?;
    mesh(&mut chart, &panel.unit, "")?;
    for column in &panel.columns {
        let colour = stand_in(colour(panel, &column.id));
        for point in &column.points {
            let name = place_name(&point.x);
            let Some((y, _)) = axis.ticks.iter().find(|(_, row)| *row == name) else { continue };
            if let Some((least, greatest)) = spread(point) {
                let ends = vec![(least, *y), (greatest, *y)];
                chart.draw_series([PathElement::new(ends, colour)]).map_err(said)?;
            }
            mark(&mut chart, column.origin, (point.value.log10(), *y), colour)?;
        }
    }
    area.present().map_err(said)
}

/// Lines over numbers.
fn lines(panel: &PanelResult, values: Axis, text: &mut String) -> Result<(), String> {
    let at = |x: &X| match x {
        X::Number(x) if panel.log_x => x.log10(),
        X::Number(x) => *x,
        X::Name(_) => 0.0,
    };
    let places: Vec<f64> = panel
        .places()
        .iter()
        .filter_map(|place| match place {
            X::Number(place) => Some(*place),
            X::Name(_) => None,
        })
        .collect();
    let axis = if panel.log_x { logarithmic(places.into_iter()) } else { Some(linear(&places)) };
    let area = canvas(text, LINES_HEIGHT);
    let mut chart = ChartBuilder::on(&area)
        .margin_right(28)
        .margin_top(14)
        .x_label_area_size(50)
        .y_label_area_size(78)
        .build_cartesian_2d(axis.ok_or("there is no place")?, values)
        .map_err(said)?;
    mesh(&mut chart, panel.x.as_deref().unwrap_or(""), &panel.unit)?;
    for column in &panel.columns {
        let colour = stand_in(colour(panel, &column.id));
        let mut points: Vec<(f64, f64)> =
            column.points.iter().map(|point| (at(&point.x), point.value.log10())).collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let measured = matches!(column.origin, Origin::Ours | Origin::Peer);
        let style = ShapeStyle::from(colour).stroke_width(if measured { 2 } else { 1 });
        for pair in points.windows(2) {
            let pieces = if measured { vec![pair.to_vec()] } else { dashes(pair) };
            let paths = pieces.into_iter().map(|piece| PathElement::new(piece, style));
            chart.draw_series(paths).map_err(said)?;
        }
        for point in &column.points {
            let x = at(&point.x);
            if let Some((least, greatest)) = spread(point) {
                let ends = vec![(x, least), (x, greatest)];
                chart.draw_series([PathElement::new(ends, colour)]).map_err(said)?;
            }
            mark(&mut chart, column.origin, (x, point.value.log10()), colour)?;
        }
    }
    area.present().map_err(said)
}

/// Every second piece of a stretch.
fn dashes(ends: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    const PIECES: u32 = 24;
    let (Some(&(x, y)), Some(&(u, v))) = (ends.first(), ends.last()) else { return Vec::new() };
    let along = |piece: u32| {
        let part = f64::from(piece) / f64::from(PIECES + 1);
        (x + (u - x) * part, y + (v - y) * part)
    };
    (0..=PIECES).step_by(2).map(|piece| vec![along(piece), along(piece + 1)]).collect()
}

fn spread(point: &Point) -> Option<(f64, f64)> {
    point.spread().map(|(least, greatest)| (least.log10(), greatest.log10()))
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// Axes, labels and the grid.
fn mesh(chart: &mut Chart<'_, '_>, x_axis: &str, y_axis: &str) -> Result<(), String> {
    let label = FONT.into_font().color(&INK);
    chart
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(label.clone())
        .axis_desc_style(label)
        .x_desc(x_axis)
        .y_desc(y_axis)
        .draw()
        .map_err(said)
}

/// A value, in the shape of its origin.
fn mark(
    chart: &mut Chart<'_, '_>,
    origin: Origin,
    at: (f64, f64),
    colour: RGBColor,
) -> Result<(), String> {
    let line = ShapeStyle::from(colour).stroke_width(2);
    let drawn = match origin {
        Origin::Ours => chart.draw_series([Circle::new(at, 5, line.filled())]).map(drop),
        Origin::Published => chart.draw_series([Circle::new(at, 5, line)]).map(drop),
        Origin::Extrapolated => chart.draw_series([Circle::new(at, 3, line)]).map(drop),
        Origin::Baseline => {
            chart.draw_series([TriangleMarker::new(at, 6, line.filled())]).map(drop)
        }
        Origin::Peer => chart.draw_series([Cross::new(at, 5, line)]).map(drop),
    };
    drawn.map_err(said)
}
