//! The value of a state: the result of playing it on to the end.

use std::array;

use bridgemaster_games::{ChanceStream, MAX_SEATS, NoEvents, Outcome, SeatCount, resolve_chance};
use bridgemaster_greedy::{DecisionPoint, Rate};

/// A first place, in whole units. It is divisible by every number of tied seats.
pub(crate) const FIRST_PLACE: i64 = 840;

/// The maximum number of decisions in a playout. The longest match of the catalogue has a fraction
/// of it.
const MAX_DECISIONS: usize = 20_000;

/// Results of all seats, sums of results, or sums of squares, in whole units. So sums do not depend
/// on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    /// Each seat's lead over the other seats' average, times the number of other seats.
    pub(crate) points: [i64; MAX_SEATS],
    /// Each seat's share of the first place, times [`FIRST_PLACE`].
    pub(crate) firsts: [i64; MAX_SEATS],
}

impl Values {
    /// Returns the values of an outcome.
    pub(crate) fn of_outcome(outcome: &Outcome) -> Self {
        let seats = &outcome.seats;
        let all: i64 = seats.iter().map(|seat| i64::from(seat.score)).sum();
        let winners = seats.iter().filter(|seat| seat.place == 1).count() as i64;
        let mut values = Self::default();
        for (place, seat) in seats.iter().enumerate() {
            values.points[place] = seats.len() as i64 * i64::from(seat.score) - all;
            values.firsts[place] = if seat.place == 1 { FIRST_PLACE / winners } else { 0 };
        }
        values
    }

    /// Combines the values of each seat by a function.
    pub(crate) fn zip(self, other: Self, function: fn(i64, i64) -> i64) -> Self {
        let each = |a: [i64; MAX_SEATS], b: [i64; MAX_SEATS]| {
            array::from_fn(|seat| function(a[seat], b[seat]))
        };
        Self { points: each(self.points, other.points), firsts: each(self.firsts, other.firsts) }
    }
}

/// A function that returns the points or the shares of the first place.
pub(crate) type Measure = fn(&Values) -> &[i64; MAX_SEATS];

/// Returns the number of units in a point.
pub(crate) fn units_per_point(seats: SeatCount) -> i64 {
    i64::from(seats.get()).max(2) - 1
}

/// Plays a state on to the end. All seats decide by [`Rate::quick_decision`]. Returns `None` if the
/// match does not end within 20,000 decisions.
pub(crate) fn play_on<G: Rate>(
    config: &G::Config,
    mut state: G::State,
    mut chance: ChanceStream,
) -> Option<Values> {
    let (mut decisions, mut ratings) = (Vec::new(), Vec::new());
    for _ in 0..MAX_DECISIONS {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            break;
        };
        G::legal(&state, seat, &mut decisions);
        let point = DecisionPoint { config, state: &state, seat, decisions: &decisions };
        let place = G::quick_decision(&point, &mut chance, &mut ratings);
        let applied = G::apply(&mut state, seat, decisions.get(place)?, &mut NoEvents);
        debug_assert!(applied.is_ok(), "a listed decision applies");
    }
    G::outcome(&state).map(|outcome| Values::of_outcome(&outcome))
}
