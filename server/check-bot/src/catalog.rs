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

/// Defines the checks, each with its stable name in kebab case and a sentence that describes the
/// checked behaviour.
macro_rules! checks {
    ($($(#[$doc:meta])* $check:ident = $name:literal: $proves:literal,)*) => {
        /// A check of a bot's behaviour. Names are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Check { $($(#[$doc])* $check,)* }

        impl Check {
            /// All checks, in the order in which they are run and reported.
            pub const ALL: &'static [Self] = &[$(Self::$check),*];

            /// Returns the check's stable name, in kebab case.
            pub fn name(self) -> &'static str {
                match self { $(Self::$check => $name,)* }
            }

            /// Returns a sentence that describes the checked behaviour.
            pub fn proves(self) -> &'static str {
                match self { $(Self::$check => $proves,)* }
            }
        }
    };
}

checks! {
    /// A bot stops after a final refusal.
    UnknownTicket = "unknown-ticket":
        "A bot that is refused with TICKET_UNKNOWN exits with a code other than 0 and does not \
         keep retrying.",
    /// The bot plays a whole match of one game with one number of seats.
    WholeMatch = "whole-match":
        "The bot plays a whole match at this number of seats, and makes every decision legally \
         and in time.",
    /// The bot also answers requests that have only one legal decision.
    AskForced = "ask-forced":
        "If the match also requests decisions with only one legal answer, the bot answers \
         these requests.",
    /// The process exits with code 0 after the match.
    ExitCode = "exit-code":
        "After MatchEnded the bot's process exits by itself, in time and with code 0.",
    /// The bot answers each Ping with one Pong.
    Ping = "ping":
        "The bot answers every Ping promptly with one Pong of the same nonce, also while a \
         request is open, and sends no other Pong.",
    /// The server sends the open request again.
    DuplicateRequest = "duplicate-request":
        "If the server repeats a request, before or after the answer, the bot sends the same \
         answer or none.",
    /// The server sends an answered request again.
    StaleRequest = "stale-request":
        "If the server repeats an answered request, the bot sends the same answer or none, and \
         still answers the new request.",
    /// The server refuses an answer, and the request stays open.
    RefusedAnswer = "refused-answer":
        "If the server refuses an answer and the request is still open, the bot answers again.",
    /// The server refuses the answer to an earlier request while a later request is open.
    StaleRefusal = "stale-refusal":
        "If the server refuses the answer to an earlier request, the bot does not change its \
         answer to the open request.",
    /// The TCP connection is reset.
    ResumeReset = "resume-reset":
        "After a connection reset, before or after an answer, the bot reconnects with its \
         ticket, the correct last_sequence and the history_id of the last Welcome. No decision \
         is lost.",
    /// The server ends the stream with OK.
    ResumeEof = "resume-eof":
        "If the server closes the stream with OK before the match has ended, the bot \
         reconnects.",
    /// The stream ends with UNAVAILABLE without a reason.
    ResumeUnavailable = "resume-unavailable":
        "If the stream ends with UNAVAILABLE without a reason, the bot reconnects.",
    /// The stream ends with SLOW_CONSUMER, after which a bot must reconnect.
    ResumeSlowConsumer = "resume-slow-consumer":
        "If the stream ends with SLOW_CONSUMER, which advises a retry, the bot reconnects.",
    /// The stream is lost together with one of the bot's answers.
    ResumeAnswerLost = "resume-answer-lost":
        "If an answer is lost with its stream, the bot sends it again on the next stream.",
    /// The stream is lost before MatchEnded arrives.
    ResumeEndMissed = "resume-end-missed":
        "A bot whose stream is lost just before MatchEnded reconnects to receive it.",
    /// The stream is lost after messages of an unknown kind.
    ResumeAfterUnknown = "resume-after-unknown":
        "The bot counts messages of an unknown kind: after a reconnect, last_sequence in Hello \
         includes them.",
    /// The server has lost the last part of the match and does not resume.
    StartOver = "start-over":
        "If Welcome has resumed = false, the bot forgets its sequence number and its unsent \
         answer, and answers the requests that follow. When it reconnects, it sends the new \
         history_id.",
    /// The server drains, stops and restarts.
    Drain = "drain":
        "After Draining the bot keeps answering; after SERVER_STOPPING it reconnects to the \
         same address once the server is back.",
    /// The bot gets several server addresses, the first of which is unreachable.
    SeveralServers = "several-servers":
        "If the first of several server addresses is unreachable, the bot plays at the second, \
         and reconnects there after a connection reset.",
    /// The server sends a newer protocol's messages, fields and enum values.
    UnknownMessages = "unknown-messages":
        "The bot keeps playing when it receives messages of an unknown kind, empty messages, \
         unknown fields and unknown enum values.",
    /// The server sends no request for several seconds.
    SlowClock = "slow-clock":
        "The bot stays connected while it receives only Pings and no requests for several \
         seconds.",
    /// The match has a short time limit for each decision.
    FastClock = "fast-clock": "The bot meets a short time limit for each decision.",
    /// Another stream takes over the bot's seat.
    Superseded = "superseded":
        "After another stream has taken over its seat, the bot does not reconnect.",
    /// The bot attends a queue. This check runs only on request, since not every bot supports
    /// queues.
    Attend = "attend":
        "A bot that attends a queue plays the match it is offered, attends again after a \
         connection reset, and plays the next match. When the queue is closed, it exits with \
         code 0.",
}

impl Check {
    /// Returns the check with this [`name`](Check::name); `None` for an unknown name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|check| check.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_found_by_its_name() {
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
