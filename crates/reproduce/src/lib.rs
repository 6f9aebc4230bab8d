//! Regenerates the figures of the documents that Subrosa builds on, with our software.
//!
//! A [`Catalog`] of figures is data: each figure names its source, its published rows with their
//! citation, the benches that measure ours at three [`Scale`]s, and what the source claims. A
//! [`Session`] runs these benches, as child processes, and adds what they report to a file of
//! [`Results`]. [`evaluate()`] puts a figure's values side by side, divides them, and decides the
//! claims; a [`Report`] has all figures and writes them as one page and as a document.
//!
//! ```no_run
//! use reproduce::{Catalog, Peers, Report, Results, Scale, Session};
//!
//! # fn main() -> Result<(), reproduce::ReproduceError> {
//! let catalog = Catalog::load()?;
//! let figures = catalog.select(&["vole-comm".to_owned()])?;
//! let mut results = Results::open("results.json".as_ref())?;
//! let session = Session {
//!     program: "target/debug/subrosa-lab".into(),
//!     version: "0.2.0".to_owned(),
//!     machine: serde_json::json!({ "cpu": "…" }),
//!     scale: Scale::Smoke,
//!     again: false,
//!     repeat: None,
//!     peers: Peers::new("peers".as_ref()),
//! };
//! session.run(&figures, &mut results, |command, _| eprintln!("{command}"))?;
//! Report::new(&figures, &results, Scale::Smoke, "0.2.0").write("out".as_ref())?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod bench;
mod catalog;
mod claims;
mod error;
mod evaluate;
mod format;
mod markdown;
mod measure;
mod page;
mod panel;
mod peers;
mod plot;
mod report;
mod results;
mod session;
mod table;
mod write;

pub use bench::{Invocation, Scale, Variable, Variables};
pub use catalog::{Catalog, Figure, Kind, Origin, X};
pub use claims::{Outcome, Verdict};
pub use error::ReproduceError;
pub use evaluate::{Command, FigureResult, evaluate};
pub use format::{number, times};
pub use panel::{Column, PanelResult, Point, Ratio};
pub use peers::Peers;
pub use report::Report;
pub use results::{Results, Run, Status};
pub use session::{Progress, Session};
