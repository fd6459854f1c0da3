//! Old London Bridge: plays on after every decision until the end of the seat's own turn, and
//! evaluates the result. The seat takes its best-rated decisions, and the other seats take random
//! decisions.

mod evaluation;
mod faces;

use bridgemaster_games::{
    ChanceStream, Game as _, Rules as _, Sample as _, Seat, Viewer,
    old_london_bridge::{Config, Decision, Observation, OldLondonBridge, Phase, State},
};
pub use evaluation::evaluate;

use super::{DecisionPoint, Rate, after, quick_best};

/// The total number of rounds that are played out to choose one card. Several are needed, because a
/// card's value depends on the other seats' hidden cards and on the spaces that these seats leave
/// free. More rounds did not win more matches.
const CARD_PLAYOUTS: u32 = 16;

impl Rate for OldLondonBridge {
    const RATES_HIDDEN_FACTS: bool = true;

    fn rate(point: &DecisionPoint<'_, Self>, chance: &mut ChanceStream, ratings: &mut [f64]) {
        let DecisionPoint { config, state, seat, decisions } = *point;
        let look = LookAhead { config, seat };
        for (decision, rating) in decisions.iter().zip(ratings) {
            // Each decision is rated with the same random numbers, so that ratings differ only by
            // the decision.
            let mut luck = chance.clone();
            *rating += look.rate(state, decision, &mut luck);
        }
        // The next sample must not repeat the random numbers of this sample.
        chance.below(u32::MAX);
    }

    fn samples(decisions: &[Decision]) -> u32 {
        match decisions {
            [Decision::PlayCards(_), ..] => (CARD_PLAYOUTS / decisions.len() as u32).max(1),
            _ => 1,
        }
    }

    /// Compares some random decisions by the value of the position, without playing on to the end
    /// of the turn. Cards are random.
    fn quick_decision(
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        _ratings: &mut Vec<f64>,
    ) -> usize {
        let DecisionPoint { config, state, seat, decisions } = *point;
        let count = decisions.len() as u32;
        if Self::is_slow(decisions) {
            return chance.below(count) as usize;
        }
        let look = LookAhead { config, seat };
        quick_best(count, chance, |place| {
            look.value(&after::<Self>(state, seat, &decisions[place]))
        })
    }

    /// Rating a card requires playing a whole round.
    fn is_slow(decisions: &[Decision]) -> bool {
        matches!(decisions, [Decision::PlayCards(_), ..])
    }
}

/// The look-ahead for one seat.
struct LookAhead<'a> {
    config: &'a Config,
    seat: Seat,
}

impl LookAhead<'_> {
    fn rate(&self, state: &State, decision: &Decision, luck: &mut ChanceStream) -> f64 {
        match decision {
            // Ending the turn does not change what the seat owns, but can start a round with hidden
            // cards.
            Decision::End => self.value(state),
            Decision::TakeA2(_) => {
                self.value(&after::<OldLondonBridge>(state, self.seat, decision))
            }
            Decision::PlayCards(_) | Decision::RaiseCards(_) => {
                self.play_round(after::<OldLondonBridge>(state, self.seat, decision), luck)
            }
            Decision::Place(_)
            | Decision::Replace(_)
            | Decision::TakeTile(_)
            | Decision::TakeCards(_)
            | Decision::UseTile(_) => {
                self.finish_turn(after::<OldLondonBridge>(state, self.seat, decision)).0
            }
        }
    }

    fn observe(&self, state: &State) -> Observation {
        OldLondonBridge::observe(state, Viewer::Seat(self.seat))
    }

    fn value(&self, state: &State) -> f64 {
        evaluate(&self.config.edition, &self.observe(state), self.seat)
    }

    /// Plays until the seat's last turn in this round.
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
                state = after::<OldLondonBridge>(&end, self.seat, &Decision::End);
                continue;
            }
            let seats_to_decide = OldLondonBridge::seats_to_decide(&state);
            let Some(other) = seats_to_decide.iter().next() else {
                return self.value(&state);
            };
            OldLondonBridge::legal(&state, other, &mut list);
            // The seat itself takes the first decision in the list, which raises no card.
            let place = if other == self.seat { 0 } else { luck.below(list.len() as u32) as usize };
            let decision = list[place];
            state = after::<OldLondonBridge>(&state, other, &decision);
        }
    }

    /// Plays the seat's turn with the best-rated decisions, without bonus tiles that a placement
    /// does not need. Returns the resulting value, and the state in which only the end of the turn
    /// is left.
    fn finish_turn(&self, state: State) -> (f64, State) {
        let mut list = Vec::new();
        OldLondonBridge::legal(&state, self.seat, &mut list);
        list.retain(|decision| !matches!(decision, Decision::UseTile(_)));
        // A building's effect is known only at the end of the turn. Tiles and cards are chosen by
        // their immediate value, because they are themselves valued.
        let builds = matches!(list[..], [Decision::Place(_) | Decision::Replace(_), ..]);
        let mut best: Option<(f64, State)> = None;
        for decision in list.iter().filter(|decision| **decision != Decision::End) {
            let next = after::<OldLondonBridge>(&state, self.seat, decision);
            let end = if builds { self.finish_turn(next) } else { (self.value(&next), next) };
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
