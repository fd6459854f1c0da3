//! Errors that end a contest, and errors of its matches.

use bridgemaster_bot_process::StartError;
use thiserror::Error;

use crate::{Exit, ExitReason, FolderError, SpecError, exit::exit_with, retry_client::CallError};

/// An error that prevents a contest from starting or continuing.
#[derive(Debug, Error)]
pub enum RunError {
    /// The spec is not valid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The contest's folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The server is unreachable or refused a call.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Writing a finished match to the journal failed.
    #[error("cannot store a finished match")]
    Journal(#[source] FolderError),
    /// A result is not valid for the statistics.
    #[error(transparent)]
    Statistics(#[from] bridgemaster_contest::ContestError),
    /// The operating system's random number generator failed.
    #[error("cannot read the operating system's random numbers; pass --seed")]
    NoRandomness,
    /// The operating system could not start the threads for built-in bots.
    #[error("cannot start the threads of the built-in bots")]
    NoThreads(#[source] std::io::Error),
    /// A task panicked or was aborted.
    #[error("an internal task failed")]
    Task(#[from] tokio::task::JoinError),
}

/// A match error that ends the contest.
#[derive(Debug, Error)]
pub(crate) enum PlayError {
    /// A bot or the machine failed in a way that has its own exit code.
    #[error("{}", .0.sentence)]
    Exit(Exit),
    /// A call to the server failed permanently.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The contest's folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The response of the server is not valid. The text continues the sentence "the server ...".
    #[error("the server {0}")]
    Server(String),
}

impl PlayError {
    /// Creates a failure with its own exit code and a sentence that recommends what to do.
    pub(crate) fn exit(reason: ExitReason, sentence: String) -> Self {
        Self::Exit(exit_with(reason, sentence))
    }

    /// Creates the failure of a bot that cannot play at all. `problem` continues the sentence
    /// "BOT: ...".
    pub(crate) fn bot_exit(reason: ExitReason, bot: &str, problem: &str) -> Self {
        let exit = exit_with(reason, format!("{bot}: {problem}"));
        Self::Exit(Exit { bot: Some(bot.to_owned()), ..exit })
    }

    /// A bot's program cannot be started.
    pub(crate) fn not_started(bot: &str, error: &StartError) -> Self {
        let problem = format!("cannot start its program: {error}");
        if error.is_machine_fault() {
            let resume = "continue with --resume once the machine has free resources";
            Self::exit(ExitReason::RefereeFault, format!("{bot}: {problem}; {resume}"))
        } else {
            Self::bot_exit(ExitReason::BotNotStarted, bot, &problem)
        }
    }

    /// Returns the exit of the contest.
    ///
    /// # Errors
    /// Returns an error if the spec is refused, or the folder cannot be read or written.
    pub(crate) fn into_exit(self) -> Result<Exit, RunError> {
        let text = self.to_string();
        match self {
            Self::Exit(exit) => Ok(exit),
            Self::Call(CallError::Refused { status, .. })
                if status.code() == tonic::Code::InvalidArgument =>
            {
                let refused =
                    SpecError::invalid("the server refused the match", status.message().to_owned());
                Err(refused.into())
            }
            Self::Call(_) | Self::Server(_) => Ok(exit_with(
                ExitReason::RefereeFault,
                format!("{text}; continue with --resume once the server is available again"),
            )),
            Self::Folder(error) => Err(error.into()),
        }
    }
}
