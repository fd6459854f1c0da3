//! Whole matches, compared after each decision with a recount from scratch, events included.

use std::sync::Arc;

use bridgemaster_games::bridges_to_nowhere::{
    BRIDGE_CARDS, BridgeCard, BridgesToNowhere, Card, Config, Contract, Decision, Edition,
    EditionParts, MAX_COLUMN, NextCards, Piece, ROUNDS, Style, Symbol,
};
use bridgemaster_games::{ChanceStream, Game, Rules, Sample, Seat, SeatCount, Seed, Viewer};
use proptest::prelude::*;

use crate::bridges_to_nowhere::model::Model;
use crate::bridges_to_nowhere::pile::Pile;
use crate::play::seat;

/// The policy of both seats.
#[derive(Clone, Copy, Debug)]
enum Play {
    /// Uniform random choices.
    Random,
    /// Mostly the decisions with the highest value in a recount: such matches have segments and
    /// meet contracts.
    Steered,
}

fn config(chance: &mut ChanceStream) -> Config {
    Config {
        contracts: chance.below(4) > 0,
        contracts_to_win: 1 + chance.below(3) as u8,
        games: 1 + chance.below(6) as u8,
        next_cards: [NextCards::BeforeBuilding, NextCards::AfterBuilding][chance.below(2) as usize],
        edition: match chance.below(3) {
            0 => edition(chance),
            _ => Edition::built_in(),
        },
    }
}

/// A deck of few numbers and some tolls: it has equal cards, and equal numbers of a style.
fn edition(chance: &mut ChanceStream) -> Arc<Edition> {
    let cards = (0..BRIDGE_CARDS).map(|place| BridgeCard {
        style: Style::ALL[place % Style::ALL.len()],
        number: Some(chance.below(5) as u8).filter(|&number| number > 0),
        left: Symbol::ALL[chance.below(2) as usize],
        right: Symbol::ALL[chance.below(2) as usize],
    });
    let parts = EditionParts { cards: cards.collect(), name: "few numbers".to_owned() };
    Arc::new(Edition::new(&parts).unwrap())
}

/// The value of a structure for a steered seat: its points, long and high runs, for seat 1 rather
/// many cards on the ground, and in the last round pillars at the ends of runs.
fn value(pile: &Pile, by: Seat, contract: Option<Contract>, last_round: bool) -> i32 {
    let flat = by == seat(1);
    let mut value = 10 * i32::from(pile.score(contract).total());
    let pillars = pile.0.values().filter(|piece| **piece == Piece::Pillar);
    value -= 4 * pillars.count() as i32;
    for (first, cards) in pile.runs() {
        let (level, length) = (i32::from(first.level), cards.len() as i32);
        value += if !flat {
            length * length * level * level
        } else if level == 1 {
            20 * length + length * length
        } else {
            0
        };
        for column in [first.column - 1, first.column + cards.len() as i8] {
            let at_end = pile.at(first.level, column);
            if last_round && at_end == Some(Piece::Pillar) {
                value += 5 * length * level;
            }
            // An end at which a pillar can be placed.
            let below = first.level > 1 && pile.at(first.level - 1, column).is_some();
            value += i32::from(at_end.is_none() && below) * level * length;
        }
    }
    value
}

fn steered(model: &Model, by: Seat, list: &[Decision], chance: &mut ChanceStream) -> Decision {
    let view = model.observe(Viewer::Seat(by));
    let last_round = view.round + 1 == ROUNDS;
    let value = |decision: &Decision| match decision {
        // Cards of the most frequent style of the seat; seat 1 prefers four of each.
        Decision::Take(Card::Bridge(card)) => {
            let own = &view.seats[by.index()];
            let cards = own.cards.iter().copied();
            let placed = own.structure.iter().filter_map(|placed| match placed.piece {
                Piece::Card(card) => Some(card),
                Piece::Pillar => None,
            });
            let alike =
                |other: &Card| matches!(other, Card::Bridge(other) if other.style == card.style);
            match cards.chain(placed).filter(alike).count() {
                4.. if by == seat(1) => -1,
                count => count as i32,
            }
        }
        Decision::Take(Card::Monument) => 0,
        Decision::Place(_) => {
            let mut after = model.clone();
            after.apply(by, *decision);
            value(after.pile(by), by, view.contract, last_round)
        }
        Decision::End => value(model.pile(by), by, view.contract, last_round),
    };
    let values: Vec<i32> = list.iter().map(value).collect();
    let best = *values.iter().max().unwrap();
    let best: Vec<usize> = (0..list.len()).filter(|&i| values[i] == best).collect();
    list[best[chance.below(best.len() as u32) as usize]]
}

