//! What a survey publishes, and what its table holds.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use table::{
    Fraction, Kind, Schema, TypeKind,
    query::{KeyBox, Region},
};

use super::SurveyError;

const MAX_FILE_BYTES: usize = 1 << 20;
const MAX_GROUPS: usize = 64;
const MAX_NAME_LEN: usize = 64;
/// The median.
pub(super) const HALF: Fraction = Fraction { part: 1, whole: 2 };

/// A survey's description: `survey.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurveyDescription {
    /// The name of the survey.
    pub title: String,
    /// What was asked, in a sentence or two.
    pub summary: String,
    /// Where the responses come from.
    pub source: String,
    /// On what terms they may be used.
    pub licence: String,
    /// Notes for readers of the report.
    pub notes: Option<String>,
    /// Where to read more.
    pub link: Option<String>,
    /// The column of responses that names people; at most one response a person and year.
    pub person: String,
    /// The column with the year, which is the epoch.
    pub year: String,
    /// The value column that figures are about; it is ordered.
    pub value: String,
    /// Type columns with names for their values: figures are given for each of them.
    pub groups: Vec<String>,
    /// Shares of the sum that the best paid have: 1/10 is the share of the top tenth.
    #[serde(default)]
    pub top: Vec<Fraction>,
    /// The table's schema: type and value columns are columns of the responses.
    pub table: Schema,
}

/// People that figures are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The type column and the code in it; none for everybody.
    pub restriction: Option<(usize, u64)>,
    /// How the report calls them.
    pub label: String,
    /// How the names of claims call them: lower-case letters, digits and dashes.
    pub name: String,
}

impl SurveyDescription {
    /// Reads and checks a description.
    ///
    /// # Errors
    /// [`SurveyError`] naming the field.
    pub fn from_toml(text: &str) -> Result<Self, SurveyError> {
        if text.len() > MAX_FILE_BYTES {
            return Err(SurveyError::File(format!("more than {MAX_FILE_BYTES} bytes")));
        }
        let description: Self = toml::from_str(text)?;
        description.check()?;
        Ok(description)
    }

    fn check(&self) -> Result<(), SurveyError> {
        self.table.check()?;
        let refused = |field, reason: String| Err(SurveyError::field(field, reason));
        if self.title.trim().is_empty() {
            return refused("title", "it is empty".to_owned());
        }
        let Some(column) = self.column().and_then(|column| self.table.value(column)) else {
            return refused("value", format!("the table has no value column `{}`", self.value));
        };
        if !column.ordered {
            return refused("value", format!("`{}` must be ordered, for medians", self.value));
        }
        let mut distinct = BTreeSet::from([&self.person, &self.year]);
        let columns = self.table.types.iter().map(|column| &column.name);
        let columns = columns.chain(self.table.values.iter().map(|column| &column.name));
        if distinct.len() < 2 || columns.into_iter().any(|name| !distinct.insert(name)) {
            return refused("person", "`person`, `year` and the table's columns differ".to_owned());
        }
        let allowed = &self.table.policy.quantiles;
        if let Some(missing) = [HALF].iter().chain(&self.top).find(|p| !allowed.contains(p)) {
            let Fraction { part, whole } = missing;
            let reason = format!("the table's policy.quantiles must list {part}/{whole}");
            return refused("top", reason);
        }
        let policy = &self.table.policy;
        if !self.top.is_empty() && (!policy.allows(Kind::Top) || policy.hierarchy.is_some()) {
            let reason = "the table's policy must `allow` top, and have no hierarchy, under which there \
                          are no top shares";
            return refused("top", reason.to_owned());
        }
        if !self.top.is_empty() && column.min < 1 {
            return refused("top", format!("shares need `{}` to have min above 0", self.value));
        }
        self.check_groups()
    }

    fn check_groups(&self) -> Result<(), SurveyError> {
        let refused = |reason: String| Err(SurveyError::field("groups", reason));
        let named = |name: &String| {
            let column = self.table.types.iter().find(|column| column.name == *name);
            column.is_some_and(|column| matches!(column.kind, TypeKind::Bool | TypeKind::Enum(_)))
        };
        if let Some(name) = self.groups.iter().find(|name| !named(name)) {
            return refused(format!("the table has no bool or enum type column `{name}`"));
        }
        let leads = |name: &&String| {
            // It is asked only where there is a hierarchy.
            let orders = self.table.policy.hierarchy.as_deref().unwrap_or_default();
            orders.iter().any(|order| order.first() == Some(*name))
        };
        if self.table.policy.hierarchy.is_some()
            && let Some(name) = self.groups.iter().find(|name| !leads(name))
        {
            let reason = "the outermost column of no order in the policy's hierarchy";
            return refused(format!("`{name}` is {reason}"));
        }
        let groups = self.groups();
        if groups.len() > MAX_GROUPS {
            return refused(format!("more than {MAX_GROUPS} groups"));
        }
        // Names of claims are names of files.
        let names: BTreeSet<&String> = groups.iter().map(|group| &group.name).collect();
        if names.len() < groups.len() || names.iter().any(|name| name.len() > MAX_NAME_LEN) {
            return refused("two groups are spelled alike, or a name is too long".to_owned());
        }
        Ok(())
    }

    /// The position of the value column among the table's.
    pub fn column(&self) -> Option<u16> {
        let position = self.table.values.iter().position(|column| column.name == self.value);
        // A schema has fewer columns than a `u16` counts.
        position.and_then(|position| position.try_into().ok())
    }

    /// Everybody, and then the groups of each column in the order of its values.
    pub fn groups(&self) -> Vec<Group> {
        let everybody =
            Group { restriction: None, label: "Everybody".to_owned(), name: "all".to_owned() };
        let columns = self.groups.iter().filter_map(|name| {
            self.table.types.iter().enumerate().find(|(_, column)| column.name == *name)
        });
        let of_column = columns.flat_map(|(position, column)| {
            let labels = match &column.kind {
                TypeKind::Bool => {
                    ["no", "yes"].map(|value| format!("{}: {value}", column.name)).into()
                }
                TypeKind::Enum(labels) => labels.clone(),
                TypeKind::U32 | TypeKind::U64 => Vec::new(),
            };
            (0..).zip(labels).map(move |(code, label)| Group {
                restriction: Some((position, code)),
                name: format!("{}-{}", plain(&column.name), plain(&label)),
                label,
            })
        });
        std::iter::once(everybody).chain(of_column).collect()
    }

    /// A group's rows of one year.
    pub(super) fn region(&self, group: &Group, year: u32) -> Region {
        let mut key_box = KeyBox::all(&self.table);
        if let Some((position, code)) = group.restriction
            && let Some(range) = key_box.ranges.get_mut(position)
        {
            *range = (code, code);
        }
        Region { from: year, to: year, boxes: vec![key_box] }
    }
}

/// A label as a part of a file's name.
fn plain(label: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    let words = label.split(|c: char| !is_plain(c)).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}
