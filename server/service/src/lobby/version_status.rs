//! The status of a bot's version in a queue: active, in validation, or benched.

/// The status of a bot version, as set by the queue's owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum VersionStatus {
    /// The version is offered seats.
    #[default]
    Active,
    /// The version is offered seats, but has not yet passed a validation match.
    Validating {
        /// The reason why the version failed its last validation match, for people.
        failed: Option<String>,
    },
    /// The version failed too often, and is not offered seats.
    Benched {
        /// The reason, for people.
        detail: String,
    },
}
