//! How a version of a bot stands in a queue.

/// What who runs a queue says of a version of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is offered seats.
    #[default]
    Active,
    /// The same, and it is not known yet whether it works.
    Validating {
        /// How it failed the last match that was to show it, for people.
        failed: Option<String>,
    },
    /// It failed too often, and is offered none.
    Benched {
        /// Why, for people.
        detail: String,
    },
}
