//! Match and attendance errors, with advice on how to handle them.

use std::{collections::BTreeMap, fmt, io, time::Duration};

use bridgemaster_proto::{
    escape::Escaped,
    v1::{self, RefusalAdvice, RefusalReason},
};
use thiserror::Error;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::OptionsError;

/// The `google.rpc.ErrorInfo.domain` value in the server's refusals.
const REFUSAL_DOMAIN: &str = "bridgemaster";
/// The prefix of [`RefusalReason`]'s value names. `ErrorInfo.reason` omits it.
const REASON_PREFIX: &str = "REFUSAL_REASON_";

/// A failed connection. Its `Display` output is the gRPC status message, and its sources are the
/// causes.
#[derive(Debug)]
pub struct TransportFailure(pub(crate) Box<Status>);

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.message() {
            "" => self.0.code().fmt(f)?,
            message => Escaped(message).fmt(f)?,
        }
        if advice_for_code(self.0.code()) != Advice::Retry {
            f.write_str(
                " (not an answer of a Bridgemaster server; check the address and proxies)",
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for TransportFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The first source is only "transport error". That error's source is the actual cause.
        std::error::Error::source(&*self.0).and_then(|transport| transport.source())
    }
}

/// An error that ended a match or an attendance early.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The options are not valid.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// No server answered within [`Options::connect_for`](crate::Options::connect_for).
    #[error("no server answered at {server_url} within {waited:?}")]
    Unreachable {
        /// The address that was tried last.
        server_url: String,
        /// The time spent on retries.
        waited: Duration,
        /// The failure in the last attempt.
        source: TransportFailure,
    },
    /// The stream was lost and could not be resumed within
    /// [`Options::reconnect_for`](crate::Options::reconnect_for).
    #[error("lost the stream to {server_url} and could not resume it within {waited:?}")]
    Lost {
        /// The address that was tried last.
        server_url: String,
        /// The time spent on retries.
        waited: Duration,
        /// The failure in the last attempt.
        source: TransportFailure,
    },
    /// The server refused the call, with a stable reason.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The connection failed because of a TLS mistake, such as an untrusted certificate. A retry
    /// would fail, too.
    #[error("cannot connect to {server_url}: {mistake}")]
    Tls {
        /// The server's address.
        server_url: String,
        /// The mistake, and how to correct it.
        mistake: &'static str,
        /// The failure.
        source: TransportFailure,
    },
    /// The server sent something that this protocol revision does not allow.
    #[error("the server broke the protocol: {0}")]
    Protocol(&'static str),
    /// The match has ended, and its seed does not match the server's commitment.
    #[error(
        "the revealed seed does not match the commitment: commitment {commitment:?}, seed \
         {seed:?}, salt {seed_salt:?}"
    )]
    BrokenSeedCommitment {
        /// The commitment sent in MatchStarted.
        commitment: String,
        /// The seed revealed in MatchEnded.
        seed: String,
        /// The salt revealed in MatchEnded, in hex.
        seed_salt: String,
        /// The result that the server reported.
        result: Box<v1::MatchResult>,
    },
    /// The server refused too many of the bot's decisions for the same request.
    #[error(
        "the server refused {times} decisions for request {request_id}; the last: {} at {:?}: {}",
        .last.reason().as_str_name(), .last.field, Escaped(&.last.detail)
    )]
    NoLegalDecision {
        /// The request's id.
        request_id: u32,
        /// The number of refused decisions.
        times: u32,
        /// The refusal of the last decision.
        last: Box<v1::DecisionRejected>,
    },
    /// One of the bot's methods panicked, with this message.
    #[error("the bot panicked: {0}")]
    BotPanicked(String),
    /// The operating system could not start a thread or the async runtime.
    #[error("cannot start a thread or the async runtime")]
    Start(#[from] io::Error),
}

impl PlayError {
    /// Returns advice on how to handle the error: retry, fix something, or stop.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } | Self::Start(_) => Advice::Retry,
            Self::Refused(refusal) => refusal.advice,
            Self::BrokenSeedCommitment { .. } => Advice::Stop,
            Self::Options(_)
            | Self::Tls { .. }
            | Self::Protocol(_)
            | Self::NoLegalDecision { .. }
            | Self::BotPanicked(_) => Advice::Fix,
        }
    }
}

/// Advice on how to handle a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Connect again after a pause.
    Retry,
    /// A retry would fail in the same way. Change the bot or its options.
    Fix,
    /// Nothing is left to play in this seat.
    Stop,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Retry => "try again later",
            Self::Fix => "fix the bot or its options",
            Self::Stop => "nothing is left to play",
        })
    }
}

impl Advice {
    /// Returns the advice for a refusal's reason.
    fn for_reason(reason: RefusalReason) -> Self {
        match reason.advice() {
            RefusalAdvice::Retry => Self::Retry,
            RefusalAdvice::Stop => Self::Stop,
            RefusalAdvice::Fix | RefusalAdvice::Unspecified => Self::Fix,
        }
    }

    /// Returns the advice for a gRPC status: by its refusal reason. A status without one does not
    /// come from a Bridgemaster server, but from an intermediary or the transport, so a retry may
    /// help.
    pub fn for_status(status: &Status) -> Self {
        Refusal::from_status(status).map_or(Self::Retry, |refusal| refusal.advice)
    }
}

