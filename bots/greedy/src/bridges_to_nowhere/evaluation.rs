//! A structure's value, in points at the end of the game. These weights scored highest in several
//! thousand games.

use std::cmp::Reverse;

use bridgemaster_games::bridges_to_nowhere::{Achievements, Contract, LEVELS, SeatView};

use super::structure::{Columns, Filled, Run, Segment, runs};

/// The probability that a missing pillar is placed later, if the seat has a pillar left for it.
const CLOSING: f64 = 0.97;
/// The value of a future card on level 1, in points. On other levels, this value is multiplied by
/// the level.
const CARD: f64 = 2.5;
/// The value of a pillar that no run needs, in points.
const PILLAR: f64 = 3.5;

/// The numbers of pieces that can still be placed.
#[derive(Clone, Copy)]
pub(super) struct RemainingPieces {
    pub(super) contract: Option<Contract>,
    /// The number of cards that can still be placed.
    pub(super) cards: usize,
    /// `true` if any piece can still be placed.
    pub(super) building: bool,
}

impl RemainingPieces {
    /// Returns the value of a seat's structure.
    pub(super) fn evaluate(&self, view: &SeatView) -> f64 {
        let mut complete = StructureValue::default();
        let mut open = Vec::new();
        let mut filled = Filled::new(&view.structure);
        for run in runs(&view.structure) {
            let segment = run.as_segment();
            match run.missing(&filled) {
                [0, 0, 0] => complete.add(&segment, 1.0),
                _ => open.push((segment, run)),
            }
        }
        let contract = |value: &StructureValue| value.contract(self.contract);
        if !self.building {
            return complete.points + contract(&complete);
        }
        let mut expected = complete;
        let pillars = close(open, &mut filled, view.pillars, &mut expected);
        expected.points
            + CLOSING * contract(&expected)
            + (1.0 - CLOSING) * contract(&complete)
            + f64::from(pillars) * PILLAR
            + self.upcoming_card_value(&filled, view.pillars)
    }

    /// Returns the value of the future cards, which fill the highest available places. Pillars that
    /// runs need count as available too, because each pillar goes where it is worth most.
    fn upcoming_card_value(&self, filled: &Filled, pillars: u8) -> f64 {
        let mut cards = self.cards;
        let mut points = 0.0;
        for level in (1..LEVELS).rev() {
            let placed = cards.min(places(filled, level, pillars));
            points += (placed * (level + 1)) as f64 * CARD;
            cards -= placed;
        }
        points + cards as f64 * CARD
    }
}

/// Closes open runs with pillars, the most valuable runs first, and adds these runs' expected
/// value. Returns the number of pillars left.
fn close(
    mut open: Vec<(Segment, Run<'_>)>,
    filled: &mut Filled,
    mut pillars: u8,
    expected: &mut StructureValue,
) -> u8 {
    open.sort_by_key(|(segment, _)| Reverse(segment.points));
    for (segment, run) in &open {
        let missing = run.missing(filled);
        let count: u32 = missing.iter().map(|columns| columns.count_ones()).sum();
        let Some(left) = pillars.checked_sub(count as u8) else {
            continue;
        };
        pillars = left;
        for (columns, missing) in filled.pillars.iter_mut().zip(missing) {
            *columns |= missing;
        }
        expected.add(segment, CLOSING.powi(count as i32));
    }
    pillars
}

/// Returns the number of cards that can still be added on a level above the ground. Levels are
/// counted from 0. Each row of pieces on the level below is assumed to carry a segment with a
/// pillar at both ends.
fn places(filled: &Filled, level: usize, pillars: u8) -> usize {
    let mut rest = filled.level(level - 1);
    let mut places = 0;
    while rest != 0 {
        let row = lowest_row(rest);
        rest &= !row;
        let pillars_missing = 2u32.saturating_sub((row & filled.pillars[level]).count_ones());
        if pillars_missing <= pillars.into() {
            let free = (row & !filled.level(level)).count_ones();
            places += free.saturating_sub(pillars_missing) as usize;
        }
    }
    places
}

/// Returns the lowest set bit and the set bits that follow it without a gap.
fn lowest_row(columns: Columns) -> Columns {
    let start = columns.trailing_zeros();
    let length = (columns >> start).trailing_ones();
    let row: Columns = (1 << length) - 1;
    row << start
}

/// The value of a structure's segments, and the measures that contracts reward.
#[derive(Clone, Copy, Default)]
struct StructureValue {
    /// The points without the contract.
    points: f64,
    achieved: Achievements,
}

impl StructureValue {
    /// Adds a segment that will be completed with the probability `chance`.
    fn add(&mut self, segment: &Segment, chance: f64) {
        self.points += f64::from(segment.points) * chance;
        self.achieved.add(segment.level, segment.length, segment.style);
        for (all, new) in self.achieved.pairs.iter_mut().zip(segment.pairs) {
            *all += new;
        }
    }

    /// Returns the contract's points, from the better of its two conditions.
    fn contract(&self, contract: Option<Contract>) -> f64 {
        contract.map_or(0.0, |contract| self.achieved.points(contract).into())
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_games::{
        ChanceStream, Game as _, NoEvents, Rules as _, Sample as _, SeatCount, Seed, Viewer,
        bridges_to_nowhere::{BridgesToNowhere, Config, State},
    };

    use super::*;
    use crate::best_decision;

    /// Returns the final state of a match of one game between two greedy seats.
    fn end_of_game(seed: u64) -> State {
        let config = Config { games: 1, ..Config::default() };
        let (seats, seed) = (SeatCount::new(2).unwrap(), Seed::from(seed));
        let setup = BridgesToNowhere::draw_setup(&config, seats, &seed).unwrap();
        let mut state = BridgesToNowhere::start(&config, seats, &setup, &mut NoEvents).unwrap();
        let mut chance = ChanceStream::new(&seed, 1 << 32);
        let mut legal = Vec::new();
        while let Some(seat) = BridgesToNowhere::seats_to_decide(&state).iter().next() {
            let seen = BridgesToNowhere::observe(&state, Viewer::Seat(seat));
            BridgesToNowhere::legal(&state, seat, &mut legal);
            let best = best_decision::<BridgesToNowhere>(&config, &seen, seat, &legal, &mut chance);
            let decision = legal[best.unwrap()];
            BridgesToNowhere::apply(&mut state, seat, &decision, &mut NoEvents).unwrap();
        }
        state
    }

    #[test]
    fn a_structure_at_the_end_of_a_game_is_worth_its_points() {
        let mut contracts_met = 0;
        for seed in 0..30 {
            let end = BridgesToNowhere::observe(&end_of_game(seed), Viewer::Spectator);
            let remaining = RemainingPieces { contract: end.contract, cards: 0, building: false };
            for (view, score) in end.seats.iter().zip(end.results[0].scores) {
                assert_eq!(remaining.evaluate(view), f64::from(score.total()), "{seed}");
                contracts_met += usize::from(score.contract > 0);
            }
        }
        assert!(contracts_met > 0);
    }
}
