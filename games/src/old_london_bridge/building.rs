//! Building during a turn: the slot for a new building, and the building's action.

use super::bridge::{count_coats, descends_at, is_appended};
use super::components::{BONUS_STACKS, Building, CARD_VALUES, Kind, TileKind};
use super::event::{Event, Events};
use super::illegal::Illegal;
use super::observation::TurnStep;
use super::state::State;
use crate::Seat;

impl State {
    /// Adds a building at the end of the bridge, or requests the slot in which to replace one.
    pub(super) fn build(&mut self, seat: Seat, building: Building, events: &mut impl Events) {
        let bridge = &mut self.seat_mut(seat).bridge;
        if is_appended(bridge, building) {
            let slot = bridge.len();
            bridge.push(building);
            self.act(seat, building, slot, None, events);
        } else {
            self.set_step(TurnStep::Replace { building });
        }
    }

    /// Checks the slot chosen for a replacement.
    pub(super) fn check_slot(
        &self,
        seat: Seat,
        building: Building,
        slot: u8,
    ) -> Result<(), Illegal> {
        let bridge = &self.seat(seat).bridge;
        let built = bridge.len() as u8;
        match (bridge.get(usize::from(slot)), building.number) {
            (None, _) => Err(Illegal::SlotEmpty { slot, built }),
            (Some(old), _) if old.kind == Kind::Park => Err(Illegal::SlotPark),
            (_, Some(number)) if !descends_at(bridge, usize::from(slot), number) => {
                Err(Illegal::SlotOrder { slot, number })
            }
            _ => Ok(()),
        }
    }

    /// Replaces a building with another building.
    pub(super) fn replace(
        &mut self,
        seat: Seat,
        building: Building,
        slot: usize,
        events: &mut impl Events,
    ) {
        let old = std::mem::replace(&mut self.seat_mut(seat).bridge[slot], building);
        self.act(seat, building, slot, Some(old), events);
    }

    /// Carries out the action of a building that has just been added to the bridge.
    fn act(
        &mut self,
        seat: Seat,
        building: Building,
        slot: usize,
        replaced: Option<Building>,
        events: &mut impl Events,
    ) {
        let player = self.seat_mut(seat);
        let numbers = player.lowest_built.into_iter().chain(building.number);
        player.lowest_built = numbers.min();
        let strength = match (building.kind, building.coat) {
            (Kind::Park, _) | (_, None) => 0,
            (_, Some(coat)) => count_coats(&player.bridge, coat),
        };
        events.push(Event::Built {
            seat,
            building,
            slot: slot as u8,
            replaced,
            strength,
        });
        self.set_step(TurnStep::Finish);
        match building.kind {
            Kind::Chapel => self.advance_chapel(seat, strength, events),
            Kind::Gate => self.advance_gate(seat, strength, true, events),
            Kind::Inn if self.has_card_up_to(strength) => {
                self.set_step(TurnStep::TakeCards { strength });
            }
            Kind::Haberdashery => {
                let money = i32::from(strength);
                self.seat_mut(seat).money += money;
                events.push(Event::HaberdasheryPaid { seat, money });
            }
            Kind::Inn | Kind::Guildhall | Kind::Park => {}
        }
    }

    /// Returns `true` if the supply has a card with at most this value.
    pub(super) fn has_card_up_to(&self, strength: u8) -> bool {
        let highest = usize::from(strength).min(CARD_VALUES - 1);
        self.supply[1..=highest].iter().any(|&count| count > 0)
    }

    /// Checks the cards taken at an inn.
    pub(super) fn check_taken_cards(
        &self,
        cards: &[u8; CARD_VALUES],
        strength: u8,
    ) -> Result<(), Illegal> {
        if cards[0] != 0 {
            return Err(Illegal::CardsZero);
        }
        let mut total = 0;
        for (value, (&count, &supply)) in (0..).zip(cards.iter().zip(&self.supply)) {
            if count > supply {
                return Err(Illegal::CardsShort { value, supply });
            }
            total += u16::from(value) * u16::from(count);
        }
        match total {
            0 => Err(Illegal::CardsNone),
            total if total > u16::from(strength) => Err(Illegal::CardsTotal { total, strength }),
            _ => Ok(()),
        }
    }

    /// Takes cards at an inn.
    pub(super) fn take_cards(
        &mut self,
        seat: Seat,
        cards: [u8; CARD_VALUES],
        events: &mut impl Events,
    ) {
        let hand = &mut self.seats[seat.index()].hand;
        for ((held, left), taken) in hand.iter_mut().zip(&mut self.supply).zip(cards) {
            *left -= taken;
            *held += taken;
        }
        events.push(Event::CardsTaken { seat, cards });
        self.set_step(TurnStep::Finish);
    }

    /// Returns the tile that would be taken from a bonus stack.
    pub(super) fn bonus_tile(&self, stack: u8) -> Result<TileKind, Illegal> {
        match usize::from(stack) {
            ..BONUS_STACKS => self.face_up(stack).ok_or(Illegal::BonusStackEmpty(stack)),
            _ => Err(Illegal::BonusStackUnknown(stack)),
        }
    }

    /// Takes the face-up tile from a bonus stack, and thereby reveals the next tile.
    pub(super) fn take_tile(
        &mut self,
        seat: Seat,
        stack: u8,
        tile: TileKind,
        events: &mut impl Events,
    ) {
        self.tiles_gone[usize::from(stack)] += 1;
        let player = self.seat_mut(seat);
        player.tiles[tile.index()] += 1;
        player.fresh_tiles[tile.index()] += 1;
        events.push(Event::TileTaken {
            seat,
            stack,
            tile,
            revealed: self.face_up(stack),
        });
    }
}
