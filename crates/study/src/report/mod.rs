//! The page that a clerk publishes: the result, how it came about, and how to check it.
//!
//! [`ReportData::to_html`] makes one file that loads nothing and runs no script. The same data
//! gives the same bytes. Every text is escaped: names and reasons may be hostile.
//!
//! [`SurveyReport`] does the same for a pay survey.
//!
//! The rule that [decides](crate::description::Question::decides) makes the headline; other counts are information.

mod answers;
mod charts;
mod classes;
mod counts;
mod data;
pub mod format;
mod page;
mod people;
mod process;
mod results;
mod survey;

pub use data::{
    Answer, Asked, Bundle, Check, Class, NamedDigest, Participation, Parties, Phase, Refused,
    ReportData, Step,
};
pub use survey::SurveyReport;
