//! The sequence of rounds and turns.

use std::cmp::Reverse;

use super::components::{Face, KINDS, OUTER_SPACES, TILE_KINDS, TileKind};
use super::config::StartLeaders;
use super::decision::PlayedCards;
use super::event::{Event, Events};
use super::observation::{Pawn, Phase, SeatView, Turn, TurnStep, TurnView};
use super::setup::rounds;
use super::state::State;
use crate::Seat;

/// The number of empty building stacks that ends the match early (R10).
const EMPTY_STACKS_TO_END: usize = 3;
/// The payment from the leader faces at the end of each round, in pounds.
const LEADER_MONEY: i32 = 1;
/// The payment from the face *highest_card* at each reveal, in pounds.
const HIGHEST_CARD_MONEY: i32 = 2;
/// The payment from the face *lowest_number* at the end of each round, in pounds.
const LOWEST_NUMBER_MONEY: i32 = 2;

impl State {
    /// Phase 1: reveals the round's marker and turns the rondel.
    pub(super) fn begin_round(&mut self, events: &mut impl Events) {
        let marker = self.fixed.markers[usize::from(self.round)];
        self.orientation = (self.orientation + marker) % OUTER_SPACES as u8;
        let (round, orientation) = (self.round, self.orientation);
        events.push(Event::RoundStarted { round, marker, orientation });
        self.offer_take_a2(0);
    }

    /// Phase 2a: offers take_a_2 to the first seat that can use such a tile, from this rank in
    /// chapel order on. If there is no such seat, phase 2b starts.
    pub(super) fn offer_take_a2(&mut self, from_rank: usize) {
        let mut next = None;
        if self.supply[2] > 0 {
            let rest = &self.chapel_order[from_rank..];
            next = rest.iter().find(|&&seat| self.seat(seat).usable(TileKind::TakeA2) > 0);
        }
        self.phase = match next {
            Some(&seat) => Phase::TakeA2 { seat },
            None => Phase::ChooseCards,
        };
    }

    /// Reveals the chosen cards, pays the face *highest_card* and starts phase 2c.
    pub(super) fn reveal(&mut self, events: &mut impl Events) {
        for seat in self.fixed.seats.seats() {
            let Some(cards) = self.chosen[seat.index()].reveal() else {
                continue;
            };
            let player = self.seat_mut(seat);
            player.played = Some(cards);
            for card in cards.values() {
                player.hand[usize::from(card)] -= 1;
            }
            events.push(Event::CardsRevealed { seat, cards });
        }
        let first = self.first_by(|view| view.played.map(|cards| cards.first));
        self.pay_face(Face::HighestCard, first, HIGHEST_CARD_MONEY, events);
        self.offer_raise(self.chapel_order.len(), events);
    }

    /// Phase 2c: offers raises to the last seat with a usable plus_one tile before this rank in
    /// chapel order. If there is no such seat, the order of play is fixed.
    pub(super) fn offer_raise(&mut self, before_rank: usize, events: &mut impl Events) {
        let mut rest = self.chapel_order[..before_rank].iter().rev();
        match rest.find(|&&seat| self.seat(seat).usable(TileKind::PlusOne) > 0) {
            Some(&seat) => self.phase = Phase::RaiseCards { seat },
            None => self.fix_order(events),
        }
    }

    /// Fixes the order of play, in which the highest value is first. Ties between seats are broken
    /// by chapel order, and ties between a seat's own cards by printed value (R20).
    fn fix_order(&mut self, events: &mut impl Events) {
        self.turns.clear();
        for &seat in &self.chapel_order {
            let player = &self.seats[seat.index()];
            let cards = player.played.into_iter().flat_map(PlayedCards::values);
            for (card, raise) in cards.zip(player.raises) {
                let value = card + raise;
                self.turns.push(Turn { seat, card, value });
            }
        }
        // The sort is stable. The turns are already in chapel order, with a seat's higher card
        // first.
        self.turns.sort_by_key(|turn| Reverse(turn.value));
        events.push(Event::OrderFixed { turns: self.turns.clone() });
        self.start_turn(0, events);
    }

