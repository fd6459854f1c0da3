//! Skill and luck: the split of each seat's result into parts that add up exactly.

use bridgemaster_games::{Seat, SeatCount};
use serde::Serialize;

use crate::{
    comparison::Sums,
    values::{FIRST_PLACE, Measure, Values, units_per_point},
};

/// A seat's result, split into parts. All numbers except `unit` are multiples of 1 / `unit`, so
/// that `fair + own + others + luck` is exactly `result`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Account {
    /// The number of parts in one point, or in one first place.
    pub unit: i64,
    /// The result that every seat expects before the match.
    pub fair: i64,
    /// The expected effect of the seat's own decisions, compared with the judge's: its skill.
    pub own: i64,
    /// The standard error of `own`.
    pub own_error: f64,
    /// The expected effect of the other seats' decisions.
    pub others: i64,
    /// The rest: the setup, chance, hidden facts, and the errors of the estimates.
    pub luck: i64,
    /// The result of the match by score. Forfeits do not count.
    pub result: i64,
}

/// The accounts of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeatAccount {
    /// The seat, from 0.
    pub seat: u8,
    /// The lead over the other seats' average, in points.
    pub points: Account,
    /// The share of the first place.
    pub first_place: Account,
}

/// Splits the result of each seat. `decisions` has the deciding seat of each decision, and sums
/// over its `states` sampled states, or over none if it equals the judge's choice.
pub(crate) fn accounts(
    seats: SeatCount,
    states: u32,
    result: &Values,
    decisions: &[(Seat, Sums)],
) -> Vec<SeatAccount> {
    let states = i64::from(states);
    let account = |seat: Seat, unit: i64, fair: i64, measure: Measure| {
        let (mut own, mut others, mut variance) = (0, 0, 0.0);
        for (deciding, sums) in decisions {
            let effect = sums.effect(measure, seat);
            if *deciding == seat {
                own += effect;
                variance += sums.variance(measure, seat);
            } else {
                others += effect;
            }
        }
        let (fair, result) = (fair * states, measure(result)[seat.index()] * states);
        let luck = result - fair - own - others;
        let own_error = f64::sqrt(variance);
        Account { unit: unit * states, fair, own, own_error, others, luck, result }
    };
    let of_seat = |seat: Seat| SeatAccount {
        seat: seat.number(),
        points: account(seat, units_per_point(seats), 0, |values| &values.points),
        first_place: account(seat, FIRST_PLACE, FIRST_PLACE / i64::from(seats.get()), |values| {
            &values.firsts
        }),
    };
    seats.seats().map(of_seat).collect()
}
