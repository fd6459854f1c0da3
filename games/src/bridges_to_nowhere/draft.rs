//! The start of games and rounds, and the draft phase.

use super::components::{Card, MONUMENTS};
use super::decision::Decision;
use super::decision::Illegal;
use super::edition::CardId;
use super::event::Event;
use super::observation::Phase;
use super::setup::SEATS;
use super::state::{Builder, State};
use crate::{EventSink, Seat};

impl State {
    /// Starts the game with index `self.game`, counted from 0.
    pub(super) fn begin_game(&mut self, events: &mut impl EventSink<Event>) {
        self.round = 0;
        self.monuments = MONUMENTS;
        self.seats = [Builder::new(), Builder::new()];
        events.push(Event::GameStarted { game: self.game, contract: self.contract() });
        self.begin_round(events);
    }

    /// Starts the round with index `self.round`, counted from 0, and lays out its cards.
    pub(super) fn begin_round(&mut self, events: &mut impl EventSink<Event>) {
        self.open = self.deal().opened[usize::from(self.round)].into();
        let first_drafter = self.first_drafter();
        self.phase = Phase::Draft { seat: first_drafter };
        events.push(Event::RoundStarted {
            round: self.round,
            first_drafter,
            opened: self.bridge_cards(&self.open),
        });
    }

    /// Takes a card from the table for the seat to move.
    pub(super) fn take(
        &mut self,
        seat: Seat,
        card: Card,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let id = match card {
            Card::Monument if self.monuments > 0 => {
                self.monuments -= 1;
                CardId::MONUMENT
            }
            Card::Monument => return Err(Illegal::NotOnTable(card)),
            Card::Bridge(_) => {
                let place = self.fixed.position(&self.open, card);
                self.open.remove(place.ok_or(Illegal::NotOnTable(card))?)
            }
        };
        let hand = &mut self.seats[seat.index()].hand;
        let place = hand.iter().position(|&other| other > id);
        hand.insert(place.unwrap_or(hand.len()), id);
        events.push(Event::Taken { seat, card });
        self.phase = if self.seats.iter().all(|builder| builder.hand.is_full()) {
            let next_cards = self.open_while_building();
            events.push(Event::DraftEnded {
                discarded: self.bridge_cards(&self.open),
                next_cards: self.bridge_cards(&next_cards),
            });
            self.open = next_cards;
            Phase::Build
        } else {
            let other = SEATS[1 - seat.index()];
            Phase::Draft { seat: other }
        };
        Ok(())
    }

    /// Adds the cards that can legally be taken.
    pub(super) fn list_takes(&self, list: &mut Vec<Decision>) {
        let kinds = self.open.chunk_by(CardId::eq);
        list.extend(kinds.map(|alike| Decision::Take(self.fixed.card(alike[0]))));
        if self.monuments > 0 {
            list.push(Decision::Take(Card::Monument));
        }
    }
}
