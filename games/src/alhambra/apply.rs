//! Applying decisions.

use super::components::{Currency, TAKE_LIMIT, VALUES};
use super::decision::{Decision, Purchase};
use super::event::Event;
use super::money::{MoneyCard, RowCards, ValueCounts};
use super::observation::{Phase, TurnPurchase};
use super::refusal::Refusal;
use super::state::State;
use crate::{EventSink, OutOfTurn, Seat};

impl State {
    /// Applies a decision, or refuses it before anything has changed.
    pub(super) fn apply(
        &mut self,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        OutOfTurn::check(seat, self.owing(), matches!(self.phase, Phase::Over))?;
        match *decision {
            Decision::Take(cards) => self.take(seat, cards, events),
            Decision::Buy(purchase) => self.buy(seat, purchase, events),
            Decision::Pass if self.can_act(seat) => Err(Refusal::PassWithAction),
            Decision::Pass => {
                events.push(Event::Passed { seat });
                self.end_turn(seat, events);
                Ok(())
            }
        }
    }

    fn take(
        &mut self,
        seat: Seat,
        cards: RowCards,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        let rest = self.row.without(cards).map_err(Refusal::NotInRow)?;
        match (cards.len(), cards.total()) {
            (0, _) => return Err(Refusal::TakeNothing),
            (2.., total) if total > TAKE_LIMIT => return Err(Refusal::TakeTooMuch(total)),
            _ => {}
        }
        self.row = rest;
        let hand = &mut self.hands[seat.index()];
        cards.cards().for_each(|card| hand.insert(card));
        events.push(Event::MoneyTaken { seat, cards });
        self.end_turn(seat, events);
        Ok(())
    }

    fn buy(
        &mut self,
        seat: Seat,
        purchase: Purchase,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        let Purchase {
            slot,
            payment,
            give,
        } = purchase;
        let building = self.offer(slot).ok_or(Refusal::SlotEmpty(slot))?;
        let hand = &mut self.hands[seat.index()];
        let held = hand.of_currency(slot);
        if !held.contains(payment) {
            return Err(not_in_hand(slot, held, payment));
        }
        let paid = payment.total();
        if paid < building.price() {
            return Err(Refusal::PaidTooLittle { building, paid });
        }
        if give && self.seats.get() != 2 {
            return Err(Refusal::NoDummy);
        }
        hand.remove_all(slot, payment);
        self.discard.insert_all(slot, payment);
        self.yard[slot.index()] = None;
        let owner = if give {
            self.dummy_index()
        } else {
            seat.index()
        };
        self.buildings[owner].insert(building);
        events.push(Event::Bought {
            seat,
            building,
            purchase,
        });
        if paid == building.price() {
            self.turn_purchases
                .push(TurnPurchase { building, purchase });
        } else {
            self.end_turn(seat, events);
        }
        Ok(())
    }
}

/// The refusal of a payment that a hand does not have: of its highest card that is missing.
fn not_in_hand(slot: Currency, held: ValueCounts, payment: ValueCounts) -> Refusal {
    let is_short = |value: &u8| payment.count(*value) > held.count(*value);
    let value = (1..=VALUES as u8).rev().find(is_short).unwrap_or(1);
    Refusal::NotInHand {
        card: MoneyCard::new(slot, value).unwrap_or(MoneyCard::FIRST),
        count: payment.count(value),
        held: held.count(value),
    }
}
