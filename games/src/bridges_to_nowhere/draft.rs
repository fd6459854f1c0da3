//! Starting games and rounds, and taking cards.

use super::components::{CARDS_A_DRAFT, Card, MONUMENTS, PLAYERS, ROUNDS};
use super::decision::Decision;
use super::edition::CardId;
use super::event::Event;
use super::illegal::Illegal;
use super::observation::Phase;
use super::setup::seat;
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

    fn begin_round(&mut self, events: &mut impl EventSink<Event>) {
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

    /// The next round, unless it was the last of the game.
    pub(super) fn next_round(&mut self, events: &mut impl EventSink<Event>) -> bool {
        let goes_on = self.round + 1 < ROUNDS;
        if goes_on {
            self.round += 1;
            self.begin_round(events);
        }
        goes_on
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
        let hand = &mut self.seat_mut(seat).hand;
        let place = hand.iter().position(|&other| other > id);
        hand.insert(place.unwrap_or(hand.len()), id);
        events.push(Event::Taken { seat, card });
        self.ask_next_drafter(seat, events);
        Ok(())
    }

    fn ask_next_drafter(&mut self, last: Seat, events: &mut impl EventSink<Event>) {
        let taken: usize = self.seats.iter().map(|builder| builder.hand.len()).sum();
        self.phase = if taken < PLAYERS * CARDS_A_DRAFT {
            Phase::Draft { seat: other(last) }
        } else {
            events.push(Event::DraftEnded {
                discarded: self.bridge_cards(&self.open),
            });
            self.open.clear();
            Phase::Build
        };
    }

    /// Adds what may be taken.
    pub(super) fn list_takes(&self, list: &mut Vec<Decision>) {
        let mut before = None;
        for &id in &self.open {
            if before != Some(id) {
                list.push(Decision::Take(self.fixed.card(id)));
            }
            before = Some(id);
        }
        if self.monuments > 0 {
            list.push(Decision::Take(Card::Monument));
        }
    }
}

pub(super) fn other(of: Seat) -> Seat {
    seat(PLAYERS as u8 - 1 - of.number())
}
