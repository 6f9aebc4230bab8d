//! What goes to standard output, for people or for machines, and what goes to standard error.

use anstream::{eprintln, println};
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Value, json};
/// A person's rendering of a count with what is counted: `1 ballot`, `2,000 ballots`.
pub use study::report::format::counted;

use crate::failure::{End, Failure};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Where a command prints. Colours follow the terminal and `NO_COLOR`.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
}

impl Output {
    /// Prints JSON or text.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether a machine reads this.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a result: the object for machines, the lines for people.
    pub fn result(&self, object: &impl Serialize, lines: impl FnOnce() -> Vec<String>) {
        if self.json {
            println!("{}", json!(object));
        } else {
            lines().iter().for_each(|line| println!("{line}"));
        }
    }

    /// Prints a verdict, and reports what keeps it from being established, if something does.
    ///
    /// # Errors
    /// The reservation, with the object.
    pub fn verdict(
        &self,
        object: Value,
        lines: impl FnOnce() -> Vec<String>,
        reservation: Option<Failure>,
    ) -> Result<(), Failure> {
        match reservation {
            Some(failure) => {
                if !self.json {
                    self.result(&object, lines);
                }
                Err(failure.with_result(object))
            }
            None => {
                self.result(&object, lines);
                Ok(())
            }
        }
    }

    /// Tells a person, on standard error, that a step is done; silent for machines.
    pub fn done(&self, what: &str, detail: &str) {
        if !self.json {
            eprintln!("{GOOD}✓{GOOD:#} {what:<16} {DIM}{detail}{DIM:#}");
        }
    }

    /// Warns on standard error.
    pub fn warn(&self, message: &str) {
        eprintln!("subrosa: {message}");
    }

    /// Reports why the command failed: on standard error, and as the result for machines.
    pub fn failure(&self, failure: &Failure) {
        if self.json {
            println!("{}", failure.to_json());
        }
        let what = match failure.end() {
            End::Refused => "refused",
            End::Unestablished => "not established",
            End::Declined => "declined",
            End::Input | End::Environment => "error",
        };
        let what = match failure.check() {
            Some(check) => format!("{what} by {check}"),
            None => what.to_owned(),
        };
        eprintln!("{ERROR}{what}:{ERROR:#} {}", failure.message());
        if let Some(advice) = failure.advice() {
            eprintln!("  {advice}");
        }
    }
}

/// A person's rendering of a number of bytes.
pub fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}

/// A person's rendering of a count, with thousands separated.
pub fn count(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}
