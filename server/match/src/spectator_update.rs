//! Updates for spectators. They are polled and not pushed, because the bots of a match have
//! priority.

use std::fmt;

use bridgemaster_proto::v1::WatchMatchResponse;

use crate::Entries;

/// A change of the public state of a match. It contains only the data; the publisher builds the
/// message later, so that bots do not wait for it.
pub struct SpectatorUpdate(Box<dyn Fn() -> WatchMatchResponse + Send + Sync>);

impl SpectatorUpdate {
    /// Creates an update from a function that builds its message.
    pub fn new(message: impl Fn() -> WatchMatchResponse + Send + Sync + 'static) -> Self {
        Self(Box::new(message))
    }

    /// Builds a new message each time it is called.
    pub fn to_message(&self) -> WatchMatchResponse {
        (self.0)()
    }
}

impl fmt::Debug for SpectatorUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpectatorUpdate").field(&self.to_message()).finish()
    }
}

/// An update that is due for a match's spectators.
#[derive(Debug)]
pub struct DueUpdate {
    /// The changes since the previous update.
    pub update: SpectatorUpdate,
    /// No further updates follow.
    pub is_last: bool,
    /// The journal position that must be stored before the update is sent.
    pub after: Entries,
}

/// The changes since the last update.
#[derive(Debug)]
pub(crate) struct UnpublishedEvents<E> {
    /// The version of the public state in the last update; `None` without spectators.
    published_changes: Option<u64>,
    events: Vec<E>,
}

/// Creates a collection for a match without spectators. It stays empty.
impl<E> Default for UnpublishedEvents<E> {
    fn default() -> Self {
        Self { published_changes: None, events: Vec::new() }
    }
}

impl<E: Clone> UnpublishedEvents<E> {
    /// Starts collecting changes for spectators that already have this version.
    pub(crate) fn since(published_changes: u64) -> Self {
        Self { published_changes: Some(published_changes), events: Vec::new() }
    }

    /// Adds public events. The decision or chance result that caused the events can be secret.
    pub(crate) fn record(&mut self, events: &[E]) {
        if self.published_changes.is_some() {
            self.events.extend_from_slice(events);
        }
    }

    /// Removes and returns the events up to the version `changes`. Returns `None` if this version
    /// was already published, if there are no spectators, or after the last update.
    pub(crate) fn take(&mut self, changes: u64, is_last: bool) -> Option<Vec<E>> {
        if self.published_changes? == changes {
            return None;
        }
        self.published_changes = (!is_last).then_some(changes);
        Some(std::mem::take(&mut self.events))
    }
}
