//! Starting games and rounds, and taking cards.

use super::components::{Card, MONUMENTS};
use super::decision::Decision;
use super::edition::CardId;
use super::event::Event;
use super::illegal::Illegal;
use super::observation::Phase;
use super::setup::SEATS;
use super::state::{Builder, State};
use crate::{EventSink, Seat};

impl State {
    /// Starts the game that `self.game` names.
    pub(super) fn begin_game(&mut self, events: &mut impl EventSink<Event>) {
        self.round = 0;
        self.monuments = MONUMENTS;
        self.seats = [Builder::new(), Builder::new()];
        events.push(Event::GameStarted {
            game: self.game,
            contract: self.contract(),
        });
        self.begin_round(events);
    }

    /// Opens the cards of the round that `self.round` names.
    pub(super) fn begin_round(&mut self, events: &mut impl EventSink<Event>) {
        self.open = self.deal().opened[usize::from(self.round)].into();
        let first_drafter = self.first_drafter();
        self.phase = Phase::Draft {
            seat: first_drafter,
        };
        events.push(Event::RoundStarted {
            round: self.round,
            first_drafter,
            opened: self.bridge_cards(&self.open),
        });
    }

    /// Takes a card from the table for the seat whose turn it is.
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
            events.push(Event::DraftEnded {
                discarded: self.bridge_cards(&self.open),
            });
            self.open.clear();
            Phase::Build
        } else {
            let other = SEATS[1 - seat.index()];
            Phase::Draft { seat: other }
        };
        Ok(())
    }

    /// Adds what may be taken.
    pub(super) fn list_takes(&self, list: &mut Vec<Decision>) {
        let kinds = self.open.chunk_by(CardId::eq);
        list.extend(kinds.map(|alike| Decision::Take(self.fixed.card(alike[0]))));
        if self.monuments > 0 {
            list.push(Decision::Take(Card::Monument));
        }
    }
}
