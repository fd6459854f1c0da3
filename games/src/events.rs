//! The receivers of events, and the macro that declares the events of a game with their transcript
//! lines.

/// Declares the events of a game as a table. Each event has its fields and its transcript line,
/// which becomes part of its documentation. The line may name the fields. Other values follow in
/// parentheses.
macro_rules! events {
    ($(#[$doc:meta])* $name:ident { $(
        $(#[$of_event:meta])*
        $event:ident $({ $($field:ident: $type:ty),+ $(,)? })?
        = $line:literal $(($($shown:expr),+ $(,)?))?,
    )* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $(
                $(#[$of_event])*
                #[doc = ""]
                #[doc = concat!("Transcript: `", $line, "`")]
                $event $({ $(
                    #[allow(missing_docs, reason = "documented by its name, or by the transcript")]
                    $field: $type,
                )+ })?,
            )*
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$event $({ $($field),+ })? => {
                        $($(let _ = $field;)+)?
                        write!(f, $line $(, $($shown),+)?)
                    })*
                }
            }
        }
    };
}
pub(crate) use events;

/// Joins items with commas; returns `none` if there are none.
pub(crate) fn listed<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    joined(items, ", ", "none")
}

/// Joins items with a separator; returns `nothing` if there are none.
pub(crate) fn joined<T: std::fmt::Display>(
    items: impl IntoIterator<Item = T>,
    between: &str,
    nothing: &str,
) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { nothing.to_owned() } else { items.join(between) }
}

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
