//! Old London Bridge: plays rounds out and evaluates what each seat has then.

use bridgemaster_games::{
    ChanceStream, MAX_SEATS, Sample as _, Seat, SeatCount, Viewer,
    old_london_bridge::{Decision, OldLondonBridge, State},
};

use super::think::{Habits, Promise, Question, Think};
use bridgemaster_greedy::{Rate as _, old_london_bridge::evaluate};

/// Rounds that a playout goes on for, the one of the question included.
const ROUNDS: u8 = 2;
/// The spread of a lead when all is played, and what each round to come adds to it, in pounds.
const SPREAD: (f64, f64) = (3.0, 0.7);

impl Think for OldLondonBridge {
    type Memory = ();

    fn habits(_seats: SeatCount) -> Habits {
        Habits {
            exploration: 0.4,
            temperature: 1.5,
            tries: 8,
            samples: 512,
            looks_first: false,
        }
    }

    fn is_secret(decisions: &[Decision]) -> bool {
        matches!(decisions, [Decision::PlayCards(_), ..])
    }

    fn stops(
        question: &Question<'_, Self>,
        state: &State,
        decisions: &[Decision],
        _passes: u32,
    ) -> bool {
        let begins = matches!(
            decisions,
            [Decision::PlayCards(_) | Decision::TakeA2(_), ..]
        );
        let round = |state| Self::observe(state, Viewer::Spectator).round;
        begins && round(state) >= round(&question.state) + ROUNDS
    }

    fn promise(question: &Question<'_, Self>, state: &State, _memory: &mut ()) -> Promise {
        let seen = Self::observe(state, Viewer::Spectator);
        let edition = &question.config.edition;
        let mut points = [0.0; MAX_SEATS];
        for seat in question.seats.seats() {
            points[seat.index()] = evaluate(edition, &seen, seat);
        }
        let to_come = seen.rounds - 1 - seen.round;
        Promise {
            points,
            spread: SPREAD.0 + SPREAD.1 * f64::from(to_come),
        }
    }

    fn first_look(
        question: &Question<'_, Self>,
        state: &State,
        seat: Seat,
        decisions: &[Decision],
        chance: &mut ChanceStream,
        _memory: &mut (),
        ratings: &mut [f64],
    ) {
        // Cards are rated by playing rounds: no first look but for the question itself.
        if !Self::is_secret(decisions) {
            Self::rate(question.config, state, seat, decisions, chance, ratings);
        }
    }
}
