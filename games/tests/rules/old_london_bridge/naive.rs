//! An independent implementation of the game, written from the rules page without regard to speed.
//! It shares only the types with the game: stacks and orders are vectors, and legal decisions are
//! found by trying all.

mod legal;
mod observing;
mod scoring;

use std::cmp::Reverse;

use bridgemaster_games::Seat;
use bridgemaster_games::old_london_bridge::{
    Building, CARD_VALUES, CARDS, Config, Decision, Event, Face, Kind, Pawn, Phase, Placement,
    PlayedCards, SeatView, Setup, StartLeaders, TileKind, Turn, TurnStep, TurnTile, TurnView,
};

use crate::play::seat;

#[derive(Clone, Debug)]
pub(crate) struct Naive {
    config: Config,
    faces: [Face; 4],
    /// In ring order, with the top last.
    stacks: Vec<Vec<Building>>,
    /// With the face-up tile last.
    bonus: Vec<Vec<TileKind>>,
    markers: Vec<u8>,
    round: usize,
    orientation: usize,
    supply: [u8; CARD_VALUES],
    players: Vec<SeatView>,
    chosen: Vec<Option<PlayedCards>>,
    /// The seats, the leader first.
    chapel: Vec<usize>,
    gate: Vec<usize>,
    turns: Vec<Turn>,
    pub(crate) phase: Phase,
    /// Events since they were last taken.
    pub(crate) events: Vec<Event>,
}

