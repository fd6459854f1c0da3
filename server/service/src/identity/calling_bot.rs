//! Identification of the started bot that made a call to a private server.

use std::sync::Arc;

use parking_lot::Mutex;

/// The bot that made a refused call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallingBot {
    /// The bot in a seat, identified by a ticket that was presented on the same connection.
    Seat {
        /// The identifier of the match.
        match_id: String,
        /// The number of the seat, from 0.
        seat: u32,
    },
    /// The bot whose key has this name.
    Key(String),
    /// A bot that presented neither a ticket nor a key.
    Unknown,
}

/// The bot whose ticket was last presented on a connection. This value belongs to the connection,
/// so a later connection from the same port is not mistaken for the same bot. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionBot(Arc<Mutex<Option<CallingBot>>>);

impl ConnectionBot {
    pub(crate) fn set(&self, bot: CallingBot) {
        *self.0.lock() = Some(bot);
    }

    pub(crate) fn get(&self) -> Option<CallingBot> {
        self.0.lock().clone()
    }
}
