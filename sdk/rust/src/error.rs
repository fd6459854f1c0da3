//! Why a match could not be played, and what to do about it.

use std::{collections::BTreeMap, fmt, io, time::Duration};

use bridgemaster_proto::{
    outside::Outside,
    v1::{self, RefusalReason},
};
use thiserror::Error;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::OptionsError;

/// The domain of the server's refusals in `google.rpc.ErrorInfo`.
const REFUSAL_DOMAIN: &str = "bridgemaster";
/// Prefix of the names of [`RefusalReason`] in the protocol; reasons leave it out.
const REASON_PREFIX: &str = "REFUSAL_REASON_";

/// A connection that failed, in the words of its status; what it was caused by are its sources.
#[derive(Debug)]
pub struct TransportFailure(pub(crate) Box<Status>);

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.message() {
            "" => self.0.code().fmt(f),
            message => Outside(message).fmt(f),
        }
    }
}

impl std::error::Error for TransportFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The first source only says "transport error"; what it was is behind it.
        std::error::Error::source(&*self.0).and_then(|transport| transport.source())
    }
}

/// Why a match could not be played to its end.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The options cannot be used.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// No server answered in the time for connecting.
    #[error("no server answered at {server_url} within {waited:?}")]
    Unreachable {
        /// The address.
        server_url: String,
        /// How long the client tried.
        waited: Duration,
        /// The last failure.
        source: TransportFailure,
    },
    /// The stream was lost and could not be resumed in time.
    #[error("the stream to {server_url} was lost and did not come back within {waited:?}")]
    Lost {
        /// The address.
        server_url: String,
        /// How long the client tried.
        waited: Duration,
        /// The last failure.
        source: TransportFailure,
    },
    /// The server refused, with its reason.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// A gRPC failure that is not a refusal of a Bridgemaster server, and that a retry cannot fix.
    #[error("the call failed; is {server_url} a Bridgemaster server?")]
    Call {
        /// The address.
        server_url: String,
        /// The failure.
        source: Box<Status>,
    },
    /// The server did something that this revision of the protocol does not allow.
    #[error("the server broke the protocol: {0}")]
    Protocol(&'static str),
    /// The match is over, and its seed is not the one to which the server had committed.
    #[error(
        "the server played another seed than it had committed to: the commitment was \
         {commitment:?}, the seed revealed is {seed:?} with the salt {seed_salt:?}"
    )]
    BrokenSeedCommitment {
        /// The commitment of MatchStarted.
        commitment: String,
        /// The seed of MatchEnded.
        seed: String,
        /// The salt of MatchEnded.
        seed_salt: String,
        /// The result all the same.
        result: Box<v1::MatchResult>,
    },
    /// The bot kept answering one request with refused decisions.
    #[error(
        "request {request_id} was answered {times} times with a decision that was refused; \
         the last time: {} at {:?}: {}", .last.reason().as_str_name(), .last.field, Outside(&.last.detail)
    )]
    NoLegalDecision {
        /// The request.
        request_id: u32,
        /// How many answers to it were refused.
        times: u32,
        /// The last refusal.
        last: Box<v1::DecisionRejected>,
    },
    /// The bot panicked.
    #[error("the bot panicked: {0}")]
    BotPanicked(String),
    /// No thread or runtime could be started.
    #[error("a thread or runtime could not be started")]
    Start(#[from] io::Error),
}

impl PlayError {
    /// What to do about it.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } | Self::Start(_) => Advice::Retry,
            Self::Refused(refusal) => refusal.advice,
            Self::BrokenSeedCommitment { .. } => Advice::Stop,
            Self::Options(_)
            | Self::Call { .. }
            | Self::Protocol(_)
            | Self::NoLegalDecision { .. }
            | Self::BotPanicked(_) => Advice::Fix,
        }
    }
}

/// What to do about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Connect again, after a pause.
    Retry,
    /// A retry fails in the same way: change the bot or its options.
    Fix,
    /// There is nothing left to play on this seat.
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
    /// What to do about a gRPC status: what its reason says, and without one what its code does.
    pub fn for_status(status: &Status) -> Self {
        match Refusal::from_status(status) {
            Some(refusal) => refusal.advice,
            None => advice_for_code(status.code()),
        }
    }
}

/// A refusal of the server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the server refused: {}: {} ({advice})", Outside(.reason), Outside(.message))]
pub struct Refusal {
    /// The stable reason, such as `TICKET_UNKNOWN`.
    pub reason: String,
    /// Explanation for people.
    pub message: String,
    /// Further facts, such as the name of a limit.
    pub metadata: BTreeMap<String, String>,
    /// What to do about it.
    pub advice: Advice,
}

