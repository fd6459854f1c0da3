//! The maximum length of lists of placements: the figures of the rules page.

use std::collections::{HashMap, HashSet};

use bridgemaster_games::carcassonne::{Carcassonne, Cell, Config, Decision, TileKind};
use bridgemaster_games::{ChanceStream, Game, NoEvents, Rules, SeatCount, Seed};

use crate::carcassonne::position::Position;

/// The maximum number of rotations of a tile of the built-in edition next to one neighbour: no tile
/// of it has four equal edges and several distinct rotations.
const MAX_ROTATIONS: usize = 3;
/// The maximum number of open cells while a tile is to be placed: at most 83 tiles are on the
/// table. The first opens four cells, and each other one takes one and opens three at most.
const MAX_OPEN: usize = 4 + 2 * 82;
/// The longest list in many random matches.
const MAX_IN_RANDOM_PLAY: usize = 104;

fn beside(cell: Cell) -> [Cell; 4] {
    let Cell { x, y } = cell;
    [(x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)].map(|(x, y)| Cell { x, y })
}

/// The longest list of a match in which each tile is placed where it opens most cells.
fn longest_of_spreading_play(seed: u64) -> usize {
    let (config, seed) = (Config::default(), Seed::from(seed));
    let count = SeatCount::new(2).unwrap();
    let setup = Carcassonne::draw_setup(&config, count, &seed).unwrap();
    let mut state = Carcassonne::start(&config, count, &setup, &mut NoEvents).unwrap();
    let mut chance = ChanceStream::new(&seed, 1 << 40);
    let mut laid = HashSet::from([Cell { x: 0, y: 0 }]);
    let (mut list, mut longest) = (Vec::new(), 0);
    while let Some(seat) = Carcassonne::seats_to_decide(&state).iter().next() {
        Carcassonne::legal(&state, seat, &mut list);
        longest = longest.max(list.len());
        let opened = |decision: &Decision| match decision {
            Decision::Place(placement) => {
                let is_new = |cell: &Cell| beside(*cell).iter().all(|other| !laid.contains(other));
                beside(placement.cell).into_iter().filter(is_new).count()
            }
            _ => 0,
        };
        let most = list.iter().map(opened).max().unwrap();
        list.retain(|decision| opened(decision) == most);
        let decision = list[chance.below(list.len() as u32) as usize];
        if let Decision::Place(placement) = decision {
            laid.insert(placement.cell);
        }
        Carcassonne::apply(&mut state, seat, &decision, &mut NoEvents).unwrap();
    }
    longest
}

#[test]
fn play_that_spreads_the_map_has_longer_lists_than_random_play_and_keeps_to_the_bound() {
    for seed in 0..10 {
        let longest = longest_of_spreading_play(seed);
        assert!(longest > MAX_IN_RANDOM_PLAY, "seed {seed}: {longest}");
        assert!(longest <= MAX_ROTATIONS * MAX_OPEN, "seed {seed}: {longest}");
    }
}

#[test]
fn one_neighbour_leaves_at_most_three_rotations_of_a_built_in_tile() {
    // The start tile has an edge of each terrain.
    for kind in TileKind::all() {
        let mut at = HashMap::new();
        for text in Position::new(&kind.to_string()).legal() {
            let cell = text.rsplit_once(' ').unwrap().0.to_owned();
            *at.entry(cell).or_insert(0) += 1;
        }
        assert!(at.values().all(|&count| count <= MAX_ROTATIONS), "{kind}: {at:?}");
    }
}
