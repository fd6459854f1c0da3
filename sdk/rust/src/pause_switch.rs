//! A switch that pauses a bot that attends a queue.

use std::sync::Arc;

use tokio::sync::watch;

/// Pauses and resumes a bot that attends a queue. A paused bot receives no offers, but its matches
/// in progress continue. Clones share one state and can be used from any thread.
///
/// The bot's program stores the state, so the bot stays paused when the server restarts.
#[derive(Clone, Debug)]
pub struct PauseSwitch(Arc<watch::Sender<bool>>);

impl PauseSwitch {
    /// Pauses the bot: it receives no further offers.
    pub fn pause(&self) {
        self.0.send_replace(true);
    }

    /// Resumes the bot: it receives offers again.
    pub fn resume(&self) {
        self.0.send_replace(false);
    }

    /// Returns whether the switch is set to pause the bot. The server might not have received the
    /// change yet.
    pub fn is_paused(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns a receiver for the current state and its changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for PauseSwitch {
    /// Creates a switch that does not pause the bot.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}
