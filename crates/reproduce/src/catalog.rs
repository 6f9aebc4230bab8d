//! What is to be reproduced: figures, their published rows, and the benches that measure ours.
//!
//! The figures are data, in `data/*.toml`; their form is that of the types here.

use serde::{Deserialize, Serialize};

use crate::{
    bench::{Bench, Invocation, Scale, Variables},
    error::ReproduceError,
};

/// The files of figures, in the order in which a page shows them.
const FILES: [(&str, &str); 6] = [
    ("trace.toml", include_str!("../data/trace.toml")),
    ("vole.toml", include_str!("../data/vole.toml")),
    ("table.toml", include_str!("../data/table.toml")),
    ("setup.toml", include_str!("../data/setup.toml")),
    ("shuffle.toml", include_str!("../data/shuffle.toml")),
    ("kernels.toml", include_str!("../data/kernels.toml")),
];

/// All figures, in the order in which they are shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The figures.
    #[serde(rename = "figure")]
    pub figures: Vec<Figure>,
}

impl Catalog {
    /// Reads the data that this crate carries.
    ///
    /// # Errors
    /// If a file does not parse or contradicts itself.
    pub fn load() -> Result<Self, ReproduceError> {
        let mut figures = Vec::new();
        for (file, text) in FILES {
            figures.extend(Self::parse(file, text)?.figures);
        }
        Ok(Self { figures })
    }

    /// Reads one file of figures.
    ///
    /// # Errors
    /// If it does not parse or contradicts itself.
    pub fn parse(file: &str, text: &str) -> Result<Self, ReproduceError> {
        let data = |reason| ReproduceError::Data { file: file.to_owned(), reason };
        let catalog: Self = toml::from_str(text).map_err(|error| data(error.to_string()))?;
        for figure in &catalog.figures {
            figure.check().map_err(|reason| data(format!("{}: {reason}", figure.id)))?;
        }
        Ok(catalog)
    }

    /// The figures of these names, in the catalogue's order; all of them if none is named.
    ///
    /// # Errors
    /// If a name is not in the catalogue.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Figure>, ReproduceError> {
        if let Some(name) = names.iter().find(|name| self.figures.iter().all(|f| f.id != **name)) {
            return Err(ReproduceError::UnknownFigure(name.clone()));
        }
        let wanted = |figure: &&Figure| names.is_empty() || names.contains(&figure.id);
        Ok(self.figures.iter().filter(wanted).collect())
    }
}

/// A figure or table of a source document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its name on the command line.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The document and the figure or table in it.
    pub source: String,
    /// What is measured, and what is different from the source.
    pub about: String,
    /// How ours is measured.
    #[serde(rename = "bench", default)]
    pub benches: Vec<Bench>,
    /// Plots, each with its table.
    #[serde(rename = "panel")]
    pub panels: Vec<Panel>,
    /// What the source claims.
    #[serde(rename = "claim", default)]
    pub claims: Vec<Claim>,
}

impl Figure {
    /// The bench of a name.
    pub fn bench(&self, id: &str) -> Option<&Bench> {
        self.benches.iter().find(|bench| bench.id == id)
    }

    /// Everything that the figure runs at a scale.
    pub fn invocations(&self, scale: Scale) -> Vec<Invocation> {
        self.benches.iter().flat_map(|bench| bench.invocations(scale)).collect()
    }

    /// References lead somewhere, and each series has points or a bench.
    fn check(&self) -> Result<(), String> {
        for panel in &self.panels {
            let has = |id: &str| panel.series.iter().any(|series| series.id == id);
            for (index, series) in panel.series.iter().enumerate() {
                let benches = series.pick.iter().map(|pick| pick.bench.as_ref());
                for bench in benches.map(|own| own.or(series.bench.as_ref())) {
                    let known = bench.is_some_and(|bench| self.bench(bench).is_some());
                    if !known {
                        return Err(format!("{}/{}: no bench {bench:?}", panel.id, series.id));
                    }
                }
                if series.points.is_empty() == series.cite.is_some() {
                    return Err(format!("{}/{}: points without a source", panel.id, series.id));
                }
                let is_history = series.kind == Origin::Baseline;
                if is_history && (series.hardware.is_none() || series.date.is_none()) {
                    return Err(format!(
                        "{}/{}: history without machine or date",
                        panel.id, series.id
                    ));
                }
                for other in series.of.iter().chain(&series.like) {
                    if !has(other) {
                        return Err(format!("{}/{}: no series {other}", panel.id, series.id));
                    }
                }
                // A series is continued when it has its values, which panels fill from above.
                let is_above =
                    |of: &String| panel.series.iter().take(index).any(|other| other.id == *of);
                if let Some(of) = series.of.as_ref().filter(|of| !is_above(of)) {
                    return Err(format!(
                        "{}/{}: {of}, which it continues, does not stand above it",
                        panel.id, series.id
                    ));
                }
            }
            let measured = |id: &str| {
                let found = panel.series.iter().find(|series| series.id == id);
                found.is_some_and(|series| matches!(series.kind, Origin::Ours | Origin::Peer))
            };
            if let Some(id) = panel.ratios.iter().flatten().find(|id| !measured(id)) {
                return Err(format!(
                    "{}: a ratio of {id}, which is measured in no session",
                    panel.id
                ));
            }
        }
        for claim in &self.claims {
            for (panel, series) in claim.names() {
                let panel = self.panels.iter().find(|found| found.id == panel);
                if !panel.is_some_and(|panel| panel.series.iter().any(|s| s.id == series)) {
                    return Err(format!("a claim about no series {series}"));
                }
            }
        }
        Ok(())
    }
}