/// Plays a match; returns for each contract the number of times it scored.
fn recount(seed: u64, play: Play) -> [u32; 6] {
    let seed = Seed::from(seed);
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let config = config(&mut chance);
    let seats = SeatCount::new(2).unwrap();
    let setup = BridgesToNowhere::draw_setup(&config, seats, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = BridgesToNowhere::start(&config, seats, &setup, &mut events).unwrap();
    let mut model = Model::new(&config, &setup);
    let mut lists = [vec![], vec![]];
    loop {
        assert_eq!(events, model.events);
        events.clear();
        model.events.clear();
        for viewer in [Viewer::Seat(seat(0)), Viewer::Seat(seat(1)), Viewer::Spectator] {
            let view = BridgesToNowhere::observe(&state, viewer);
            assert_eq!(view, model.observe(viewer));
        }
        for (number, list) in (0..).zip(&mut lists) {
            BridgesToNowhere::legal(&state, seat(number), list);
            assert_eq!(*list, model.legal(seat(number)), "{model:?}");
            let owes = BridgesToNowhere::seats_to_decide(&state).contains(seat(number));
            assert_eq!(owes, !list.is_empty());
        }
        let seats_to_decide: Vec<Seat> = BridgesToNowhere::seats_to_decide(&state).iter().collect();
        if seats_to_decide.is_empty() {
            break;
        }
        let by = seats_to_decide[chance.below(seats_to_decide.len() as u32) as usize];
        let list = &lists[by.index()];
        let at_random = matches!(play, Play::Random) || chance.below(12) == 0;
        let decision = if at_random {
            list[chance.below(list.len() as u32) as usize]
        } else {
            steered(&model, by, list, &mut chance)
        };
        if let Decision::Place(placement) = decision {
            assert!((-MAX_COLUMN..=MAX_COLUMN).contains(&placement.cell.column));
        }
        BridgesToNowhere::apply(&mut state, by, &decision, &mut events).unwrap();
        model.apply(by, decision);
    }
    check_outcome(&state, &model, &config);
    let mut paid = [0; 6];
    for result in model.results() {
        for score in &result.scores {
            if let Some(contract) = result.contract.filter(|_| score.contract > 0) {
                paid[contract.index()] += 1;
            }
        }
    }
    paid
}

fn check_outcome(state: &<BridgesToNowhere as Rules>::State, model: &Model, config: &Config) {
    let outcome = BridgesToNowhere::outcome(state).unwrap();
    let (won, points) = (model.won(), model.points());
    let places = match (won[0], points[0]).cmp(&(won[1], points[1])) {
        std::cmp::Ordering::Greater => [1, 2],
        std::cmp::Ordering::Less => [2, 1],
        std::cmp::Ordering::Equal => [1, 1],
    };
    for (number, result) in outcome.seats.iter().enumerate() {
        assert_eq!(result.place, places[number]);
        let score = match config.games {
            1 => points[number],
            _ => won[number] as i32,
        };
        assert_eq!(result.score, score);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_matches_agree_with_the_recount_after_every_decision(seed in any::<u64>()) {
        recount(seed, Play::Random);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn steered_matches_agree_with_the_recount_after_every_decision(seed in any::<u64>()) {
        recount(seed, Play::Steered);
    }
}

#[test]
fn steered_matches_meet_every_contract() {
    let mut paid = [0; 6];
    for seed in 0..300 {
        let more = recount(seed, Play::Steered);
        paid.iter_mut().zip(more).for_each(|(paid, more)| *paid += more);
    }
    assert!(paid.iter().all(|&paid| paid > 0), "{paid:?}");
}
