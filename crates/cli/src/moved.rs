//! Commands by the names that they had before: for one release, they answer with the new ones.

use std::path::Path;

use crate::failure::Failure;

/// Whatever followed the old name.
#[derive(clap::Args)]
pub struct Words {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<String>,
}

impl Words {
    /// Says what `subrosa study` is called now: by the command, or by what the folder holds.
    pub fn study(&self) -> Failure {
        let mut words = self.words.iter().map(String::as_str);
        let is_survey = match words.next() {
            Some("audit") => true,
            Some("run") => words.any(|word| Path::new(word).join("survey.toml").exists()),
            _ => false,
        };
        let new = if is_survey { "subrosa survey" } else { "subrosa election" };
        self.now("subrosa study", new)
    }

    /// Says what `old` is called now, with what followed it.
    pub fn now(&self, old: &str, new: &str) -> Failure {
        let line: Vec<&str> =
            std::iter::once(new).chain(self.words.iter().map(String::as_str)).collect();
        Failure::input(format!("`{old}` is `{new}` now")).hint(format!("run `{}`", line.join(" ")))
    }
}
