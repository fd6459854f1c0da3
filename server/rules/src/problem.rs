//! Refusals of calls and operations, and the limits that they name. The server also limits each
//! caller's total work.

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
        Self { reason, field: field.into(), detail: detail.into() }
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

/// The maximum number of decisions in a position, and in one operation that applies decisions. Even
/// the longest matches have far fewer decisions.
pub const MAX_DECISIONS: usize = 2_000;

/// The maximum number of operations in one session request. It is enough to copy a position, apply
/// a decision and start playouts for each of some 300 legal decisions.
pub const MAX_OPERATIONS: usize = 1_000;

/// The maximum number of playouts in one operation. This many random playouts take several seconds.
/// Greedy playouts are limited by the caller's budget of processor time.
pub const MAX_PLAYOUTS: u32 = 10_000;

/// The maximum number of samples in one call.
pub const MAX_SAMPLES: u32 = 1_000;

/// The maximum number of decisions or texts that one call converts. It is enough for the legal
/// lists of most games.
pub const MAX_CONVERSIONS: usize = 1_000;

/// The maximum size of one response, in bytes. It is enough for the places and scores of 10,000
/// two-seat playouts. In memory, a response takes several times this size.
pub const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// The maximum memory size of one position in a session, in bytes.
pub const POSITION_BYTES: usize = 32 * 1024;

/// The maximum number of decisions in one playout. A match of any game has about a hundredth of
/// this number. The limit stops playouts that would never end, because their state came from
/// outside and is invalid.
pub(crate) const MAX_PLAYOUT_DECISIONS: usize = 20_000;
