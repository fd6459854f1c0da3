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
    "begin-anew",
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
    "begin-anew",
    "drain",
    "resume-after-unknown",
    "resume-answer-lost",
    "resume-end-missed",
    "resume-reset",
    "several-servers",
];

impl Flaw {
    /// All flaws with their names and the titles of the checks that find them.
    pub(crate) const ALL: &'static [(&'static str, Self, &'static [&'static str])] = &[
        ("none", Self::None, &[]),
        (
            "waits_with_hello",
            Self::WaitsWithHello,
            &["unknown-ticket"],
        ),
        (
            "ends_well_when_refused",
            Self::EndsWellWhenRefused,
            &["unknown-ticket"],
        ),
        (
            "insists_on_its_ticket",
            Self::InsistsOnTicket,
            &["unknown-ticket"],
        ),
        (
            "answers_illegally_at_three_seats",
            Self::IllegalAtThreeSeats,
            &["whole-match (old_london_bridge, 3 seats)"],
        ),
        (
            "answers_forced_requests_illegally",
            Self::IllegalWhenForced,
            &["ask-forced"],
        ),
        ("exits_with_1", Self::ExitsWith1, &["exit-code"]),
        ("never_exits", Self::NeverExits, &["exit-code"]),
        ("ignores_pings", Self::IgnoresPings, &["ping"]),
        ("rounds_nonces", Self::RoundsNonces, &["ping"]),
        ("pongs_twice", Self::PongsTwice, &["ping"]),
        (
            "answers_duplicates_anew",
            Self::AnswersDuplicatesAnew,
            &["duplicate-request"],
        ),
        (
            "answers_stale_requests_anew",
            Self::AnswersStaleRequestsAnew,
            &["stale-request"],
        ),
        (
            "ignores_refusals",
            Self::IgnoresRefusals,
            &["refused-answer"],
        ),
        ("changes_its_mind", Self::ChangesItsMind, &["stale-refusal"]),
        ("never_comes_back", Self::NeverComesBack, COMING_BACK),
        ("gives_up_when_reset", Self::GivesUpWhenReset, AFTER_A_RESET),
        ("ends_at_eof", Self::EndsAtEof, &["resume-eof"]),
        (
            "gives_up_when_unavailable",
            Self::GivesUpWhenUnavailable,
            &["resume-unavailable"],
        ),
        (
            "gives_up_when_slow",
            Self::GivesUpWhenSlow,
            &["resume-slow-consumer"],
        ),
        (
            "gives_up_when_the_server_stops",
            Self::GivesUpWhenServerStops,
            &["drain"],
        ),
        ("stops_when_draining", Self::StopsWhenDraining, &["drain"]),
        ("forgets_its_ticket", Self::ForgetsItsTicket, COMING_BACK),
        (
            "forgets_its_sequence",
            Self::ForgetsItsSequence,
            COMING_BACK,
        ),
        ("forgets_its_history", Self::ForgetsItsHistory, COMING_BACK),
        (
            "keeps_its_first_history",
            Self::KeepsItsFirstHistory,
            &["begin-anew"],
        ),
        (
            "goes_on_regardless",
            Self::GoesOnRegardless,
            &["begin-anew"],
        ),
        (
            "insists_on_its_answer",
            Self::InsistsOnItsAnswer,
            &["begin-anew"],
        ),
        (
            "counts_by_itself",
            Self::CountsByItself,
            // Sequence numbers jump when the bot starts over.
            &["begin-anew", "resume-after-unknown"],
        ),
        (
            "forgets_lost_answers",
            Self::ForgetsLostAnswers,
            &["resume-answer-lost"],
        ),
        (
            "dies_of_unknown_kinds",
            Self::DiesOfUnknownKinds,
            &["resume-after-unknown", "unknown-messages"],
        ),
        (
            "dies_of_unknown_values",
            Self::DiesOfUnknownValues,
            &["unknown-messages"],
        ),
        ("gets_bored", Self::GetsBored, &["slow-clock"]),
        ("thinks_too_long", Self::ThinksTooLong, &["fast-clock"]),
        (
            "fights_for_its_seat",
            Self::FightsForItsSeat,
            &["superseded"],
        ),
        (
            "knows_its_first_server",
            Self::KnowsItsFirstServer,
            &["several-servers"],
        ),
    ];

    /// Returns further checks that may find the flaw, depending on timing.
    pub(crate) fn may_be_found_by(self) -> &'static [&'static str] {
        match self {
            Self::ForgetsLostAnswers => COMING_BACK,
            _ => &[],
        }
    }

    pub(crate) fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(_, flaw, _)| *flaw == self)
            .map_or("none", |(name, ..)| name)
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|(known, ..)| *known == name)
            .map(|(_, flaw, _)| *flaw)
    }
}
