//! The result of a match.

use bridgemaster_games::{Outcome, ScoreLine, Seat};

use crate::{BotIdentity, ClockRules, ClockUse, Fault, FaultReason};

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The seats in seat order.
    pub seats: Vec<SeatResult>,
    /// Decisions played.
    pub decisions: u32,
    /// Time from start to end, in ms.
    pub duration_ms: u64,
    /// Referee lag while requests were open, in µs: the sum of that of the seats.
    pub referee_lag_us: u64,
    /// The most referee lag while one request was open, in µs.
    pub longest_referee_lag_us: u64,
    /// That is over [`ClockRules::referee_lag_limit_ms`](crate::ClockRules::referee_lag_limit_ms):
    /// the result says less of the bots than it should.
    pub spoiled_by_referee: bool,
}

/// The result of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatResult {
    /// The seat.
    pub seat: Seat,
    /// Its place: 1 is the best. Forfeited seats share the places behind all others.
    pub place: u8,
    /// The place by the score alone, as if nobody had forfeited.
    pub place_by_score: u8,
    /// The score by the game's own measure.
    pub score: i32,
    /// What the score is made of.
    pub breakdown: Vec<ScoreLine>,
    /// The bot; `None` when none came.
    pub bot: Option<BotIdentity>,
    /// The fault that the seat forfeited for.
    pub forfeit: Option<FaultReason>,
    /// Its faults in order, as many as are kept.
    pub faults: Vec<Fault>,
    /// Number of all its faults.
    pub fault_count: u32,
    /// Its use of time.
    pub clock_use: ClockUse,
    /// Decisions that the referee played because one answer was legal.
    pub forced_decisions: u32,
    /// Decisions that the house made for it.
    pub house_decisions: u32,
}

/// Referee lag of a whole match while requests were open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagOfMatch {
    /// The sum of that of the seats, in µs.
    pub all_us: u64,
    /// The most while one request was open, in µs.
    pub longest_us: u64,
    /// Whether that is more than the rules allow.
    pub spoils: bool,
}

impl LagOfMatch {
    /// Adds up what the seats had of it.
    pub fn of<'a>(seats: impl IntoIterator<Item = &'a ClockUse>, rules: &ClockRules) -> Self {
        let (mut all_us, mut longest_us) = (0u64, 0);
        for clock in seats {
            all_us = all_us.saturating_add(clock.referee_lag_us);
            longest_us = clock.longest_referee_lag_us.max(longest_us);
        }
        Self {
            all_us,
            longest_us,
            spoils: longest_us > u64::from(rules.referee_lag_limit_ms) * 1000,
        }
    }
}

/// The place of each seat, in seat order, once forfeits count: the others keep their order and
/// close up, the forfeited seats share the next place. `forfeited` is asked by a seat's number.
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
        .map(|(index, seat)| {
            1 + if forfeited(index) {
                behind_all
            } else {
                ahead_of(seat.place)
            }
        })
        .collect()
}