/// The server's refusal of a call, read from `google.rpc.ErrorInfo`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the server refused: {}: {} ({advice})", Escaped(.reason), Escaped(.message))]
pub struct Refusal {
    /// The stable, machine-readable reason, such as `TICKET_UNKNOWN`.
    pub reason: String,
    /// Explanation in English, for people.
    pub message: String,
    /// Details such as the name of a limit, by key.
    pub metadata: BTreeMap<String, String>,
    /// Advice on how to handle the refusal.
    pub advice: Advice,
}

impl Refusal {
    /// Reads the refusal from a gRPC status. Returns `None` if the status does not contain a
    /// Bridgemaster server's refusal.
    pub fn from_status(status: &Status) -> Option<Self> {
        let info = status.get_details_error_info()?;
        if info.domain != REFUSAL_DOMAIN {
            return None;
        }
        let known = RefusalReason::from_str_name(&format!("{REASON_PREFIX}{}", info.reason));
        Some(Self {
            advice: known.map_or_else(|| advice_for_code(status.code()), Advice::for_reason),
            reason: info.reason,
            message: status.message().to_owned(),
            metadata: info.metadata.into_iter().collect(),
        })
    }
}

/// Returns the advice for a status whose reason only newer servers use.
fn advice_for_code(code: Code) -> Advice {
    match code {
        Code::Unavailable
        | Code::Unknown
        | Code::Internal
        | Code::Cancelled
        | Code::Aborted
        | Code::DeadlineExceeded
        | Code::ResourceExhausted => Advice::Retry,
        _ => Advice::Fix,
    }
}

/// One stream's failure before its match has ended.
#[derive(Debug)]
pub(crate) enum StreamFailure {
    /// A retry might succeed.
    Lost(Box<Status>),
    /// A retry would fail, too.
    Fatal(PlayError),
}

impl StreamFailure {
    /// Classifies a gRPC failure.
    pub(crate) fn from_status(status: Status) -> Self {
        match Refusal::from_status(&status) {
            Some(refusal) if refusal.advice != Advice::Retry => {
                Self::Fatal(PlayError::Refused(Box::new(refusal)))
            }
            _ => Self::Lost(Box::new(status)),
        }
    }
}

impl From<PlayError> for StreamFailure {
    fn from(error: PlayError) -> Self {
        Self::Fatal(error)
    }
}

/// Formats an error and its causes on one line.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tonic_types::{ErrorDetails, StatusExt as _};

    use super::*;

    fn refused(code: Code, reason: &str, domain: &str) -> Status {
        let metadata = HashMap::from([("limit".to_owned(), "streams".to_owned())]);
        let details = ErrorDetails::with_error_info(reason, domain, metadata);
        Status::with_error_details(code, "why", details)
    }

    #[test]
    fn a_refusal_is_read_with_reason_metadata_and_advice() {
        let status = refused(Code::Unauthenticated, "TICKET_UNKNOWN", REFUSAL_DOMAIN);
        let refusal = Refusal::from_status(&status).unwrap();
        assert_eq!((refusal.reason.as_str(), refusal.message.as_str()), ("TICKET_UNKNOWN", "why"));
        assert_eq!(refusal.metadata["limit"], "streams");
        assert_eq!(refusal.advice, Advice::Fix);
    }

    #[test]
    fn the_advice_for_every_reason_matches_the_table() {
        let rows: Vec<Vec<&str>> = include_str!("../../../docs/reference/refusals.md")
            .lines()
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        for reason in (1..100).filter_map(|number| RefusalReason::try_from(number).ok()) {
            let name = reason.as_str_name().trim_start_matches(REASON_PREFIX);
            let row = rows
                .iter()
                .find(|row| row.len() == 6 && row[1] == format!("`{name}`"))
                .unwrap_or_else(|| panic!("{name} is in the table"));
            let advice = match row[4].split(':').next() {
                Some("retry") => Advice::Retry,
                Some("fix") => Advice::Fix,
                Some("stop") => Advice::Stop,
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(Advice::for_reason(reason), advice, "{name}");
        }
    }

    #[test]
    fn a_reason_of_a_newer_server_is_kept_and_judged_by_its_code() {
        let status = refused(Code::Unavailable, "MOON_IN_THE_WAY", REFUSAL_DOMAIN);
        let refusal = Refusal::from_status(&status).unwrap();
        assert_eq!((refusal.reason.as_str(), refusal.advice), ("MOON_IN_THE_WAY", Advice::Retry));
    }

    #[test]
    fn an_error_of_another_domain_is_not_a_refusal() {
        let status = refused(Code::Unavailable, "TICKET_UNKNOWN", "example.org");
        assert_eq!(Refusal::from_status(&status), None);
    }

    #[test]
    fn every_status_is_handled_as_the_table_says() {
        let table = include_str!("../../statuses.tsv");
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let [code, reason, advice] = *line.split('\t').collect::<Vec<_>>() else {
                panic!("{line}");
            };
            let code = Code::from(code.parse::<i32>().unwrap());
            let status = match reason {
                "-" => Status::new(code, "why"),
                reason => refused(code, reason, REFUSAL_DOMAIN),
            };
            let expected = match advice {
                "retry" => Advice::Retry,
                "fix" => Advice::Fix,
                _ => Advice::Stop,
            };
            assert_eq!(Advice::for_status(&status), expected, "{line}");
            let is_fatal = matches!(StreamFailure::from_status(status), StreamFailure::Fatal(_));
            assert_eq!(is_fatal, expected != Advice::Retry, "{line}");
        }
    }
}
