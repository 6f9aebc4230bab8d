//! Why a command did not succeed, and what to do about it.

use std::{any::Any, fmt, io, path::Path, process::ExitCode};

use ::board::{AppendError, BoardError};
use ::log::FollowError;
use serde::Serialize;
use serde_json::{Value, json};
use study::{replay::SessionError, tracing::Failed};
use wire::{ChannelError, CheckName};

/// How a command ends that does not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// A claim is false: exit code 1.
    Refused = 1,
    /// The command or its input is wrong: exit code 2.
    Input = 2,
    /// Another party, the network or this machine does not do its part, and may later: exit code 3.
    Environment = 3,
    /// Nothing is wrong, and what was asked for is not established: not checked, not audited, or resting on
    /// what only its reader can know. Exit code 4.
    Unestablished = 4,
    /// Another party, or a policy, refuses for good: exit code 5.
    Declined = 5,
}

/// What a command ends with if it does not succeed.
#[derive(Debug)]
pub struct Failure {
    end: End,
    message: String,
    hint: Option<String>,
    /// The check of the specification that fails, if one does.
    check: Option<CheckName>,
    /// Whether people are told that check.
    is_explained: bool,
    /// For machines, what there is besides.
    result: Value,
}

impl Failure {
    fn new(end: End, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self { end, message, hint: None, check: None, is_explained: false, result: json!({}) }
    }

    /// A claim is false.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self::new(End::Refused, message)
    }

    /// The command or its input is wrong.
    pub fn input(message: impl fmt::Display) -> Self {
        Self::new(End::Input, message)
    }

    /// Another party, the network or this machine does not do its part.
    pub fn environment(message: impl fmt::Display) -> Self {
        Self::new(End::Environment, message)
    }

    /// Nothing is wrong, and what was asked for is not established.
    pub fn unestablished(message: impl fmt::Display) -> Self {
        Self::new(End::Unestablished, message)
    }

    /// Another party, or a policy, refuses, and asking again is no use.
    pub fn declined(message: impl fmt::Display) -> Self {
        Self::new(End::Declined, message)
    }

    /// A query to servers that came to nothing: refused, or spoiled by one of them.
    pub fn query(why: &Failed) -> Self {
        let end = match why {
            Failed::Refused { .. } => End::Declined,
            Failed::Spoiled(_) => End::Refused,
        };
        Self::new(end, format!("the query failed: {why}"))
    }

    /// A file cannot be read or written, or is not what it must be.
    pub fn file(path: &Path, error: impl fmt::Display + 'static) -> Self {
        let is_input = (&error as &dyn Any).downcast_ref().is_none_or(is_input);
        let end = if is_input { End::Input } else { End::Environment };
        Self::new(end, format!("{}: {error}", path.display()))
    }

    /// Another party cannot be reached, or says what it must not say; `peer` is who, or where.
    pub fn channel(peer: impl fmt::Display, error: &ChannelError) -> Self {
        let end = match error {
            ChannelError::Closed | ChannelError::CutShort | ChannelError::TimedOut => {
                End::Environment
            }
            ChannelError::Io(error) if !is_input(error) => End::Environment,
            _ => End::Input,
        };
        Self::new(end, format!("{peer}: {error}"))
    }

    /// Adds what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Names the check of the specification that fails.
    pub fn under(self, check: Option<CheckName>) -> Self {
        Self { check, ..self }
    }

    /// Tells people, too, which check fails.
    pub fn explained(self) -> Self {
        Self { is_explained: true, ..self }
    }

    /// The check that fails, where people are to be told.
    pub fn check(&self) -> Option<CheckName> {
        self.check.filter(|_| self.is_explained)
    }

    /// Adds an object that machines are told in spite of the failure.
    pub fn with_result(self, result: Value) -> Self {
        Self { result, ..self }
    }

    /// For machines: what there is in spite of the failure, and `error`.
    pub fn to_json(&self) -> Value {
        let Self { end, message, hint, check, result, .. } = self;
        let mut object = result.clone();
        if let Some(fields) = object.as_object_mut() {
            let mut error = json!({ "kind": end, "message": message, "hint": hint });
            if let (Some(check), Some(error)) = (check, error.as_object_mut()) {
                error.insert("check".to_owned(), check.as_str().into());
            }
            fields.insert("error".to_owned(), error);
        }
        object
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do, if that is known.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// How the command ends.
    pub fn end(&self) -> End {
        self.end
    }

    /// 1 to 5.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.end as u8)
    }
}

/// Whether an error says that the command or its files are wrong, and not that the disk is full or nobody
/// listens.
fn is_input(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(
        error.kind(),
        NotFound
            | PermissionDenied
            | AlreadyExists
            | NotADirectory
            | IsADirectory
            | DirectoryNotEmpty
            | InvalidInput
            | InvalidData
            | InvalidFilename
            | FileTooLarge
            | UnexpectedEof
            | Other
    )
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Failed { .. } => Self::refused(error),
            SessionError::Append(error) => error.into(),
            SessionError::Board(error) => error.into(),
            other => Self::input(other),
        }
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        match error {
            BoardError::Empty => Self::input(error).hint(
                "begin a board with `subrosa election init` or `subrosa trace init`, or run a \
                 whole election with `subrosa election run`",
            ),
            BoardError::Log(error) | BoardError::Follow(FollowError::Access(error)) => error.into(),
            BoardError::Follow(_)
            | BoardError::OtherKeeper
            | BoardError::OtherPayload { .. }
            | BoardError::WrongBoard { .. } => Self::refused(error),
            other => Self::input(other),
        }
    }
}

impl From<AppendError> for Failure {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Log(error) => error.into(),
            AppendError::Board(error) => error.into(),
            AppendError::Promised => Self::environment(error),
            AppendError::Restored { .. } => Self::declined(error),
            _ => Self::input(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match is_input(&error) {
            true => Self::input(error),
            false => Self::environment(error),
        }
    }
}
