//! The rules: turn order, legal decisions and their effects.

use std::ops::RangeInclusive;

use super::OldLondonBridge;
use super::components::{KINDS, TileKind};
use super::config::Config;
use super::decision::Illegal;
use super::decision::{Decision, MAX_PLAYED, Placement, PlayedCards, TurnTile};
use super::event::{Event, Events};
use super::observation::{Phase, TurnStep, TurnView};
use super::setup::{self, Setup, cards_per_round};
use super::state::State;
use super::tracks::{TILE_STEPS, step_with_tiles};
use crate::{
    Digest, EventSink, FieldError, LegalList, NoChance, OutOfTurn, Outcome, Rules, Seat, SeatCount,
    SeatSet, Seed,
};

impl Rules for OldLondonBridge {
    const ID: &'static str = "old_london_bridge";
    const NAME: &'static str = "Old London Bridge";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 2..=4;
    /// The maximum length of a legal list: the number of ways to take cards with a total from 1 to
    /// 12. Twelve is the highest strength on a bridge of twelve slots. All other lists are shorter.
    const LEGAL_CAP: usize = 154;
    const NOTES: &'static [&'static str] =
        &["The built-in edition's ring, rondel, tracks, bonus stacks and buildings are not the \
         publisher's: the rulebooks show them as pictures only."];

    type Config = Config;
    type Setup = Setup;
    type State = State;
    type Decision = Decision;
    type Illegal = Illegal;
    type Event = Event;
    type Chance = NoChance;

    fn check_choices(config: &Config, _seats: SeatCount) -> Result<(), FieldError> {
        config.check_faces()
    }

    fn draw_setup(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
        setup::draw(config, seats, seed)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        setup: &Setup,
        events: &mut impl EventSink<Event>,
    ) -> Result<State, FieldError> {
        setup.check(config, seats)?;
        let mut state = State::new(config, seats, setup);
        state.begin_round(events);
        Ok(state)
    }

    fn seats(state: &State) -> SeatCount {
        state.fixed.seats
    }

    fn seats_to_decide(state: &State) -> SeatSet {
        match state.phase {
            Phase::TakeA2 { seat } | Phase::RaiseCards { seat } => SeatSet::one(seat),
            Phase::ChooseCards => {
                let seats = state.fixed.seats.seats();
                seats.filter(|seat| !state.seat(*seat).has_chosen).collect()
            }
            Phase::Turn(view) => SeatSet::one(state.turns[usize::from(view.turn)].seat),
            Phase::Over => SeatSet::EMPTY,
        }
    }

    fn list(state: &State, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        match state.phase {
            Phase::TakeA2 { .. } => list.extend([false, true].map(Decision::TakeA2)),
            Phase::ChooseCards => state.list_plays(seat, list),
            Phase::RaiseCards { .. } => state.list_raises(seat, list),
            Phase::Turn(view) => state.list_turn(seat, view, list),
            Phase::Over => {}
        }
        LegalList::Complete
    }

    /// Orders placements by spot, then by the stack's ring index. Tiles and the end of the turn
    /// follow.
    fn precedence(state: &State, decision: &Decision) -> u16 {
        let Decision::Place(Placement { spot, stack, .. }) = decision else {
            return 2 * KINDS as u16;
        };
        let ring = state.fixed.edition.ring();
        let place = ring.iter().take_while(|kind| *kind != stack).count();
        (*spot as usize * KINDS + place) as u16
    }

    fn decide(
        state: &mut State,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        match (state.phase, *decision) {
            (Phase::TakeA2 { .. }, Decision::TakeA2(used)) => {
                state.answer_take_a2(seat, used, events);
            }
            (Phase::ChooseCards, Decision::PlayCards(cards)) => {
                state.check_cards(seat, cards)?;
                state.choose_cards(seat, cards, events);
            }
            (Phase::RaiseCards { .. }, Decision::RaiseCards(raises)) => {
                state.check_raises(seat, raises)?;
                state.raise_cards(seat, raises, events);
            }
            (Phase::Turn(view), decision) => {
                return state.decide_in_turn(seat, view, decision, events);
            }
            _ => return Err(state.wrong_kind(decision).into()),
        }
        Ok(())
    }

    fn outcome(state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn digest(state: &State) -> Digest {
        state.digest()
    }
}

