//! Final scoring.
//!
//! The score is money in pounds. The categories of the score are the same for every seat, in this
//! order: `money` (in hand before final scoring), `chapel_face`, `gate_face`, `inn_face`,
//! `bridge_face` (the payment of each area's face at the end; 0 for faces that pay during the
//! match), `empty_spaces`, `bonus_tiles`.

use std::cmp::Reverse;

use super::building::longest_series;
use super::components::{BRIDGE_SLOTS, CARD_VALUES, Face, Kind};
use super::observation::{Phase, SeatView};
use super::state::State;
use super::tracks::money_spaces;
use crate::outcome::total;
use crate::{Outcome, ScoreLine, Seat};

/// A competitive face's prizes by rank, in pounds. A table of n seats awards n - 1 of these prizes.
const PRIZES: [i32; 3] = [5, 3, 1];
/// The price in pounds by the number of empty bridge spaces. The last entry is for all higher
/// numbers.
const EMPTY_SPACE_PRICES: [i32; 6] = [0, 1, 4, 7, 10, 14];
/// Face *gate_distance*: (minimum position, pounds).
const GATE_DISTANCE: [(i32, i32); 4] = [(4, 3), (7, 5), (10, 9), (13, 12)];
/// Face *hand_size*: (minimum number of cards, pounds).
const HAND_SIZE: [(i32, i32); 3] = [(3, 4), (5, 7), (8, 10)];
/// Face *tile_table*: pounds by the number of unused tiles. The last entry is for all higher
/// numbers.
const TILE_TABLE: [i32; 5] = [0, 1, 4, 9, 16];
/// Face *card_sets*: pounds for each card in a set except the 1.
const CARD_SET_STEP: i32 = 5;
/// Face *low_numbers*: the highest house number that pays.
const LOW_NUMBER: u8 = 30;
/// Face *low_numbers*: pounds per building.
const LOW_NUMBER_MONEY: i32 = 2;
/// Face *full_sets*: pounds per set.
const FULL_SET_MONEY: i32 = 10;

/// The score categories of the four faces, by area.
const FACE_CATEGORIES: [&str; 4] = ["chapel_face", "gate_face", "inn_face", "bridge_face"];

impl State {
    /// Returns the result, once the match has ended.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.phase != Phase::Over {
            return None;
        }
        let seats = self.fixed.seats.seats().map(|seat| {
            let breakdown = self.breakdown(seat);
            let ties = Reverse(self.chapel_rank(seat));
            ((total(&breakdown), ties), breakdown)
        });
        Some(Outcome::ranked(seats))
    }

    fn breakdown(&self, seat: Seat) -> Vec<ScoreLine> {
        let view = self.seat(seat);
        let mut lines = vec![ScoreLine::new("money", view.money)];
        for (&category, &face) in FACE_CATEGORIES.iter().zip(&self.fixed.faces) {
            lines.push(ScoreLine::new(category, self.face_points(face, seat)));
        }
        let price = up_to_last(&EMPTY_SPACE_PRICES, BRIDGE_SLOTS - view.bridge.len());
        lines.push(ScoreLine::new("empty_spaces", -price));
        let tiles = if self.fixed.has_face(Face::TileTable) { 0 } else { tiles_held(view) as i32 };
        lines.push(ScoreLine::new("bonus_tiles", tiles));
        lines
    }

    /// Returns the payment of a face to a seat in final scoring.
    fn face_points(&self, face: Face, seat: Seat) -> i32 {
        let view = self.seat(seat);
        match face {
            Face::AheadOfLast => {
                let last = self.seats.iter().map(|other| other.chapel_position).min();
                i32::from(view.chapel_position - last.unwrap_or(0))
            }
            Face::MoneyAgain => {
                money_spaces(self.fixed.edition.chapel_money(), 0, view.chapel_position)
            }
            _ => self.prize(seat, face) + view.own_points(face),
        }
    }

    /// Returns the prize that a competitive face pays, by rank in its measure. Ties are broken by
    /// chapel order (R11). A measure of 0 wins nothing (R15).
    fn prize(&self, seat: Seat, face: Face) -> i32 {
        let measure = |seat| self.seat(seat).prize_measure(face);
        let rank_key = |seat| (measure(seat), Reverse(self.chapel_rank(seat)));
        let own = rank_key(seat);
        if own.0 == 0 {
            return 0;
        }
        let seats = self.fixed.seats.seats();
        let before = seats.filter(|&other| rank_key(other) > own).count();
        let prizes = &PRIZES[..self.seats.len() - 1];
        prizes.get(before).copied().unwrap_or(0)
    }
}

