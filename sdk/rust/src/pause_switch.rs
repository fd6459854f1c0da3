//! Pauses a bot that attends a queue.

use std::sync::Arc;

use tokio::sync::watch;

/// Pauses a bot that attends a queue, and lets it go on: while it pauses it is offered nothing, and
/// its matches in play go on. Clones are one switch, which any thread may turn.
///
/// It is kept by the bot, so a bot that pauses still does when the server was started again.
#[derive(Clone, Debug)]
pub struct PauseSwitch(Arc<watch::Sender<bool>>);

impl PauseSwitch {
    /// Has the bot pause.
    pub fn pause(&self) {
        self.0.send_replace(true);
    }

    /// Lets the bot go on.
    pub fn resume(&self) {
        self.0.send_replace(false);
    }

    /// Whether the bot pauses, or will as soon as the server is told.
    pub fn is_paused(&self) -> bool {
        *self.0.borrow()
    }

    /// How it stands, and how it is turned from now on.
    pub(crate) fn follow(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for PauseSwitch {
    /// One by which the bot does not pause.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}
