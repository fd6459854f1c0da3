//! Derives the outcome of a ladder match: whether it was played, annulled or cancelled, and which
//! bots were at fault.

use bridgemaster_games::Seat;
use bridgemaster_ladder::{End, SeatEnd};
use bridgemaster_proto::v1::{
    AnnulmentReason, Fault, FaultAction, FaultReason, MatchInfo, MatchState, SeatResult,
};

use super::rows::{MatchRow, SeatConduct};

/// The outcome of a match, with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) end: End,
    /// The reason for an annulment; `Unspecified` if the match is not annulled.
    pub(super) annulled_for: AnnulmentReason,
    /// For each seat, a description of the fault for which it was forfeited; empty without a
    /// forfeit.
    faults: Vec<String>,
    /// The faults and the use of time of each seat.
    pub(super) conduct: Vec<SeatConduct>,
}

impl Outcome {
    /// The outcome of a match that was not played, without a bot at fault.
    pub(super) fn cancelled() -> Self {
        Self {
            end: End::Cancelled { absent: Vec::new() },
            annulled_for: AnnulmentReason::Unspecified,
            faults: Vec::new(),
            conduct: Vec::new(),
        }
    }

    /// The outcome of a match that was not played. If `declined` is set, the bot of that seat
    /// counts as absent.
    fn cancelled_for(declined: Option<Seat>) -> Self {
        let absent = declined.map(|seat| usize::from(seat.number()));
        Self { end: End::Cancelled { absent: absent.into_iter().collect() }, ..Self::cancelled() }
    }

    /// Describes the fault of the bot in each seat of the match with this name; empty without a
    /// fault.
    pub(super) fn fault_messages(&self, match_id: &str) -> Vec<String> {
        fault_messages(&self.end, &self.faults, match_id)
    }
}

impl MatchRow {
    /// Describes the fault of the bot in each seat; empty without a fault.
    pub(super) fn fault_messages(&self) -> Vec<String> {
        let Some(over) = &self.over else {
            return Vec::new();
        };
        let conduct = over.conduct.iter();
        let faults = conduct.map(|seat| forfeit_message(seat.forfeit, seat.forfeit_request));
        fault_messages(&over.end, &faults.collect::<Vec<_>>(), &over.match_id)
    }
}

/// Describes the fault of the bot in each seat of a match that ended like this; empty without a
/// fault. `faults` describes the faults for which seats were forfeited.
fn fault_messages(end: &End, faults: &[String], match_id: &str) -> Vec<String> {
    let message = |fault: &str| match match_id {
        "" => fault.to_owned(),
        id => format!("match {id}: {fault}"),
    };
    match end {
        End::Played(seats) | End::Annulled(seats) => {
            let faults = (0..seats.len()).map(|seat| faults.get(seat));
            let faults = faults.map(|fault| fault.filter(|fault| !fault.is_empty()));
            faults.map(|fault| fault.map_or_else(String::new, |fault| message(fault))).collect()
        }
        End::Voided => Vec::new(),
        End::Cancelled { absent } => {
            let seats = absent.iter().max().map_or(0, |last| last + 1);
            let fault = |seat: usize| {
                if absent.contains(&seat) {
                    message("the bot declined its seat, or did not take it")
                } else {
                    String::new()
                }
            };
            (0..seats).map(fault).collect()
        }
    }
}

/// Returns the outcome of a match; `None` until the match has ended. `declined` is the seat whose
/// bot declined the offer, if any.
pub(super) fn outcome_of(info: &MatchInfo, declined: Option<Seat>) -> Option<Outcome> {
    match info.state() {
        MatchState::Ended => {}
        MatchState::Cancelled => return Some(Outcome::cancelled_for(declined)),
        MatchState::Unspecified | MatchState::Waiting | MatchState::Running => return None,
    }
    let result = info.result.as_ref()?;
    let annulment = info.annulment.as_ref();
    let annulled_for = annulment.map_or(AnnulmentReason::Unspecified, |why| why.reason());
    // The rules of the match determine whether an absent seat forfeits.
    let is_absent = |seat: &SeatResult| {
        seat.bot_name.is_empty() || seat.forfeit() == FaultReason::NeverConnected
    };
    let seats = || result.seats.iter();
    if seats().any(is_absent) {
        let absent = seats().enumerate().filter(|(_, seat)| is_absent(seat));
        let absent = absent.map(|(number, _)| number);
        // Bots that are absent because the server crashed are not at fault.
        let is_bot_failure = annulled_for != AnnulmentReason::ServerCrash;
        return Some(Outcome {
            end: End::Cancelled { absent: absent.filter(|_| is_bot_failure).collect() },
            ..Outcome::cancelled()
        });
    }
    let ends = seats().map(|seat| SeatEnd {
        place: seat.place,
        score: seat.score,
        forfeited: seat.forfeit() != FaultReason::Unspecified,
    });
    let ends = ends.collect();
    Some(Outcome {
        end: match annulment {
            Some(_) => End::Annulled(ends),
            None => End::Played(ends),
        },
        annulled_for,
        faults: seats().map(fault_of).collect(),
        conduct: seats().map(conduct_of).collect(),
    })
}

/// Describes, for people, the fault for which a seat was forfeited; empty if it was not forfeited.
fn fault_of(seat: &SeatResult) -> String {
    let forfeit = forfeiting_fault(seat);
    let detail = match forfeit.map_or("", |forfeit| &*forfeit.detail) {
        "" => String::new(),
        detail => format!(" ({detail})"),
    };
    let request = forfeit.map_or(0, |forfeit| forfeit.request_id);
    let what = forfeit_message(seat.forfeit(), request);
    if what.is_empty() { what } else { format!("{what}{detail}") }
}

