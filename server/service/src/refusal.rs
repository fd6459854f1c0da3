//! Turns refusals into gRPC statuses with a machine-readable reason.

use std::time::Duration;

use bridgemaster_proto::v1::RefusalReason;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::limits::Rate;

/// Domain of every `google.rpc.ErrorInfo` of this server.
pub const ERROR_DOMAIN: &str = "bridgemaster";

/// What the paths of the methods begin with that the operator turns on.
const RULES_SERVICE: &str = "/bridgemaster.v1.RulesService/";

/// A refusal at the edge of the server.
#[derive(Clone, Debug)]
pub struct Refusal {
    reason: RefusalReason,
    message: String,
    field: Option<String>,
    metadata: Vec<(&'static str, String)>,
    retry_after: Option<Duration>,
    is_servers_own: bool,
}

impl Refusal {
    /// A refusal for `reason`, explained by `message`.
    pub fn new(reason: RefusalReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            field: None,
            metadata: Vec::new(),
            retry_after: None,
            is_servers_own: matches!(
                reason,
                RefusalReason::KeysUnreadable
                    | RefusalReason::StorageFailed
                    | RefusalReason::NodeSuperseded
            ),
        }
    }

    /// A field that is not valid, and what would be.
    pub fn field(field: impl Into<String>, detail: impl Into<String>) -> Self {
        let (field, detail) = (field.into(), detail.into());
        Self {
            message: format!("{field}: {detail}"),
            field: Some(field),
            ..Self::new(RefusalReason::InvalidField, "")
        }
    }

    /// The same at a field of the request; at none if it is empty.
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into()).filter(|field| !field.is_empty());
        self
    }

    /// A field that the protocol has and this server does not do anything with yet.
    pub fn unsupported_field(field: impl Into<String>) -> Self {
        let field = field.into();
        Self {
            message: format!("{field}: this server does not support it; leave it unset"),
            field: Some(field.clone()),
            ..Self::new(RefusalReason::NotSupported, "")
        }
        .with("field", field)
    }

    /// A method that the protocol has and this server does not, by its path.
    pub fn unsupported_method(path: &str) -> Self {
        let message = match path.starts_with(RULES_SERVICE) {
            true => format!("the rules by call are off, and {path} is; `serve --rules` has them"),
            false => format!("this server does not support {path} yet"),
        };
        Self::new(RefusalReason::NotSupported, message).with("method", path)
    }

    /// A limit of the server, by the name of its field in [`crate::Limits`].
    pub fn limit(limit: &'static str, value: usize) -> Self {
        Self::new(
            RefusalReason::LimitReached,
            format!("the server's limit {limit} = {value} is reached"),
        )
        .with("limit", limit)
        .with("value", value.to_string())
    }

    /// A limit on what all callers have together: who is refused has had no part in it, or as much
    /// as anybody.
    pub fn server_limit(limit: &'static str, value: usize) -> Self {
        Self {
            is_servers_own: true,
            ..Self::limit(limit, value)
        }
    }

    /// A limit on how often something happens, and when there is room again.
    pub fn rate(limit: &'static str, rate: Rate, wait: Duration) -> Self {
        let wait_ms = wait.as_millis().max(1);
        Self {
            retry_after: Some(wait),
            ..Self::new(
                RefusalReason::LimitReached,
                format!(
                    "the server's limit {limit} = {} a second is reached; try again in {wait_ms} ms",
                    rate.per_second
                ),
            )
        }
        .with("limit", limit)
        .with("value", rate.per_second.to_string())
        .with("retry_after_ms", wait_ms.to_string())
    }

    /// The server is stopping.
    pub fn stopping() -> Self {
        Self::new(
            RefusalReason::ServerStopping,
            "the server is stopping; try again when it is back",
        )
    }

    /// The store failed.
    pub fn storage_failed() -> Self {
        Self::new(
            RefusalReason::StorageFailed,
            "the server cannot store what happens and ends; matches go on when it is back",
        )
    }

    /// Another server of the cluster has this one's matches, or may have them.
    pub fn node_superseded() -> Self {
        Self::new(
            RefusalReason::NodeSuperseded,
            "another server may have the matches of this one by now; try any server of the cluster",
        )
    }

    /// What the server has stored cannot be read any more; `problem` says what.
    pub fn damaged(problem: impl Into<String>) -> Self {
        Self::new(RefusalReason::DataDamaged, problem)
    }

    /// Adds a fact for machines.
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.metadata.push((key, value.into()));
        self
    }

    /// A fact for machines.
    pub(crate) fn named(&self, key: &str) -> Option<&str> {
        let found = self.metadata.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| &**value)
    }

    /// The time after which the same may succeed, if it is known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Its explanation.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the server refuses for a state of its own, and not for what the caller is or did.
    pub fn is_servers_own(&self) -> bool {
        self.is_servers_own
    }

    /// Why.
    pub fn reason(&self) -> RefusalReason {
        self.reason
    }
}

