//! Placing a pawn: which spaces are open, what they pay or cost, and which tiles they take.

use super::components::{CENTRE_PRICE, Kind, TileKind};
use super::decision::{Placement, Spot};
use super::event::Event;
use super::illegal::Illegal;
use super::observation::Pawn;
use super::state::State;
use crate::{EventSink, Seat};

/// What a legal placement means.
struct Entry {
    pawn: Pawn,
    /// Income, or the price of the centre as a negative number, in pounds.
    money: i32,
    opening: Option<TileKind>,
}

impl State {
    fn entry(&self, seat: Seat, placement: &Placement) -> Result<Entry, Illegal> {
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

    /// All legal placements: the outer spaces by ring order of their stacks, then the centre by
    /// ring order, for each stack the paid entry before the free one.
    pub(super) fn placements(&self, seat: Seat) -> impl Iterator<Item = Placement> {
        let ring = self.fixed.edition.ring().iter();
        let outer = ring.clone().map(|&stack| {
            let space = self.space_facing(stack);
            Placement {
                spot: Spot::Outer,
                stack,
                share: self.is_occupied(Pawn::Outer(space)),
                opening: self.fixed.edition.rondel()[usize::from(space)].is_none(),
            }
        });
        let share = self.is_occupied(Pawn::Centre);
        let centre = ring.flat_map(move |&stack| {
            [false, true].map(|opening| Placement {
                spot: Spot::Centre,
                stack,
                share,
                opening,
            })
        });
        outer
            .chain(centre)
            .filter(move |placement| self.entry(seat, placement).is_ok())
    }

    /// Whether any placement is legal.
    pub(super) fn can_place(&self, seat: Seat) -> bool {
        self.placements(seat).next().is_some()
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
