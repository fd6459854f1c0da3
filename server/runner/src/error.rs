//! Errors in a contest's spec and folder.

use std::{io, path::PathBuf};

use bridgemaster_contest::ContestError;
use thiserror::Error;

/// A validation error in a contest spec. Each message names the invalid entry and the valid values.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SpecError {
    /// An entry of the spec is not valid, or does not suit the rest of the contest.
    #[error("{field}: {problem}")]
    Invalid {
        /// The entry's name.
        field: String,
        /// The problem, and the valid values.
        problem: String,
    },
    /// An option or its value is not valid for the game.
    #[error("match.options: {0}")]
    Option(String),
    /// A bot's program was not found.
    #[error("bot {bot:?}: program {program:?} not found, neither at this path nor in PATH")]
    NoProgram {
        /// The bot's name in the contest.
        bot: String,
        /// The program, as named in the command.
        program: String,
    },
    /// A parameter of the statistics is out of range.
    #[error(transparent)]
    Statistics(#[from] ContestError),
    /// The server requires a key from each bot, but the contest has no key to pass to its bots.
    #[error(
        "the server requires an API key from each bot, and bots never get the contest's key; \
         add --bot-key KEY, a key with the `play` scope"
    )]
    BotKeyMissing,
    /// The operating system does not support this entry of the spec.
    #[error("{0} is supported on Linux only; omit it")]
    Unsupported(&'static str),
}

impl SpecError {
    /// Creates the error for an invalid entry.
    pub(crate) fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), problem: problem.into() }
    }

    /// Creates the error for a number that is out of range.
    pub(crate) fn out_of_range(field: &str, value: impl ToString, valid: &str) -> Self {
        Self::invalid(field, format!("{} is out of range ({valid})", value.to_string()))
    }

    /// Creates the error for a contest on another server that reuses bot processes.
    pub fn reuse_elsewhere() -> Self {
        Self::invalid(
            "reuse",
            "processes can be reused only on the contest's own server; with --server, let the \
             bots attend by themselves and pass them as NAME=@KEY",
        )
    }
}

/// An error while reading or writing a contest's folder.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder contains a contest although it must not, contains none although it must, or its
    /// spec or identity file cannot be parsed.
    #[error("{}{problem}", path.display())]
    Unsuitable {
        /// Path of the file or folder.
        path: PathBuf,
        /// The rest of the message.
        problem: String,
    },
    /// A file or folder cannot be created, read or written.
    #[error("{}", path.display())]
    File {
        /// Path of the file or folder.
        path: PathBuf,
        /// The underlying I/O error.
        source: io::Error,
    },
    /// The stored spec is not valid.
    #[error(transparent)]
    Check(#[from] SpecError),
    /// Another process has locked the journal of finished matches.
    #[error("{}: another process is running this contest", .0.display())]
    InUse(PathBuf),
    /// A line of the journal before the last one is corrupt. An incomplete last line is not an
    /// error, since a crash can leave one.
    #[error(
        "{}: line {line} is corrupt; delete it and all later lines to play their matches again",
        path.display()
    )]
    CorruptLine {
        /// The journal's path.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
    },
    /// The finished matches are not consistent with the contest.
    #[error("the finished matches are not consistent with the contest: {0}")]
    Results(#[from] bridgemaster_contest::ContestError),
}

impl FolderError {
    /// Creates the error for a file that cannot be parsed.
    pub(crate) fn unreadable(path: PathBuf, problem: String) -> Self {
        Self::Unsuitable { path, problem: format!(": {problem}") }
    }
}
