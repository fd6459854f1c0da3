//! Positions of Old London Bridge built by tests, and matches continued from them in notation.
//!
//! A position is an edited observation of a spectator that is then sampled, so that it passes the
//! same checks as one from a client.

use std::sync::Arc;

use bridgemaster_games::old_london_bridge::{
    Building, CARD_VALUES, CARDS, Config, Edition, Event, Face, FaceChoice, Kind, Observation,
    OldLondonBridge, Pawn, Phase, PlayedCards, SeatView, TileKind, Turn, TurnStep, TurnView,
};
use bridgemaster_games::{NoEvents, Outcome, Rules, Sample, SeatCount, Seed, Viewer};

use crate::play::{self, seat};

/// A position under construction.
pub(crate) struct Position {
    pub(crate) config: Config,
    pub(crate) view: Observation,
}

impl Position {
    /// The first choice of cards of a base game, with the seats in ascending chapel order.
    pub(crate) fn new(seats: u8) -> Self {
        Self::with_config(seats, Config::default())
    }

    /// The first choice of cards with these faces instead of base faces.
    pub(crate) fn with_faces(seats: u8, faces: &[Face]) -> Self {
        let mut config = Config::default();
        for &face in faces {
            config.faces[face.area().index()] = FaceChoice::Face(face);
        }
        Self::with_config(seats, config)
    }

    /// The first choice of cards in this edition.
    pub(crate) fn with_edition(seats: u8, edition: Edition) -> Self {
        Self::with_config(seats, Config { edition: Arc::new(edition), ..Config::default() })
    }

    fn with_config(seats: u8, config: Config) -> Self {
        let count = SeatCount::new(seats).unwrap();
        let mut setup = OldLondonBridge::draw_setup(&config, count, &Seed::from(1)).unwrap();
        setup.stairs = count.seats().collect();
        let state = OldLondonBridge::start(&config, count, &setup, &mut NoEvents).unwrap();
        let mut view = OldLondonBridge::observe(&state, Viewer::Spectator);
        view.orientation = 0;
        Self { config, view }
    }

    pub(crate) fn seat(&mut self, number: u8) -> &mut SeatView {
        &mut self.view.seats[usize::from(number)]
    }

    /// Sets the round, counted from 0.
    pub(crate) fn round(mut self, round: u8) -> Self {
        self.view.round = round;
        self.view.marker = 1;
        let mut left = 14 - round;
        self.view.unseen_markers = [4, 5, 5].map(|most| {
            let unseen = left.min(most);
            left -= unseen;
            unseen
        });
        self
    }

    pub(crate) fn last_round(self) -> Self {
        let last = self.view.rounds - 1;
        self.round(last)
    }

    pub(crate) fn money(mut self, number: u8, money: i32) -> Self {
        self.seat(number).money = money;
        self
    }

    /// Sets the hand of a seat; the supply has the other cards of the box.
    pub(crate) fn hand(mut self, number: u8, hand: [u8; CARD_VALUES]) -> Self {
        self.seat(number).hand = hand;
        self
    }

    /// Sets the usable tiles of a seat.
    pub(crate) fn tiles(mut self, number: u8, kinds: &[TileKind]) -> Self {
        for &kind in kinds {
            self.seat(number).tiles[kind.index()] += 1;
            for stack in &mut self.view.bonus_stacks {
                if stack.face_up == Some(kind) {
                    stack.face_up = None;
                } else if let Some(place) = stack.unseen.iter().position(|&tile| tile == kind) {
                    stack.unseen.remove(place);
                } else {
                    continue;
                }
                if stack.face_up.is_none() && !stack.unseen.is_empty() {
                    stack.face_up = Some(stack.unseen.remove(0));
                }
                break;
            }
        }
        self
    }

    /// Sets the face-up tile of a bonus stack.
    pub(crate) fn face_up(mut self, stack: usize, kind: TileKind) -> Self {
        let stack = &mut self.view.bonus_stacks[stack];
        if stack.face_up != Some(kind) {
            let place = stack.unseen.iter().position(|&tile| tile == kind).unwrap();
            stack.unseen.remove(place);
            stack.unseen.extend(stack.face_up.replace(kind));
            stack.unseen.sort_unstable();
        }
        self
    }

    /// Sets the chapel positions; the lower of two seats on one space is on top.
    pub(crate) fn chapel(mut self, positions: &[u8]) -> Self {
        for (view, &position) in self.view.seats.iter_mut().zip(positions) {
            view.chapel_position = position;
        }
        self.view.chapel_order.sort();
        self.view.chapel_order.sort_by_key(|seat| u8::MAX - positions[seat.index()]);
        self
    }

    /// Sets the gate positions; the lower of two seats on one space is on top.
    pub(crate) fn gate(mut self, positions: &[u8]) -> Self {
        for (view, &position) in self.view.seats.iter_mut().zip(positions) {
            view.gate_position = position;
        }
        self.view.gate_order.sort();
        self.view.gate_order.sort_by_key(|seat| u8::MAX - positions[seat.index()]);
        self
    }

    pub(crate) fn house(&self, number: u8) -> Building {
        let buildings = self.config.edition.buildings();
        *buildings.iter().find(|building| building.number == Some(number)).unwrap()
    }

    /// Sets the bridge of a seat by house numbers; 0 stands for a park.
    pub(crate) fn bridge(mut self, number: u8, houses: &[u8]) -> Self {
        for &house in houses {
            let building = match house {
                0 => self.some_park(),
                _ => self.house(house),
            };
            self.remove_from_stack(building);
            self.seat(number).bridge.push(building);
        }
        self
    }

