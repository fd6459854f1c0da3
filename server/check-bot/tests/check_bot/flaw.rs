//! The flaws of the test bots, and the checks that must find each.

/// A flaw of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The bot is correct.
    None,
    /// It waits for a message of the server before it sends Hello.
    WaitsWithHello,
    /// It exits with code 0 after its ticket is refused.
    EndsWellWhenRefused,
    /// It retries a refused ticket.
    InsistsOnTicket,
    /// With three seats it answers with an index out of range first.
    IllegalAtThreeSeats,
    /// It answers requests with one legal decision with an index out of range first.
    IllegalWhenForced,
    /// It exits with code 1 after the match.
    ExitsWith1,
    /// It does not exit after the match.
    NeverExits,
    /// It does not answer Pings.
    IgnoresPings,
    /// It stores nonces as floating-point numbers.
    RoundsNonces,
    /// It sends two Pongs for a Ping.
    PongsTwice,
    /// It gives another answer if the last request is repeated.
    AnswersDuplicatesAnew,
    /// It gives another answer if an older request is repeated.
    AnswersStaleRequestsAnew,
    /// It does not answer again after its answer was refused.
    IgnoresRefusals,
    /// It changes its answer to the open request after an older answer was refused.
    ChangesItsMind,
    /// It exits at the end of its stream.
    NeverComesBack,
    /// It exits when the connection fails.
    GivesUpWhenReset,
    /// It takes a stream closed with OK for the end of the match.
    EndsAtEof,
    /// It exits after UNAVAILABLE.
    GivesUpWhenUnavailable,
    /// It exits after SLOW_CONSUMER.
    GivesUpWhenSlow,
    /// It exits after SERVER_STOPPING.
    GivesUpWhenServerStops,
    /// It stops answering after Draining.
    StopsWhenDraining,
    /// It reconnects with another ticket.
    ForgetsItsTicket,
    /// It reconnects without last_sequence.
    ForgetsItsSequence,
    /// It reconnects without history_id.
    ForgetsItsHistory,
    /// It always sends the first history_id that it received.
    KeepsItsFirstHistory,
    /// It continues as if resumed although it is not.
    GoesOnRegardless,
    /// It starts over but still sends its lost answer.
    InsistsOnItsAnswer,
    /// It counts only messages of known kinds.
    CountsByItself,
    /// It does not resend an answer on a new stream.
    ForgetsLostAnswers,
    /// It exits on a message of an unknown kind.
    DiesOfUnknownKinds,
    /// It exits on an unknown enum value.
    DiesOfUnknownValues,
    /// It exits after several Pings without a request.
    GetsBored,
    /// It exceeds a short time limit.
    ThinksTooLong,
    /// It keeps reconnecting after SUPERSEDED.
    FightsForItsSeat,
    /// It uses only the first of several servers.
    KnowsItsFirstServer,
}

const COMING_BACK: &[&str] = &[
    "start-over",
    "drain",
    "resume-after-unknown",
    "resume-answer-lost",
    "resume-end-missed",
    "resume-eof",
    "resume-reset",
    "resume-slow-consumer",
    "resume-unavailable",
    "several-servers",
];

const AFTER_A_RESET: &[&str] = &[
    "start-over",
    "drain",
    "resume-after-unknown",
    "resume-answer-lost",
    "resume-end-missed",
    "resume-reset",
    "several-servers",
];

impl Flaw {
    /// All flaws with the titles of the checks that find them.
    pub(crate) const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::None, &[]),
        (Self::WaitsWithHello, &["unknown-ticket"]),
        (Self::EndsWellWhenRefused, &["unknown-ticket"]),
        (Self::InsistsOnTicket, &["unknown-ticket"]),
        (Self::IllegalAtThreeSeats, &["whole-match (old_london_bridge, 3 seats)"]),
        (Self::IllegalWhenForced, &["ask-forced"]),
        (Self::ExitsWith1, &["exit-code"]),
        (Self::NeverExits, &["exit-code"]),
        (Self::IgnoresPings, &["ping"]),
        (Self::RoundsNonces, &["ping"]),
        (Self::PongsTwice, &["ping"]),
        (Self::AnswersDuplicatesAnew, &["duplicate-request"]),
        (Self::AnswersStaleRequestsAnew, &["stale-request"]),
        (Self::IgnoresRefusals, &["refused-answer"]),
        (Self::ChangesItsMind, &["stale-refusal"]),
        (Self::NeverComesBack, COMING_BACK),
        (Self::GivesUpWhenReset, AFTER_A_RESET),
        (Self::EndsAtEof, &["resume-eof"]),
        (Self::GivesUpWhenUnavailable, &["resume-unavailable"]),
        (Self::GivesUpWhenSlow, &["resume-slow-consumer"]),
        (Self::GivesUpWhenServerStops, &["drain"]),
        (Self::StopsWhenDraining, &["drain"]),
        (Self::ForgetsItsTicket, COMING_BACK),
        (Self::ForgetsItsSequence, COMING_BACK),
        (Self::ForgetsItsHistory, COMING_BACK),
        (Self::KeepsItsFirstHistory, &["start-over"]),
        (Self::GoesOnRegardless, &["start-over"]),
        (Self::InsistsOnItsAnswer, &["start-over"]),
        // Sequence numbers jump when the bot starts over.
        (Self::CountsByItself, &["start-over", "resume-after-unknown"]),
        (Self::ForgetsLostAnswers, &["resume-answer-lost"]),
        (Self::DiesOfUnknownKinds, &["resume-after-unknown", "unknown-messages"]),
        (Self::DiesOfUnknownValues, &["unknown-messages"]),
        (Self::GetsBored, &["slow-clock"]),
        (Self::ThinksTooLong, &["fast-clock"]),
        (Self::FightsForItsSeat, &["superseded"]),
        (Self::KnowsItsFirstServer, &["several-servers"]),
    ];

    /// Returns further checks that may find the flaw, depending on timing.
    pub(crate) fn may_be_found_by(self) -> &'static [&'static str] {
        match self {
            Self::ForgetsLostAnswers => COMING_BACK,
            _ => &[],
        }
    }

    /// Returns the flaw with this name, which is that of the variant.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().map(|(flaw, _)| *flaw);
        all.find(|flaw| format!("{flaw:?}") == name)
    }
}
