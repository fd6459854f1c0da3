//! Conversion of refusals into gRPC statuses with machine-readable reasons.

use std::time::Duration;

use bridgemaster_proto::{escape::is_printable, v1::RefusalReason};
use bridgemaster_store::NodeAddress;
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt as _};
use unicode_normalization::char::is_combining_mark;

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
/// Returns the refusal of the field.
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

/// Maximum number of combining marks that can follow one character of a name. Words of all
/// languages have fewer; longer stacks cover the lines above and below.
const MAX_STACKED_MARKS: usize = 4;

/// BRAILLE PATTERN BLANK: Unicode treats it as a symbol, but it has no dots.
const BLANK_BRAILLE: char = '\u{2800}';

/// Like [`text_problem`], for a name. A name must also have a visible character, and no tall stacks
/// of combining marks.
pub fn name_problem(name: &str, max_chars: usize) -> Option<String> {
    let problem = text_problem(name, max_chars);
    problem.or_else(|| {
        let mut stacks = name.split(|c: char| !is_combining_mark(c));
        let is_blank = |c: char| c.is_whitespace() || c == BLANK_BRAILLE || is_combining_mark(c);
        if name.chars().all(is_blank) {
            Some("must have a character besides spaces and combining marks".to_owned())
        } else if stacks.any(|marks| marks.chars().count() > MAX_STACKED_MARKS) {
            Some(format!("must have at most {MAX_STACKED_MARKS} combining marks after a character"))
        } else {
            None
        }
    })
}

/// Maximum size of a message, in bytes. Statuses have it three times: percent-encoded, and twice in
/// the encoded details. Together this stays below 8 KiB, since some gRPC libraries drop statuses
/// that are larger.
const MAX_MESSAGE_BYTES: usize = 1024;
/// Maximum size of the name of a field, and of a value in the metadata, in bytes.
const MAX_VALUE_BYTES: usize = 256;

/// Replaces the middle of a text that has more than `max_bytes` bytes. Its start names the field,
/// and its end the next step.
fn shortened(text: String, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text;
    }
    const GAP: &str = " [...] ";
    let part = (max_bytes - GAP.len()) / 2;
    let start = &text[..text.floor_char_boundary(part)];
    let end = &text[text.ceil_char_boundary(text.len() - part)..];
    format!("{start}{GAP}{end}")
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

/// Returns the name of the limit that a refusal, sent as `status`, reports; `None` for other
/// refusals.
pub fn limit_name(status: &Status) -> Option<String> {
    status.get_details_error_info()?.metadata.remove("limit")
}

/// Returns a reason's name in an ErrorInfo: the enum value without its prefix.
pub fn reason_name(reason: RefusalReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("REFUSAL_REASON_").unwrap_or(name)
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        // Callers' texts are shortened only here, for all refusals.
        let message = shortened(refusal.message, MAX_MESSAGE_BYTES);
        let metadata = refusal
            .metadata
            .into_iter()
            .map(|(key, value)| (key.to_owned(), shortened(value, MAX_VALUE_BYTES)))
            .collect::<std::collections::HashMap<_, _>>();
        let mut details = ErrorDetails::new();
        details.set_error_info(reason_name(refusal.reason), ERROR_DOMAIN, metadata);
        if let Some(wait) = refusal.retry_after {
            details.set_retry_info(Some(wait));
        }
        if let Some(field) = refusal.field {
            let field = shortened(field, MAX_VALUE_BYTES);
            details.add_bad_request_violation(field, message.clone());
        }
        let mut status = Status::with_error_details(refusal.reason.grpc_code(), message, details);
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

    #[test]
    fn a_status_that_quotes_a_long_text_of_a_caller_stays_below_8_kib() {
        let id = "\u{df}".repeat(5_000);
        let problem = format!("unknown match {id}; `match list` lists all matches");
        let refusal = Refusal::field(format!("labels[{id}]"), problem).with("match_id", &*id);
        let status = Status::from(refusal);
        assert!(status.message().starts_with("labels[\u{df}"), "{status:?}");
        assert!(status.message().ends_with("`match list` lists all matches"), "{status:?}");
        let sent = status.into_http::<()>();
        let headers = sent.headers().iter();
        let bytes: usize = headers.map(|(name, value)| name.as_str().len() + value.len()).sum();
        assert!(bytes < 8 * 1024, "{bytes}");
    }

    #[test]
    fn a_status_names_the_limit_that_was_reached() {
        let status = Status::from(Refusal::limit("other_calls", 4));
        assert_eq!(limit_name(&status).as_deref(), Some("other_calls"));
        assert_eq!(limit_name(&Refusal::stopping().into()), None);
    }

    #[test]
    fn a_name_has_a_visible_character_and_no_tall_stacks_of_marks() {
        for good in ["bob", "!", "\u{915}\u{94d}\u{937}\u{93f}", "Zoe\u{308}", "\u{6728}"] {
            assert_eq!(name_problem(good, 64), None, "{good:?}");
        }
        for bad in [
            "  ",
            " \u{2800}",
            &"\u{301}".repeat(64),
            &format!("a{}", "\u{301}".repeat(5)),
            "a\u{202e}",
        ] {
            assert!(name_problem(bad, 64).is_some(), "{bad:?}");
        }
    }
}
