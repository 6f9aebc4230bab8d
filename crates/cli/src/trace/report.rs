//! What a board says, printed alike for every engine.

use std::path::PathBuf;

use ::study::tracing::Fault;
use ::trace::{
    By, Direction, Exposure, IndexSet, ModulusSummary,
    policy::{Hidden, Side},
};
use serde_json::{Value, json};
use wire::Digest;

use crate::{
    failure::Failure,
    output::{self, Output},
};

/// An engine, and how far its security is proven.
#[derive(Clone, Copy)]
pub struct Standing {
    /// The engine's name.
    pub engine: &'static str,
    /// The standing.
    pub notice: &'static str,
}

impl Standing {
    /// Of an engine.
    pub fn of<E: ::trace::Engine>() -> Self {
        Self { engine: E::NAME, notice: E::NOTICE }
    }

    fn line(self) -> String {
        format!("engine {}: {}", self.engine, self.notice)
    }
}

/// Says that a board was begun.
pub fn show_begun(id: &Digest, standing: Standing, output: &Output) {
    let Standing { engine, notice } = standing;
    let object = json!({ "board": id.to_string(), "engine": engine, "notice": notice });
    output.result(&object, || vec![format!("board {id}"), standing.line()]);
}

/// Says that a submission is on the board.
pub fn show_submitted(sender: &str, number: u32, output: &Output) {
    let object = json!({ "sender": sender, "number": number });
    output.result(&object, || vec![format!("ballot {number} of {sender} is on the board")]);
}

/// A session on a board.
pub struct Report<'a> {
    /// The board.
    pub board: &'a Digest,
    /// What the session is about.
    pub title: &'a str,
    /// The engine.
    pub standing: Standing,
    /// How far the session is.
    pub stage: &'static str,
    /// The Paillier modulus, if the engine has one and it is made.
    pub modulus: Option<ModulusSummary>,
    /// The results in output order, once there are any.
    pub results: Option<Vec<String>>,
    /// The queries.
    pub queries: Vec<QueryLine>,
    /// Entries without effect.
    pub faults: &'a [Fault],
    /// Submissions that were left out, and why.
    pub left_out: &'a [String],
}

/// A query on a board.
pub struct QueryLine {
    /// Its id.
    pub id: Digest,
    /// Which way it goes.
    pub direction: Direction,
    /// How far it is.
    pub step: String,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// Complaints that hold: what servers did.
    pub complaints: Vec<String>,
}

impl Report<'_> {
    /// Prints it.
    pub fn print(&self, output: &Output) {
        output.result(&self.json(), || self.lines());
    }

    fn json(&self) -> Value {
        let queries = self.queries.iter().map(|query| {
            json!({
                "query": query.id.to_string(),
                "direction": query.direction.name(),
                "step": query.step,
                "failure": query.failure,
                "complaints": query.complaints,
            })
        });
        let faults = self.faults.iter().map(|fault| {
            let author = fault.author.to_string();
            json!({ "sequence": fault.sequence, "author": author, "reason": fault.reason })
        });
        let modulus = self.modulus.map(|ModulusSummary { bits, digest, origin }| {
            json!({ "bits": bits, "digest": digest.to_string(), "origin": origin })
        });
        json!({
            "verified": true,
            "board": self.board.to_string(),
            "title": self.title,
            "engine": self.standing.engine,
            "notice": self.standing.notice,
            "stage": self.stage,
            "modulus": modulus,
            "results": self.results,
            "queries": queries.collect::<Vec<_>>(),
            "left_out": self.left_out,
            "refused_entries": faults.collect::<Vec<_>>(),
        })
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{}: {}", self.title, self.stage), self.standing.line()];
        lines.extend(self.modulus.map(|ModulusSummary { bits, digest, origin }| {
            format!("Paillier modulus of {bits} bits, digest {digest}: {origin}")
        }));
        let results = self.results.iter().flatten().enumerate();
        lines.extend(results.map(|(row, text)| format!("{row:>6}  {text}")));
        for QueryLine { id, direction, step, failure, complaints } in &self.queries {
            let step = match failure {
                Some(reason) => format!("failed: {reason}"),
                None => step.clone(),
            };
            lines.push(format!("{} {id}: {step}", direction.name()));
            lines
                .extend(complaints.iter().map(|fault| format!("  proven by a complaint: {fault}")));
        }
        lines.extend(self.left_out.iter().map(|reason| format!("left out: {reason}")));
        for fault in self.faults {
            lines.push(format!("entry {} has no effect: {}", fault.sequence, fault.reason));
        }
        lines.push(format!("board {}", self.board));
        lines
    }
}