/// A plot and its table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// Its name in the figure.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// How it is drawn.
    pub kind: Kind,
    /// What the x axis counts.
    #[serde(default)]
    pub x: Option<String>,
    /// The unit of all values. All are better when smaller.
    pub unit: String,
    /// Whether the x axis is logarithmic; the axis of values always is.
    #[serde(default = "yes")]
    pub log_x: bool,
    /// Pairs of a reference and what is compared with it, both measured: the table divides the first by the
    /// second.
    #[serde(default)]
    pub ratios: Vec<[String; 2]>,
    /// The series.
    pub series: Vec<Series>,
}

/// How a panel is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Named rows, one below the other, with a mark for each series.
    Dots,
    /// Lines over numbers.
    Lines,
}

/// One line of a plot, one column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name in the panel.
    pub id: String,
    /// Its name on the page.
    pub name: String,
    /// Where its values come from.
    pub kind: Origin,
    /// The series that shares its colour.
    #[serde(default)]
    pub like: Option<String>,
    /// Published: the work, and the table, figure or text in it.
    #[serde(default)]
    pub cite: Option<String>,
    /// Published: on what.
    #[serde(default)]
    pub hardware: Option<String>,
    /// Measured before: when.
    #[serde(default)]
    pub date: Option<String>,
    /// Published: what variables were.
    #[serde(default)]
    pub size: Variables,
    /// Published: the values.
    #[serde(default)]
    pub points: Vec<(X, f64)>,
    /// Measured: the bench.
    #[serde(default)]
    pub bench: Option<String>,
    /// Measured: which time of a row.
    #[serde(default)]
    pub field: Field,
    /// Measured: what of the report makes which point.
    #[serde(default)]
    pub pick: Vec<Pick>,
    /// Extrapolated: in proportion from the last point of this series, which stands above it in the panel.
    #[serde(default)]
    pub of: Option<String>,
    /// Extrapolated: to here.
    #[serde(default)]
    pub at: Vec<f64>,
}

/// Where values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A source document; nobody ran it here.
    Published,
    /// Somebody else's program, run when the project began.
    Baseline,
    /// Somebody else's program, run in this session.
    Peer,
    /// This program.
    Ours,
    /// Computed from ours.
    Extrapolated,
}

impl Origin {
    /// What the page calls it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Published => "published only",
            Self::Baseline => "measured before",
            Self::Peer => "peer, this session",
            Self::Ours => "ours",
            Self::Extrapolated => "extrapolated from ours",
        }
    }
}

/// Which time of a row is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Field {
    /// On the clock.
    #[default]
    #[serde(rename = "wall_ms")]
    Wall,
    /// CPU time of all threads.
    #[serde(rename = "cpu_ms")]
    Cpu,
}

impl Field {
    /// The name in a bench's report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall_ms",
            Self::Cpu => "cpu_ms",
        }
    }
}

/// A point from a bench's report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// Where it stands: a name, or a number with `{variable}`s, or `2^` of one.
    pub x: String,
    /// The bench, where it is not the series'.
    #[serde(default)]
    pub bench: Option<String>,
    /// Only runs with these variables.
    #[serde(default)]
    pub only: Variables,
    /// What is added up; a `*` at the end stands for anything.
    pub sum: Vec<String>,
    /// A factor.
    #[serde(default = "one")]
    pub times: f64,
    /// A variable to divide by.
    #[serde(default)]
    pub per: Option<String>,
}

/// Where a point stands.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum X {
    /// On a numeric axis.
    Number(f64),
    /// In a named row.
    Name(String),
}

/// A statement of a source document, or a target of ours, that the figures decide.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Who says so.
    pub by: String,
    /// What.
    pub text: String,
    /// Where.
    pub cite: String,
    /// A value.
    #[serde(default)]
    pub left: Option<Value>,
    /// The value is at least so many times the other.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// The value is at most so many times the other.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// The other value.
    #[serde(default)]
    pub right: Option<Value>,
    /// A statement about how a series grows.
    #[serde(default)]
    pub slope: Option<Slope>,
    /// Whether the claim can be decided by the sizes of a smoke run, too.
    #[serde(default)]
    pub any_size: bool,
}

impl Claim {
    /// The panels and series that it speaks of.
    fn names(&self) -> Vec<(&str, &str)> {
        let values = [&self.left, &self.right].into_iter().flatten();
        let points = values.filter_map(|value| match value {
            Value::Point { panel, series, .. } => Some((panel.as_str(), series.as_str())),
            Value::Constant { .. } => None,
        });
        points.chain(self.slope.iter().map(|s| (s.panel.as_str(), s.series.as_str()))).collect()
    }
}

/// One side of a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Value {
    /// A number of the source document.
    Constant {
        /// The number.
        value: f64,
    },
    /// A point of a series.
    Point {
        /// The panel.
        panel: String,
        /// The series.
        series: String,
        /// The point.
        x: X,
        /// A factor.
        #[serde(default = "one")]
        times: f64,
    },
}

/// A statement about the exponent with which a series grows, from its first point to its last.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slope {
    /// The panel.
    pub panel: String,
    /// The series.
    pub series: String,
    /// The exponent is not below this.
    pub at_least: f64,
    /// The exponent is not above this.
    pub at_most: f64,
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}
