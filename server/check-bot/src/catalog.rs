//! The catalog of checks: names and descriptions.

/// The sections of PROTOCOL.md that define the checked behaviour.
pub(super) mod section {
    pub(crate) const MESSAGE_FLOW: &str = "Message flow";
    pub(crate) const ANSWERING: &str = "Answering";
    pub(crate) const ATTENDING: &str = "Attending a queue";
    pub(crate) const RECONNECTING: &str = "Reconnecting";
    pub(crate) const SERVER_SHUTDOWN: &str = "Server shutdown";
    pub(crate) const REFUSALS: &str = "Refusals";
    pub(crate) const FAULTS: &str = "Faults";
    pub(crate) const COMPATIBILITY: &str = "Compatibility";
}

/// A check of a bot's behaviour. Names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A bot stops after a final refusal.
    UnknownTicket,
    /// The bot plays a whole match of one game with one number of seats.
    WholeMatch,
    /// The bot also answers requests that have only one legal decision.
    AskForced,
    /// The process exits with code 0 after the match.
    ExitCode,
    /// The bot answers each Ping with one Pong.
    Ping,
    /// The server sends the open request again.
    DuplicateRequest,
    /// The server sends an answered request again.
    StaleRequest,
    /// The server refuses an answer, and the request stays open.
    RefusedAnswer,
    /// The server refuses the answer to an earlier request while a later request is open.
    StaleRefusal,
    /// The TCP connection is reset.
    ResumeReset,
    /// The server ends the stream with OK.
    ResumeEof,
    /// The stream ends with UNAVAILABLE without a reason.
    ResumeUnavailable,
    /// The stream ends with SLOW_CONSUMER, after which a bot must reconnect.
    ResumeSlowConsumer,
    /// The stream is lost together with one of the bot's answers.
    ResumeAnswerLost,
    /// The stream is lost before MatchEnded arrives.
    ResumeEndMissed,
    /// The stream is lost after messages of an unknown kind.
    ResumeAfterUnknown,
    /// The server has lost the last part of the match and does not resume.
    StartOver,
    /// The server drains, stops and restarts.
    Drain,
    /// The bot gets several server addresses, the first of which is unreachable.
    SeveralServers,
    /// The server sends a newer protocol's messages, fields and enum values.
    UnknownMessages,
    /// The server sends no request for several seconds.
    SlowClock,
    /// The match has a short time limit for each decision.
    FastClock,
    /// Another stream takes over the bot's seat.
    Superseded,
    /// The bot attends a queue. This check runs only on request, since not every bot supports
    /// queues.
    Attend,
}

