//! Conversion of refusals into gRPC statuses with machine-readable reasons.

use std::time::Duration;

use bridgemaster_proto::{escape::is_printable, v1::RefusalReason};
use bridgemaster_store::NodeAddress;
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::limits::Rate;

/// The domain of every `google.rpc.ErrorInfo` that this server sends.
pub const ERROR_DOMAIN: &str = "bridgemaster";

/// Metadata key of a refusal that names the node that can answer the call, as `HOST:PORT`. Clients
/// do not receive it, since nodes forward such calls.
pub const FORWARD_TO_HEADER: &str = "bridgemaster-forward-to";

/// The path prefix of methods that are available only if the operator enables them.
const RULES_SERVICE: &str = "/bridgemaster.v1.RulesService/";

/// A refusal of a call: a reason, a message for people, and metadata for machines.
#[derive(Clone, Debug)]
pub struct Refusal {
    reason: RefusalReason,
    message: String,
    field: Option<String>,
    metadata: Vec<(&'static str, String)>,
    retry_after: Option<Duration>,
    /// The address of the node to which the call is to be forwarded.
    forward_to: Option<NodeAddress>,
    is_server_error: bool,
}

/// Validates a text field: at most `max_chars` printable characters.
///
/// # Errors
/// The refusal of the field.
pub fn check_text(field: &str, text: &str, max_chars: usize) -> Result<(), Refusal> {
    text_problem(text, max_chars).map_or(Ok(()), |problem| Err(Refusal::field(field, problem)))
}

/// Returns a problem if a text does not consist of at most `max_chars` printable characters, or
/// `None` if it does.
pub fn text_problem(text: &str, max_chars: usize) -> Option<String> {
    let chars = text.chars().count();
    if chars > max_chars {
        return Some(format!("at most {max_chars} characters are allowed, not {chars}"));
    }
    let unprintable = text.chars().find(|&c| !is_printable(c))?;
    Some(format!("must be printable; it contains {unprintable:?}"))
}

impl Refusal {
    /// Creates a refusal for `reason`, explained by `message`.
    pub fn new(reason: RefusalReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            field: None,
            metadata: Vec::new(),
            retry_after: None,
            forward_to: None,
            is_server_error: matches!(
                reason,
                RefusalReason::KeysUnreadable
                    | RefusalReason::StorageFailed
                    | RefusalReason::NodeSuperseded
            ),
        }
    }

    /// The refusal of an invalid field. `detail` states the problem and the valid values.
    pub fn field(field: impl Into<String>, detail: impl Into<String>) -> Self {
        let (field, detail) = (field.into(), detail.into());
        Self {
            message: format!("{field}: {detail}"),
            field: Some(field),
            ..Self::new(RefusalReason::InvalidField, "")
        }
    }

