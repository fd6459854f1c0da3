//! Skill and luck: the split of each seat's result into parts that add up exactly.

use bridgemaster_games::{MAX_SEATS, Seat, SeatCount};
use serde::Serialize;

use crate::values::{FIRST_PLACE, Values, units_per_point};

/// A seat's result, split into parts. All numbers except `unit` are multiples of 1 / `unit`, so
/// that `fair + own + others + luck` is exactly `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The number of parts in one point, or in one first place.
    pub unit: i64,
    /// The result that every seat expects before the match.
    pub fair: i64,
    /// The expected effect of the seat's own decisions, compared with the judge's: its skill.
    pub own: i64,
    /// The expected effect of the other seats' decisions.
    pub others: i64,
    /// The effect of everything that nobody could know: the setup, later chance results, and hidden
    /// facts that made a decision better or worse than expected.
    pub luck: i64,
    /// The result of the match by the rules.
    pub result: i64,
}

/// The accounts of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SeatAccount {
    /// The seat, from 0.
    pub seat: u8,
    /// The lead over the other seats' average, in points.
    pub points: Account,
    /// The share of the first place.
    pub first_place: Account,
}

/// Expected and true effects, collected step by step. Values are multiplied by `factor`.
pub(crate) struct Ledger {
    seats: SeatCount,
    factor: i64,
    /// The expected effects of each seat's decisions on all seats.
    expected: [Values; MAX_SEATS],
    luck: Values,
    /// The value of the present state.
    value: Values,
}

impl Ledger {
    /// Creates a ledger with the value of the match's start. `factor` is a multiple of each number
    /// of sampled states.
    pub(crate) fn new(seats: SeatCount, factor: i64, start: Values) -> Self {
        let mut fair = Values::default();
        fair.firsts[..usize::from(seats.get())].fill(fair_first_place(seats));
        let luck = start.combine(factor, fair, -factor);
        Self { seats, factor, expected: [Values::default(); MAX_SEATS], luck, value: start }
    }

    /// Records a step to a state with this value. The step is a decision of a seat whose expected
    /// effect is `sum / states`, or has no expected effect.
    pub(crate) fn record(&mut self, value: Values, expected: Option<(Seat, Values, u32)>) {
        let gain = value.combine(self.factor, self.value, -self.factor);
        self.value = value;
        self.luck = self.luck.plus(gain);
        if let Some((seat, sum, states)) = expected {
            let expected = sum.combine(self.factor / i64::from(states), Values::default(), 0);
            self.luck = self.luck.minus(expected);
            let of_seat = &mut self.expected[seat.index()];
            *of_seat = of_seat.plus(expected);
        }
    }

    /// Returns the accounts after the last step.
    pub(crate) fn accounts(&self) -> Vec<SeatAccount> {
        let everyone = self.expected.iter().fold(Values::default(), |sum, one| sum.plus(*one));
        let account = |unit: i64, fair: i64, measure: fn(&Values) -> &[i64; MAX_SEATS], seat| {
            let of = |values: &Values| measure(values)[seat];
            let own = of(&self.expected[seat]);
            Account {
                unit: unit * self.factor,
                fair: fair * self.factor,
                own,
                others: of(&everyone) - own,
                luck: of(&self.luck),
                result: of(&self.value) * self.factor,
            }
        };
        let seats = self.seats.seats().map(|seat| SeatAccount {
            seat: seat.number(),
            points: account(units_per_point(self.seats), 0, |v| &v.points, seat.index()),
            first_place: account(
                FIRST_PLACE,
                fair_first_place(self.seats),
                |v| &v.firsts,
                seat.index(),
            ),
        });
        seats.collect()
    }
}

/// Returns the share of the first place that every seat expects before the match.
fn fair_first_place(seats: SeatCount) -> i64 {
    FIRST_PLACE / i64::from(seats.get())
}
