//! Describes a match's status as text.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{MatchInfo, MatchState, SeatState},
};

/// Describes who cancelled a match and why.
pub(super) fn cancelled(info: &MatchInfo) -> String {
    let why = info.cancellation.clone().unwrap_or_default();
    let mut text = "the match was cancelled".to_owned();
    if !why.cancelled_by.is_empty() {
        text += &format!(" by {}", Escaped(&why.cancelled_by));
    }
    if !why.reason.is_empty() {
        text += &format!(": {}", Escaped(&why.reason));
    }
    text
}

/// Describes the states of a match and its seats in one line.
pub(super) fn line(info: &MatchInfo) -> String {
    let state = match info.state() {
        MatchState::Waiting => "waiting for bots",
        MatchState::Running => "running",
        MatchState::Ended => "ended",
        MatchState::Cancelled => "cancelled",
        MatchState::Unspecified => "unknown",
    };
    let seats = info.seats.iter().map(|seat| {
        let name = Escaped(match seat.bot_name.as_str() {
            "" => "(vacant)",
            name => name,
        });
        let state = match seat.state() {
            SeatState::Connected | SeatState::Vacant | SeatState::Unspecified => "",
            SeatState::Paused => " (stream lost)",
            SeatState::Forfeited => " (forfeited)",
        };
        format!("seat {} {name}{state}", seat.seat)
    });
    format!("{state}; {}", seats.collect::<Vec<_>>().join(", "))
}
