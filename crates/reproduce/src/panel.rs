//! A plot and its table, with their values.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    bench::Variables,
    catalog::{Kind, Origin, X},
    results::Run,
};

/// A value of a series.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Where it stands.
    pub x: X,
    /// The value: of repetitions the median.
    pub value: f64,
    /// The value of each repetition; none where it was not measured in this session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// The command that measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What its variables were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: Variables,
    /// The record of the command; none of what was not measured in a session.
    #[serde(skip)]
    pub run: Option<Run>,
}

impl Point {
    /// Whether both were measured on one machine and in one session.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.run
            .as_ref()
            .zip(other.run.as_ref())
            .is_some_and(|(one, other)| one.is_comparable(other))
    }

    /// The least and the greatest repetition.
    pub fn spread(&self) -> Option<(f64, f64)> {
        if self.values.len() < 2 {
            return None;
        }
        let least = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some((least, greatest))
    }
}

/// A series with its values.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Its name in the panel.
    pub id: String,
    /// Its name on the page.
    pub name: String,
    /// Where its values come from.
    pub origin: Origin,
    /// The series that shares its colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// The source of published values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cite: Option<String>,
    /// What they were measured on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// When they were measured before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The variables, such as sizes, of published values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub size: Variables,
    /// The values.
    pub points: Vec<Point>,
    /// Why values are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Column {
    /// The value at a place.
    pub fn at(&self, x: &X) -> Option<&Point> {
        self.points.iter().find(|point| point.x == *x)
    }
}

/// One value divided by another at the same place, of the same machine and session.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    /// The series above the line.
    pub over: String,
    /// The series below it.
    pub under: String,
    /// The place.
    pub x: X,
    /// The quotient: how many times less `under` takes.
    pub value: f64,
}

/// A plot and its table.
#[derive(Clone, Debug, Serialize)]
pub struct PanelResult {
    /// Its name in the figure.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The unit of all values.
    pub unit: String,
    /// What the x axis counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    /// How it is drawn.
    #[serde(skip)]
    pub kind: Kind,
    /// Whether its x axis is logarithmic.
    #[serde(skip)]
    pub log_x: bool,
    /// The pairs that are compared.
    pub pairs: Vec<[String; 2]>,
    /// The series.
    pub columns: Vec<Column>,
    /// All quotients that can be made.
    pub ratios: Vec<Ratio>,
}

impl PanelResult {
    /// The series of a name.
    pub fn column(&self, id: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.id == id)
    }

    /// All places at which there is a value: numbers in order, names as they come.
    pub fn places(&self) -> Vec<X> {
        let mut places: Vec<X> = Vec::new();
        for point in self.columns.iter().flat_map(|column| &column.points) {
            if !places.contains(&point.x) {
                places.push(point.x.clone());
            }
        }
        if self.kind == Kind::Lines {
            // Only NaN has no order, and no place is that.
            places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        }
        places
    }
}