impl Naive {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let seats = setup.stairs.len();
        let turned = |stack: &[_]| -> Vec<_> { stack.iter().rev().copied().collect() };
        let building = |&id: &_| config.edition.building(id);
        let stack = |ids: &[_; 12]| ids.iter().rev().map(building).collect();
        let mut naive = Self {
            config: config.clone(),
            faces: setup.faces,
            stacks: setup.stacks.iter().map(stack).collect(),
            bonus: setup.bonus_stacks.iter().map(|stack| turned(stack)).collect(),
            markers: setup.markers.to_vec(),
            round: 0,
            orientation: setup.orientation.into(),
            supply: CARDS,
            players: vec![SeatView::default(); seats],
            chosen: vec![None; seats],
            chapel: setup.stairs.iter().map(|seat| seat.index()).collect(),
            gate: (0..seats).collect(),
            turns: Vec::new(),
            phase: Phase::ChooseCards,
            events: Vec::new(),
        };
        for (stair, &owner) in naive.chapel.iter().enumerate() {
            let player = &mut naive.players[owner];
            player.money = 5;
            player.hand = [if seats == 2 { 2 } else { 1 }, 1, 1, 1, 1];
            player.hand[stair + 1] += 1;
            for value in 1..CARD_VALUES {
                naive.supply[value] -= player.hand[value];
            }
        }
        naive.supply[0] = 0;
        naive.begin_round();
        naive
    }

    fn usable(&self, owner: usize, tile: TileKind) -> u8 {
        let player = &self.players[owner];
        player.tiles[tile.index()] - player.fresh_tiles[tile.index()]
    }

    fn rank(&self, owner: usize) -> usize {
        self.chapel.iter().position(|&other| other == owner).unwrap()
    }

    fn place_in_ring(&self, kind: Kind) -> usize {
        let ring = self.config.edition.ring().iter();
        ring.clone().position(|&other| other == kind).unwrap()
    }

    fn begin_round(&mut self) {
        let marker = self.markers[self.round];
        self.orientation = (self.orientation + usize::from(marker)) % 6;
        self.events.push(Event::RoundStarted {
            round: self.round as u8,
            marker,
            orientation: self.orientation as u8,
        });
        self.ask_take_a_2(0);
    }

    fn ask_take_a_2(&mut self, from: usize) {
        let mut asked = self.chapel[from..].iter();
        let asked = asked.find(|&&owner| self.usable(owner, TileKind::TakeA2) > 0);
        self.phase = match asked.filter(|_| self.supply[2] > 0) {
            Some(&owner) => Phase::TakeA2 { seat: seat(owner as u8) },
            None => Phase::ChooseCards,
        };
    }

    fn reveal(&mut self) {
        for (owner, chosen) in self.chosen.iter_mut().enumerate() {
            let cards = chosen.take().unwrap();
            self.players[owner].played = Some(cards);
            for card in [Some(cards.first), cards.second].into_iter().flatten() {
                self.players[owner].hand[usize::from(card)] -= 1;
            }
            self.events.push(Event::CardsRevealed { seat: seat(owner as u8), cards });
        }
        let highest = |&owner: &usize| Reverse(self.players[owner].played.unwrap().first);
        let first = *self.chapel.iter().min_by_key(|owner| highest(owner)).unwrap();
        self.pay(Face::HighestCard, first, 2);
        self.ask_raises(self.chapel.len());
    }

    fn ask_raises(&mut self, before: usize) {
        let mut asked = self.chapel[..before].iter().rev();
        match asked.find(|&&owner| self.usable(owner, TileKind::PlusOne) > 0) {
            Some(&owner) => {
                let seat = seat(owner as u8);
                self.phase = Phase::RaiseCards { seat };
            }
            None => self.fix_order(),
        }
    }

    fn fix_order(&mut self) {
        let mut turns = Vec::new();
        for (owner, player) in self.players.iter().enumerate() {
            let played = player.played.unwrap();
            let cards = [Some(played.first), played.second].into_iter().flatten();
            for (card, raise) in cards.zip(player.raises) {
                turns.push(Turn { seat: seat(owner as u8), card, value: card + raise });
            }
        }
        turns.sort_by_key(|turn| {
            let rank = self.rank(turn.seat.index());
            (Reverse(turn.value), rank, Reverse(turn.card))
        });
        self.events.push(Event::OrderFixed { turns: turns.iter().copied().collect() });
        self.turns = turns;
        self.begin_turn(0);
    }

    fn begin_turn(&mut self, turn: usize) {
        let Turn { seat, card, .. } = self.turns[turn];
        match card {
            0 => self.players[seat.index()].hand[0] += 1,
            card => self.supply[usize::from(card)] += 1,
        }
        let turn = turn as u8;
        self.phase = Phase::Turn(TurnView { turn, step: TurnStep::Place, recalled: false });
        self.events.push(Event::TurnStarted { turn, seat, card });
    }

    fn set_step(&mut self, step: TurnStep) {
        let Phase::Turn(view) = &mut self.phase else { panic!("no turn") };
        view.step = step;
    }

    pub(crate) fn apply(&mut self, by: Seat, decision: &Decision) {
        let owner = by.index();
        match *decision {
            Decision::TakeA2(used) => {
                self.events.push(Event::TakeA2Answered { seat: by, used });
                let rank = self.rank(owner);
                if used {
                    self.supply[2] -= 1;
                    self.players[owner].hand[2] += 1;
                    self.players[owner].tiles[TileKind::TakeA2.index()] -= 1;
                }
                self.ask_take_a_2(rank + usize::from(!used));
            }
            Decision::PlayCards(cards) => {
                self.chosen[owner] = Some(cards);
                self.players[owner].has_chosen = true;
                self.events.push(Event::CardsChosen { seat: by });
                if self.chosen.iter().all(Option::is_some) {
                    self.reveal();
                }
            }
            Decision::RaiseCards(raises) => {
                self.players[owner].raises = raises;
                self.players[owner].tiles[TileKind::PlusOne.index()] -= raises[0] + raises[1];
                self.events.push(Event::CardsRaised { seat: by, raises });
                self.ask_raises(self.rank(owner));
            }
            Decision::Place(placement) => self.enter(by, placement),
            Decision::Replace(slot) => {
                let Phase::Turn(TurnView { step: TurnStep::Replace { building }, .. }) = self.phase
                else {
                    panic!("nothing to replace")
                };
                let slot = usize::from(slot);
                let old = std::mem::replace(&mut self.players[owner].bridge[slot], building);
                self.act(by, building, slot, Some(old));
            }
            Decision::TakeTile(stack) => self.take_tile(by, stack),
            Decision::TakeCards(cards) => {
                for (value, count) in cards.into_iter().enumerate() {
                    self.supply[value] -= count;
                    self.players[owner].hand[value] += count;
                }
                self.events.push(Event::CardsTaken { seat: by, cards });
                self.set_step(TurnStep::Finish);
            }
            Decision::UseTile(tile) => self.use_tile(by, tile),
            Decision::End => {
                let Phase::Turn(view) = self.phase else { panic!("no turn") };
                if view.step == TurnStep::Place {
                    self.events.push(Event::TurnSkipped { seat: by });
                }
                match usize::from(view.turn) + 1 {
                    next if next < self.turns.len() => self.begin_turn(next),
                    _ => self.end_round(),
                }
            }
        }
    }

    fn enter(&mut self, by: Seat, placement: Placement) {
        let (pawn, money, opening) = self.entry(by.index(), placement).unwrap();
        let Placement { stack, share, .. } = placement;
        let player = &mut self.players[by.index()];
        for tile in [share.then_some(TileKind::Share), opening].into_iter().flatten() {
            player.tiles[tile.index()] -= 1;
        }
        player.money += money;
        player.pawn = pawn;
        self.events.push(Event::Placed { seat: by, pawn, stack, money, share, opening });
        let place = self.place_in_ring(stack);
        let building = self.stacks[place].pop().unwrap();
        let top = self.stacks[place].last().copied();
        self.events.push(Event::StackRevealed { stack, top });
        let bridge = &mut self.players[by.index()].bridge;
        let is_next = building.kind == Kind::Park
            || bridge
                .last()
                .is_none_or(|last| last.kind == Kind::Park || building.number < last.number);
        if is_next {
            bridge.push(building);
            let slot = bridge.len() - 1;
            self.act(by, building, slot, None);
        } else {
            self.set_step(TurnStep::Replace { building });
        }
    }

    /// The action of a building that has come to a bridge.
    fn act(&mut self, by: Seat, building: Building, slot: usize, replaced: Option<Building>) {
        let player = &mut self.players[by.index()];
        let numbers = [player.lowest_built, building.number];
        player.lowest_built = numbers.into_iter().flatten().min();
        let has_coat = |other: &&Building| other.coat.is_none() || other.coat == building.coat;
        let strength = match building.kind {
            Kind::Guildhall | Kind::Park => 0,
            _ => player.bridge.iter().filter(has_coat).count() as u8,
        };
        self.events.push(Event::Built { seat: by, building, slot: slot as u8, replaced, strength });
        self.set_step(TurnStep::Finish);
        match building.kind {
            Kind::Chapel => self.advance_chapel(by, strength),
            Kind::Gate => self.advance_gate(by, strength, true),
            Kind::Inn if !self.takes(strength).is_empty() => {
                self.set_step(TurnStep::TakeCards { strength });
            }
            Kind::Haberdashery => {
                let money = i32::from(strength);
                self.players[by.index()].money += money;
                self.events.push(Event::HaberdasheryPaid { seat: by, money });
            }
            Kind::Inn | Kind::Guildhall | Kind::Park => {}
        }
    }

    fn advance_chapel(&mut self, by: Seat, steps: u8) {
        let last = self.config.edition.chapel_last_space();
        let from = self.players[by.index()].chapel_position;
        let to = (from + steps).min(last);
        if from == last {
            return;
        }
        let spaces = self.config.edition.chapel_money().iter();
        let passed = spaces.filter(|(space, _)| (from + 1..=to).contains(space));
        let mut money: i32 = passed.map(|&(_, pounds)| i32::from(pounds)).sum();
        money += if to == last { 10 } else { 0 };
        let player = &mut self.players[by.index()];
        player.money += money;
        player.chapel_position = to;
        let positions: Vec<u8> = self.players.iter().map(|p| p.chapel_position).collect();
        move_marker(&mut self.chapel, by.index(), &positions, last);
        self.events.push(Event::ChapelAdvanced { seat: by, from, to, money });
    }

    fn advance_gate(&mut self, by: Seat, steps: u8, placed: bool) {
        let last = self.config.edition.gate_last_space();
        let from = self.players[by.index()].gate_position;
        let to = (from + steps).min(last);
        if from == last {
            return;
        }
        let spaces = self.config.edition.gate_bonus().iter();
        let passed = spaces.filter(|space| (from + 1..=to).contains(space)).count();
        let owed = passed.min(self.bonus.iter().map(Vec::len).sum()) as u8;
        let money = if to == last { 10 } else { 0 };
        let player = &mut self.players[by.index()];
        player.money += money;
        player.gate_position = to;
        let positions: Vec<u8> = self.players.iter().map(|p| p.gate_position).collect();
        move_marker(&mut self.gate, by.index(), &positions, last);
        self.events.push(Event::GateAdvanced { seat: by, from, to, tiles: owed, money });
        if owed > 0 {
            self.set_step(TurnStep::TakeTile { owed, placed });
        }
    }

    fn take_tile(&mut self, by: Seat, stack: u8) {
        let tiles = &mut self.bonus[usize::from(stack)];
        let tile = tiles.pop().unwrap();
        let revealed = tiles.last().copied();
        let player = &mut self.players[by.index()];
        player.tiles[tile.index()] += 1;
        player.fresh_tiles[tile.index()] += 1;
        self.events.push(Event::TileTaken { seat: by, stack, tile, revealed });
        let Phase::Turn(TurnView { step: TurnStep::TakeTile { owed, placed }, .. }) = self.phase
        else {
            panic!("no tile is owed")
        };
        self.set_step(match (owed, placed) {
            (1, true) => TurnStep::Finish,
            (1, false) => TurnStep::Place,
            _ => TurnStep::TakeTile { owed: owed - 1, placed },
        });
    }

    fn use_tile(&mut self, by: Seat, tile: TurnTile) {
        let Phase::Turn(view) = self.phase else { panic!("no turn") };
        self.players[by.index()].tiles[tile.kind().index()] -= 1;
        let placed = view.step == TurnStep::Finish;
        if tile == TurnTile::Recall {
            let card = self.turns[usize::from(view.turn)].card;
            if !placed {
                self.events.push(Event::TurnSkipped { seat: by });
            }
            self.supply[usize::from(card)] -= 1;
            self.players[by.index()].hand[usize::from(card)] += 1;
            self.events.push(Event::CardRecalled { seat: by, card });
            self.phase = Phase::Turn(TurnView { step: TurnStep::Finish, recalled: true, ..view });
            return;
        }
        self.events.push(Event::TileUsed { seat: by, tile: tile.kind() });
        match tile {
            TurnTile::ChapelPlus2 => self.advance_chapel(by, 2),
            _ => self.advance_gate(by, 2, placed),
        }
    }

    fn end_round(&mut self) {
        let round = self.round as u8;
        self.events.push(Event::RoundEnded { round });
        let is_paid =
            |position: u8| position > 0 || self.config.start_leaders == StartLeaders::Paid;
        let chapel_leader = self.chapel[0];
        let ahead =
            |owner: &usize| (Reverse(self.players[*owner].gate_position), self.rank(*owner));
        let gate_leader = (0..self.players.len()).min_by_key(ahead).unwrap();
        let chapel_earns = is_paid(self.players[chapel_leader].chapel_position);
        let gate_earns = is_paid(self.players[gate_leader].gate_position);
        let built = (0..self.players.len()).filter(|&o| self.players[o].lowest_built.is_some());
        let lowest = built.min_by_key(|&owner| self.players[owner].lowest_built);
        if chapel_earns {
            self.pay(Face::ChapelLeader, chapel_leader, 1);
        }
        if gate_earns {
            self.pay(Face::GateLeader, gate_leader, 1);
        }
        if let Some(lowest) = lowest {
            self.pay(Face::LowestNumber, lowest, 2);
        }
        for player in &mut self.players {
            player.pawn = Pawn::Off;
            player.fresh_tiles = [0; 8];
            player.has_chosen = false;
            player.played = None;
            player.raises = [0; 2];
            player.lowest_built = None;
        }
        self.turns.clear();
        let is_last = self.round + 1 == self.markers.len();
        let empty = self.stacks.iter().filter(|stack| stack.is_empty()).count();
        if is_last || empty >= 3 {
            self.phase = Phase::Over;
            self.events.push(Event::GameEnded { early: !is_last });
        } else {
            self.round += 1;
            self.begin_round();
        }
    }

    fn pay(&mut self, face: Face, owner: usize, money: i32) {
        if self.faces.contains(&face) {
            self.players[owner].money += money;
            let seat = seat(owner as u8);
            self.events.push(Event::FacePaid { seat, face, money });
        }
    }
}

/// Moves a marker to its place in a leader-first order: on top of the others on its space, but
/// under those on the last space.
fn move_marker(order: &mut Vec<usize>, owner: usize, positions: &[u8], last: u8) {
    order.retain(|&other| other != owner);
    let to = positions[owner];
    let ahead = order
        .iter()
        .filter(|&&other| positions[other] > to || positions[other] == to && to == last);
    let place = ahead.count();
    order.insert(place, owner);
}

/// The total value of cards.
fn sum(cards: &[u8; CARD_VALUES]) -> i32 {
    (0..).zip(cards).map(|(value, &count)| value * i32::from(count)).sum()
}
