//! Refusals of calls and operations.

use bridgemaster_games::FieldError;
use bridgemaster_proto::{games::WireError, v1::RefusalReason};
use thiserror::Error;

/// The reason why a call or an operation is refused, with the field and the valid values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{detail}", self.field_prefix())]
pub struct Problem {
    /// The reason, as in the protocol's table of refusals.
    pub reason: RefusalReason,
    /// The path of the field, relative to the request, such as `position.decisions[3].index`; empty
    /// if no field is concerned.
    pub field: String,
    /// The problem and the valid values.
    pub detail: String,
}

impl Problem {
    /// Creates a refusal with a reason.
    pub fn new(reason: RefusalReason, field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            reason,
            field: field.into(),
            detail: detail.into(),
        }
    }

    /// Creates a refusal for a field whose value cannot be read or is out of range.
    pub(crate) fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RefusalReason::InvalidField, field, detail)
    }

    /// Creates a refusal for a position that cannot occur.
    pub(crate) fn impossible(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RefusalReason::PositionInvalid, field, detail)
    }

    /// Creates a refusal for a message part that has no equivalent in the rules.
    pub(crate) fn wire(field: &str, error: WireError) -> Self {
        Self::invalid(error.field, error.detail).below(field)
    }

    /// Creates a refusal for a value that the rules reject.
    pub(crate) fn rules(reason: RefusalReason, field: &str, error: FieldError) -> Self {
        Self::new(reason, error.field, error.problem).below(field)
    }

    /// Prefixes the field's path with `outer`.
    pub(crate) fn below(mut self, outer: &str) -> Self {
        self.field = match self.field.as_str() {
            "" => outer.to_owned(),
            field if field.starts_with('[') => format!("{outer}{field}"),
            field => format!("{outer}.{field}"),
        };
        self
    }

    /// Replaces the reason, which is `INVALID_FIELD` by default.
    pub(crate) fn with_reason(mut self, reason: RefusalReason) -> Self {
        self.reason = reason;
        self
    }

    fn field_prefix(&self) -> String {
        match self.field.as_str() {
            "" => String::new(),
            field => format!("{field}: "),
        }
    }
}
