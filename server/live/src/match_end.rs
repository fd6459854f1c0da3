//! The end of a match, which is handled once the lock of the match is released.

use std::sync::OnceLock;

use bridgemaster_match::MatchId;
use bridgemaster_store::KeyName;

use crate::journal::CommitGate;

/// A match that has just ended.
pub(crate) struct Ended {
    /// Identifies the match.
    pub(crate) id: MatchId,
    /// The key that created the match; `None` on a server without keys.
    pub(crate) maker: Option<KeyName>,
    /// Whether the match has a replay; `false` if it was cancelled.
    pub(crate) has_replay: bool,
    /// The gate of the commit that makes the end visible.
    pub(crate) gate: Option<CommitGate>,
}

/// Handles the ends of all matches. Set when the first match is hosted.
pub(crate) type EndHandler = OnceLock<Box<dyn Fn(Ended) + Send + Sync>>;

/// The end of a match, which is handled when this value is dropped: outside the lock of the match,
/// so that listeners can use the match.
#[must_use]
pub(crate) struct PendingEnd<'a> {
    handler: &'a EndHandler,
    ended: Option<Ended>,
}

impl<'a> PendingEnd<'a> {
    /// Creates a value without an end.
    pub(crate) fn none(handler: &'a EndHandler) -> Self {
        Self { handler, ended: None }
    }

    /// Sets the end of the match.
    pub(crate) fn set(&mut self, ended: Ended) {
        self.ended = Some(ended);
    }
}

impl Drop for PendingEnd<'_> {
    fn drop(&mut self) {
        if let (Some(ended), Some(handle)) = (self.ended.take(), self.handler.get()) {
            handle(ended);
        }
    }
}
