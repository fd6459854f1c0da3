//! The building phase: legal placements, and the end of the phase.

use super::board::{Boards, Spot};
use super::components::{Card, Cell, LEVELS, MAX_COLUMN, Piece, Placement, ROUNDS};
use super::decision::Decision;
use super::decision::Illegal;
use super::event::Event;
use super::setup::SEATS;
use super::state::{Builder, Fixed, State};
use crate::{EventSink, Seat};

impl Builder {
    /// Places a piece, or refuses it and leaves the builder unchanged.
    pub(super) fn place(&mut self, fixed: &Fixed, placement: Placement) -> Result<(), Illegal> {
        let Placement { piece, cell } = placement;
        self.check_cell(cell)?;
        match piece {
            Piece::Card(card) => self.place_card(fixed, card, cell)?,
            Piece::Pillar => {
                let left = self.pillars.checked_sub(1).ok_or(Illegal::NoPillarLeft)?;
                check_needed(self.structure.needed_after_pillar(Spot::of(cell)), left)?;
                self.pillars = left;
                self.structure.place_pillar(cell);
            }
        }
        self.placed.push(placement);
        Ok(())
    }

    fn place_card(&mut self, fixed: &Fixed, card: Card, cell: Cell) -> Result<(), Illegal> {
        let place = fixed.position(&self.hand, card);
        let place = place.ok_or(Illegal::NotInHand(card))?;
        let id = self.hand[place];
        let (traits, spot) = (fixed.traits(id), Spot::of(cell));
        if !self.structure.fits(spot, traits) {
            let (left, right) = self.structure.neighbours(spot);
            let piece = Piece::Card(card);
            return Err(match left.common_styles(traits, right) {
                0 => Illegal::Style { piece, cell },
                _ => Illegal::Numbers { piece, cell },
            });
        }
        check_needed(self.structure.needed_after_card(spot, traits), self.pillars)?;
        self.hand.remove(place);
        self.structure.place_card(cell, id, traits);
        Ok(())
    }

    /// Checks the cell without regard to the piece.
    fn check_cell(&self, cell: Cell) -> Result<(), Illegal> {
        let Cell { level, column } = cell;
        if !(1..=LEVELS as u8).contains(&level) {
            return Err(Illegal::Level(level));
        }
        if !(-MAX_COLUMN..=MAX_COLUMN).contains(&column) {
            return Err(Illegal::Column(column));
        }
        let is_on = |boards| self.structure.reaches(column) && Spot::of(cell).is_on(&boards);
        match level {
            _ if is_on(self.structure.places()) => Ok(()),
            _ if self.structure.is_empty() => Err(Illegal::First),
            _ if is_on(self.structure.taken()) => Err(Illegal::Occupied(cell)),
            1 => Err(Illegal::TooFar(column)),
            _ => Err(Illegal::Unsupported(cell)),
        }
    }

    /// Ends the phase for this seat, or refuses while a monument's run is open.
    pub(super) fn end(&mut self) -> Result<(), Illegal> {
        match self.structure.needed {
            0 => {
                self.has_ended = true;
                Ok(())
            }
            needed => Err(Illegal::MonumentOpen { needed }),
        }
    }

    /// Replaces the content of `list` with this seat's legal decisions while it builds.
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
    /// Ends the phase for a seat. Ends the round once both seats have ended the phase.
    pub(super) fn end_building(
        &mut self,
        seat: Seat,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        self.seats[seat.index()].end()?;
        if self.seats.iter().all(|builder| builder.has_ended) {
            self.reveal(events);
            if self.round + 1 < ROUNDS {
                self.round += 1;
                self.begin_round(events);
            } else {
                self.end_game(events);
            }
        }
        Ok(())
    }

    /// Reveals the pieces that both seats have placed.
    fn reveal(&mut self, events: &mut impl EventSink<Event>) {
        for (seat, builder) in SEATS.into_iter().zip(&mut self.seats) {
            for placement in builder.placed.drain(..) {
                events.push(Event::Placed { seat, placement });
            }
            let discarded = builder.hand.drain(..).map(|id| self.fixed.card(id));
            let discarded = discarded.collect();
            events.push(Event::BuildingEnded { seat, discarded });
            builder.has_ended = false;
        }
    }
}
