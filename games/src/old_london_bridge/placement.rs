//! Pawn placement: the check that it is legal, the income or price of the space, and the tiles that
//! are spent.

use super::components::{Building, CENTRE_PRICE, Kind, TileKind};
use super::decision::Illegal;
use super::decision::{Placement, Spot};
use super::event::{Event, Events};
use super::observation::Pawn;
use super::state::State;
use crate::Seat;

/// The effects of a legal placement.
pub(super) struct Entry {
    stack: Kind,
    building: Building,
    pawn: Pawn,
    /// The income in pounds, or the price of the centre as a negative number.
    money: i32,
    share: bool,
    opening: Option<TileKind>,
}

impl State {
    /// Checks a placement, and returns its effects.
    pub(super) fn entry(&self, seat: Seat, placement: &Placement) -> Result<Entry, Illegal> {
        let Placement { spot, stack, share, opening } = *placement;
        let building = self.top(stack).ok_or(Illegal::StackEmpty(stack))?;
        let player = self.seat(seat);
        let (pawn, money, tile) = match spot {
            Spot::Outer => {
                let space = self.space_facing(stack);
                let income = self.fixed.edition.rondel()[usize::from(space)];
                match (income, opening) {
                    (Some(_), true) => return Err(Illegal::NothingToOpen(stack)),
                    (None, false) => return Err(Illegal::XSpaceClosed(stack)),
                    (Some(income), false) => (Pawn::Outer(space), income.into(), TileKind::XSpace),
                    (None, true) => (Pawn::Outer(space), 0, TileKind::XSpace),
                }
            }
            Spot::Centre if !opening && player.money < CENTRE_PRICE => {
                return Err(Illegal::CentrePrice(player.money));
            }
            Spot::Centre => {
                let price = if opening { 0 } else { CENTRE_PRICE };
                (Pawn::Centre, -price, TileKind::FreeCentre)
            }
        };
        if opening {
            player.check_usable(tile, "place.opening")?;
        }
        if player.pawn == pawn {
            return Err(Illegal::OwnPawnThere);
        }
        match (self.seats.iter().any(|seat| seat.pawn == pawn), share) {
            (true, false) => return Err(Illegal::SpaceOccupied),
            (false, true) => return Err(Illegal::SpaceFree),
            (true, true) => player.check_usable(TileKind::Share, "place.share")?,
            (false, false) => {}
        }
        Ok(Entry { stack, building, pawn, money, share, opening: opening.then_some(tile) })
    }

    /// Places the pawn, and builds the building that it takes.
    pub(super) fn place(&mut self, seat: Seat, entry: Entry, events: &mut impl Events) {
        let stack = entry.stack;
        let player = self.seat_mut(seat);
        player.tiles[TileKind::Share.index()] -= u8::from(entry.share);
        if let Some(tile) = entry.opening {
            player.tiles[tile.index()] -= 1;
        }
        player.money += entry.money;
        player.pawn = entry.pawn;
        events.push(Event::Placed {
            seat,
            pawn: entry.pawn,
            stack,
            money: entry.money,
            share: entry.share,
            opening: entry.opening,
        });
        self.buildings_gone[usize::from(self.fixed.ring_index[stack.index()])] += 1;
        let top = self.top(stack);
        events.push(Event::StackRevealed { stack, top });
        self.build(seat, entry.building, events);
    }
}
