//! A match's result, with the places and statistics of its seats.

use bridgemaster_games::{Outcome, ScoreLine, Seat};

use crate::{BotIdentity, ClockRules, ClockUse, Fault, FaultReason};

/// A match's result, with the places and statistics of its seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Each seat's result, in seat order.
    pub seats: Vec<SeatResult>,
    /// The number of decisions played in the match.
    pub decisions: u32,
    /// Time from the match's start to its end, in ms.
    pub duration_ms: u64,
    /// Total referee lag over all seats while requests were open, in µs.
    pub referee_lag_us: u64,
    /// Maximum referee lag while one request was open, in µs.
    pub longest_referee_lag_us: u64,
    /// True if `longest_referee_lag_us` exceeds
    /// [`ClockRules::referee_lag_limit_ms`](crate::ClockRules::referee_lag_limit_ms), so that the
    /// result is distorted.
    pub spoiled_by_referee: bool,
}

/// The result of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatResult {
    /// The seat that has this result.
    pub seat: Seat,
    /// Place in the match, from 1. Forfeited seats share the place after all other seats.
    pub place: u8,
    /// Place by score alone, ignoring forfeits.
    pub place_by_score: u8,
    /// Score by the game's own measure.
    pub score: i32,
    /// The score's lines, whose points add up to the score.
    pub breakdown: Vec<ScoreLine>,
    /// The bot that played the seat; `None` if none connected.
    pub bot: Option<BotIdentity>,
    /// The fault for which the seat was forfeited, if any.
    pub forfeit: Option<FaultReason>,
    /// The seat's faults in order: at most [`MAX_RECORDED_FAULTS`](crate::MAX_RECORDED_FAULTS), and
    /// the fault for which it was forfeited.
    pub faults: Vec<Fault>,
    /// The total number of the seat's faults, including unrecorded ones.
    pub fault_count: u32,
    /// The seat's time statistics.
    pub clock_use: ClockUse,
    /// The number of decisions that the referee made because only one was legal.
    pub forced_decisions: u32,
    /// The number of decisions that the house, the server's own player, made for the seat.
    pub house_decisions: u32,
}

/// Referee lag over a whole match while requests were open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchLag {
    /// Total lag over all seats, in µs.
    pub total_us: u64,
    /// Maximum lag while one request was open, in µs.
    pub longest_us: u64,
    /// True if the maximum lag exceeds the limit that the rules set.
    pub exceeds_limit: bool,
}

impl MatchLag {
    /// Computes a match's referee lag from its seats' time statistics.
    pub fn from_clocks<'a>(
        seats: impl IntoIterator<Item = &'a ClockUse>,
        rules: &ClockRules,
    ) -> Self {
        let (mut total_us, mut longest_us) = (0u64, 0);
        for clock in seats {
            total_us = total_us.saturating_add(clock.referee_lag_us);
            longest_us = clock.longest_referee_lag_us.max(longest_us);
        }
        Self {
            total_us,
            longest_us,
            exceeds_limit: longest_us > u64::from(rules.referee_lag_limit_ms) * 1000,
        }
    }
}

/// Computes each seat's place, in seat order. Seats that did not forfeit are ranked first.
/// Forfeited seats share the place after them. `forfeited` takes a seat index.
pub fn places(outcome: &Outcome, forfeited: impl Fn(usize) -> bool) -> Vec<u8> {
    let ahead_of = |place: u8| {
        outcome
            .seats
            .iter()
            .enumerate()
            .filter(|(index, other)| !forfeited(*index) && other.place < place)
            .count() as u8
    };
    let behind_all = ahead_of(u8::MAX);
    outcome
        .seats
        .iter()
        .enumerate()
        .map(|(index, seat)| 1 + if forfeited(index) { behind_all } else { ahead_of(seat.place) })
        .collect()
}
