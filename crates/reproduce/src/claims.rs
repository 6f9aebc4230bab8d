//! What the sources claim, decided by the figures.

use serde::Serialize;

use crate::{
    bench::Scale,
    catalog::{Claim, Slope, Value, X},
    format::number,
    panel::{PanelResult, Point},
};

/// How a claim fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The figures confirm it.
    Holds,
    /// The figures contradict it.
    DoesNotHold,
    /// The figures cannot tell.
    NotComparable,
}

impl Outcome {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::NotComparable => "not comparable",
        }
    }
}

/// A claim and how it fares.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// Who says so.
    pub by: String,
    /// What.
    pub text: String,
    /// Where.
    pub cite: String,
    /// How it fares.
    pub outcome: Outcome,
    /// The numbers that decide it.
    pub reason: String,
}

/// Decides a claim.
pub fn decide(claim: &Claim, panels: &[PanelResult], scale: Scale) -> Verdict {
    let (outcome, reason) = match decision(claim, panels) {
        Ok((holds, reason)) if scale > Scale::Smoke || claim.any_size => {
            (if holds { Outcome::Holds } else { Outcome::DoesNotHold }, reason)
        }
        Ok((_, reason)) => {
            (Outcome::NotComparable, format!("the sizes of a smoke run are too small: {reason}"))
        }
        Err(reason) => (Outcome::NotComparable, reason),
    };
    let Claim { by, text, cite, .. } = claim.clone();
    Verdict { by, text, cite, outcome, reason }
}

/// Whether a claim holds and by which numbers, or why that is not known.
fn decision(claim: &Claim, panels: &[PanelResult]) -> Result<(bool, String), String> {
    if let Some(slope) = &claim.slope {
        return growth(slope, panels);
    }
    let (Some(left), Some(right)) = (&claim.left, &claim.right) else {
        return Err("the claim has no two sides".to_owned());
    };
    let ((left, one), (right, other)) = (value(left, panels)?, value(right, panels)?);
    if !one.zip(other).is_some_and(|(one, other)| one.is_comparable(other)) {
        let (left, right) = (number(left), number(right));
        return Err(format!(
            "{left} and {right} are not both measured here: they are not of one machine and one session"
        ));
    }
    if right <= 0.0 {
        return Err("there is nothing to divide by".to_owned());
    }
    let ratio = left / right;
    let shown = format!("{} ÷ {} = {}", number(left), number(right), number(ratio));
    match (claim.at_least, claim.at_most) {
        (Some(bound), None) => {
            Ok((ratio >= bound, format!("{shown}, claimed: at least {}", number(bound))))
        }
        (None, Some(bound)) => {
            Ok((ratio <= bound, format!("{shown}, claimed: at most {}", number(bound))))
        }
        _ => Err("the claim has no bound".to_owned()),
    }
}

/// A value, and where it stands if it is a point of a series.
fn value<'a>(value: &Value, panels: &'a [PanelResult]) -> Result<(f64, Option<&'a Point>), String> {
    let (panel, series, x, times) = match value {
        Value::Constant { value } => return Ok((*value, None)),
        Value::Point { panel, series, x, times } => (panel, series, x, times),
    };
    let column = panels.iter().find(|found| found.id == *panel).and_then(|p| p.column(series));
    let column = column.ok_or_else(|| format!("there is no series {panel}/{series}"))?;
    let Some(point) = column.at(x) else {
        let place = match x {
            X::Number(number) => crate::format::number(*number),
            X::Name(name) => name.clone(),
        };
        let why = column.missing.first().map_or_else(String::new, |why| format!(" ({why})"));
        return Err(format!("“{}” has no value at {place}{why}", column.name));
    };
    Ok((point.value * times, Some(point)))
}

/// The exponent between the first and the last point of a series.
fn growth(slope: &Slope, panels: &[PanelResult]) -> Result<(bool, String), String> {
    let column =
        panels.iter().find(|p| p.id == slope.panel).and_then(|panel| panel.column(&slope.series));
    let column = column.ok_or("there is no such series")?;
    let numbered = column.points.iter().filter_map(|point| match point.x {
        X::Number(x) => Some((x, point)),
        X::Name(_) => None,
    });
    let mut points: Vec<(f64, &Point)> = numbered.collect();
    points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (Some(&(from, first)), Some(&(to, last))) = (points.first(), points.last()) else {
        let why = column.missing.first().map_or("no value", String::as_str);
        return Err(format!("“{}” has no value: {why}", column.name));
    };
    if from >= to {
        return Err(format!("“{}” was measured at one size only", column.name));
    }
    if !first.is_comparable(last) {
        return Err(format!("“{}” is not of one machine and one session", column.name));
    }
    let exponent = (last.value / first.value).ln() / (to / from).ln();
    let reason = format!(
        "{} at {} and {} at {}: an exponent of {exponent:.2}, claimed: {} to {}",
        number(first.value),
        number(from),
        number(last.value),
        number(to),
        slope.at_least,
        slope.at_most,
    );
    Ok(((slope.at_least..=slope.at_most).contains(&exponent), reason))
}
