//! The flaws, and the checks that must find each.

/// What a bot does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Nothing.
    None,
    /// It waits for a message of the server before it says Hello.
    WaitsWithHello,
    /// It ends with exit code 0 when its ticket is refused.
    EndsWellWhenRefused,
    /// It tries a refused ticket again and again.
    InsistsOnTicket,
    /// With three seats it answers with an index out of range first.
    IllegalAtThreeSeats,
    /// It answers requests with one legal decision with an index out of range first.
    IllegalWhenForced,
    /// It ends with exit code 1 after the match.
    ExitsWith1,
    /// It does not end after the match.
    NeverExits,
    /// It does not answer Pings.
    IgnoresPings,
    /// It keeps nonces as floating-point numbers.
    RoundsNonces,
    /// It sends two Pongs for a Ping.
    PongsTwice,
    /// It answers the newest request differently when it comes again.
    AnswersDuplicatesAnew,
    /// It answers older requests differently when they come again.
    AnswersStaleRequestsAnew,
    /// It does not answer again when its answer was refused.
    IgnoresRefusals,
    /// It changes its answer to the open request when an older answer was refused.
    ChangesItsMind,
    /// It ends when its stream does.
    NeverComesBack,
    /// It ends when the connection fails.
    GivesUpWhenReset,
    /// It takes the end of the stream for the end of the match.
    EndsAtEof,
    /// It ends at UNAVAILABLE.
    GivesUpWhenUnavailable,
    /// It ends at SLOW_CONSUMER.
    GivesUpWhenSlow,
    /// It ends at SERVER_STOPPING.
    GivesUpWhenServerStops,
    /// It does not answer any more after Draining.
    StopsWhenDraining,
    /// It comes back with another ticket.
    ForgetsItsTicket,
    /// It comes back without last_sequence.
    ForgetsItsSequence,
    /// It comes back without history_id.
    ForgetsItsHistory,
    /// It names the first history that it was told.
    KeepsItsFirstHistory,
    /// It goes on as if it were resumed when it is not.
    GoesOnRegardless,
    /// It begins anew, and sends its lost answer all the same.
    InsistsOnItsAnswer,
    /// It counts the messages of the kinds that it knows.
    CountsByItself,
    /// It takes an answer that it has sent once for heard.
    ForgetsLostAnswers,
    /// It ends at messages of unknown kinds.
    DiesOfUnknownKinds,
    /// It ends at unknown values of enums.
    DiesOfUnknownValues,
    /// It ends when it gets several Pings and no request.
    GetsBored,
    /// It thinks longer than a short clock allows.
    ThinksTooLong,
    /// It comes back again and again after SUPERSEDED.
    FightsForItsSeat,
    /// It comes back to where it was after MOVED.
    IgnoresMoved,
    /// It knows the first of the servers that it is given, and no other.
    KnowsItsFirstServer,
}

const COMING_BACK: &[&str] = &[
    "begin-anew",
    "drain",
    "moved",
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
    /// Every flaw with its name and the checks that find it, by title.
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
            // Where it begins anew, numbers are left out.
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
        ("ignores_moved", Self::IgnoresMoved, &["moved"]),
        (
            "knows_its_first_server",
            Self::KnowsItsFirstServer,
            &["several-servers"],
        ),
    ];

    /// Checks that may find the flaw too, if the bot is quick enough to lose an answer in them.
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
