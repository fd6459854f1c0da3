//! How a check ends early.

use super::report::Failure;

/// What a script gives.
pub(super) type Verdict<T> = Result<T, Stop>;

/// Why a script stopped before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The bot failed the check.
    Failed(Failure),
    /// The match gave no occasion for the check.
    Skipped(String),
    /// The check itself could not be carried out.
    Broken(String),
}

/// A failure of the bot; `section` is a heading of PROTOCOL.md.
pub(super) fn failed(
    expected: impl Into<String>,
    seen: impl Into<String>,
    section: &'static str,
) -> Stop {
    Stop::Failed(Failure {
        expected: expected.into(),
        seen: seen.into(),
        section,
        stderr: String::new(),
    })
}

impl Stop {
    /// A failure that another section of PROTOCOL.md is about.
    pub(super) fn about(self, section: &'static str) -> Self {
        match self {
            Self::Failed(failure) => Self::Failed(Failure { section, ..failure }),
            other => other,
        }
    }
}
