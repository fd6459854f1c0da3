//! Errors that end a contest, and errors of its matches.

use bridgemaster_bot_process::StartError;
use thiserror::Error;

use crate::{FolderError, JournalError, SpecError, retry_client::CallError};

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
    Journal(#[from] JournalError),
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
pub enum PlayError {
    /// A bot's program cannot be started.
    #[error("{bot}: cannot start its program: {source}")]
    Start {
        /// The bot's name in the contest.
        bot: String,
        /// The cause, with advice.
        source: StartError,
    },
    /// A bot exited before it took its seat, without having taken any seat in this contest before.
    #[error("{bot}: exited before it took its seat ({status}){hint}")]
    EndedEarly {
        /// The bot's name in the contest.
        bot: String,
        /// The process's exit code or signal.
        status: String,
        /// Possible causes, and the end of the bot's standard error.
        hint: String,
    },
    /// The `games` in a bot's Hello do not contain the game, and the bot has never taken a seat.
    #[error(
        "{bot}: does not play {game}: the `games` of its Hello do not list it; pass another game \
         with --game, or another bot{hint}"
    )]
    OtherGame {
        /// The bot's name in the contest.
        bot: String,
        /// The game's identifier.
        game: String,
        /// The end of the bot's standard error.
        hint: String,
    },
    /// A bot ran out of memory before it took its seat, without having taken any seat in this
    /// contest before.
    #[error(
        "{bot}: ran out of memory before it took its seat; --bot-memory allows {allowed}; raise \
         it, or reduce the memory that the bot needs at startup{hint}"
    )]
    OutOfMemory {
        /// The bot's name in the contest.
        bot: String,
        /// The memory limit, such as `512 MiB`.
        allowed: String,
        /// The end of the bot's standard error.
        hint: String,
    },
    /// A bot did not connect in time, and has never taken a seat in this contest.
    #[error(
        "{bot}: did not connect within {startup_ms} ms of its start. A bot connects to \
         BRIDGEMASTER_SERVER with the ticket in BRIDGEMASTER_TICKET; `bridgemaster check-bot` \
         shows which step fails{hint}"
    )]
    NeverConnected {
        /// The bot's name in the contest.
        bot: String,
        /// The time limit, in ms.
        startup_ms: u32,
        /// The end of the bot's standard error.
        hint: String,
    },
    /// A bot's file has changed.
    #[error(
        "{file} changed since the contest started: {change}. Its results would mix two different \
         bots. Restore the old file and continue with --resume, start another contest, or continue \
         with --resume FOLDER --bot-changed allow, which the report records"
    )]
    BotChanged {
        /// The bot and its changed file.
        file: String,
        /// The old and the new checksum.
        change: String,
    },
    /// A bot whose process was to be reused did not attend its queue.
    #[error(
        "{bot}: did not attend within {startup_ms} ms of its start ({cause}). With --reuse, a bot \
         attends the queue in BRIDGEMASTER_QUEUE with the key in BRIDGEMASTER_KEY, as bots of the \
         SDKs do; without --reuse, it is started for each match"
    )]
    NotAttending {
        /// The bot's name in the contest.
        bot: String,
        /// The time limit, in ms.
        startup_ms: u32,
        /// The server's response to the request for a reservation.
        cause: String,
    },
    /// The server refused a call permanently, or is unreachable.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A contest file cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The server violated the protocol.
    #[error("the server {0}")]
    Server(String),
}
