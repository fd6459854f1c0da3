//! Results of check scripts.

use super::report::Failure;

/// The result of a script or of one of its steps.
pub(super) type Verdict<T> = Result<T, StopReason>;

/// The reason why a script stopped early.
#[derive(Debug)]
pub(super) enum StopReason {
    /// The bot failed the check.
    Failed(Failure),
    /// The check did not apply to the match.
    Skipped(String),
    /// An error that the bot did not cause prevented the check.
    Broken(String),
}

/// Creates a failure that the bot caused. `section` is a heading in PROTOCOL.md.
pub(super) fn failed(
    expected: impl Into<String>,
    seen: impl Into<String>,
    section: &'static str,
) -> StopReason {
    StopReason::Failed(Failure {
        expected: expected.into(),
        seen: seen.into(),
        section,
        stderr: String::new(),
    })
}

impl StopReason {
    /// Replaces the PROTOCOL.md section that a failure refers to.
    pub(super) fn with_section(self, section: &'static str) -> Self {
        match self {
            Self::Failed(failure) => Self::Failed(Failure { section, ..failure }),
            other => other,
        }
    }
}
