//! Why a call or an operation is refused.

use bridgemaster_games::FieldError;
use bridgemaster_proto::{games::WireError, v1::RefusalReason};
use thiserror::Error;

/// Why a call or an operation is refused: the reason, the field, and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{detail}", self.lead())]
pub struct Problem {
    /// The reason, as the table of refusals has it.
    pub reason: RefusalReason,
    /// Path of the field below the request, such as `position.decisions[3].index`; empty when it
    /// is none.
    pub field: String,
    /// What is wrong, and what would be valid.
    pub detail: String,
}

impl Problem {
    /// A refusal for `reason`.
    pub fn new(reason: RefusalReason, field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            reason,
            field: field.into(),
            detail: detail.into(),
        }
    }

    /// A field whose value cannot be read or is out of range.
    pub(crate) fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RefusalReason::InvalidField, field, detail)
    }

    /// A position that cannot come about.
    pub(crate) fn impossible(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RefusalReason::PositionInvalid, field, detail)
    }

    /// A part of a message that is no value of the rules.
    pub(crate) fn wire(field: &str, error: WireError) -> Self {
        Self::invalid(error.field, error.detail).below(field)
    }

    /// A value that the rules refuse.
    pub(crate) fn rules(reason: RefusalReason, field: &str, error: FieldError) -> Self {
        Self::new(reason, error.field, error.problem).below(field)
    }

    /// The same with its field below `outer`.
    pub(crate) fn below(mut self, outer: &str) -> Self {
        self.field = match self.field.as_str() {
            "" => outer.to_owned(),
            field if field.starts_with('[') => format!("{outer}{field}"),
            field => format!("{outer}.{field}"),
        };
        self
    }

    /// The same for another reason.
    pub(crate) fn because(mut self, reason: RefusalReason) -> Self {
        self.reason = reason;
        self
    }

    fn lead(&self) -> String {
        match self.field.as_str() {
            "" => String::new(),
            field => format!("{field}: "),
        }
    }
}
