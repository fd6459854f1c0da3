//! The flaws of the test bots, and the checks that must find each.

const RESUMING: &[&str] = &[
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

/// Defines the flaws, each with the titles of the checks that find it.
macro_rules! flaws {
    ($($(#[$doc:meta])* $flaw:ident: $found_by:expr,)*) => {
        /// A flaw of a bot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Flaw { $($(#[$doc])* $flaw,)* }

        impl Flaw {
            /// All flaws with the titles of the checks that find them.
            pub(crate) const ALL: &'static [(Self, &'static [&'static str])] =
                &[$((Self::$flaw, $found_by)),*];
        }
    };
}

flaws! {
    /// The bot is correct.
    None: &[],
    /// It waits for a message of the server before it sends Hello.
    DelaysHello: &["unknown-ticket"],
    /// It exits with code 0 after its ticket is refused.
    ExitsWith0WhenRefused: &["unknown-ticket"],
    /// It retries a refused ticket.
    RetriesRefusedTicket: &["unknown-ticket"],
    /// With three seats it answers with an index out of range first.
    IllegalAtThreeSeats: &["whole-match (old_london_bridge, 3 seats)"],
    /// It answers requests with one legal decision with an index out of range first.
    IllegalWhenForced: &["ask-forced"],
    /// It exits with code 1 after the match.
    ExitsWith1: &["exit-code"],
    /// It does not exit after the match.
    NeverExits: &["exit-code"],
    /// It does not answer Pings.
    IgnoresPings: &["ping"],
    /// It stores nonces as floating-point numbers.
    RoundsNonces: &["ping"],
    /// It sends two Pongs for a Ping.
    PongsTwice: &["ping"],
    /// It gives a different answer if the last request is repeated.
    AnswersDuplicatesAnew: &["duplicate-request"],
    /// It gives a different answer if an older request is repeated.
    AnswersStaleRequestsAnew: &["stale-request"],
    /// It does not answer again after its answer was refused.
    IgnoresRefusals: &["refused-answer"],
    /// It changes its answer to the open request after an older answer was refused.
    ChangesItsAnswerAfterStaleRefusal: &["stale-refusal"],
    /// It exits at the end of its stream.
    NeverReconnects: RESUMING,
    /// It exits when the connection fails.
    ExitsWhenReset: AFTER_A_RESET,
    /// It takes a stream closed with OK for the end of the match.
    ExitsAtEof: &["resume-eof"],
    /// It exits after UNAVAILABLE.
    ExitsWhenUnavailable: &["resume-unavailable"],
    /// It exits after SLOW_CONSUMER.
    ExitsWhenSlowConsumer: &["resume-slow-consumer"],
    /// It exits after SERVER_STOPPING.
    ExitsWhenServerStops: &["drain"],
    /// It stops answering after Draining.
    StopsAnsweringWhenDraining: &["drain"],
    /// It reconnects with another ticket.
    ForgetsItsTicket: RESUMING,
    /// It reconnects without last_sequence.
    ForgetsItsSequence: RESUMING,
    /// It reconnects without history_id.
    ForgetsItsHistory: RESUMING,
    /// It always sends the first history_id that it received.
    KeepsItsFirstHistory: &["start-over"],
    /// It continues as if resumed although it is not.
    IgnoresThatItIsNotResumed: &["start-over"],
    /// It starts over but still sends its lost answer.
    KeepsAnswerWhenStartingOver: &["start-over"],
    /// It counts only messages of known kinds. Sequence numbers jump when the bot starts over.
    CountsOnlyKnownKinds: &["start-over", "resume-after-unknown"],
    /// It does not resend an answer on a new stream.
    ForgetsLostAnswers: &["resume-answer-lost"],
    /// It exits on a message of an unknown kind.
    ExitsOnUnknownKind: &["resume-after-unknown", "unknown-messages"],
    /// It exits on an unknown enum value.
    ExitsOnUnknownValue: &["unknown-messages"],
    /// It exits after several Pings without a request.
    ExitsWithoutRequests: &["slow-clock"],
    /// It exceeds a short time limit.
    ExceedsTimeLimit: &["fast-clock"],
    /// It keeps reconnecting after SUPERSEDED.
    ReconnectsWhenSuperseded: &["superseded"],
    /// It uses only the first of several servers.
    UsesOnlyFirstServer: &["several-servers"],
}

impl Flaw {
    /// Returns further checks that may find the flaw, depending on timing.
    pub(crate) fn may_be_found_by(self) -> &'static [&'static str] {
        match self {
            Self::ForgetsLostAnswers => RESUMING,
            _ => &[],
        }
    }

    /// Returns the flaw with this name, which is that of the variant.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().map(|(flaw, _)| *flaw);
        all.find(|flaw| format!("{flaw:?}") == name)
    }
}
