//! Listing of legal decisions, in the canonical order of [`Decision`]. The placements for all
//! stacks are computed at once; [`State::entry`] checks a single placement and returns the reason
//! for a refusal.

use super::components::{
    BONUS_STACKS, BUILDINGS_PER_KIND, CARD_VALUES, CENTRE_PRICE, OUTER_SPACES, TileKind,
};
use super::decision::{Decision, MAX_PLAYED, Placement, PlayedCards, Spot, TurnTile};
use super::observation::{Pawn, TurnStep, TurnView};
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

/// A bit mask of the outer spaces: bit n is space n.
const ALL_OUTER: u8 = (1 << OUTER_SPACES) - 1;
/// The bit for the X space, which is the first space in every edition (E2).
const X_SPACE: u8 = 1;
/// The bit for the centre, above the bits for the outer spaces.
const CENTRE: u8 = 1 << OUTER_SPACES;

impl Pawn {
    /// Returns the bit for the pawn's space; 0 if the pawn is not on the rondel.
    const fn space(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Outer(space) => 1 << space,
            Self::Centre => CENTRE,
        }
    }
}

/// The spaces that a seat can enter. Outer spaces and stacks are bit masks by ring index.
struct OpenSpaces {
    /// The outer spaces that the seat can enter if their stack has a building.
    outer: u8,
    /// The outer spaces that have a pawn.
    outer_occupied: u8,
    /// Two flags: whether the seat can enter the centre for its price, and whether it can with a
    /// free_centre tile.
    centre: [bool; 2],
    centre_occupied: bool,
    /// The stacks that have a building.
    stacks: u8,
}

impl OpenSpaces {
    fn for_seat(state: &State, seat: Seat) -> Self {
        let player = state.seat(seat);
        let has = |tile| player.usable(tile) > 0;
        let pawns = state.seats.iter().map(|seat| seat.pawn.space());
        let occupied = pawns.fold(0, |occupied, pawn| occupied | pawn);
        let shared = if has(TileKind::Share) { occupied } else { 0 };
        let closed = occupied & !shared | player.pawn.space();
        let x_space = if has(TileKind::XSpace) { 0 } else { X_SPACE };
        let centre = closed & CENTRE == 0;
        Self {
            outer: state.by_ring_index(!(closed | x_space)),
            outer_occupied: state.by_ring_index(occupied),
            centre: [centre && player.money >= CENTRE_PRICE, centre && has(TileKind::FreeCentre)],
            centre_occupied: occupied & CENTRE != 0,
            stacks: state.stacks_left(),
        }
    }

    fn is_empty(&self) -> bool {
        self.outer & self.stacks == 0 && (self.centre == [false; 2] || self.stacks == 0)
    }
}

impl State {
    /// Converts a bit mask of outer spaces to a bit mask, by ring index, of the stacks that they
    /// face.
    fn by_ring_index(&self, spaces: u8) -> u8 {
        let spaces = u16::from(spaces & ALL_OUTER) << self.orientation;
        (spaces | spaces >> OUTER_SPACES) as u8 & ALL_OUTER
    }

    /// Returns a bit mask of the stacks with a building, by ring index.
    pub(super) fn stacks_left(&self) -> u8 {
        let places = self.buildings_gone.iter().enumerate();
        places.fold(0, |left, (place, &gone)| {
            left | u8::from(usize::from(gone) < BUILDINGS_PER_KIND) << place
        })
    }

    /// Adds the placements that a seat can make, in the order of [`Decision`].
    pub(super) fn list_placements(&self, seat: Seat, list: &mut Vec<Decision>) {
        let open = OpenSpaces::for_seat(self, seat);
        let stacks = || (0..).zip(*self.fixed.edition.ring());
        let mut add = |spot, stack, share, opening| {
            list.push(Decision::Place(Placement { spot, stack, share, opening }));
        };
        let x_space = self.by_ring_index(X_SPACE);
        for (place, stack) in stacks() {
            let bit = 1 << place;
            if open.outer & open.stacks & bit != 0 {
                let (share, opening) = (open.outer_occupied & bit != 0, x_space & bit != 0);
                add(Spot::Outer, stack, share, opening);
            }
        }
        if open.centre == [false; 2] {
            return;
        }
        for (_, stack) in stacks().filter(|&(place, _)| open.stacks & 1 << place != 0) {
            for opening in [false, true] {
                if open.centre[usize::from(opening)] {
                    add(Spot::Centre, stack, open.centre_occupied, opening);
                }
            }
        }
    }

    /// Returns `true` if any placement is legal.
    pub(super) fn can_place(&self, seat: Seat) -> bool {
        !OpenSpaces::for_seat(self, seat).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::Kind;
    use super::super::{Config, OldLondonBridge};
    use super::*;
    use crate::{ChanceStream, Game, NoEvents, Rules, SeatCount, Seed};

    /// Returns all placements that the type can represent.
    fn candidates() -> impl Iterator<Item = Placement> {
        let stacks = Kind::ALL.into_iter();
        let spots = stacks.flat_map(|stack| [(Spot::Outer, stack), (Spot::Centre, stack)]);
        spots.flat_map(|(spot, stack)| {
            (0..4).map(move |tiles| Placement {
                spot,
                stack,
                share: tiles & 1 != 0,
                opening: tiles & 2 != 0,
            })
        })
    }

    /// Compares the list with the check of each placement.
    fn check(state: &State, seat: Seat) {
        let mut list = Vec::new();
        state.list_placements(seat, &mut list);
        let mut legal = 0;
        for placement in candidates() {
            let is_listed = list.contains(&Decision::Place(placement));
            let is_legal = state.entry(seat, &placement).is_ok();
            assert_eq!(is_listed, is_legal, "{placement:?}: {state:?}");
            legal += usize::from(is_legal);
        }
        assert_eq!(list.len(), legal, "none is listed twice");
        assert_eq!(state.can_place(seat), legal > 0);
    }

    #[test]
    fn a_placement_is_listed_if_it_passes_its_check() {
        for seed in 0..60 {
            let (config, seats) = (Config::default(), 2 + (seed % 3) as u8);
            let (seats, seed) = (SeatCount::new(seats).unwrap(), Seed::from(seed));
            let setup = OldLondonBridge::draw_setup(&config, seats, &seed).unwrap();
            let mut state = OldLondonBridge::start(&config, seats, &setup, &mut NoEvents).unwrap();
            let mut chance = ChanceStream::new(&seed, 1_000_000);
            let mut list = Vec::new();
            while let Some(seat) = OldLondonBridge::seats_to_decide(&state).iter().next() {
                seats.seats().for_each(|any| check(&state, any));
                OldLondonBridge::legal(&state, seat, &mut list);
                let choice = &list[chance.below(list.len() as u32) as usize];
                OldLondonBridge::apply(&mut state, seat, choice, &mut NoEvents).unwrap();
            }
        }
    }
}
