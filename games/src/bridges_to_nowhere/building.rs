//! Building: what may be placed where, and the end of a phase.

use arrayvec::ArrayVec;

use super::board::{Boards, Spot};
use super::components::{Card, Cell, LEVELS, MAX_COLUMN, Piece, Placement};
use super::decision::Decision;
use super::edition::CardId;
use super::event::Event;
use super::illegal::Illegal;
use super::setup::seat;
use super::state::{Builder, Fixed, Placed, State};
use crate::{EventSink, Seat};

impl Builder {
    /// Places a piece, or refuses it before anything has changed.
    pub(super) fn place(&mut self, fixed: &Fixed, placement: Placement) -> Result<(), Illegal> {
        let Placement { piece, cell } = placement;
        self.check_cell(cell)?;
        let card = match piece {
            Piece::Card(card) => Some(self.place_card(fixed, card, cell)?),
            Piece::Pillar => {
                self.place_pillar(cell)?;
                None
            }
        };
        self.placed.push(Placed { card, cell });
        Ok(())
    }

    fn place_card(&mut self, fixed: &Fixed, card: Card, cell: Cell) -> Result<CardId, Illegal> {
        let place = fixed.position(&self.hand, card);
        let place = place.ok_or(Illegal::NotInHand(card))?;
        let id = self.hand[place];
        let traits = fixed.traits(id);
        self.check_run(fixed, id, cell)?;
        let needed = self.structure.needed_after_card(Spot::of(cell), traits);
        check_needed(needed, self.pillars)?;
        self.hand.remove(place);
        self.structure.place_card(cell, id, traits);
        Ok(id)
    }

    /// Checks that a card leaves every run legal (N5), at a cell that has passed
    /// [`Self::check_cell`].
    pub(super) fn check_run(&self, fixed: &Fixed, id: CardId, cell: Cell) -> Result<(), Illegal> {
        let (card, spot) = (fixed.traits(id), Spot::of(cell));
        if self.structure.fits(spot, card) {
            return Ok(());
        }
        let piece = Piece::Card(fixed.card(id));
        let (left, right) = self.structure.neighbours(spot);
        match left.common_styles(card, right) {
            0 => Err(Illegal::Style { piece, cell }),
            _ => Err(Illegal::Numbers { piece, cell }),
        }
    }

    fn place_pillar(&mut self, cell: Cell) -> Result<(), Illegal> {
        let left = self.pillars.checked_sub(1).ok_or(Illegal::NoPillarLeft)?;
        let needed = self.structure.needed_after_pillar(Spot::of(cell));
        check_needed(needed, left)?;
        self.pillars = left;
        self.structure.place_pillar(cell);
        Ok(())
    }

    /// Checks all that is the same for every piece.
    pub(super) fn check_cell(&self, cell: Cell) -> Result<(), Illegal> {
        let Cell { level, column } = cell;
        if !(1..=LEVELS as u8).contains(&level) {
            return Err(Illegal::Level(level));
        }
        if !(-MAX_COLUMN..=MAX_COLUMN).contains(&column) {
            return Err(Illegal::Column(column));
        }
        if !self.structure.reaches(column) {
            return Err(match (level, self.structure.is_empty()) {
                (_, true) => Illegal::First,
                (1, false) => Illegal::TooFar(column),
                _ => Illegal::Unsupported(cell),
            });
        }
        let spot = Spot::of(cell);
        let on = |boards: Boards| boards[spot.level] & spot.board() != 0;
        if on(self.structure.places()) {
            return Ok(());
        }
        Err(match level {
            _ if self.structure.is_empty() => Illegal::First,
            _ if on(self.structure.taken()) => Illegal::Occupied(cell),
            1 => Illegal::TooFar(column),
            _ => Illegal::Unsupported(cell),
        })
    }

    /// Ends the phase for this seat, or refuses.
    pub(super) fn end(&mut self) -> Result<(), Illegal> {
        match self.structure.needed {
            0 => {
                self.has_ended = true;
                Ok(())
            }
            needed => Err(Illegal::MonumentOpen { needed }),
        }
    }

    /// Replaces the content of `list` by the legal decisions of this seat while it builds.
    pub(super) fn list_building(&self, fixed: &Fixed, list: &mut Vec<Decision>) {
        list.clear();
        let structure = &self.structure;
        let places = structure.places();
        let mut before = None;
        for &id in &self.hand {
            if before != Some(id) {
                let card = fixed.traits(id);
                let fitting = structure.fitting(&places, card);
                let closable = structure.closable(fitting, card, self.pillars);
                self.list_cells(Piece::Card(fixed.card(id)), closable, list);
            }
            before = Some(id);
        }
        let of_pillar = structure.places_of_pillar(places, self.pillars);
        self.list_cells(Piece::Pillar, of_pillar, list);
        if structure.needed == 0 {
            list.push(Decision::End);
        }
    }

    fn list_cells(&self, piece: Piece, boards: Boards, list: &mut Vec<Decision>) {
        for (level, board) in boards.into_iter().enumerate() {
            let cells = self.structure.cells(level, board);
            list.extend(cells.map(|cell| Decision::Place(Placement { piece, cell })));
        }
    }
}

fn check_needed(needed: u8, pillars: u8) -> Result<(), Illegal> {
    if needed > pillars {
        return Err(Illegal::Unclosable { needed, pillars });
    }
    Ok(())
}

impl State {
    /// Ends the phase of a seat, and that of both when the other has ended too.
    pub(super) fn end_building(
        &mut self,
        seat: Seat,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        self.seat_mut(seat).end()?;
        if self.seats.iter().all(|builder| builder.has_ended) {
            self.show(events);
            if !self.next_round(events) {
                self.end_game(events);
            }
        }
        Ok(())
    }

    /// Shows what both seats have built.
    fn show(&mut self, events: &mut impl EventSink<Event>) {
        let fixed = &*self.fixed;
        for (number, builder) in self.seats.iter_mut().enumerate() {
            let seat = seat(number as u8);
            for placed in builder.placed.drain(..) {
                let placement = placed.placement(fixed);
                events.push(Event::Placed { seat, placement });
            }
            let discarded: ArrayVec<Card, _> =
                builder.hand.drain(..).map(|id| fixed.card(id)).collect();
            events.push(Event::BuildingEnded { seat, discarded });
            builder.has_ended = false;
        }
    }
}
