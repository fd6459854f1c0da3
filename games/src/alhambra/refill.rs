//! The start of a match, and what happens after a turn: yard, open row, and the end.

use super::building::Buildings;
use super::components::{Currency, DUMMY_BUILDINGS, DUMMY_SHARE, ROW_CARDS, Scoring};
use super::event::Event;
use super::observation::Phase;
use super::pile::Drawn;
use super::state::State;
use crate::{EventSink, Seat};

impl State {
    /// Lays out what is open at the start, and begins the first turn.
    pub(super) fn begin(&mut self, events: &mut impl EventSink<Event>) {
        for seat in self.seats.seats() {
            let money = self.hands[seat.index()];
            events.push(Event::HandDealt { seat, money });
        }
        if self.has_dummy() {
            self.dummy_draws(DUMMY_BUILDINGS, events);
        }
        self.fill_yard(events);
        for _ in 0..ROW_CARDS {
            if let Drawn::Money(card) = self.money_pile.draw() {
                self.row = self.row.with(card);
                events.push(Event::MoneyOpened { card });
            }
        }
        let hand = |seat: &Seat| &self.hands[seat.index()];
        let first = self
            .seats
            .seats()
            .min_by_key(|seat| (hand(seat).len(), hand(seat).total(), *seat));
        if let Some(seat) = first {
            self.begin_turn(seat, events);
        }
    }

    fn begin_turn(&mut self, seat: Seat, events: &mut impl EventSink<Event>) {
        self.phase = Phase::Turn { seat };
        events.push(Event::TurnStarted { seat });
    }

    /// Ends the turn of a seat: refills the yard, then the open row. A yard that cannot be filled
    /// ends the match (A6).
    pub(super) fn end_turn(&mut self, seat: Seat, events: &mut impl EventSink<Event>) {
        self.turn_purchases.clear();
        if self.fill_yard(events) {
            self.refill_row(seat, events);
        } else {
            events.push(Event::YardShort);
            self.allot_yard(events);
            self.score(Scoring::C, events);
            self.phase = Phase::Over;
        }
    }

    /// Lays buildings into the empty slots, from left to right; returns whether the yard is full.
    fn fill_yard(&mut self, events: &mut impl EventSink<Event>) -> bool {
        for slot in Currency::ALL {
            if self.offer(slot).is_some() {
                continue;
            }
            let Some(building) = self.building_pile.draw() else {
                return false;
            };
            self.yard[slot.index()] = Some(building);
            events.push(Event::BuildingLaid { slot, building });
        }
        true
    }

    /// Refills the open row after the turn of `last` and begins the next turn; waits where the
    /// discard must be shuffled. Without money to draw the row stays short (A7).
    pub(super) fn refill_row(&mut self, last: Seat, events: &mut impl EventSink<Event>) {
        let mut open = self.row.len();
        while open < ROW_CARDS {
            match self.money_pile.draw() {
                Drawn::Money(card) => {
                    self.row = self.row.with(card);
                    events.push(Event::MoneyOpened { card });
                    open += 1;
                }
                Drawn::Scoring(scoring) => {
                    self.score(scoring, events);
                    if self.has_dummy() {
                        self.dummy_draws_after(scoring, events);
                    }
                }
                Drawn::Nothing if self.discard.is_empty() => break,
                Drawn::Nothing => {
                    self.phase = Phase::Shuffle { seat: last };
                    return;
                }
            }
        }
        let next = (last.number() + 1) % self.seats.get();
        if let Some(seat) = Seat::new(next) {
            self.begin_turn(seat, events);
        }
    }

    fn dummy_draws_after(&mut self, scoring: Scoring, events: &mut impl EventSink<Event>) {
        let buildings = match scoring {
            Scoring::A => DUMMY_BUILDINGS,
            Scoring::B => self.building_pile.rest().len() as u8 / DUMMY_SHARE,
            Scoring::C => return,
        };
        self.dummy_draws(buildings, events);
    }

    /// Gives the dummy so many buildings of the pile, or all that there are.
    fn dummy_draws(&mut self, count: u8, events: &mut impl EventSink<Event>) {
        let mut buildings = Buildings::EMPTY;
        let owned = &mut self.buildings[self.seats.get() as usize];
        for _ in 0..count {
            if let Some(building) = self.building_pile.draw() {
                buildings = buildings.with(building);
                *owned = owned.with(building);
            }
        }
        events.push(Event::DummyDrew { buildings });
    }

    /// Gives each building left in the yard to the one seat with the most money of its slot.
    fn allot_yard(&mut self, events: &mut impl EventSink<Event>) {
        for slot in Currency::ALL {
            let Some(building) = self.offer(slot) else {
                continue;
            };
            let total = |seat: Seat| self.hands[seat.index()].of_currency(slot).total();
            let most = self.seats.seats().map(total).max().unwrap_or(0);
            let mut richest = self.seats.seats().filter(|&seat| total(seat) == most);
            let seat = match (richest.next(), richest.next()) {
                (Some(seat), None) if most > 0 => Some(seat),
                _ => None,
            };
            if let Some(seat) = seat {
                let owned = &mut self.buildings[seat.index()];
                *owned = owned.with(building);
                self.yard[slot.index()] = None;
            }
            events.push(Event::BuildingAllotted {
                slot,
                building,
                seat,
            });
        }
    }
}