impl SeatView {
    /// Returns the number by which a competitive face ranks seats; 0 for any other face.
    pub fn prize_measure(&self, face: Face) -> i32 {
        match face {
            Face::ChapelTrack => self.chapel_position.into(),
            Face::MostChapels => self.count(Kind::Chapel),
            Face::GateTrack => self.gate_position.into(),
            Face::MostGates => self.count(Kind::Gate),
            Face::HandSum => hand_sum(&self.hand),
            Face::MostInns => self.count(Kind::Inn),
            Face::MostBuildings => self.bridge.len() as i32,
            Face::LongestSeries => longest_series(&self.bridge),
            _ => 0,
        }
    }

    /// Returns the payment, in pounds, of a face that depends only on what the seat itself has; 0
    /// for any other face.
    pub fn own_points(&self, face: Face) -> i32 {
        match face {
            Face::GateDistance => from_threshold(&GATE_DISTANCE, self.gate_position.into()),
            Face::TileTable => up_to_last(&TILE_TABLE, tiles_held(self)),
            Face::HandSize => from_threshold(&HAND_SIZE, hand_size(&self.hand)),
            Face::CardSets => card_sets(&self.hand),
            Face::LowNumbers => {
                let numbers = self.bridge.iter().filter_map(|building| building.number);
                LOW_NUMBER_MONEY * numbers.filter(|&number| number <= LOW_NUMBER).count() as i32
            }
            Face::FullSets => {
                let kinds = Kind::ALL.iter().map(|&kind| self.count(kind));
                FULL_SET_MONEY * kinds.min().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Returns the number of buildings of one kind on the seat's bridge.
    pub fn count(&self, kind: Kind) -> i32 {
        let of_kind = self.bridge.iter().filter(|building| building.kind == kind);
        of_kind.count() as i32
    }
}

fn tiles_held(seat: &SeatView) -> usize {
    seat.tiles.iter().map(|&count| usize::from(count)).sum()
}

fn hand_size(hand: &[u8; CARD_VALUES]) -> i32 {
    hand.iter().map(|&count| i32::from(count)).sum()
}

fn hand_sum(hand: &[u8; CARD_VALUES]) -> i32 {
    (0..).zip(hand).map(|(value, &count)| value * i32::from(count)).sum()
}

/// Returns the pounds for the best partition of a hand into the sets 1+2, 1+2+3 and 1+2+3+4. Each
/// card after the 1 pays the same, so the best partition has as many sets as possible, each as long
/// as possible.
fn card_sets(hand: &[u8; CARD_VALUES]) -> i32 {
    let pairs = hand[1].min(hand[2]);
    let threes = pairs.min(hand[3]);
    let fours = threes.min(hand[4]);
    CARD_SET_STEP * (i32::from(pairs) + i32::from(threes) + i32::from(fours))
}

/// Returns a table's entry at an index, or the last entry for an index beyond the table.
fn up_to_last(table: &[i32], index: usize) -> i32 {
    table[index.min(table.len() - 1)]
}

/// Returns the value of the highest threshold that `value` reaches; 0 if `value` is below all
/// thresholds.
fn from_threshold(table: &[(i32, i32)], value: i32) -> i32 {
    let reached = table.iter().rev().find(|&&(threshold, _)| value >= threshold);
    reached.map_or(0, |&(_, pounds)| pounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the best partition by trying all of them.
    fn best_partition(hand: [u8; CARD_VALUES]) -> i32 {
        let mut best = 0;
        for length in 2..CARD_VALUES {
            if hand[1..=length].iter().all(|&count| count > 0) {
                let mut rest = hand;
                rest[1..=length].iter_mut().for_each(|count| *count -= 1);
                best = best.max(5 * (length as i32 - 1) + best_partition(rest));
            }
        }
        best
    }

    #[test]
    fn card_sets_pays_the_best_partition() {
        for code in 0..4u32.pow(4) {
            let digit = |place: u32| (code / 4u32.pow(place) % 4) as u8;
            let hand = [1, digit(0), digit(1), digit(2), digit(3)];
            assert_eq!(card_sets(&hand), best_partition(hand), "{hand:?}");
        }
    }

    #[test]
    fn tables_of_the_score_tiles_change_at_their_thresholds() {
        let distance = |n| from_threshold(&GATE_DISTANCE, n);
        assert_eq!(
            [0, 3, 4, 6, 7, 9, 10, 12, 13, 60].map(distance),
            [0, 0, 3, 3, 5, 5, 9, 9, 12, 12]
        );
        let size = |n| from_threshold(&HAND_SIZE, n);
        assert_eq!([0, 2, 3, 4, 5, 7, 8, 30].map(size), [0, 0, 4, 4, 7, 7, 10, 10]);
        let tiles = |n| up_to_last(&TILE_TABLE, n);
        assert_eq!([0, 1, 2, 3, 4, 9].map(tiles), [0, 1, 4, 9, 16, 16]);
        let empty = |n| up_to_last(&EMPTY_SPACE_PRICES, n);
        assert_eq!([0, 1, 2, 3, 4, 5, 12].map(empty), [0, 1, 4, 7, 10, 14, 14]);
    }
}
