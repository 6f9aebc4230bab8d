//! A pay survey: people's wages in a transparent table, published as figures with proofs.
//!
//! A [`SurveyDescription`] says which columns of a file of responses mean what, and carries the
//! table's schema. Two parties work on it:
//!
//! 1. The custodian holds the responses ([`read_responses`]), seals one epoch a year and publishes
//!    headers, audit bundles and the log's checkpoint; none of them shows a wage.
//! 2. The auditor ([`Auditor`]) rebuilds every epoch from what was published, checks that the log
//!    holds exactly these epochs, and signs what holds.
//! 3. The custodian answers, with the auditor's word: [`Publisher`] adds a claim to the bundle for
//!    every figure, and [`Cell`]s for the report say which claim bears which number out.
//!
//! Figures about fewer people than the policy's `min_count` are withheld. Medians are also withheld for groups in which
//! fewer people have some combination of types. The groups of one column overlap with the group of everybody and with
//! those of other columns. So that nobody learns values by subtraction, the policy has a hierarchy in which each column
//! is the first of an order. Without a hierarchy, readers who compare figures may learn single values.
//!
//! ```
//! use study::survey::{SurveyDescription, read_responses};
//!
//! let survey = SurveyDescription::from_toml(r#"
//!     title = "Bakers"
//!     summary = "What bakers earn."
//!     source = "Made up."
//!     licence = "CC0"
//!     person = "id"
//!     year = "year"
//!     value = "wage"
//!     groups = ["sex"]
//!
//!     [table]
//!     table = "bakers"
//!     key_period = 10
//!     seal_deadline = 86400
//!     types = [{ name = "sex", kind = { enum = ["women", "men"] } }]
//!     values = [{ name = "wage", unit = "EUR", scale = 2, min = 1, max = 9999, ordered = true }]
//!
//!     [table.policy]
//!     min_count = 5
//!     quantiles = [{ part = 1, whole = 2 }]
//!     hierarchy = [["sex"]]
//! "#)?;
//! let file = "id,year,sex,wage\nada,2024,women,21.50\n";
//! let responses = read_responses(&survey, file.as_bytes(), None)?;
//! // Committed values are offsets from the least value, in steps of the scale.
//! assert_eq!(responses[&2024][0].values, [2149]);
//! # Ok::<(), study::survey::SurveyError>(())
//! ```

mod auditor;
mod description;
mod error;
mod publish;
mod responses;

pub use auditor::Auditor;
pub use description::{Group, SurveyDescription};
pub use error::SurveyError;
pub use publish::{Cell, Number, PublishError, Publisher, Share};
pub use responses::{MAX_YEARS, Responses, read_responses};
