//! The questions of a run after the count: `tracing.toml` in the study's folder.

use std::path::{Path, PathBuf};

use ::study::{
    description::{ElectionDescription, Shuffle},
    inquiry::Plan,
};

use board::Identity;

use super::{ask::read_plan, folder::Folder, roll::Registered};
use crate::{failure::Failure, output::Output};

/// The name of the plan in a study's folder.
const PLAN: &str = "tracing.toml";

/// What a run asks, and the files that its parties need.
pub struct Questions {
    plan: Plan,
    file: PathBuf,
}

impl Questions {
    /// The questions of a study's folder, if it has any and mixes of this shuffle can be followed.
    ///
    /// # Errors
    /// [`Failure`] if the plan cannot be read, or its districts are not on the roll.
    pub fn of(
        study: &Path,
        description: &ElectionDescription,
        roll: &[Registered],
        output: &Output,
    ) -> Result<Option<Self>, Failure> {
        let file = study.join(PLAN);
        if !file.exists() {
            return Ok(None);
        }
        let obstacle = match description.shuffle {
            Shuffle::TereliusWikstrom if description.classes.is_empty() => None,
            Shuffle::TereliusWikstrom => Some("mixes of classes"),
            Shuffle::Tflsz { .. } => Some("mixes of this shuffle"),
        };
        if let Some(mixes) = obstacle {
            let reason = format!("no questions can be asked: {mixes} cannot be traced");
            output.warn(&format!("{}: {reason}", file.display()));
            return Ok(None);
        }
        let plan = read_plan(&file)?;
        let districts = plan.topics.iter().filter_map(|topic| topic.district.as_ref());
        let ends = districts.flat_map(|district| [&district.first, &district.last]);
        let ends: Vec<&String> = ends.collect();
        if let Some(name) = ends.iter().find(|name| !roll.iter().any(|voter| voter.name == ***name))
        {
            return Err(Failure::file(&file, format!("`{name}` is not on the roll"))
                .hint("raise --limit, ask about other voters, or remove the file of questions"));
        }
        Ok(Some(Self { plan, file }))
    }

    /// Writes the policy of all parties, which lets this querier ask.
    pub fn write_policy(&self, folder: &Folder, querier: &Identity) -> Result<(), Failure> {
        let limits = &self.plan.limits;
        let text = format!(
            "queriers = [\"{}\"]\nmax_questions = {}\n",
            querier.id(),
            limits.max_questions
        );
        let path = folder.policy();
        wire::write_atomic(&path, text.as_bytes()).map_err(|error| Failure::file(&path, error))
    }

    /// What a party's process is told beside board and key.
    pub fn options(&self, folder: &Folder, name: &str) -> [(&'static str, PathBuf); 3] {
        let count = PathBuf::from(self.plan.topics.len().to_string());
        [("--policy", folder.policy()), ("--journal", folder.journal(name)), ("--queries", count)]
    }

    /// What the querier's process asks.
    pub fn file(&self) -> &Path {
        &self.file
    }
}
