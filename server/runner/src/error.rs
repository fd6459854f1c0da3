//! Validation errors in a contest spec.

use bridgemaster_contest::ContestError;
use thiserror::Error;

/// A validation error in a contest spec. Each message names the invalid entry and the valid values.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SpecError {
    /// The game is unknown; the second field lists the known games.
    #[error("match.game: unknown game {0:?}; known games: {1}")]
    Game(String, String),
    /// The number of seats is out of the game's range.
    #[error("match.seats: {seats} is out of range for {game} ({min}..={max})")]
    Seats {
        /// The number of seats that was requested.
        seats: u8,
        /// The game's name.
        game: String,
        /// The game's minimum number of seats.
        min: u8,
        /// The game's maximum number of seats.
        max: u8,
    },
    /// An option or its value is not valid for the game.
    #[error("match.options: {0}")]
    Option(String),
    /// An entry of `bots` is not valid.
    #[error("bot {bot:?}: {problem}")]
    Bot {
        /// The bot's name.
        bot: String,
        /// The problem, and the valid values.
        problem: String,
    },
    /// A bot's program was not found.
    #[error("bot {bot:?}: program {program:?} not found, neither at this path nor in PATH")]
    NoProgram {
        /// The bot's name in the contest.
        bot: String,
        /// The program, as named in the command.
        program: String,
    },
    /// The bots' files cannot be found or read.
    #[error("bot_files: {0}")]
    BotFiles(String),
    /// The format does not suit the bots or the number of seats.
    #[error("format: {0}")]
    Format(String),
    /// The test does not suit the format or the number of seats.
    #[error("test: {0}")]
    Test(String),
    /// A parameter of the statistics is out of range.
    #[error(transparent)]
    Statistics(#[from] ContestError),
    /// A requirement cannot be parsed, or does not suit the contest.
    #[error("requirement {text:?}: {problem}")]
    Requirement {
        /// The requirement as given by the user.
        text: String,
        /// The problem, and the valid values.
        problem: String,
    },
    /// Reusing processes requires the contest's own server.
    #[error(
        "reuse: processes can be reused only on the contest's own server; with --server, let the \
         bots attend by themselves and pass them as NAME=@KEY"
    )]
    ReuseElsewhere,
    /// A seed is not valid, or the list of seeds is empty.
    #[error("seeds: {0}")]
    Seeds(String),
    /// The server refused to create a match.
    #[error("the server refused the match: {0}")]
    Refused(String),
    /// The server requires a key from each bot, but the contest has no key to pass to its bots.
    #[error(
        "the server requires an API key from each bot, and bots never get the contest's key; \
         add --bot-key KEY, a key with the `play` scope"
    )]
    BotKeyMissing,
    /// There are fewer cores than bots that play concurrently.
    #[error(
        "affinity: {concurrency} concurrent matches of {seats} bots need {} cores, and {cores} are \
         available; lower the concurrency or omit affinity",
        .concurrency * .seats
    )]
    Cores {
        /// The number of concurrent matches.
        concurrency: usize,
        /// The number of bots per match.
        seats: usize,
        /// The number of available cores.
        cores: usize,
    },
    /// The operating system does not support this entry of the spec.
    #[error("{0} is supported on Linux only; omit it")]
    Unsupported(&'static str),
    /// A number is out of range.
    #[error("{field}: {value} is out of range ({valid})")]
    OutOfRange {
        /// The entry's name.
        field: &'static str,
        /// The given number, as text.
        value: String,
        /// The valid range, as text.
        valid: &'static str,
    },
}
