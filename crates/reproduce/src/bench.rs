//! The benches that measure a figure, and their runs at a scale.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How large a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Minutes: that everything runs. Too small to compare anything.
    Smoke,
    /// Below an hour on two cores.
    Default,
    /// The sizes of the source documents, as far as a bench has them.
    Full,
}

impl Scale {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Default => "default",
            Self::Full => "full",
        }
    }

    /// How often a command is repeated, so that figures have a spread.
    pub fn repetitions(self) -> u32 {
        match self {
            Self::Smoke => 1,
            Self::Default | Self::Full => 3,
        }
    }
}

/// A command, and the sizes at which it runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// Its name in the figure.
    pub id: String,
    /// The adapter that runs it, where it is not this program.
    #[serde(default)]
    pub peer: Option<String>,
    /// The arguments, with `{variable}`s.
    pub command: String,
    /// At most so many repetitions: for what takes minutes.
    #[serde(default)]
    pub repeat: Option<u32>,
    smoke: Vec<Grid>,
    default: Vec<Grid>,
    full: Vec<Grid>,
}

/// Values of each variable; all combinations are run.
type Grid = BTreeMap<String, OneOrMany>;

/// What variables stand for in one run.
pub type Variables = BTreeMap<String, Variable>;

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(Variable),
    Many(Vec<Variable>),
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Variable {
    /// A size.
    Number(u64),
    /// A name.
    Text(String),
}

impl std::fmt::Display for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl Bench {
    /// Every run at a scale.
    pub fn invocations(&self, scale: Scale) -> Vec<Invocation> {
        let grids = match scale {
            Scale::Smoke => &self.smoke,
            Scale::Default => &self.default,
            Scale::Full => &self.full,
        };
        let run = |variables: Variables| Invocation {
            bench: self.id.clone(),
            peer: self.peer.clone(),
            arguments: fill(&self.command, &variables)
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            repetitions: scale.repetitions().min(self.repeat.unwrap_or(u32::MAX)),
            variables,
        };
        grids.iter().flat_map(combinations).map(run).collect()
    }
}

fn combinations(grid: &Grid) -> Vec<Variables> {
    let mut all = vec![Variables::new()];
    for (name, values) in grid {
        let values = match values {
            OneOrMany::One(value) => std::slice::from_ref(value),
            OneOrMany::Many(values) => values.as_slice(),
        };
        let with = |variables: &Variables, value: &Variable| {
            let mut variables = variables.clone();
            variables.insert(name.clone(), value.clone());
            variables
        };
        all = all.iter().flat_map(|v| values.iter().map(|value| with(v, value))).collect();
    }
    all
}

/// Puts the variables' values in the place of `{name}`.
pub(crate) fn fill(template: &str, variables: &Variables) -> String {
    let put = |text: String, (name, value): (&String, &Variable)| {
        text.replace(&format!("{{{name}}}"), &value.to_string())
    };
    variables.iter().fold(template.to_owned(), put)
}

/// One run of a bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The bench's name in its figure.
    pub bench: String,
    /// The adapter that runs it, where it is not this program.
    pub peer: Option<String>,
    /// The arguments.
    pub arguments: Vec<String>,
    /// How often it is repeated.
    pub repetitions: u32,
    /// The variables' values.
    pub variables: Variables,
}
