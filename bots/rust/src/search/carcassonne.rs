//! Carcassonne with the Drawbridges: looks at the turns of the seat and of who follows, over the
//! tiles that may be drawn.

mod outlook;

use bridgemaster_games::{
    ChanceStream, MAX_SEATS, NoEvents, Rules as _, Sample as _, Seat, SeatCount, Viewer,
    carcassonne::{Carcassonne, Decision, Phase, State},
};
use outlook::Outlook;

use super::think::{Habits, Promise, Question, Think, lead_after};

/// Turns that a playout goes on for, the one of the question included.
const TURNS: u32 = 2;
/// The spread of a lead when all is played, and what each tile to come adds to it, in points.
const SPREAD: (f64, f64) = (4.0, 0.15);

impl Think for Carcassonne {
    type Memory = ();

    fn habits(_seats: SeatCount) -> Habits {
        Habits {
            exploration: 0.4,
            temperature: 1.5,
            tries: 6,
            samples: 256,
            looks_first: true,
        }
    }

    /// The drawn tile.
    fn sight(state: &State) -> u64 {
        match Self::observe(state, Viewer::Spectator).phase {
            Phase::PlaceTile { tile } => 1 + tile.index() as u64,
            _ => 0,
        }
    }

    fn stops(
        _question: &Question<'_, Self>,
        _state: &State,
        decisions: &[Decision],
        passes: u32,
    ) -> bool {
        passes >= TURNS && matches!(decisions, [Decision::Place(_), ..])
    }

    fn promise(question: &Question<'_, Self>, state: &State, _memory: &mut ()) -> Promise {
        let seen = Self::observe(state, Viewer::Spectator);
        let outlook = Outlook::new(&seen);
        let mut points = [0.0; MAX_SEATS];
        outlook.add_points(state, &mut points);
        for seat in question.seats.seats() {
            points[seat.index()] += outlook.supply(seat);
        }
        Promise {
            points,
            spread: SPREAD.0 + SPREAD.1 * outlook.to_come(),
        }
    }

    /// A placement by the best meeple that it allows.
    fn first_look(
        question: &Question<'_, Self>,
        state: &State,
        seat: Seat,
        decisions: &[Decision],
        _chance: &mut ChanceStream,
        memory: &mut (),
        ratings: &mut [f64],
    ) {
        let mut list = Vec::new();
        for (decision, rating) in decisions.iter().zip(ratings) {
            *rating = match decision {
                Decision::Place(_) => {
                    let mut laid = state.clone();
                    let applied = Self::decide(&mut laid, seat, decision, &mut NoEvents);
                    debug_assert_eq!(applied, Ok(()), "a listed decision applies");
                    list.clear();
                    Self::list(&laid, seat, &mut list);
                    let leads = list
                        .iter()
                        .map(|meeple| lead_after(question, &laid, seat, meeple, memory));
                    leads.fold(f64::NEG_INFINITY, f64::max)
                }
                Decision::Meeple(_) | Decision::Drawbridge(_) => {
                    lead_after(question, state, seat, decision, memory)
                }
            };
        }
    }
}
