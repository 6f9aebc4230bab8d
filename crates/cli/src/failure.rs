//! Why a command did not succeed, and what to do about it.

use std::{fmt, io, path::Path, process::ExitCode};

use study::election::SessionError;

/// What a command ends with if it does not succeed.
#[derive(Debug)]
pub struct Failure {
    is_false: bool,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A claim is false: exit code 1.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self { is_false: true, message: message.to_string(), hint: None }
    }

    /// The command or its input is wrong: exit code 2.
    pub fn input(message: impl fmt::Display) -> Self {
        Self { is_false: false, message: message.to_string(), hint: None }
    }

    /// A file cannot be read or written: exit code 2.
    pub fn file(path: &Path, error: impl fmt::Display) -> Self {
        Self::input(format!("{}: {error}", path.display()))
    }

    /// Adds what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do, if that is known.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether a claim is false, as opposed to wrong usage.
    pub fn is_false(&self) -> bool {
        self.is_false
    }

    /// 1 or 2.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.is_false { 1 } else { 2 })
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Failed(_) => Self::refused(error),
            SessionError::Board(::board::BoardError::Empty) => Self::input(&error)
                .hint("start an election with `subrosa election run` or `subrosa election init`"),
            other => Self::input(other),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::input(error)
    }
}
