//! What the notations of all games have in common.

use std::fmt::Display;

use thiserror::Error;

/// Most characters of a refused text that an error repeats: more than any decision has.
const MAX_QUOTED_CHARS: usize = 80;

/// Why a text is no decision.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is no decision; expected {expected}")]
pub struct NotationError {
    /// The text, cut after 80 characters.
    pub text: String,
    /// What a decision of this kind looks like.
    pub expected: &'static str,
}

impl NotationError {
    /// The refusal of a text where `expected` was.
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self {
            text: text.chars().take(MAX_QUOTED_CHARS).collect(),
            expected,
        }
    }
}

/// What was read from a text, if it is written just so. One decision has one text: what would be
/// written otherwise is refused.
pub(crate) fn exact<D: Display>(
    text: &str,
    read: Option<D>,
    expected: &'static str,
) -> Result<D, NotationError> {
    read.filter(|decision| decision.to_string() == text)
        .ok_or_else(|| NotationError::new(text, expected))
}
