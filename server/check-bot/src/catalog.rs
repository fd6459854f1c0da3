//! The checks: their names, and what they prove.

/// Sections of PROTOCOL.md that ask for what the checks check.
pub(super) mod section {
    pub(crate) const CONVERSATION: &str = "The conversation";
    pub(crate) const ANSWERING: &str = "Answering";
    pub(crate) const ATTENDING: &str = "Attending a queue";
    pub(crate) const COMING_BACK: &str = "Coming back";
    pub(crate) const SERVER_STOPS: &str = "When the server stops";
    pub(crate) const REFUSALS: &str = "Refusals";
    pub(crate) const FAULTS: &str = "Faults";
    pub(crate) const ROOM_TO_GROW: &str = "Room to grow";
}

/// A check. The names of all are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A bot that is refused stops.
    UnknownTicket,
    /// A whole match of one game and number of seats.
    WholeMatch,
    /// Requests with one legal decision.
    AskForced,
    /// The process ends well after the match.
    ExitCode,
    /// Pings are answered.
    Ping,
    /// A request that comes again.
    DuplicateRequest,
    /// An old request that comes again.
    StaleRequest,
    /// An answer that is refused.
    RefusedAnswer,
    /// A refusal of an old answer.
    StaleRefusal,
    /// The connection is reset.
    ResumeReset,
    /// The server ends the stream with OK.
    ResumeEof,
    /// The stream ends with an error of the transport.
    ResumeUnavailable,
    /// The stream ends with a refusal that asks to retry.
    ResumeSlowConsumer,
    /// The stream is lost with the answer.
    ResumeAnswerLost,
    /// The stream is lost before MatchEnded came.
    ResumeEndMissed,
    /// The stream is lost after messages of an unknown kind.
    ResumeAfterUnknown,
    /// The server has lost what the bot knows.
    BeginAnew,
    /// The server stops and comes back.
    Drain,
    /// The match is at another server.
    Moved,
    /// The bot is given several servers, of which the first is not there.
    SeveralServers,
    /// Messages of a newer server.
    UnknownMessages,
    /// A long time without a request.
    SlowClock,
    /// A short time for each decision.
    FastClock,
    /// Another stream takes the seat.
    Superseded,
    /// Matches of a queue; only where it is asked for, since not every bot attends.
    Attend,
}

impl Check {
    /// All checks, in the order in which they are carried out and reported.
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
        Self::BeginAnew,
        Self::Drain,
        Self::Moved,
        Self::SeveralServers,
        Self::UnknownMessages,
        Self::SlowClock,
        Self::FastClock,
        Self::Superseded,
        Self::Attend,
    ];

    /// The check of a name, as [`Check::name`] gives it; `None` for any other text.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|check| check.name() == name)
    }

    /// The stable name: lower case words with hyphens.
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
            Self::BeginAnew => "begin-anew",
            Self::Drain => "drain",
            Self::Moved => "moved",
            Self::SeveralServers => "several-servers",
            Self::UnknownMessages => "unknown-messages",
            Self::SlowClock => "slow-clock",
            Self::FastClock => "fast-clock",
            Self::Superseded => "superseded",
            Self::Attend => "attend",
        }
    }

    /// What the check proves, as a sentence.
    pub fn proves(self) -> &'static str {
        match self {
            Self::UnknownTicket => {
                "A bot that is refused with TICKET_UNKNOWN ends with an exit code other than 0 and \
                 does not try again and again."
            }
            Self::WholeMatch => {
                "The bot plays a whole match at this number of seats, every decision its own, \
                 legal and in time."
            }
            Self::AskForced => {
                "The bot answers requests that have one legal decision, when the match asks for \
                 them."
            }
            Self::ExitCode => {
                "After MatchEnded the process ends by itself, in time and with exit code 0."
            }
            Self::Ping => {
                "Every Ping is answered promptly with one Pong of the same nonce, also while a \
                 request is open, and no other Pong is sent."
            }
            Self::DuplicateRequest => {
                "A request that comes again gets the same answer again or none, before its answer \
                 and after it."
            }
            Self::StaleRequest => {
                "An old request that comes again after its answer does not disturb the answer to \
                 the new one, and gets no other answer."
            }
            Self::RefusedAnswer => {
                "When its answer is refused and the request still waits, the bot answers again."
            }
            Self::StaleRefusal => {
                "A refusal of an answer to an older request does not change the answer to the open \
                 one."
            }
            Self::ResumeReset => {
                "After a reset of the connection, before an answer and after one, the bot comes \
                 back with its ticket, the right last_sequence and the history_id of the newest \
                 Welcome, and loses no decision."
            }
            Self::ResumeEof => {
                "When the server ends the stream with OK before the match is over, the bot comes \
                 back."
            }
            Self::ResumeUnavailable => {
                "When the stream ends with UNAVAILABLE and no reason, the bot comes back."
            }
            Self::ResumeSlowConsumer => {
                "When the stream ends with SLOW_CONSUMER, which the table says to retry, the bot \
                 comes back."
            }
            Self::ResumeAnswerLost => {
                "An answer that was lost with its stream is given again on the next one."
            }
            Self::ResumeEndMissed => {
                "A bot whose stream is lost just before MatchEnded comes back for it."
            }
            Self::ResumeAfterUnknown => {
                "Messages of an unknown kind are counted: after them the bot comes back with the \
                 right last_sequence."
            }
            Self::BeginAnew => {
                "When Welcome says that it is not resumed, the bot forgets its number and its \
                 unsent answer, answers what it is asked from then on, and names the new \
                 history_id when it comes back."
            }
            Self::Drain => {
                "After Draining the bot goes on answering; after SERVER_STOPPING it comes back to \
                 the same address once the server is there again."
            }
            Self::Moved => {
                "When a stream ends with MOVED, before Welcome or later, the bot comes to the \
                 server of the address that it names, and plays on there."
            }
            Self::SeveralServers => {
                "Given the addresses of several servers, of which the first is not there, the bot \
                 plays at the next, and comes back to it after a reset of the connection."
            }
            Self::UnknownMessages => {
                "Messages of an unknown kind, empty messages, unknown fields and unknown enum \
                 values are skipped, and the bot plays on."
            }
            Self::SlowClock => {
                "A long time without a request, in which only Pings come, does not drive the bot \
                 away."
            }
            Self::FastClock => "The bot meets a short time for each decision.",
            Self::Superseded => {
                "A bot whose seat was taken over by another stream leaves it to that one."
            }
            Self::Attend => {
                "Started with a queue, the bot plays the match that it is offered, attends again \
                 after a reset of the connection, plays the next, and ends with exit code 0 when \
                 the queue is closed."
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
        let page = include_str!("../../../docs/writing-a-bot.md");
        for check in Check::ALL {
            let row = format!("| `{}` | {} |", check.name(), check.proves());
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_sections_that_failures_name_are_on_the_protocols_page() {
        let page = include_str!("../../../proto/PROTOCOL.md");
        for section in [
            section::CONVERSATION,
            section::ANSWERING,
            section::ATTENDING,
            section::COMING_BACK,
            section::SERVER_STOPS,
            section::REFUSALS,
            section::FAULTS,
            section::ROOM_TO_GROW,
        ] {
            assert!(page.contains(&format!("\n## {section}\n")), "{section}");
        }
    }
}