impl State {
    fn decide_in_turn(
        &mut self,
        seat: Seat,
        view: TurnView,
        decision: Decision,
        events: &mut impl Events,
    ) -> Result<(), Illegal> {
        match (view.step, decision) {
            (TurnStep::Place, Decision::Place(placement)) => {
                let entry = self.entry(seat, &placement)?;
                self.place(seat, entry, events);
            }
            (TurnStep::Replace { building }, Decision::Replace(slot)) => {
                self.check_slot(seat, building, slot)?;
                self.replace(seat, building, slot.into(), events);
            }
            (TurnStep::TakeTile { owed, placed }, Decision::TakeTile(stack)) => {
                let tile = self.bonus_tile(stack)?;
                self.take_tile(seat, stack, tile, events);
                self.set_step(step_with_tiles(owed - 1, placed));
            }
            (TurnStep::TakeCards { strength }, Decision::TakeCards(cards)) => {
                self.check_taken_cards(&cards, strength)?;
                self.take_cards(seat, cards, events);
            }
            (TurnStep::Place | TurnStep::Finish, Decision::UseTile(tile)) => {
                self.check_turn_tile(seat, view, tile)?;
                self.use_tile(seat, view, tile, events);
            }
            (TurnStep::Place, Decision::End) if self.can_place(seat) => {
                return Err(Illegal::PlacementDue);
            }
            (TurnStep::Place | TurnStep::Finish, Decision::End) => {
                if view.step == TurnStep::Place {
                    events.push(Event::TurnSkipped { seat });
                }
                self.end_turn(view.turn, events);
            }
            (_, decision) => return Err(self.wrong_kind(&decision).into()),
        }
        Ok(())
    }

    fn wrong_kind(&self, decision: &Decision) -> OutOfTurn {
        let expected = match self.phase {
            Phase::TakeA2 { .. } => "take_a_2",
            Phase::ChooseCards => "play",
            Phase::RaiseCards { .. } => "raise",
            Phase::Turn(view) => match view.step {
                TurnStep::Place => "place, use or (without a legal placement) end",
                TurnStep::Replace { .. } => "replace",
                TurnStep::TakeTile { .. } => "take_tile",
                TurnStep::TakeCards { .. } => "take_cards",
                TurnStep::Finish => "use or end",
            },
            Phase::Over => "nothing",
        };
        OutOfTurn::wrong_kind(decision.word(), expected)
    }

    fn answer_take_a2(&mut self, seat: Seat, used: bool, events: &mut impl Events) {
        events.push(Event::TakeA2Answered { seat, used });
        let rank = self.chapel_rank(seat);
        if used {
            self.supply[2] -= 1;
            let player = self.seat_mut(seat);
            player.tiles[TileKind::TakeA2.index()] -= 1;
            player.hand[2] += 1;
            self.offer_take_a2(rank);
        } else {
            self.offer_take_a2(rank + 1);
        }
    }

    /// Checks the cards that a seat is to play.
    pub(super) fn check_cards(&self, seat: Seat, cards: PlayedCards) -> Result<(), Illegal> {
        let hand = &self.seat(seat).hand;
        let missing = |field, value| Err(Illegal::CardNotInHand { field, value });
        let count = cards_per_round(self.fixed.seats);
        if (count == 2) != cards.second.is_some() {
            return Err(Illegal::PlayedCount(count));
        }
        let held = |value: u8| hand.get(usize::from(value)).copied().unwrap_or(0);
        if held(cards.first) == 0 {
            return missing("first", cards.first);
        }
        match cards.second {
            Some(second) if second > cards.first => Err(Illegal::PlayedOrder),
            Some(second) if held(second) <= u8::from(second == cards.first) => {
                missing("second", second)
            }
            _ => Ok(()),
        }
    }