/// The name of a reason in an ErrorInfo: the enum value without its prefix.
pub fn reason_name(reason: RefusalReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("REFUSAL_REASON_").unwrap_or(name)
}

fn code(reason: RefusalReason) -> Code {
    use RefusalReason as R;
    match reason {
        R::TicketMissing
        | R::TicketUnknown
        | R::KeyMissing
        | R::KeyUnknown
        | R::KeyRevoked
        | R::KeyExpired => Code::Unauthenticated,
        R::ScopeMissing | R::SeatOfAnotherKey => Code::PermissionDenied,
        R::HelloLate => Code::DeadlineExceeded,
        R::HelloExpected
        | R::HelloRepeated
        | R::MalformedMessage
        | R::MalformedDecision
        | R::UnknownRequest
        | R::IndexOutOfRange
        | R::IllegalDecision
        | R::InvalidField
        | R::ReplayInvalid
        | R::PositionInvalid => Code::InvalidArgument,
        R::ProtocolRevisionUnsupported
        | R::GameNotPlayed
        | R::SeatClosed
        | R::StaleRequest
        | R::MatchRunning
        | R::MatchCancelled
        | R::MatchEnded
        | R::SeatTaken
        | R::GroupRunning
        | R::Moved
        | R::BotVersionDiffers
        | R::BotBenched
        | R::BotNotAvailable
        | R::ReplayForgotten
        | R::LadderClosed => Code::FailedPrecondition,
        R::IdempotencyKeyReused => Code::AlreadyExists,
        R::Superseded => Code::Aborted,
        R::SlowConsumer | R::LimitReached => Code::ResourceExhausted,
        R::MatchUnknown
        | R::QueueUnknown
        | R::AttendanceUnknown
        | R::OfferUnknown
        | R::LadderUnknown
        | R::BotUnknown
        | R::ContestUnknown => Code::NotFound,
        R::MethodUnknown | R::CompressionUnsupported | R::NotSupported => Code::Unimplemented,
        R::DataDamaged => Code::DataLoss,
        R::ServerStopping | R::StorageFailed | R::KeysUnreadable | R::NodeSuperseded => {
            Code::Unavailable
        }
        R::Unspecified => Code::Unknown,
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let metadata = refusal
            .metadata
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect::<std::collections::HashMap<_, _>>();
        let mut details = ErrorDetails::new();
        details.set_error_info(reason_name(refusal.reason), ERROR_DOMAIN, metadata);
        if let Some(wait) = refusal.retry_after {
            details.set_retry_info(Some(wait));
        }
        if let Some(field) = refusal.field {
            details.add_bad_request_violation(field, refusal.message.clone());
        }
        Status::with_error_details(code(refusal.reason), refusal.message, details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_refusal_names_the_field_for_people_and_machines() {
        let status = Status::from(Refusal::field("config.seats", "2 to 4, not 9"));
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(status.message(), "config.seats: 2 to 4, not 9");
        let details = status.get_error_details();
        assert_eq!(
            details.error_info().map(|i| i.reason.as_str()),
            Some("INVALID_FIELD")
        );
        let violations = details.bad_request().map(|b| b.field_violations.clone());
        assert_eq!(
            violations.map(|v| v[0].field.clone()).as_deref(),
            Some("config.seats")
        );
    }

    #[test]
    fn every_reason_has_a_code_of_its_own_choice() {
        let reasons: Vec<_> = (1..100)
            .filter_map(|number| RefusalReason::try_from(number).ok())
            .collect();
        assert!(reasons.contains(&RefusalReason::StorageFailed));
        assert!(reasons.contains(&RefusalReason::KeysUnreadable));
        for reason in reasons {
            assert_ne!(code(reason), Code::Unknown, "{reason:?}");
        }
    }
}
