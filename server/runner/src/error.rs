//! What is wrong with a contest that somebody asked for.

use bridgemaster_contest::ContestError;
use thiserror::Error;

/// A spec that makes no contest. Each message names the entry and what would be valid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SpecError {
    /// No such game.
    #[error("match.game: there is no game {0:?}; there are: {1}")]
    Game(String, String),
    /// A number of seats that the game does not have.
    #[error("match.seats is {seats}, and {game} has {least} to {most} seats")]
    Seats {
        /// The number.
        seats: u8,
        /// The game.
        game: String,
        /// Fewest seats.
        least: u8,
        /// Most seats.
        most: u8,
    },
    /// An option that the game does not have, or a value that it does not take.
    #[error("match.options: {0}")]
    Option(String),
    /// Something about a bot.
    #[error("bot {bot:?}: {problem}")]
    Bot {
        /// Its name.
        bot: String,
        /// What is wrong, and what would be valid.
        problem: String,
    },
    /// The program of a bot is not there.
    #[error(
        "bot {bot:?}: there is no program {program:?}, neither at this path nor in a folder of PATH"
    )]
    NoProgram {
        /// The bot's name.
        bot: String,
        /// The program.
        program: String,
    },
    /// The format does not fit the bots or the seats.
    #[error("format: {0}")]
    Format(String),
    /// The test makes no sense.
    #[error("test: {0}")]
    Test(String),
    /// A number of the statistics that is out of its range.
    #[error(transparent)]
    Statistics(#[from] ContestError),
    /// A requirement that cannot be read or held.
    #[error("requirement {text:?}: {problem}")]
    Requirement {
        /// As it was given.
        text: String,
        /// What is wrong, and what would be valid.
        problem: String,
    },
    /// Seeds that cannot be used.
    #[error("seeds: {0}")]
    Seeds(String),
    /// The server refuses the matches.
    #[error("the server refuses the match: {0}")]
    Refused(String),
    /// Fewer cores than bots that play at once.
    #[error(
        "affinity: {wanted} matches at once with {seats} bots each need {} cores, and there are \
         {cores}; lower the concurrency, or leave affinity out",
        .wanted * .seats
    )]
    Cores {
        /// Matches at once.
        wanted: usize,
        /// Bots of each.
        seats: usize,
        /// The cores that there are.
        cores: usize,
    },
    /// Something that this system does not have.
    #[error("{0}: only Linux has limits for processes; leave it out here")]
    NotHere(&'static str),
    /// Another number that is out of its range.
    #[error("{field} is {value}, and must be {valid}")]
    OutOfRange {
        /// Its name.
        field: &'static str,
        /// The number.
        value: String,
        /// What would be valid.
        valid: &'static str,
    },
}