/// Returns the fault for which a seat was forfeited.
fn forfeiting_fault(seat: &SeatResult) -> Option<&Fault> {
    seat.faults.iter().rev().find(|fault| fault.action() == FaultAction::Forfeit)
}

fn conduct_of(seat: &SeatResult) -> SeatConduct {
    let clock = seat.clock_use.as_ref();
    SeatConduct {
        forfeit: seat.forfeit(),
        forfeit_request: forfeiting_fault(seat).map_or(0, |forfeit| forfeit.request_id),
        faults: seat.fault_count,
        thinking_ms: clock.map(|clock| clock.thinking_us() / 1_000),
    }
}

/// Describes the fault for which a seat was forfeited at a request, which is 0 if unknown; empty
/// without a fault.
fn forfeit_message(reason: FaultReason, request: u32) -> String {
    let what = match reason {
        FaultReason::Unspecified => return String::new(),
        FaultReason::Illegal => "illegal decision",
        FaultReason::Late => "no decision in time",
        FaultReason::Disconnected => "stream lost",
        FaultReason::NeverConnected => "never connected",
        FaultReason::Flood => "too many unsolicited messages",
        FaultReason::Garbage => "malformed message",
        FaultReason::Resigned => "resigned",
    };
    match request {
        0 => what.to_owned(),
        number => format!("{what} at decision {number}"),
    }
}

#[cfg(test)]
impl Outcome {
    /// Creates an outcome without faults.
    pub(super) fn without_faults(end: End) -> Self {
        Self { end, ..Self::cancelled() }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{Annulment, MatchResult};

    use super::*;

    fn ended(forfeits: [FaultReason; 2]) -> MatchInfo {
        let seats = (1..).zip(forfeits).map(|(place, forfeit)| SeatResult {
            place,
            score: 10,
            forfeit: forfeit.into(),
            bot_name: "bot".to_owned(),
            ..SeatResult::default()
        });
        MatchInfo {
            state: MatchState::Ended.into(),
            result: Some(MatchResult { seats: seats.collect(), ..MatchResult::default() }),
            ..MatchInfo::default()
        }
    }

    fn end_of(info: &MatchInfo) -> Option<End> {
        outcome_of(info, None).map(|outcome| outcome.end)
    }

    #[test]
    fn a_match_counts_unless_it_was_annulled_or_a_bot_was_absent() {
        let none = FaultReason::Unspecified;
        let end = |place, forfeited| SeatEnd { place, score: 10, forfeited };
        let sound = ended([none, none]);
        let ends = vec![end(1, false), end(2, false)];
        assert_eq!(end_of(&sound), Some(End::Played(ends.clone())));
        let late = end_of(&ended([none, FaultReason::NeverConnected]));
        assert_eq!(late, Some(End::Cancelled { absent: vec![1] }));
        let mut substituted = sound.clone();
        if let Some(result) = &mut substituted.result {
            result.seats[0].bot_name.clear();
        }
        let late = end_of(&substituted);
        assert_eq!(late, Some(End::Cancelled { absent: vec![0] }));
        let lost = end_of(&ended([none, FaultReason::Disconnected]));
        assert_eq!(lost, Some(End::Played(vec![end(1, false), end(2, true)])));
        let spoiled = MatchInfo { annulment: Some(Annulment::default()), ..sound };
        assert_eq!(end_of(&spoiled), Some(End::Annulled(ends)));
        for state in [MatchState::Waiting, MatchState::Running] {
            let info = MatchInfo { state: state.into(), ..MatchInfo::default() };
            assert_eq!(end_of(&info), None);
        }
    }

    #[test]
    fn a_bot_that_is_absent_after_a_server_crash_is_not_at_fault() {
        let none = FaultReason::Unspecified;
        for (fault, end) in [
            (FaultReason::NeverConnected, End::Cancelled { absent: Vec::new() }),
            (
                FaultReason::Disconnected,
                End::Annulled(
                    [(1, false), (2, true)]
                        .map(|(place, forfeited)| SeatEnd { place, score: 10, forfeited })
                        .to_vec(),
                ),
            ),
        ] {
            let lost = MatchInfo {
                annulment: Some(Annulment {
                    reason: AnnulmentReason::ServerCrash.into(),
                    ..Annulment::default()
                }),
                ..ended([none, fault])
            };
            assert_eq!(end_of(&lost), Some(end));
        }
    }

    #[test]
    fn the_fault_of_a_forfeit_is_described_with_its_match_and_decision() {
        let mut info = ended([FaultReason::Unspecified, FaultReason::Illegal]);
        let fault = |request_id, action: FaultAction| Fault {
            request_id,
            action: action.into(),
            reason: FaultReason::Illegal.into(),
            ..Fault::default()
        };
        if let Some(result) = &mut info.result {
            result.seats[1].faults = vec![
                fault(3, FaultAction::Strike),
                fault(7, FaultAction::Forfeit),
                fault(8, FaultAction::Refuse),
            ];
        }
        let outcome = outcome_of(&info, None).unwrap();
        let messages = outcome.fault_messages("12");
        assert_eq!(messages, ["", "match 12: illegal decision at decision 7"]);
    }

    #[test]
    fn a_bot_that_declined_its_seat_counts_as_absent() {
        let cancelled = MatchInfo { state: MatchState::Cancelled.into(), ..MatchInfo::default() };
        assert_eq!(end_of(&cancelled), Some(End::Cancelled { absent: vec![] }));
        let declined = outcome_of(&cancelled, Seat::new(1)).unwrap();
        assert_eq!(declined.end, End::Cancelled { absent: vec![1] });
        let messages = declined.fault_messages("m");
        let expected = "match m: the bot declined its seat, or did not take it";
        assert_eq!(messages, ["", expected]);
    }
}
