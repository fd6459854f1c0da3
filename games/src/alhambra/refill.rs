//! The start of a match, and the steps after a turn: yard, open row, and the end.

use super::building::Buildings;
use super::components::{Currency, DUMMY_BUILDINGS, DUMMY_SHARE, ROW_CARDS, Scoring};
use super::event::Event;
use super::observation::Phase;
use super::pile::Drawn;
use super::state::State;
use crate::{EventSink, Seat};

impl State {
    /// Lays out the initial open pieces, and starts the first turn.
    pub(super) fn begin(&mut self, events: &mut impl EventSink<Event>) {
        for (seat, money) in self.seats.seats().zip(self.hands) {
            events.push(Event::HandDealt { seat, money });
        }
        self.deal_to_dummy(DUMMY_BUILDINGS, events);
        self.fill_yard(events);
        self.fill_row(events);
        let hand = |seat: &Seat| &self.hands[seat.index()];
        let key = |seat: &Seat| (hand(seat).len(), hand(seat).total(), *seat);
        if let Some(seat) = self.seats.seats().min_by_key(key) {
            self.begin_turn(seat, events);
        }
    }

    fn begin_turn(&mut self, seat: Seat, events: &mut impl EventSink<Event>) {
        self.phase = Phase::Turn { seat };
        events.push(Event::TurnStarted { seat });
    }

    /// Ends a seat's turn: refills the yard, then the open row. A yard that cannot be filled ends
    /// the match (A6).
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

    /// Fills the empty slots from left to right; returns `true` if the yard is full then.
    fn fill_yard(&mut self, events: &mut impl EventSink<Event>) -> bool {
        for (slot, place) in Currency::ALL.into_iter().zip(&mut self.yard) {
            if place.is_none() {
                let Some(building) = self.building_pile.draw() else {
                    return false;
                };
                *place = Some(building);
                events.push(Event::BuildingLaid { slot, building });
            }
        }
        true
    }

    /// Refills the open row after the turn of `last` and starts the next turn, unless a shuffle of
    /// the discard is due.
    pub(super) fn refill_row(&mut self, last: Seat, events: &mut impl EventSink<Event>) {
        if !self.fill_row(events) {
            self.phase = Phase::Shuffle { seat: last };
        } else if let Some(seat) = Seat::new((last.number() + 1) % self.seats.get()) {
            self.begin_turn(seat, events);
        }
    }

    /// Adds money cards until the row is full, or until there is no money left to draw (A7).
    /// Returns `false` if the discard must be shuffled first.
    fn fill_row(&mut self, events: &mut impl EventSink<Event>) -> bool {
        while self.row.len() < ROW_CARDS {
            match self.money_pile.draw() {
                Drawn::Money(card) => {
                    self.row = self.row.with(card);
                    events.push(Event::MoneyOpened { card });
                }
                Drawn::Scoring(scoring) => {
                    self.score(scoring, events);
                    let buildings = match scoring {
                        Scoring::A => DUMMY_BUILDINGS,
                        _ => self.building_pile.rest().len() as u8 / DUMMY_SHARE,
                    };
                    self.deal_to_dummy(buildings, events);
                }
                Drawn::Nothing => return self.discard.is_empty(),
            }
        }
        true
    }

    /// Gives the dummy, if there is one, `count` buildings of the pile, or all that are left.
    fn deal_to_dummy(&mut self, count: u8, events: &mut impl EventSink<Event>) {
        if self.has_dummy() {
            let mut buildings = Buildings::EMPTY;
            let owned = &mut self.buildings[self.dummy_index()];
            for building in (0..count).map_while(|_| self.building_pile.draw()) {
                buildings = buildings.with(building);
                *owned = owned.with(building);
            }
            events.push(Event::DummyDrew { buildings });
        }
    }

    /// Gives each building left in the yard to the seat with the most money of its slot's currency,
    /// unless several seats tie.
    fn allot_yard(&mut self, events: &mut impl EventSink<Event>) {
        for slot in Currency::ALL {
            let Some(building) = self.yard[slot.index()] else {
                continue;
            };
            let total = |seat: Seat| self.hands[seat.index()].of_currency(slot).total();
            let most = self.seats.seats().map(total).max().unwrap_or(0);
            let mut richest = self.seats.seats().filter(|&seat| total(seat) == most);
            let first = richest.next();
            let seat = first.filter(|_| most > 0 && richest.next().is_none());
            if let Some(seat) = seat {
                let owned = &mut self.buildings[seat.index()];
                *owned = owned.with(building);
                self.yard[slot.index()] = None;
            }
            events.push(Event::BuildingAllotted { slot, building, seat });
        }
    }
}
