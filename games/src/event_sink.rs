//! The trait for types that receive a game's events.

/// Receives a game's public events as they happen.
pub trait EventSink<E> {
    /// Receives the next event of the match.
    fn push(&mut self, event: E);
}

impl<E> EventSink<E> for Vec<E> {
    fn push(&mut self, event: E) {
        Vec::push(self, event);
    }
}

/// An [`EventSink`] that drops every event. Used in searches and playouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl<E> EventSink<E> for NoEvents {
    fn push(&mut self, _event: E) {}
}
