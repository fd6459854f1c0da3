//! The legal decisions, found by trying all.

use bridgemaster_games::Seat;
use bridgemaster_games::old_london_bridge::{
    Building, CARD_VALUES, Decision, Kind, Pawn, Phase, Placement, PlayedCards, Spot, TileKind,
    TurnStep, TurnTile, TurnView,
};

use super::{Naive, sum};

impl Naive {
    /// The pawn's space, the money, and the tile that opens it, if the placement is legal.
    pub(super) fn entry(
        &self,
        owner: usize,
        to: Placement,
    ) -> Option<(Pawn, i32, Option<TileKind>)> {
        let place = self.place_in_ring(to.stack);
        self.stacks[place].last()?;
        let space = (place + 6 - self.orientation) % 6;
        let (pawn, money, tile) = match (to.spot, to.opening) {
            (Spot::Outer, true) if space == 0 => (Pawn::Outer(0), 0, Some(TileKind::XSpace)),
            (Spot::Outer, false) if space > 0 => {
                let income = self.config.edition.rondel()[space].unwrap();
                (Pawn::Outer(space as u8), i32::from(income), None)
            }
            (Spot::Centre, true) => (Pawn::Centre, 0, Some(TileKind::FreeCentre)),
            (Spot::Centre, false) if self.players[owner].money >= 2 => (Pawn::Centre, -2, None),
            _ => return None,
        };
        let there = |other: &usize| self.players[*other].pawn == pawn;
        let others = (0..self.players.len()).filter(|&other| other != owner);
        let is_shared = others.into_iter().any(|other| there(&other));
        let is_legal = !there(&owner)
            && is_shared == to.share
            && (!to.share || self.usable(owner, TileKind::Share) > 0)
            && tile.is_none_or(|tile| self.usable(owner, tile) > 0);
        is_legal.then_some((pawn, money, tile))
    }

    /// All placements, legal or not.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Placement> {
        let ring = *self.config.edition.ring();
        let spots = [Spot::Outer, Spot::Centre].into_iter();
        let spots = spots.flat_map(move |spot| ring.map(|stack| (spot, stack)));
        spots.flat_map(|(spot, stack)| {
            (0..4).map(move |tiles| Placement {
                spot,
                stack,
                share: tiles & 1 != 0,
                opening: tiles & 2 != 0,
            })
        })
    }

    fn placements(&self, owner: usize) -> Vec<Decision> {
        let legal = |placement: &Placement| self.entry(owner, *placement).is_some();
        let legal = self.candidates().filter(legal);
        legal.map(Decision::Place).collect()
    }

    fn may_use(&self, owner: usize, view: TurnView, tile: TurnTile) -> bool {
        let player = &self.players[owner];
        let edition = &self.config.edition;
        self.usable(owner, tile.kind()) > 0
            && match tile {
                TurnTile::ChapelPlus2 => player.chapel_position < edition.chapel_last_space(),
                TurnTile::GatePlus2 => player.gate_position < edition.gate_last_space(),
                TurnTile::Recall => {
                    let card = usize::from(self.turns[usize::from(view.turn)].card);
                    let is_placed =
                        view.step == TurnStep::Finish || self.placements(owner).is_empty();
                    !view.recalled && card > 0 && self.supply[card] > 0 && is_placed
                }
            }
    }

    /// All legal decisions of a seat in canonical order.
    pub(crate) fn legal(&self, by: Seat) -> Vec<Decision> {
        let owner = by.index();
        match self.phase {
            Phase::TakeA2 { seat } if seat == by => [false, true].map(Decision::TakeA2).into(),
            Phase::ChooseCards if self.chosen[owner].is_none() => self.plays(owner),
            Phase::RaiseCards { seat } if seat == by => self.raises(owner),
            Phase::Turn(view) if self.turns[usize::from(view.turn)].seat == by => {
                self.in_turn(owner, view)
            }
            _ => Vec::new(),
        }
    }

    fn plays(&self, owner: usize) -> Vec<Decision> {
        let hand = self.players[owner].hand;
        let mut plays = Vec::new();
        for first in (0..5).filter(|&card| hand[usize::from(card)] > 0) {
            let mut rest = hand;
            rest[usize::from(first)] -= 1;
            let mut play = |second| plays.push(Decision::PlayCards(PlayedCards { first, second }));
            match self.players.len() {
                2 => (0..=first)
                    .filter(|&second| rest[usize::from(second)] > 0)
                    .for_each(|second| play(Some(second))),
                _ => play(None),
            }
        }
        plays
    }

    fn raises(&self, owner: usize) -> Vec<Decision> {
        let tiles = self.usable(owner, TileKind::PlusOne);
        let PlayedCards { first, second } = self.players[owner].played.unwrap();
        let mut raises = Vec::new();
        for total in 0..=tiles {
            for by_second in 0..=total {
                let by_first = total - by_second;
                let is_legal = match second {
                    None => by_second == 0,
                    Some(second) => first != second || by_first >= by_second,
                };
                if is_legal {
                    raises.push(Decision::RaiseCards([by_first, by_second]));
                }
            }
        }
        raises
    }

    fn in_turn(&self, owner: usize, view: TurnView) -> Vec<Decision> {
        let bridge = &self.players[owner].bridge;
        match view.step {
            TurnStep::Place | TurnStep::Finish => {
                let mut legal = match view.step {
                    TurnStep::Place => self.placements(owner),
                    _ => Vec::new(),
                };
                let may_end = legal.is_empty();
                let tiles = TurnTile::ALL.into_iter();
                let tiles = tiles.filter(|&tile| self.may_use(owner, view, tile));
                legal.extend(tiles.map(Decision::UseTile));
                legal.extend(may_end.then_some(Decision::End));
                legal
            }
            TurnStep::Replace { building } => {
                let may_replace = |&slot: &usize| {
                    let mut after: Vec<Building> = bridge.to_vec();
                    let old = std::mem::replace(&mut after[slot], building);
                    let series = after.split(|house| house.kind == Kind::Park);
                    old.kind != Kind::Park
                        && series
                            .into_iter()
                            .all(|houses| houses.is_sorted_by(|one, next| one.number > next.number))
                };
                let slots = (0..bridge.len()).filter(may_replace);
                slots.map(|slot| Decision::Replace(slot as u8)).collect()
            }
            TurnStep::TakeTile { .. } => {
                let stacks = (0..3).filter(|&stack| !self.bonus[stack].is_empty());
                stacks.map(|stack| Decision::TakeTile(stack as u8)).collect()
            }
            TurnStep::TakeCards { strength } => self.takes(strength),
        }
    }

    /// All ways to take cards: by trying each number of each value.
    pub(super) fn takes(&self, strength: u8) -> Vec<Decision> {
        let mut takes = vec![[0; CARD_VALUES]];
        for value in 1..CARD_VALUES {
            let more = takes.iter().flat_map(|cards| {
                (0..=self.supply[value]).map(move |count| {
                    let mut cards = *cards;
                    cards[value] = count;
                    cards
                })
            });
            takes = more.filter(|cards| sum(cards) <= i32::from(strength)).collect();
        }
        takes.retain(|cards| sum(cards) > 0);
        takes.sort_by_key(|cards| {
            let mut from_fours = *cards;
            from_fours.reverse();
            from_fours
        });
        takes.into_iter().map(Decision::TakeCards).collect()
    }
}
