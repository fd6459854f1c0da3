//! What those who watch a match were not told yet.

/// What happened since the last news.
#[derive(Debug)]
pub(crate) struct Untold<E> {
    /// Changes of what everybody may know, as of the last news; `None` while nobody watches.
    told_changes: Option<u64>,
    events: Vec<E>,
}

/// Nobody watches.
impl<E> Default for Untold<E> {
    fn default() -> Self {
        Self {
            told_changes: None,
            events: Vec::new(),
        }
    }
}

impl<E: Clone> Untold<E> {
    /// Somebody watches who knows of so many changes.
    pub(crate) fn since(told_changes: u64) -> Self {
        Self {
            told_changes: Some(told_changes),
            events: Vec::new(),
        }
    }

    /// Takes note of what happened. The decision or the result of chance itself may be secret.
    pub(crate) fn happened(&mut self, events: &[E]) {
        if self.told_changes.is_some() {
            self.events.extend_from_slice(events);
        }
    }

    /// What happened, now that there are so many changes; `None` if there are no more than were told,
    /// and while nobody watches. After the last nobody does.
    pub(crate) fn take(&mut self, changes: u64, is_last: bool) -> Option<Vec<E>> {
        if self.told_changes? == changes {
            return None;
        }
        self.told_changes = (!is_last).then_some(changes);
        Some(std::mem::take(&mut self.events))
    }
}