    fn choose_cards(&mut self, seat: Seat, cards: PlayedCards, events: &mut impl Events) {
        self.chosen[seat.index()].choose(cards);
        self.seat_mut(seat).has_chosen = true;
        events.push(Event::CardsChosen { seat });
        if self.seats.iter().all(|seat| seat.has_chosen) {
            self.reveal(events);
        }
    }

    /// Checks the raises of a seat's cards.
    pub(super) fn check_raises(&self, seat: Seat, raises: [u8; MAX_PLAYED]) -> Result<(), Illegal> {
        let player = self.seat(seat);
        let spent = raises.iter().map(|&raise| u16::from(raise)).sum();
        let usable = player.usable(TileKind::PlusOne);
        if spent > u16::from(usable) {
            return Err(Illegal::RaisesTooMany { spent, usable });
        }
        let are_equal = |cards: PlayedCards| Some(cards.second? == cards.first);
        match player.played.and_then(are_equal) {
            Some(true) if raises[0] < raises[1] => Err(Illegal::RaiseOrder),
            None if raises[1] > 0 => Err(Illegal::RaiseWithoutCard),
            _ => Ok(()),
        }
    }

    fn raise_cards(&mut self, seat: Seat, raises: [u8; MAX_PLAYED], events: &mut impl Events) {
        let player = self.seat_mut(seat);
        player.tiles[TileKind::PlusOne.index()] -= raises[0] + raises[1];
        player.raises = raises;
        events.push(Event::CardsRaised { seat, raises });
        self.offer_raise(self.chapel_rank(seat), events);
    }

    /// Checks a bonus tile that is not part of a placement.
    pub(super) fn check_turn_tile(
        &self,
        seat: Seat,
        view: TurnView,
        tile: TurnTile,
    ) -> Result<(), Illegal> {
        let kind = tile.kind();
        self.seat(seat).check_usable(kind, "tile")?;
        if tile != TurnTile::Recall {
            return if self.on_last_space(seat, kind) {
                Err(Illegal::OnLastSpace(kind))
            } else {
                Ok(())
            };
        }
        let card = self.turns[usize::from(view.turn)].card;
        if view.recalled {
            Err(Illegal::RecallAgain)
        } else if card == 0 {
            Err(Illegal::RecallZero)
        } else if self.supply[usize::from(card)] == 0 {
            Err(Illegal::RecallSupply(card))
        } else if view.step == TurnStep::Place && self.can_place(seat) {
            Err(Illegal::RecallEarly)
        } else {
            Ok(())
        }
    }

    /// Uses a tile that has been checked. After a recall without a legal placement, the turn builds
    /// nothing (R6).
    fn use_tile(&mut self, seat: Seat, view: TurnView, tile: TurnTile, events: &mut impl Events) {
        let kind = tile.kind();
        let placed = view.step == TurnStep::Finish;
        self.seat_mut(seat).tiles[kind.index()] -= 1;
        match tile {
            TurnTile::Recall => {
                let card = self.turns[usize::from(view.turn)].card;
                if !placed {
                    events.push(Event::TurnSkipped { seat });
                }
                self.supply[usize::from(card)] -= 1;
                self.seat_mut(seat).hand[usize::from(card)] += 1;
                events.push(Event::CardRecalled { seat, card });
                let step = TurnStep::Finish;
                self.phase = Phase::Turn(TurnView { step, recalled: true, ..view });
            }
            TurnTile::ChapelPlus2 => {
                events.push(Event::TileUsed { seat, tile: kind });
                self.advance_chapel(seat, TILE_STEPS, events);
            }
            TurnTile::GatePlus2 => {
                events.push(Event::TileUsed { seat, tile: kind });
                self.advance_gate(seat, TILE_STEPS, placed, events);
            }
        }
    }
}

impl TurnTile {
    /// Returns the kind of tile.
    pub const fn kind(self) -> TileKind {
        match self {
            Self::Recall => TileKind::Recall,
            Self::ChapelPlus2 => TileKind::ChapelPlus2,
            Self::GatePlus2 => TileKind::GatePlus2,
        }
    }
}

impl PlayedCards {
    /// Returns the cards' values, the higher first.
    pub fn values(self) -> impl Iterator<Item = u8> {
        std::iter::once(self.first).chain(self.second)
    }
}
