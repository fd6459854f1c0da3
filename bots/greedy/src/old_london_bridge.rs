//! Old London Bridge: plays every decision out to the end of the seat's own turn, its own
//! decisions on the way as they look best, those of the others at random, and evaluates what it
//! has then.

mod evaluation;
mod faces;

use bridgemaster_games::{
    ChanceStream, Game as _, NoEvents, Rules as _, Sample as _, Seat, Viewer,
    old_london_bridge::{Config, Decision, Observation, OldLondonBridge, Phase, State},
};
pub use evaluation::evaluate;

use super::Rate;

/// Rounds played out for one choice of cards, over all the cards to choose from. What a card is worth
/// depends on the hidden cards of the others and the spaces that they leave; more rounds won no
/// more matches.
const CARD_PLAYOUTS: u32 = 16;

impl Rate for OldLondonBridge {
    const RATES_HIDDEN_FACTS: bool = true;

    fn rate(
        config: &Config,
        state: &State,
        seat: Seat,
        decisions: &[Decision],
        chance: &mut ChanceStream,
        ratings: &mut [f64],
    ) {
        let look = LookAhead { config, seat };
        for (decision, rating) in decisions.iter().zip(ratings) {
            // The others do the same after each decision, so that only the decision differs.
            let mut luck = chance.clone();
            *rating += look.rate(state, decision, &mut luck);
        }
        // The next sample is not to repeat this one's luck.
        chance.below(u32::MAX);
    }

    fn samples(decisions: &[Decision]) -> u32 {
        match decisions {
            [Decision::PlayCards(_), ..] => (CARD_PLAYOUTS / decisions.len() as u32).max(1),
            _ => 1,
        }
    }

    /// For each choice of cards a round would be played.
    fn is_slow(decisions: &[Decision]) -> bool {
        matches!(decisions, [Decision::PlayCards(_), ..])
    }
}

/// Who looks ahead.
struct LookAhead<'a> {
    config: &'a Config,
    seat: Seat,
}

impl LookAhead<'_> {
    fn rate(&self, state: &State, decision: &Decision, luck: &mut ChanceStream) -> f64 {
        match decision {
            // Ending changes nothing that the seat has, and may begin a round that is hidden yet.
            Decision::End => self.value(state),
            Decision::TakeA2(_) => self.value(&after(state, self.seat, decision)),
            Decision::PlayCards(_) | Decision::RaiseCards(_) => {
                self.play_round(after(state, self.seat, decision), luck)
            }
            Decision::Place(_)
            | Decision::Replace(_)
            | Decision::TakeTile(_)
            | Decision::TakeCards(_)
            | Decision::UseTile(_) => self.finish_turn(after(state, self.seat, decision)).0,
        }
    }

    fn observe(&self, state: &State) -> Observation {
        OldLondonBridge::observe(state, Viewer::Seat(self.seat))
    }

    fn value(&self, state: &State) -> f64 {
        evaluate(&self.config.edition, &self.observe(state), self.seat)
    }

    /// Plays on until the last turn of the seat in this round is played.
    fn play_round(&self, mut state: State, luck: &mut ChanceStream) -> f64 {
        let mut list = Vec::new();
        loop {
            let seen = self.observe(&state);
            if let Phase::Turn(view) = seen.phase
                && seen.turns[usize::from(view.turn)].seat == self.seat
            {
                let (value, end) = self.finish_turn(state);
                let later = &seen.turns[usize::from(view.turn) + 1..];
                if later.iter().all(|turn| turn.seat != self.seat) {
                    return value;
                }
                state = after(&end, self.seat, &Decision::End);
                continue;
            }
            let owing = OldLondonBridge::owing(&state);
            let Some(other) = owing.iter().next() else {
                return self.value(&state);
            };
            OldLondonBridge::legal(&state, other, &mut list);
            // The seat itself raises nothing: the first decision of the list.
            let place = if other == self.seat {
                0
            } else {
                luck.below(list.len() as u32) as usize
            };
            let decision = list[place];
            state = after(&state, other, &decision);
        }
    }

    /// Plays the seat's turn as it looks best, without bonus tiles that a placement does not need:
    /// what the seat has then is worth, and the state in which only ending the turn is left.
    fn finish_turn(&self, state: State) -> (f64, State) {
        let mut list = Vec::new();
        OldLondonBridge::legal(&state, self.seat, &mut list);
        list.retain(|decision| !matches!(decision, Decision::UseTile(_)));
        // What a building leads to shows only at the end of the turn; tiles and cards taken count
        // by themselves, so each is chosen by what it is worth at once.
        let builds = matches!(list[..], [Decision::Place(_) | Decision::Replace(_), ..]);
        let mut best: Option<(f64, State)> = None;
        for decision in list.iter().filter(|decision| **decision != Decision::End) {
            let next = after(&state, self.seat, decision);
            let end = if builds {
                self.finish_turn(next)
            } else {
                (self.value(&next), next)
            };
            if best.as_ref().is_none_or(|best| end.0 > best.0) {
                best = Some(end);
            }
        }
        match best {
            None => (self.value(&state), state),
            Some(end) if builds => end,
            Some((_, next)) => self.finish_turn(next),
        }
    }
}

/// The state after a decision from its legal list.
fn after(state: &State, seat: Seat, decision: &Decision) -> State {
    let mut after = state.clone();
    let applied = OldLondonBridge::apply(&mut after, seat, decision, &mut NoEvents);
    debug_assert_eq!(applied, Ok(()), "a listed decision applies");
    after
}