    /// Phase 3: starts a turn. The card that was played for this turn returns to the supply, or to
    /// the hand if it is a "0".
    fn start_turn(&mut self, turn: u8, events: &mut impl Events) {
        let Turn { seat, card, .. } = self.turns[usize::from(turn)];
        match card {
            0 => self.seat_mut(seat).hand[0] += 1,
            _ => self.supply[usize::from(card)] += 1,
        }
        self.phase = Phase::Turn(TurnView { turn, step: TurnStep::Place, recalled: false });
        events.push(Event::TurnStarted { turn, seat, card });
    }

    /// Sets the pending step of the current turn.
    pub(super) fn set_step(&mut self, step: TurnStep) {
        if let Phase::Turn(view) = &mut self.phase {
            view.step = step;
        }
    }

    /// Ends a turn, and starts the next one or ends the round.
    pub(super) fn end_turn(&mut self, turn: u8, events: &mut impl Events) {
        if usize::from(turn) + 1 < self.turns.len() {
            self.start_turn(turn + 1, events);
        } else {
            self.end_round(events);
        }
    }

    fn end_round(&mut self, events: &mut impl Events) {
        events.push(Event::RoundEnded { round: self.round });
        self.pay_end_of_round(events);
        for seat in &mut self.seats {
            seat.pawn = Pawn::Off;
            seat.fresh_tiles = [0; TILE_KINDS];
            seat.has_chosen = false;
            seat.played = None;
            seat.raises = [0; 2];
            seat.lowest_built = None;
        }
        self.turns.clear();

        let last = self.round + 1 == rounds(self.fixed.seats);
        let left = self.stacks_left().count_ones() as usize;
        if last || KINDS - left >= EMPTY_STACKS_TO_END {
            self.phase = Phase::Over;
            events.push(Event::GameEnded { early: !last });
        } else {
            self.round += 1;
            self.begin_round(events);
        }
    }

    /// Returns the seat with the highest `measure`. Ties are broken by chapel order (R11).
    fn first_by<M: Ord>(&self, measure: impl Fn(&SeatView) -> M) -> Seat {
        let order = self.chapel_order.iter();
        let first = order.min_by_key(|&&seat| Reverse(measure(self.seat(seat))));
        *first.unwrap_or(&self.chapel_order[0])
    }

    /// Pays the faces that pay at the end of each round. The config determines whether leaders at
    /// position 0 are paid (R14).
    fn pay_end_of_round(&mut self, events: &mut impl Events) {
        let paid_at_start = self.fixed.start_leaders == StartLeaders::Paid;
        let earns = |position| position > 0 || paid_at_start;
        let chapel_leader = self.chapel_order[0];
        if earns(self.seat(chapel_leader).chapel_position) {
            self.pay_face(Face::ChapelLeader, chapel_leader, LEADER_MONEY, events);
        }
        let gate_leader = self.first_by(|view| view.gate_position);
        if earns(self.seat(gate_leader).gate_position) {
            self.pay_face(Face::GateLeader, gate_leader, LEADER_MONEY, events);
        }
        let built = self.fixed.seats.seats();
        let built = built.filter_map(|seat| Some((self.seat(seat).lowest_built?, seat)));
        if let Some((_, seat)) = built.min() {
            self.pay_face(Face::LowestNumber, seat, LOWEST_NUMBER_MONEY, events);
        }
    }

    /// Pays a face if this match uses it.
    fn pay_face(&mut self, face: Face, seat: Seat, money: i32, events: &mut impl Events) {
        if self.fixed.has_face(face) {
            self.seat_mut(seat).money += money;
            events.push(Event::FacePaid { seat, face, money });
        }
    }
}
