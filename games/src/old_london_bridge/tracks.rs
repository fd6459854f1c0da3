//! The chapel track and the gate track.

use super::components::{LAST_SPACE_MONEY, MAX_PLAYERS, TileKind};
use super::event::{Event, Events};
use super::observation::TurnStep;
use super::state::State;
use crate::Seat;
use arrayvec::ArrayVec;

/// The number of steps that a chapel_plus_2 or gate_plus_2 tile advances.
pub(super) const TILE_STEPS: u8 = 2;

impl State {
    /// Returns `true` if a chapel_plus_2 or gate_plus_2 tile would have no effect (R23).
    pub(super) fn on_last_space(&self, seat: Seat, tile: TileKind) -> bool {
        let (seat, edition) = (self.seat(seat), &self.fixed.edition);
        match tile {
            TileKind::ChapelPlus2 => seat.chapel_position == edition.chapel_last_space(),
            _ => seat.gate_position == edition.gate_last_space(),
        }
    }

    /// Advances on the chapel track. Has no effect on a marker that is on the last space.
    pub(super) fn advance_chapel(&mut self, seat: Seat, steps: u8, events: &mut impl Events) {
        let last = self.fixed.edition.chapel_last_space();
        let from = self.seat(seat).chapel_position;
        let to = from.saturating_add(steps).min(last);
        if to == from {
            return;
        }
        let mut money = money_spaces(self.fixed.edition.chapel_money(), from, to);
        if to == last {
            money += LAST_SPACE_MONEY;
        }
        let player = self.seat_mut(seat);
        player.money += money;
        player.chapel_position = to;
        let seats = &self.seats;
        restack(&mut self.chapel_order, seat, to, last, |other| {
            seats[other.index()].chapel_position
        });
        events.push(Event::ChapelAdvanced { seat, from, to, money });
    }

    /// Advances on the gate track within a turn. The seat earns a bonus tile for each bonus space
    /// that it reaches or passes, while tiles are left. Once the tiles are taken, the turn
    /// continues with its placement, unless the pawn is already `placed`.
    pub(super) fn advance_gate(
        &mut self,
        seat: Seat,
        steps: u8,
        placed: bool,
        events: &mut impl Events,
    ) {
        let last = self.fixed.edition.gate_last_space();
        let from = self.seat(seat).gate_position;
        let to = from.saturating_add(steps).min(last);
        if to == from {
            return self.set_step(step_with_tiles(0, placed));
        }
        let bonus = self.fixed.edition.gate_bonus().iter();
        let earned = bonus.filter(|&&space| from < space && space <= to).count() as u8;
        let tiles = earned.min(self.tiles_left());
        let money = if to == last { LAST_SPACE_MONEY } else { 0 };
        let player = self.seat_mut(seat);
        player.money += money;
        player.gate_position = to;
        let seats = &self.seats;
        restack(&mut self.gate_order, seat, to, last, |other| seats[other.index()].gate_position);
        events.push(Event::GateAdvanced { seat, from, to, tiles, money });
        self.set_step(step_with_tiles(tiles, placed));
    }
}

/// Returns the step of a turn in which `owed` bonus tiles are still to be taken.
pub(super) fn step_with_tiles(owed: u8, placed: bool) -> TurnStep {
    match (owed, placed) {
        (0, true) => TurnStep::Finish,
        (0, false) => TurnStep::Place,
        _ => TurnStep::TakeTile { owed, placed },
    }
}

/// Returns the total, in pounds, of the money spaces after `from`, up to and including `to`.
pub(super) fn money_spaces(spaces: &[(u8, u8)], from: u8, to: u8) -> i32 {
    let spaces = spaces.iter();
    let reached = spaces.filter(|&&(space, _)| from < space && space <= to);
    reached.map(|&(_, pounds)| i32::from(pounds)).sum()
}

/// Moves `seat` to its new place in a leader-first order. The seat's marker is placed on top of the
/// markers on its space, or below all markers on the last space.
fn restack(
    order: &mut ArrayVec<Seat, MAX_PLAYERS>,
    seat: Seat,
    to: u8,
    last: u8,
    position: impl Fn(Seat) -> u8,
) {
    order.retain(|other| *other != seat);
    let behind = |&other: &Seat| {
        let there = position(other);
        there < to || (there == to && to != last)
    };
    let place = order.iter().position(behind).unwrap_or(order.len());
    order.insert(place, seat);
}
