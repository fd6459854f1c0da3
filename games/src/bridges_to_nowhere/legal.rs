//! Listing and applying decisions.

use super::decision::Decision;
use super::event::Event;
use super::observation::Phase;
use super::refusal::Refusal;
use super::state::State;
use crate::{EventSink, OutOfTurn, Seat};

/// Longest legal list. With n pieces, g of them on the ground, a piece can lie in at most g + 3
/// cells of the ground (between two neighbours one, beyond either end two) and on top of g columns:
/// 2n + 3 cells in all. While three kinds of card and pillars are in hand, at most nine cards and
/// five pillars lie: 4 * 31 placements and the end. With three kinds of piece at most fifteen
/// pieces lie, which makes 3 * 33, and with fewer kinds the list is shorter still.
pub(super) const LEGAL_CAP: usize = 125;

impl State {
    /// Replaces the content of `list` by the legal decisions of a seat.
    pub(super) fn legal(&self, seat: Seat, list: &mut Vec<Decision>) {
        list.clear();
        match self.phase {
            Phase::Draft { seat: asked } if asked == seat => self.list_takes(list),
            Phase::Build => {
                if let Some(builder) = self.seats.get(seat.index())
                    && !builder.has_ended
                {
                    builder.list_building(&self.table, list);
                }
            }
            _ => {}
        }
    }

    /// Applies a decision, or refuses it before anything has changed.
    pub(super) fn apply(
        &mut self,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        OutOfTurn::check(seat, self.owing(), matches!(self.phase, Phase::Over))?;
        match (self.phase, *decision) {
            (Phase::Draft { .. }, Decision::Take(card)) => self.take(seat, card, events),
            (Phase::Build, Decision::Place(placement)) => {
                let table = &*self.table;
                self.seats[seat.index()].place(table, placement)
            }
            (Phase::Build, Decision::End) => self.end_building(seat, events),
            (phase, decision) => Err(OutOfTurn::WrongKind {
                given: decision.word(),
                asked: match phase {
                    Phase::Draft { .. } => "take",
                    Phase::Build => "place or end",
                    Phase::Over => "nothing",
                },
            }
            .into()),
        }
    }
}