    /// Attributes the refusal to a field of the request, or to no field if `field` is empty.
    pub fn at_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into()).filter(|field| !field.is_empty());
        self
    }

    /// The refusal of a field that the protocol defines, but this server does not support.
    pub fn unsupported_field(field: impl Into<String>) -> Self {
        let field = field.into();
        Self {
            message: format!("{field}: not supported by this server; leave it unset"),
            field: Some(field.clone()),
            ..Self::new(RefusalReason::NotSupported, "")
        }
        .with("field", field)
    }

    /// The refusal of a method that the protocol defines, but this server does not support. The
    /// method is given by its path.
    pub(crate) fn unsupported_method(path: &str) -> Self {
        let message = if path.starts_with(RULES_SERVICE) {
            format!("{path} is disabled; enable it with `serve --rules`")
        } else {
            format!("this server does not support {path}")
        };
        Self::new(RefusalReason::NotSupported, message).with("method", path)
    }

    /// Returns the refusal of a call that would exceed a limit of its caller. `limit` is the field
    /// of [`crate::limits::Limits`].
    pub fn limit(limit: &'static str, value: usize) -> Self {
        Self::new(
            RefusalReason::LimitReached,
            format!("the server's limit {limit} = {value} is reached"),
        )
        .with("limit", limit)
        .with("value", value.to_string())
    }

    /// Returns the refusal of a call that would exceed a limit of the whole server, which is not
    /// the fault of the caller.
    pub fn server_limit(limit: &'static str, value: usize) -> Self {
        Self { is_server_error: true, ..Self::limit(limit, value) }
    }

    /// The refusal when a rate limit is exceeded. `wait` is the time until the next call is
    /// possible.
    pub fn rate_exceeded(limit: &'static str, rate: Rate, wait: Duration) -> Self {
        let wait_ms = wait.as_millis().max(1);
        Self {
            retry_after: Some(wait),
            ..Self::new(
                RefusalReason::LimitReached,
                format!(
                    "the server's limit {limit} = {} per second is reached; retry in {wait_ms} ms",
                    rate.per_second
                ),
            )
        }
        .with("limit", limit)
        .with("value", rate.per_second.to_string())
        .with("retry_after_ms", wait_ms.to_string())
    }

    /// The refusal while the server is stopping.
    pub fn stopping() -> Self {
        Self::new(
            RefusalReason::ServerStopping,
            "the server is stopping; retry once it has restarted",
        )
    }

    /// The refusal after a store failure.
    pub fn storage_failed() -> Self {
        Self::new(
            RefusalReason::StorageFailed,
            "the store failed, and the server is stopping; retry once it has restarted",
        )
    }

    /// Returns the refusal by a node whose matches another node might have taken over.
    pub fn node_superseded() -> Self {
        Self::new(
            RefusalReason::NodeSuperseded,
            "another node might have taken over this node's matches; retry with any node of the \
             cluster",
        )
    }

    /// Returns the refusal of a call that the node at `address` can answer. The call is forwarded
    /// to that node, so a client receives this refusal only if that node is unreachable.
    pub fn forward_to(address: NodeAddress) -> Self {
        Self { forward_to: Some(address), ..Self::node_lost() }
    }

    /// The refusal when the node that can answer a call cannot be reached.
    pub fn node_lost() -> Self {
        Self::new(
            RefusalReason::NodeSuperseded,
            "cannot reach the node that answers this call; retry while another node takes over",
        )
    }

    /// Returns the refusal that ends a forwarded stream whose forwarding node is silent.
    pub fn forwarding_node_lost() -> Self {
        Self::new(
            RefusalReason::NodeSuperseded,
            "the node that forwards this stream is silent; retry with any node of the cluster",
        )
    }

    /// The refusal for a damaged stored value, which `problem` describes.
    pub fn damaged(problem: impl Into<String>) -> Self {
        Self::new(RefusalReason::DataDamaged, problem)
    }

    /// Adds an entry to the metadata.
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.metadata.push((key, value.into()));
        self
    }

    /// Returns the value of an entry in the metadata.
    pub fn metadata_value(&self, key: &str) -> Option<&str> {
        let found = self.metadata.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| &**value)
    }

    /// The time after which a retry can succeed, if known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The message for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns whether the server's state caused the refusal, and not the caller.
    pub fn is_server_error(&self) -> bool {
        self.is_server_error
    }

    /// The machine-readable reason.
    pub fn reason(&self) -> RefusalReason {
        self.reason
    }
}

/// Returns a reason's name in an ErrorInfo: the enum value without its prefix.
pub fn reason_name(reason: RefusalReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("REFUSAL_REASON_").unwrap_or(name)
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
        let mut status =
            Status::with_error_details(refusal.reason.grpc_code(), refusal.message, details);
        let node = refusal.forward_to.as_ref().map(NodeAddress::as_str);
        if let Some(Ok(address)) = node.map(str::parse) {
            status.metadata_mut().insert(FORWARD_TO_HEADER, address);
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    #[test]
    fn a_field_refusal_names_the_field_for_people_and_machines() {
        let status = Status::from(Refusal::field("config.seats", "2 to 4, not 9"));
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(status.message(), "config.seats: 2 to 4, not 9");
        let details = status.get_error_details();
        assert_eq!(details.error_info().map(|i| i.reason.as_str()), Some("INVALID_FIELD"));
        let violations = details.bad_request().map(|b| b.field_violations.clone());
        assert_eq!(violations.map(|v| v[0].field.clone()).as_deref(), Some("config.seats"));
    }
}