/// Shows what all answered queries can have revealed about a mix with outputs of these classes.
pub fn show_exposure(exposure: &Exposure, class_of: &[u32], output: &Output) {
    let rows = class_of.len();
    let hidden = |side| exposure.hidden(side, class_of, 0).zip(exposure.cells(side));
    let item = |side| {
        hidden(side).map(|(hidden, cells)| {
            json!({ "cells": cells.count(), "rows": hidden.rows, "values": hidden.values })
        })
    };
    let object = json!({
        "rows": rows,
        "questions": exposure.questions(),
        "constant": exposure.constant(),
        "inputs": item(Side::Inputs),
        "outputs": item(Side::Outputs),
    });
    output.result(&object, || {
        let line = |side: Side| match hidden(side) {
            None => format!("{}: nothing is revealed", side.name()),
            Some((Hidden { rows, values }, cells)) => format!(
                "{}: divided into {} that can be told apart; in the smallest, a row may hide among \
                 only {}, with {}",
                side.name(),
                output::counted(cells.count() as u64, "cell", "cells"),
                output::counted(rows as u64, "row", "rows"),
                output::counted(values as u64, "value", "values")
            ),
        };
        let (questions, constant) = (exposure.questions() as u64, exposure.constant() as u64);
        let answered = output::counted(questions, "question", "questions");
        let rows = output::counted(rows as u64, "row", "rows");
        let constant = output::counted(constant, "reveals", "reveal");
        let mut lines = vec![
            format!("{answered} answered about {rows}, of which {constant} nothing"),
            line(Side::Inputs),
            line(Side::Outputs),
        ];
        if [Side::Inputs, Side::Outputs].into_iter().all(|side| hidden(side).is_some()) {
            lines.push(
                "rows can be told apart on both sides: together, the answers can single rows out"
                    .to_owned(),
            );
        }
        lines
    });
}

/// An answer to one question.
pub struct Answered<'a> {
    /// The query.
    pub query: &'a Digest,
    /// The engine.
    pub standing: Standing,
    /// Which way it went.
    pub direction: Direction,
    /// What counted as the same.
    pub by: By,
    /// Rows with a yes.
    pub yes: &'a IndexSet,
    /// Rows with a no.
    pub no: &'a IndexSet,
    /// Rows of which neither is proven, if the engine has such.
    pub unproven: Option<&'a IndexSet>,
    /// Where it was published.
    pub bundle: Option<&'a PathBuf>,
}

impl Answered<'_> {
    /// Prints it.
    ///
    /// # Errors
    /// A reservation, if neither yes nor no is proven of some rows.
    pub fn print(&self, output: &Output) -> Result<(), Failure> {
        let rows = |set: &IndexSet| set.iter().collect::<Vec<_>>();
        let mut object = json!({
            "query": self.query.to_string(),
            "engine": self.standing.engine,
            "notice": self.standing.notice,
            "direction": self.direction.name(),
            "by": self.by.name(),
            "yes": rows(self.yes),
            "no": rows(self.no),
            "bundle": self.bundle,
        });
        if let (Some(fields), Some(unproven)) = (object.as_object_mut(), self.unproven) {
            fields.insert("unproven".into(), rows(unproven).into());
        }
        let unproven = self.unproven.filter(|rows| !rows.is_empty());
        let lines = || {
            let line = |what: &str, set: &IndexSet| format!("{what:<4}{:>8}  {set}", set.len());
            let mut lines = vec![
                format!("{} by {}", self.direction.name(), self.by.name()),
                line("yes", self.yes),
                line("no", self.no),
            ];
            lines.extend(unproven.map(|rows| line("neither", rows)));
            if !self.no.is_empty() {
                lines.push(self.direction.no_means().to_owned());
            }
            lines.push(self.standing.line());
            lines.extend(self.bundle.map(|path| format!("published: {}", path.display())));
            lines
        };
        let open = unproven.map(|rows| {
            Failure::unestablished(format!("neither yes nor no is proven of {} rows", rows.len()))
                .hint(
                    "a server or the senders of these rows made them unusable; do not show \
                     anybody which rows they are while you still ask queries",
                )
        });
        output.verdict(object, lines, open)
    }
}
