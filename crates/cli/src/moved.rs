//! Commands and arguments by the names that they had before. For one release, a command with an old name prints the new
//! name, and an argument with an old name is accepted.

use std::{ffi::OsString, path::Path};

use clap::Command;

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
        Failure::input(format!("`{old}` is now called `{new}`"))
            .hint(format!("run `{}`", line.join(" ")))
    }
}

/// Commands (`""` is any), options that they had before, and which of their operands these are now.
const OPERANDS: [(&str, &str, usize); 19] = [
    ("", "--in", 0),
    ("election register", "--description", 0),
    ("election init", "--description", 0),
    ("election cast", "--ballots", 0),
    ("election ask", "--plan", 0),
    ("election parameters", "--ceremony", 0),
    ("survey audit", "--published", 0),
    ("trace submit", "--text", 0),
    ("trace query read", "--query", 0),
    ("trace query complain", "--query", 0),
    ("ceremony phase2 new", "--circuit", 0),
    ("snark verify", "--proof", 0),
    ("snark set-membership commit", "--value", 0),
    ("snark set-membership accumulate", "--set", 0),
    ("snark set-membership witness", "--set", 0),
    ("snark set-membership non-member", "--set", 0),
    ("snark set-membership key", "--key", 0),
    ("snark set-membership verify", "--proof", 0),
    ("snark set-membership publish", "--proof", 0),
];

/// A process's arguments with options that are operands now in their place.
pub fn modern(root: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let (path, start) = command_of(root, &arguments);
    let mut operands: Vec<(usize, OsString)> = Vec::new();
    for (command, option, place) in OPERANDS {
        if command.is_empty() || command == path {
            operands.extend(take(&mut arguments, start, option).map(|value| (place, value)));
        }
    }
    operands.sort_by_key(|(place, _)| *place);
    let operands = operands.into_iter().map(|(_, value)| value);
    arguments.splice(start..start, operands);
    arguments
}

/// The command that arguments begin with, and where its own begin.
fn command_of(root: &Command, arguments: &[OsString]) -> (String, usize) {
    let (mut command, mut path, mut start) = (root, Vec::new(), 1.min(arguments.len()));
    for (index, argument) in arguments.iter().enumerate().skip(1) {
        if argument == "--json" {
            continue;
        }
        let Some(found) = argument.to_str().and_then(|word| command.find_subcommand(word)) else {
            break;
        };
        (command, start) = (found, index + 1);
        path.push(found.get_name());
    }
    (path.join(" "), start)
}

/// Takes an option and its value out.
fn take(arguments: &mut Vec<OsString>, start: usize, option: &str) -> Option<OsString> {
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    for index in start..end {
        // What is no text is none of these options.
        let argument = arguments.get(index)?.to_str().unwrap_or_default();
        if argument == option && index + 1 < end {
            arguments.remove(index);
            return Some(arguments.remove(index));
        }
        let value = argument.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
        if let Some(value) = value.map(OsString::from) {
            arguments.remove(index);
            return Some(value);
        }
    }
    None
}
