//! Refusals of calls and operations, and the limits that they name. The server also limits each
//! caller's total work.

use bridgemaster_games::FieldError;
use bridgemaster_proto::v1::RefusalReason;
use thiserror::Error;

/// The reason why a call or an operation is refused, with the field and the valid values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct Problem {
    /// The reason, as in the protocol's table of refusals.
    pub reason: RefusalReason,
    /// The path of the field, relative to the request, such as `position.decisions[3].index`, and
    /// the problem. The path is empty if no field is concerned.
    pub error: FieldError,
}

impl Problem {
    /// Creates a refusal with a reason.
    pub fn new(reason: RefusalReason, field: impl Into<String>, problem: impl ToString) -> Self {
        Self { reason, error: FieldError::new(field, problem) }
    }

    /// Creates a refusal for a field whose value cannot be read or is out of range.
    pub(crate) fn invalid(field: impl Into<String>, problem: impl ToString) -> Self {
        Self::new(RefusalReason::InvalidField, field, problem)
    }

    /// Creates a refusal for a position that cannot occur.
    pub(crate) fn impossible(field: impl Into<String>, problem: impl ToString) -> Self {
        Self::new(RefusalReason::PositionInvalid, field, problem)
    }

    /// Creates a refusal for a value below `field` that is malformed or that the rules reject.
    pub(crate) fn rules(reason: RefusalReason, field: &str, error: FieldError) -> Self {
        Self { reason, error: error.below(field) }
    }

    /// Prefixes the field's path with `outer`.
    pub(crate) fn below(self, outer: &str) -> Self {
        Self::rules(self.reason, outer, self.error)
    }

    /// Replaces the reason, which is `INVALID_FIELD` by default.
    pub(crate) fn with_reason(self, reason: RefusalReason) -> Self {
        Self { reason, ..self }
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
