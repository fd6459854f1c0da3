//! Alhambra: looks some turns ahead, over the cards and buildings that may be drawn; in playouts
//! everybody takes what looks best at once.

use bridgemaster_games::{
    ChanceStream, MAX_SEATS, Sample as _, Seat, SeatCount, Viewer,
    alhambra::{Alhambra, Currency, Decision, Phase, State},
};

use super::think::{Habits, Promise, Question, Think};
use bridgemaster_greedy::{Rate as _, alhambra::worth};

/// Turns after the one of the question that a playout goes on for.
const TURNS: u32 = 8;
/// The spread of a lead when all is played, and what each building to come adds to it, in points.
const SPREAD: (f64, f64) = (4.0, 0.3);

impl Think for Alhambra {
    type Memory = ();

    fn habits(_seats: SeatCount) -> Habits {
        Habits {
            exploration: 0.4,
            temperature: 1.5,
            tries: 1,
            samples: 512,
            looks_first: true,
        }
    }

    /// What lies in the yard and in the row.
    fn sight(state: &State) -> u64 {
        let seen = Self::observe(state, Viewer::Spectator);
        let mut sight = 0u64;
        for slot in Currency::ALL {
            let building = seen.yard[slot.index()].map_or(0, |building| 1 + building.index());
            sight = sight << 7 | building as u64;
        }
        for card in seen.row.cards() {
            sight = sight << 7 | (1 + card.index() as u64);
        }
        sight
    }

    fn stops(
        _question: &Question<'_, Self>,
        _state: &State,
        _decisions: &[Decision],
        passes: u32,
    ) -> bool {
        passes >= TURNS
    }

    fn promise(question: &Question<'_, Self>, state: &State, _memory: &mut ()) -> Promise {
        let seen = Self::observe(state, Viewer::Spectator);
        let over = seen.phase == Phase::Over;
        let mut points = [0.0; MAX_SEATS];
        for seat in question.seats.seats() {
            let so_far = seen.seats[seat.index()].points;
            let so_far: i32 = so_far.as_flattened().iter().map(|&n| i32::from(n)).sum();
            let hoped = match over {
                true => 0.0,
                false => worth(question.config, &seen, seat),
            };
            points[seat.index()] = f64::from(so_far) + hoped;
        }
        Promise {
            points,
            spread: SPREAD.0 + SPREAD.1 * seen.unseen_buildings.len() as f64,
        }
    }

    fn play(
        question: &Question<'_, Self>,
        state: &State,
        seat: Seat,
        decisions: &[Decision],
        chance: &mut ChanceStream,
        _memory: &mut (),
    ) -> usize {
        let mut ratings = vec![0.0; decisions.len()];
        Self::rate(
            question.config,
            state,
            seat,
            decisions,
            chance,
            &mut ratings,
        );
        let mut best = 0;
        for (place, rating) in ratings.iter().enumerate() {
            if *rating > ratings[best] {
                best = place;
            }
        }
        best
    }
}