impl Check {
    /// All checks, in the order in which they are run and reported.
    pub const ALL: &'static [Self] = &[
        Self::UnknownTicket,
        Self::WholeMatch,
        Self::AskForced,
        Self::ExitCode,
        Self::Ping,
        Self::DuplicateRequest,
        Self::StaleRequest,
        Self::RefusedAnswer,
        Self::StaleRefusal,
        Self::ResumeReset,
        Self::ResumeEof,
        Self::ResumeUnavailable,
        Self::ResumeSlowConsumer,
        Self::ResumeAnswerLost,
        Self::ResumeEndMissed,
        Self::ResumeAfterUnknown,
        Self::StartOver,
        Self::Drain,
        Self::SeveralServers,
        Self::UnknownMessages,
        Self::SlowClock,
        Self::FastClock,
        Self::Superseded,
        Self::Attend,
    ];

    /// Returns the check with this [`name`](Check::name); `None` for an unknown name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|check| check.name() == name)
    }

    /// Returns the check's stable name, in kebab case.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownTicket => "unknown-ticket",
            Self::WholeMatch => "whole-match",
            Self::AskForced => "ask-forced",
            Self::ExitCode => "exit-code",
            Self::Ping => "ping",
            Self::DuplicateRequest => "duplicate-request",
            Self::StaleRequest => "stale-request",
            Self::RefusedAnswer => "refused-answer",
            Self::StaleRefusal => "stale-refusal",
            Self::ResumeReset => "resume-reset",
            Self::ResumeEof => "resume-eof",
            Self::ResumeUnavailable => "resume-unavailable",
            Self::ResumeSlowConsumer => "resume-slow-consumer",
            Self::ResumeAnswerLost => "resume-answer-lost",
            Self::ResumeEndMissed => "resume-end-missed",
            Self::ResumeAfterUnknown => "resume-after-unknown",
            Self::StartOver => "start-over",
            Self::Drain => "drain",
            Self::SeveralServers => "several-servers",
            Self::UnknownMessages => "unknown-messages",
            Self::SlowClock => "slow-clock",
            Self::FastClock => "fast-clock",
            Self::Superseded => "superseded",
            Self::Attend => "attend",
        }
    }

    /// Returns a sentence that describes the checked behaviour.
    pub fn proves(self) -> &'static str {
        match self {
            Self::UnknownTicket => {
                "A bot that is refused with TICKET_UNKNOWN exits with a code other than 0 and \
                 does not keep retrying."
            }
            Self::WholeMatch => {
                "The bot plays a whole match at this number of seats, and makes every decision \
                 legally and in time."
            }
            Self::AskForced => {
                "If the match also requests decisions with only one legal answer, the bot answers \
                 these requests."
            }
            Self::ExitCode => {
                "After MatchEnded the bot's process exits by itself, in time and with code 0."
            }
            Self::Ping => {
                "The bot answers every Ping promptly with one Pong of the same nonce, also \
                 while a request is open, and sends no other Pong."
            }
            Self::DuplicateRequest => {
                "If the server repeats a request, before or after the answer, the bot sends the \
                 same answer or none."
            }
            Self::StaleRequest => {
                "If the server repeats an answered request, the bot sends the same answer or none, \
                 and still answers the new request."
            }
            Self::RefusedAnswer => {
                "If the server refuses an answer and the request is still open, the bot answers \
                 again."
            }
            Self::StaleRefusal => {
                "If the server refuses the answer to an earlier request, the bot does not change \
                 its answer to the open request."
            }
            Self::ResumeReset => {
                "After a connection reset, before or after an answer, the bot reconnects with its \
                 ticket, the correct last_sequence and the history_id of the last Welcome. No \
                 decision is lost."
            }
            Self::ResumeEof => {
                "If the server closes the stream with OK before the match has ended, the bot \
                 reconnects."
            }
            Self::ResumeUnavailable => {
                "If the stream ends with UNAVAILABLE without a reason, the bot reconnects."
            }
            Self::ResumeSlowConsumer => {
                "If the stream ends with SLOW_CONSUMER, which advises a retry, the bot reconnects."
            }
            Self::ResumeAnswerLost => {
                "If an answer is lost with its stream, the bot sends it again on the next stream."
            }
            Self::ResumeEndMissed => {
                "A bot whose stream is lost just before MatchEnded reconnects to receive it."
            }
            Self::ResumeAfterUnknown => {
                "The bot counts messages of an unknown kind: after a reconnect, last_sequence in \
                 Hello includes them."
            }
            Self::StartOver => {
                "If Welcome has resumed = false, the bot forgets its sequence number and its \
                 unsent answer, and answers the requests that follow. When it reconnects, it sends \
                 the new history_id."
            }
            Self::Drain => {
                "After Draining the bot keeps answering; after SERVER_STOPPING it reconnects to \
                 the same address once the server is back."
            }
            Self::SeveralServers => {
                "If the first of several server addresses is unreachable, the bot plays at the \
                 second, and reconnects there after a connection reset."
            }
            Self::UnknownMessages => {
                "The bot keeps playing when it receives messages of an unknown kind, empty \
                 messages, unknown fields and unknown enum values."
            }
            Self::SlowClock => {
                "The bot stays connected while it receives only Pings and no requests for several \
                 seconds."
            }
            Self::FastClock => "The bot meets a short time limit for each decision.",
            Self::Superseded => {
                "After another stream has taken over its seat, the bot does not reconnect."
            }
            Self::Attend => {
                "A bot that attends a queue plays the match it is offered, attends again after a \
                 connection reset, and plays the next match. When the queue is closed, it exits \
                 with code 0."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_found_by_its_name_and_by_no_other() {
        for check in Check::ALL {
            assert_eq!(Check::by_name(check.name()), Some(*check));
        }
        assert_eq!(Check::by_name("Ping"), None);
    }

    #[test]
    fn the_page_for_bot_authors_has_every_check() {
        let page = include_str!("../../../docs/guides/bots/checking.md");
        for check in Check::ALL {
            let row = format!("| `{}` | {} |", check.name(), check.proves());
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_sections_that_failures_name_are_on_the_protocols_page() {
        let page = include_str!("../../../proto/PROTOCOL.md");
        for section in [
            section::MESSAGE_FLOW,
            section::ANSWERING,
            section::ATTENDING,
            section::RECONNECTING,
            section::SERVER_SHUTDOWN,
            section::REFUSALS,
            section::FAULTS,
            section::COMPATIBILITY,
        ] {
            assert!(page.contains(&format!("\n## {section}\n")), "{section}");
        }
    }
}
