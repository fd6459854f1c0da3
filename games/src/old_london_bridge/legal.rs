//! Listing of legal decisions, in the canonical order of [`Decision`].

use super::components::{BONUS_STACKS, CARD_VALUES, TileKind};
use super::decision::{Decision, MAX_PLAYED, PlayedCards, TurnTile};
use super::observation::{TurnStep, TurnView};
use super::setup::cards_per_round;
use super::state::State;
use crate::Seat;

impl State {
    /// Adds the cards that a seat can play.
    pub(super) fn list_plays(&self, seat: Seat, list: &mut Vec<Decision>) {
        let hand = &self.seat(seat).hand;
        let held = |value: &u8| hand[usize::from(*value)] > 0;
        let play = |first, second| Decision::PlayCards(PlayedCards { first, second });
        for first in (0..CARD_VALUES as u8).filter(held) {
            if cards_per_round(self.fixed.seats) == 1 {
                list.push(play(first, None));
                continue;
            }
            let lower = (0..first).filter(held);
            list.extend(lower.map(|second| play(first, Some(second))));
            if hand[usize::from(first)] > 1 {
                list.push(play(first, Some(first)));
            }
        }
    }

    pub(super) fn list_raises(&self, seat: Seat, list: &mut Vec<Decision>) {
        for total in 0..=self.seat(seat).usable(TileKind::PlusOne) {
            let ways = (0..=total).map(|second| -> [u8; MAX_PLAYED] { [total - second, second] });
            let legal = ways.filter(|&raises| self.check_raises(seat, raises).is_ok());
            list.extend(legal.map(Decision::RaiseCards));
        }
    }

    pub(super) fn list_turn(&self, seat: Seat, view: TurnView, list: &mut Vec<Decision>) {
        match view.step {
            TurnStep::Place | TurnStep::Finish => {
                if view.step == TurnStep::Place {
                    self.list_placements(seat, list);
                }
                let may_end = list.is_empty();
                let tiles = TurnTile::ALL.into_iter();
                let legal = tiles.filter(|&tile| self.check_turn_tile(seat, view, tile).is_ok());
                list.extend(legal.map(Decision::UseTile));
                if may_end {
                    list.push(Decision::End);
                }
            }
            TurnStep::Replace { building } => {
                let slots = 0..self.seat(seat).bridge.len() as u8;
                let legal = slots.filter(|&slot| self.check_slot(seat, building, slot).is_ok());
                list.extend(legal.map(Decision::Replace));
            }
            TurnStep::TakeTile { .. } => {
                let stacks = 0..BONUS_STACKS as u8;
                let legal = stacks.filter(|&stack| self.bonus_tile(stack).is_ok());
                list.extend(legal.map(Decision::TakeTile));
            }
            TurnStep::TakeCards { strength } => self.list_cards(strength, list),
        }
    }

    fn list_cards(&self, strength: u8, list: &mut Vec<Decision>) {
        let most = |value: u8, left: u8| self.supply[usize::from(value)].min(left / value);
        for fours in 0..=most(4, strength) {
            let left = strength - 4 * fours;
            for threes in 0..=most(3, left) {
                let left = left - 3 * threes;
                for twos in 0..=most(2, left) {
                    let left = left - 2 * twos;
                    for ones in 0..=most(1, left) {
                        if fours + threes + twos + ones > 0 {
                            list.push(Decision::TakeCards([0, ones, twos, threes, fours]));
                        }
                    }
                }
            }
        }
    }
}