impl Refusal {
    /// Reads the refusal out of a gRPC status; `None` when the status is no refusal.
    pub fn from_status(status: &Status) -> Option<Self> {
        let info = status.get_details_error_info()?;
        if info.domain != REFUSAL_DOMAIN {
            return None;
        }
        let known = RefusalReason::from_str_name(&format!("{REASON_PREFIX}{}", info.reason));
        Some(Self {
            advice: known.map_or_else(|| advice_for_code(status.code()), advice_for_reason),
            reason: info.reason,
            message: status.message().to_owned(),
            metadata: info.metadata.into_iter().collect(),
        })
    }
}

/// The table of `PROTOCOL.md`.
fn advice_for_reason(reason: RefusalReason) -> Advice {
    use RefusalReason as R;
    match reason {
        R::HelloLate
        | R::SlowConsumer
        | R::LimitReached
        | R::ServerStopping
        | R::StorageFailed
        | R::MatchRunning
        | R::GroupRunning
        | R::Moved
        | R::NodeSuperseded
        | R::AttendanceUnknown
        | R::BotNotAvailable
        | R::KeysUnreadable => Advice::Retry,
        R::Superseded
        | R::SeatClosed
        | R::MatchCancelled
        | R::MatchEnded
        | R::OfferUnknown
        | R::LadderClosed
        | R::ReplayForgotten
        | R::DataDamaged => Advice::Stop,
        R::Unspecified
        | R::TicketMissing
        | R::TicketUnknown
        | R::KeyMissing
        | R::KeyUnknown
        | R::KeyRevoked
        | R::ScopeMissing
        | R::SeatOfAnotherKey
        | R::HelloExpected
        | R::HelloRepeated
        | R::ProtocolRevisionUnsupported
        | R::GameNotPlayed
        | R::MalformedMessage
        | R::StaleRequest
        | R::UnknownRequest
        | R::IndexOutOfRange
        | R::MalformedDecision
        | R::IllegalDecision
        | R::InvalidField
        | R::MatchUnknown
        | R::MethodUnknown
        | R::CompressionUnsupported
        | R::SeatTaken
        | R::IdempotencyKeyReused
        | R::ReplayInvalid
        | R::KeyExpired
        | R::NotSupported
        | R::QueueUnknown
        | R::BotVersionDiffers
        | R::BotBenched
        | R::LadderUnknown
        | R::BotUnknown
        | R::ContestUnknown
        | R::PositionInvalid => Advice::Fix,
    }
}

/// For a status without a reason: what a broken connection looks like is tried again.
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

/// How one stream ended before the match did.
#[derive(Debug)]
pub(crate) enum StreamFailure {
    /// Trying again may help.
    Lost(Box<Status>),
    /// Trying again does not help.
    Fatal(PlayError),
}

impl StreamFailure {
    /// Sorts a gRPC failure by what to do about it.
    pub(crate) fn from_status(status: Status, server_url: &str) -> Self {
        match Refusal::from_status(&status) {
            Some(refusal) if refusal.advice != Advice::Retry => {
                Self::Fatal(PlayError::Refused(Box::new(refusal)))
            }
            None if advice_for_code(status.code()) != Advice::Retry => {
                Self::Fatal(PlayError::Call {
                    server_url: server_url.to_owned(),
                    source: Box::new(status),
                })
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
        assert_eq!(
            (refusal.reason.as_str(), refusal.message.as_str()),
            ("TICKET_UNKNOWN", "why")
        );
        assert_eq!(refusal.metadata["limit"], "streams");
        assert_eq!(refusal.advice, Advice::Fix);
    }

    #[test]
    fn the_advice_for_every_reason_is_the_one_of_the_protocols_table() {
        let rows: Vec<Vec<&str>> = include_str!("../../../proto/PROTOCOL.md")
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
            assert_eq!(advice_for_reason(reason), advice, "{name}");
        }
    }

    #[test]
    fn a_reason_of_a_newer_server_is_kept_and_judged_by_its_code() {
        let status = refused(Code::Unavailable, "MOON_IN_THE_WAY", REFUSAL_DOMAIN);
        let refusal = Refusal::from_status(&status).unwrap();
        assert_eq!(
            (refusal.reason.as_str(), refusal.advice),
            ("MOON_IN_THE_WAY", Advice::Retry)
        );
    }

    #[test]
    fn an_error_of_somebody_else_is_no_refusal() {
        let status = refused(Code::Unavailable, "TICKET_UNKNOWN", "example.org");
        assert_eq!(Refusal::from_status(&status), None);
    }

    #[test]
    fn only_what_trying_again_can_mend_is_tried_again() {
        let fatal = |status| {
            matches!(
                StreamFailure::from_status(status, ""),
                StreamFailure::Fatal(_)
            )
        };
        assert!(fatal(refused(
            Code::Unavailable,
            "SEAT_CLOSED",
            REFUSAL_DOMAIN
        )));
        assert!(fatal(Status::unimplemented("no such service")));
        assert!(!fatal(refused(
            Code::ResourceExhausted,
            "SLOW_CONSUMER",
            REFUSAL_DOMAIN
        )));
        assert!(!fatal(Status::unavailable("connection refused")));
    }
}
