//! Events, and the line that tells each.

/// Declares the events of a game, as a table: of each its fields, and its line in a transcript,
/// which is its documentation too. The line may name the fields; what else it shows follows in
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
                #[doc = concat!("Told as: `", $line, "`")]
                $event $({ $(
                    #[allow(missing_docs, reason = "its name and type tell, or the event's text")]
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

/// Items with commas between them, or `none`.
pub(crate) fn listed<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    joined(items, ", ", "none")
}

/// Items with something between them, or the word for no item.
pub(crate) fn joined<T: std::fmt::Display>(
    items: impl IntoIterator<Item = T>,
    between: &str,
    nothing: &str,
) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.is_empty() {
        true => nothing.to_owned(),
        false => items.join(between),
    }
}
