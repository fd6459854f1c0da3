//! Bridges, and building during a turn: the slot for a new building, the strength of its action,
//! and the action itself.

use super::components::{BONUS_STACKS, BRIDGE_SLOTS, Building, CARD_VALUES, Coat, Kind, TileKind};
use super::decision::Illegal;
use super::event::{Event, Events};
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
        events.push(Event::Built { seat, building, slot: slot as u8, replaced, strength });
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

    /// Takes the face-up tile from a bonus stack, which reveals the next tile.
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
        events.push(Event::TileTaken { seat, stack, tile, revealed: self.face_up(stack) });
    }
}

/// Returns `true` if `building` is added in the first empty slot of `bridge`, and `false` if it
/// must replace a building.
///
/// The capacity is never reached in a match, because no seat has more than twelve turns.
pub(super) fn is_appended(bridge: &[Building], building: Building) -> bool {
    bridge.len() < BRIDGE_SLOTS
        && match (building.number, bridge.last().and_then(|left| left.number)) {
            (Some(number), Some(left)) => number < left,
            _ => true,
        }
}

/// Returns `true` if the house number `number` descends within its series at `slot`. The slot must
/// have a building that is not a park.
pub(super) fn descends_at(bridge: &[Building], slot: usize, number: u8) -> bool {
    let left = slot.checked_sub(1).and_then(|left| bridge[left].number);
    let right = bridge.get(slot + 1).and_then(|right| right.number);
    left.is_none_or(|left| left > number) && right.is_none_or(|right| number > right)
}

/// Returns `true` if every series of a bridge descends.
pub(super) fn is_descending(bridge: &[Building]) -> bool {
    bridge.windows(2).all(|pair| match (pair[0].number, pair[1].number) {
        (Some(left), Some(right)) => left > right,
        _ => true,
    })
}

/// Returns the number of buildings with a coat of arms; guildhalls have each coat once.
pub(super) fn count_coats(bridge: &[Building], coat: Coat) -> u8 {
    let has_it =
        |building: &&Building| building.coat == Some(coat) || building.kind == Kind::Guildhall;
    bridge.iter().filter(has_it).count() as u8
}

/// Returns the number of buildings in the longest series. Parks end a series and do not count.
pub(super) fn longest_series(bridge: &[Building]) -> i32 {
    let series = bridge.split(|building| building.kind == Kind::Park);
    series.map(|series| series.len() as i32).max().unwrap_or(0)
}