    fn some_park(&self) -> Building {
        let stack = self.view.stacks.iter().find(|stack| stack.kind == Kind::Park).unwrap();
        stack.top.unwrap()
    }

    fn remove_from_stack(&mut self, building: Building) {
        let stack = self.view.stacks.iter_mut().find(|s| s.kind == building.kind).unwrap();
        if stack.top == Some(building) {
            stack.top = (!stack.unseen.is_empty()).then(|| stack.unseen.remove(0));
        } else {
            let place = stack.unseen.iter().position(|&other| other == building).unwrap();
            stack.unseen.remove(place);
        }
    }

    /// Puts the building with this house number on top of its stack.
    pub(crate) fn top(mut self, number: u8) -> Self {
        let building = self.house(number);
        self.remove_from_stack(building);
        let stack = self.view.stacks.iter_mut().find(|s| s.kind == building.kind).unwrap();
        stack.unseen.extend(stack.top.replace(building));
        stack.unseen.sort_unstable_by_key(|building| (building.number, building.coat));
        self
    }

    /// Removes all but `left` buildings of a stack from the game.
    pub(crate) fn shorten_stack(mut self, kind: Kind, left: usize) -> Self {
        let stack = self.view.stacks.iter_mut().find(|stack| stack.kind == kind).unwrap();
        if left == 0 {
            stack.top = None;
        }
        stack.unseen.truncate(left.saturating_sub(1));
        self
    }

    /// A turn in which every seat played one card; `cards` is the order of play, `turn` the index
    /// in it.
    pub(crate) fn turn(mut self, cards: &[(u8, u8)], turn: u8) -> Self {
        self.view.turns = cards
            .iter()
            .map(|&(number, card)| Turn { seat: seat(number), card, value: card })
            .collect();
        for (place, &(number, card)) in cards.iter().enumerate() {
            let view = self.seat(number);
            view.has_chosen = true;
            view.played = Some(match view.played {
                Some(PlayedCards { first, .. }) => {
                    PlayedCards { first: first.max(card), second: Some(first.min(card)) }
                }
                None => PlayedCards { first: card, second: None },
            });
            if place > usize::from(turn) || card > 0 {
                view.hand[usize::from(card)] = view.hand[usize::from(card)].saturating_sub(1);
            }
        }
        self.step(turn, TurnStep::Place)
    }

    pub(crate) fn step(mut self, turn: u8, step: TurnStep) -> Self {
        self.view.phase = Phase::Turn(TurnView { turn, step, recalled: false });
        self
    }

    pub(crate) fn pawn(mut self, number: u8, pawn: Pawn) -> Self {
        self.seat(number).pawn = pawn;
        self
    }

    /// The end of the match.
    pub(crate) fn over(self) -> Self {
        let mut position = self.last_round();
        position.view.phase = Phase::Over;
        position
    }

    /// Puts the cards that no seat has into the supply.
    pub(crate) fn supplied(mut self) -> Self {
        let mut supply = CARDS;
        for view in &self.view.seats {
            for (left, held) in supply.iter_mut().zip(view.hand) {
                *left = left.saturating_sub(held);
            }
        }
        if let Phase::Turn(view) = self.view.phase {
            for turn in &self.view.turns[usize::from(view.turn) + 1..] {
                supply[usize::from(turn.card)] -= 1;
            }
        }
        supply[0] = 0;
        self.view.supply = supply;
        self
    }

    /// Starts a match, with the cards that no seat has in the supply.
    pub(crate) fn play(self) -> Play {
        let Self { config, view } = self.supplied();
        Play::sampled(&config, &view)
    }
}

/// A match in progress.
pub(crate) type Play = play::Play<OldLondonBridge>;

impl Play {
    pub(crate) fn is_legal(&self, number: u8, text: &str) -> bool {
        self.legal(number).iter().any(|legal| legal == text)
    }

    pub(crate) fn seat(&self, number: u8) -> SeatView {
        self.view().seats[usize::from(number)].clone()
    }

    pub(crate) fn money(&self, number: u8) -> i32 {
        self.seat(number).money
    }

    /// House numbers of a bridge; 0 stands for a park.
    pub(crate) fn houses(&self, number: u8) -> Vec<u8> {
        self.seat(number).bridge.iter().map(|building| building.number.unwrap_or(0)).collect()
    }

    pub(crate) fn tiles(&self, number: u8, kind: TileKind) -> u8 {
        self.seat(number).tiles[kind.index()]
    }

    pub(crate) fn outcome(&self) -> Outcome {
        OldLondonBridge::outcome(&self.state).unwrap()
    }

    /// The points of each seat in a category.
    pub(crate) fn points(&self, category: &str) -> Vec<i32> {
        let of_seat = |lines: &[bridgemaster_games::ScoreLine]| {
            lines.iter().find(|line| line.category == category).unwrap().points
        };
        self.outcome().seats.iter().map(|seat| of_seat(&seat.breakdown)).collect()
    }

    /// The last event for which `pick` returns a value.
    pub(crate) fn last<T>(&self, pick: impl Fn(&Event) -> Option<T>) -> Option<T> {
        self.events.iter().rev().find_map(pick)
    }

    /// The payments of a face so far: (seat, pounds).
    pub(crate) fn paid(&self, wanted: Face) -> Vec<(u8, i32)> {
        let paid = self.events.iter().filter_map(|event| match event {
            Event::FacePaid { seat, face, money } if *face == wanted => {
                Some((seat.number(), *money))
            }
            _ => None,
        });
        paid.collect()
    }
}
