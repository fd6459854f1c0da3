//! Public changes of a match that its spectators have not received yet.

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
        Self {
            published_changes: None,
            events: Vec::new(),
        }
    }
}

impl<E: Clone> UnpublishedEvents<E> {
    /// Starts collecting changes for spectators that already know this version.
    pub(crate) fn since(published_changes: u64) -> Self {
        Self {
            published_changes: Some(published_changes),
            events: Vec::new(),
        }
    }

    /// Adds public events. The decision or chance result that caused the events can be secret.
    pub(crate) fn record(&mut self, events: &[E]) {
        if self.published_changes.is_some() {
            self.events.extend_from_slice(events);
        }
    }

    /// Removes and returns the events up to the version `changes`. Returns `None` if this version
    /// was published before, if there are no spectators, or after the last update.
    pub(crate) fn take(&mut self, changes: u64, is_last: bool) -> Option<Vec<E>> {
        if self.published_changes? == changes {
            return None;
        }
        self.published_changes = (!is_last).then_some(changes);
        Some(std::mem::take(&mut self.events))
    }
}
