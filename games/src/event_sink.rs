//! Where the events of a game go.

/// Takes the public events of a game as they happen.
pub trait EventSink<E> {
    /// Takes one event.
    fn push(&mut self, event: E);
}

impl<E> EventSink<E> for Vec<E> {
    fn push(&mut self, event: E) {
        Vec::push(self, event);
    }
}

/// An [`EventSink`] that drops everything: for search and playouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl<E> EventSink<E> for NoEvents {
    fn push(&mut self, _event: E) {}
}
