//! Bridges to Nowhere: in a draft what each seat takes, judged by the best plans for what both hold
//! at its end; in a building phase what the seat builds itself, since the other builds in secret
//! and nothing that one builds stands in the way of the other.

use bridgemaster_games::{
    MAX_SEATS, Sample as _, Seat, SeatCount, Viewer,
    bridges_to_nowhere::{BridgesToNowhere, Card, Decision, Observation, Phase, ROUNDS, State},
};

use super::think::{Habits, Promise, Question, Think};
use bridgemaster_greedy::bridges_to_nowhere::{plan, worth};

/// The spread of a lead after the last round, and what each round to come adds to it, in points.
const SPREAD: (f64, f64) = (4.0, 5.0);

/// What the plans of a seat come to, by the cards that it holds.
#[derive(Debug, Default)]
pub struct Plans(Vec<(Seat, Vec<Card>, f64)>);

impl Plans {
    fn best(&mut self, state: &State, seat: Seat, seen: &Observation) -> f64 {
        let cards = &seen.seats[seat.index()].cards;
        let known = self
            .0
            .iter()
            .find(|(of, held, _)| *of == seat && held[..] == cards[..]);
        if let Some((_, _, points)) = known {
            return *points;
        }
        let points = plan(state, seen, seat);
        self.0.push((seat, cards.to_vec(), points));
        points
    }
}

impl Think for BridgesToNowhere {
    type Memory = Plans;

    fn habits(_seats: SeatCount) -> Habits {
        Habits {
            exploration: 0.6,
            temperature: 4.0,
            tries: 1,
            samples: 16,
            looks_first: false,
        }
    }

    fn is_secret(decisions: &[Decision]) -> bool {
        matches!(decisions, [Decision::Place(_) | Decision::End, ..])
    }

    /// A draft is played to its end, a building phase to the end of the seat's own.
    fn stops(
        question: &Question<'_, Self>,
        _state: &State,
        decisions: &[Decision],
        passes: u32,
    ) -> bool {
        let drafts = |decisions: &[Decision]| matches!(decisions, [Decision::Take(_), ..]);
        let asked = Self::observe(&question.state, Viewer::Spectator).phase;
        match asked {
            Phase::Draft { .. } => !drafts(decisions),
            Phase::Build | Phase::Over => drafts(decisions) || passes > 0,
        }
    }

    fn promise(question: &Question<'_, Self>, state: &State, plans: &mut Plans) -> Promise {
        let seats = question.seats.seats();
        let mut points = [0.0; MAX_SEATS];
        let seen = Self::observe(state, Viewer::Spectator);
        let games_before = Self::observe(&question.state, Viewer::Spectator)
            .results
            .len();
        if let Some(result) = seen.results.get(games_before) {
            for seat in seats {
                points[seat.index()] = f64::from(result.scores[seat.index()].total());
            }
            return Promise {
                points,
                spread: SPREAD.0,
            };
        }
        for seat in seats {
            let seen = Self::observe(state, Viewer::Seat(seat));
            let view = &seen.seats[seat.index()];
            let to_plan = seen.phase == Phase::Build && !view.has_ended;
            points[seat.index()] = match to_plan && view.placed.is_empty() {
                true => plans.best(state, seat, &seen),
                false => worth(&seen, seat),
            };
        }
        Promise {
            points,
            spread: SPREAD.0 + SPREAD.1 * f64::from(ROUNDS - 1 - seen.round),
        }
    }
}
