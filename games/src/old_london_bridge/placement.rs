//! Placing a pawn: whether it can go there, what the space pays or costs, and which tiles it takes.

use super::components::{CENTRE_PRICE, Kind, TileKind};
use super::decision::{Placement, Spot};
use super::event::Event;
use super::illegal::Illegal;
use super::observation::Pawn;
use super::state::State;
use crate::{EventSink, Seat};

/// What a legal placement means.
pub(super) struct Entry {
    pawn: Pawn,
    /// Income, or the price of the centre as a negative number, in pounds.
    money: i32,
    opening: Option<TileKind>,
}

impl State {
    /// Checks a placement.
    pub(super) fn entry(&self, seat: Seat, placement: &Placement) -> Result<Entry, Illegal> {
        let Placement {
            spot,
            stack,
            share,
            opening,
        } = *placement;
        if self.top(stack).is_none() {
            return Err(Illegal::StackEmpty(stack));
        }
        let player = self.seat(seat);
        let entry = match spot {
            Spot::Outer => {
                let space = self.space_facing(stack);
                let income = self.fixed.edition.rondel()[usize::from(space)];
                match (income, opening) {
                    (Some(_), true) => return Err(Illegal::NothingToOpen(stack)),
                    (None, false) => return Err(Illegal::XSpaceClosed(stack)),
                    _ => Entry {
                        pawn: Pawn::Outer(space),
                        money: income.map_or(0, i32::from),
                        opening: opening.then_some(TileKind::XSpace),
                    },
                }
            }
            Spot::Centre if opening => Entry {
                pawn: Pawn::Centre,
                money: 0,
                opening: Some(TileKind::FreeCentre),
            },
            Spot::Centre if player.money < CENTRE_PRICE => {
                return Err(Illegal::CentrePrice(player.money));
            }
            Spot::Centre => Entry {
                pawn: Pawn::Centre,
                money: -CENTRE_PRICE,
                opening: None,
            },
        };
        if let Some(tile) = entry.opening
            && player.usable(tile) == 0
        {
            return Err(Illegal::NoUsableTile {
                field: "place.opening",
                tile,
            });
        }
        if player.pawn == entry.pawn {
            return Err(Illegal::OwnPawnThere);
        }
        match (self.is_occupied(entry.pawn), share) {
            (true, false) => Err(Illegal::SpaceOccupied),
            (false, true) => Err(Illegal::SpaceFree),
            (true, true) if player.usable(TileKind::Share) == 0 => Err(Illegal::NoUsableTile {
                field: "place.share",
                tile: TileKind::Share,
            }),
            _ => Ok(entry),
        }
    }

    fn is_occupied(&self, place: Pawn) -> bool {
        self.seats.iter().any(|seat| seat.pawn == place)
    }

    /// Places the pawn and takes the building.
    pub(super) fn place(
        &mut self,
        seat: Seat,
        placement: &Placement,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let Entry {
            pawn,
            money,
            opening,
        } = self.entry(seat, placement)?;
        let Placement { stack, share, .. } = *placement;
        let Some(building) = self.top(stack) else {
            return Err(Illegal::StackEmpty(stack));
        };
        let player = self.seat_mut(seat);
        if share {
            player.tiles[TileKind::Share.index()] -= 1;
        }
        if let Some(tile) = opening {
            player.tiles[tile.index()] -= 1;
        }
        player.money += money;
        player.pawn = pawn;
        events.push(Event::Placed {
            seat,
            pawn,
            stack,
            money,
            share,
            opening,
        });
        self.take_top(stack, events);
        self.build(seat, building, events);
        Ok(())
    }

    fn take_top(&mut self, stack: Kind, events: &mut impl EventSink<Event>) {
        self.buildings_gone[usize::from(self.fixed.ring_place[stack.index()])] += 1;
        events.push(Event::StackRevealed {
            stack,
            top: self.top(stack),
        });
    }
}
