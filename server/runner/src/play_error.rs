//! Why a match of a contest cannot be played.

use std::io;

use thiserror::Error;

use crate::{FolderError, calls::DeskError};

/// Why a match cannot be played, and with it the contest.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The system cannot start the program of a bot.
    #[error(
        "{bot}: its program cannot be started: {source}. Look at the path, and whether it may be \
         executed"
    )]
    Start {
        /// The bot's name.
        bot: String,
        /// What the system says.
        source: io::Error,
    },
    /// A bot that never played ended before it took its seat.
    #[error("{bot}: it ended before it took its seat ({how}){hint}")]
    Left {
        /// The bot's name.
        bot: String,
        /// How it ended.
        how: String,
        /// What may be wrong, and the end of its standard error.
        hint: String,
    },
    /// A bot that never played says that it does not play the game.
    #[error(
        "{bot}: it does not play {game}: the `games` of its Hello do not name it. Name another \
         game with --game, or another bot{hint}"
    )]
    OtherGame {
        /// The bot's name.
        bot: String,
        /// The game.
        game: String,
        /// The end of its standard error.
        hint: String,
    },
    /// A bot that never played ran out of memory before it took its seat.
    #[error(
        "{bot}: it ran out of memory before it took its seat. --bot-memory allows {allowed} for \
         its data; allow more, or let it load less{hint}"
    )]
    OutOfMemory {
        /// The bot's name.
        bot: String,
        /// The memory that it had.
        allowed: String,
        /// The end of its standard error.
        hint: String,
    },
    /// A bot that never played did not connect in time.
    #[error(
        "{bot}: it was started and did not connect within {startup_ms} ms. A bot connects to \
         BRIDGEMASTER_SERVER with the ticket of BRIDGEMASTER_TICKET; `bridgemaster check-bot` \
         shows how far it comes{hint}"
    )]
    NeverConnected {
        /// The bot's name.
        bot: String,
        /// The time that it had, in ms.
        startup_ms: u32,
        /// The end of its standard error.
        hint: String,
    },
    /// The server refuses the match for good, or is gone.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// A file cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The server does what no server should.
    #[error("the server {0}")]
    Server(String),
}
