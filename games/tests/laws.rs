//! The laws of [`Game`], held against every game: those of the catalogue and, to keep the seam
//! honest, a trivial one of the tests.

#![allow(clippy::unwrap_used)]

#[path = "support/rock_paper_scissors.rs"]
mod rock_paper_scissors;

use std::collections::HashSet;

use bridgemaster_games::old_london_bridge::{
    Area, CARD_VALUES, Config, Decision, FaceChoice, Kind, OldLondonBridge, Placement, PlayedCards,
    Spot, TurnTile,
};
use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, LegalList, NoEvents, Seat, SeatCount, Seed, Viewer,
};
use proptest::prelude::*;
use rock_paper_scissors::{RockPaperScissors, SHAPES};

/// What the laws need besides the game itself.
trait Lawful: Game {
    /// Some config.
    fn any_config(chance: &mut ChanceStream) -> Self::Config;
    /// Some decision, legal or not.
    fn any_decision(chance: &mut ChanceStream) -> Self::Decision;
}

impl Lawful for RockPaperScissors {
    fn any_config(chance: &mut ChanceStream) -> Self::Config {
        rock_paper_scissors::Config {
            rounds: 1 + chance.below(5) as u8,
        }
    }

    fn any_decision(chance: &mut ChanceStream) -> Self::Decision {
        SHAPES[chance.below(3) as usize]
    }
}

impl Lawful for OldLondonBridge {
    fn any_config(chance: &mut ChanceStream) -> Config {
        let mut config = Config::default();
        for (area, choice) in Area::ALL.iter().zip(&mut config.faces) {
            *choice = match chance.below(6) {
                5 => FaceChoice::Random,
                face => FaceChoice::Face(area.faces()[face as usize]),
            };
        }
        config
    }

    fn any_decision(chance: &mut ChanceStream) -> Decision {
        let mut number = |bound| match chance.below(40) {
            0 => chance.below(256) as u8,
            _ => chance.below(bound) as u8,
        };
        match number(9) % 9 {
            0 => Decision::TakeA2(number(2) == 0),
            1 => Decision::PlayCards(PlayedCards {
                first: number(5),
                second: (number(2) == 0).then(|| number(5)),
            }),
            2 => Decision::RaiseCards([number(3), number(2)]),
            3 => Decision::Place(Placement {
                spot: [Spot::Outer, Spot::Centre][usize::from(number(2) % 2)],
                stack: Kind::ALL[usize::from(number(6)) % Kind::ALL.len()],
                share: number(3) == 0,
                opening: number(3) == 0,
            }),
            4 => Decision::Replace(number(12)),
            5 => Decision::TakeTile(number(4)),
            6 => {
                let mut cards = [0; CARD_VALUES];
                for _ in 0..number(4) % 8 {
                    cards[usize::from(number(5)) % CARD_VALUES] += 1;
                }
                Decision::TakeCards(cards)
            }
            7 => Decision::UseTile(TurnTile::ALL[usize::from(number(3)) % TurnTile::ALL.len()]),
            _ => Decision::End,
        }
    }
}

/// A random match: everything in it follows from two numbers.
#[derive(Clone, Debug)]
struct RandomMatch {
    seats: u8,
    seed: u64,
}

fn random_match<G: Lawful>() -> impl Strategy<Value = RandomMatch> {
    (G::SEATS, any::<u64>()).prop_map(|(seats, seed)| RandomMatch { seats, seed })
}

/// Enough for a uniform random match of any game here.
const MOST_DECISIONS: usize = 2000;

/// Plays a match with uniform random decisions and shows each position to `visit`, the last one
/// too. Returns the number of decisions.
fn play<G: Lawful>(
    random: &RandomMatch,
    mut visit: impl FnMut(&G::Config, &G::State, &mut ChanceStream),
) -> usize {
    let seed = Seed::from(random.seed);
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let config = G::any_config(&mut chance);
    let seats = SeatCount::new(random.seats).unwrap();
    let setup = G::draw_setup(&config, seats, &seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    let mut list = Vec::new();
    for decisions in 0..MOST_DECISIONS {
        visit(&config, &state, &mut chance);
        let owing: Vec<Seat> = G::owing(&state).iter().collect();
        if owing.is_empty() {
            return decisions;
        }
        let seat = owing[chance.below(owing.len() as u32) as usize];
        G::legal(&state, seat, &mut list);
        let decision = &list[chance.below(list.len() as u32) as usize];
        G::apply(&mut state, seat, decision, &mut NoEvents).unwrap();
    }
    panic!("the match did not end within {MOST_DECISIONS} decisions");
}

fn seats_of(random: &RandomMatch) -> impl Iterator<Item = Seat> {
    SeatCount::new(random.seats).unwrap().seats()
}

fn viewers(random: &RandomMatch) -> impl Iterator<Item = Viewer> {
    seats_of(random)
        .map(Viewer::Seat)
        .chain([Viewer::Spectator])
}

fn legal<G: Game>(state: &G::State, seat: Seat) -> Vec<G::Decision> {
    let mut list = Vec::new();
    G::legal(state, seat, &mut list);
    list
}

fn listed_decisions_are_distinct_within_the_cap_and_apply<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |_, state, _| {
        let owing = G::owing(state);
        for seat in seats_of(random) {
            let mut list = Vec::new();
            let listed = G::legal(state, seat, &mut list);
            assert_eq!(list.is_empty(), !owing.contains(seat), "seat {seat}");
            assert!(list.len() <= G::LEGAL_CAP);
            assert_eq!(listed, LegalList::Complete);
            let distinct: HashSet<String> = list.iter().map(ToString::to_string).collect();
            assert_eq!(distinct.len(), list.len(), "{list:?}");
            for decision in &list {
                let after = G::apply(&mut state.clone(), seat, decision, &mut NoEvents);
                assert_eq!(after, Ok(()), "{decision}");
            }
        }
    });
}

fn unlisted_decisions_are_refused_and_change_nothing<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |_, state, chance| {
        for seat in seats_of(random) {
            let list = legal::<G>(state, seat);
            for _ in 0..12 {
                let decision = G::any_decision(chance);
                let mut after = state.clone();
                let mut events = Vec::new();
                let applied = G::apply(&mut after, seat, &decision, &mut events);
                assert_eq!(
                    applied.is_ok(),
                    list.contains(&decision),
                    "{decision}: {applied:?}"
                );
                if let Err(refusal) = applied {
                    assert!(events.is_empty());
                    assert!(
                        refusal.to_string().contains(": "),
                        "{refusal} names no field"
                    );
                    assert_eq!(G::digest(&after), G::digest(state));
                    assert_eq!(legal::<G>(&after, seat), list);
                    for viewer in viewers(random) {
                        assert_eq!(G::observe(&after, viewer), G::observe(state, viewer));
                    }
                }
            }
        }
    });
}

fn notation_parses_back_exactly<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |_, state, chance| {
        let listed = seats_of(random).flat_map(|seat| legal::<G>(state, seat));
        for decision in listed.chain([G::any_decision(chance)]) {
            let text = decision.to_string();
            let parsed = text.parse::<G::Decision>();
            assert_eq!(parsed.ok().as_ref(), Some(&decision), "{text:?}");
            for altered in [format!("{text} "), format!(" {text}"), format!("{text}x")] {
                assert!(altered.parse::<G::Decision>().is_err(), "{altered:?}");
            }
        }
    });
}

/// The sampler draws hidden facts anew, so an observation that held one of them would differ.
fn an_observation_tells_no_hidden_fact_and_is_complete<G: Lawful>(random: &RandomMatch) {
    sample_everywhere::<G>(random);
}

/// Samples every position for every viewer and returns how often other hidden facts came out.
fn sample_everywhere<G: Lawful>(random: &RandomMatch) -> usize {
    let mut others = 0;
    play::<G>(random, |config, state, chance| {
        for viewer in viewers(random) {
            let observation = G::observe(state, viewer);
            let sampled = G::sample_state(config, &observation, chance).unwrap();
            assert_eq!(G::observe(&sampled, viewer), observation);
            assert_eq!(G::owing(&sampled), G::owing(state));
            if let Viewer::Seat(seat) = viewer {
                assert_eq!(legal::<G>(&sampled, seat), legal::<G>(state, seat));
            }
            others += usize::from(G::digest(&sampled) != G::digest(state));
        }
    });
    others
}

#[test]
fn the_sampler_draws_hidden_facts_anew() {
    let others = |sample: fn(&RandomMatch) -> usize| -> usize {
        (0..20)
            .map(|seed| sample(&RandomMatch { seats: 3, seed }))
            .sum()
    };
    assert!(others(sample_everywhere::<OldLondonBridge>) > 1000);
    assert!(others(sample_everywhere::<RockPaperScissors>) > 20);
}

fn equal_decisions_give_equal_digests_and_events<G: Lawful>(random: &RandomMatch) {
    let trace = || {
        let mut digests = Vec::new();
        play::<G>(random, |_, state, _| digests.push(G::digest(state)));
        digests
    };
    let first = trace();
    assert_eq!(first, trace());
    let distinct: HashSet<_> = first.iter().collect();
    assert_eq!(
        distinct.len(),
        first.len(),
        "two positions of one match have one digest"
    );
}

fn a_match_ends_with_an_outcome_that_adds_up<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |_, state, _| {
        let Some(outcome) = G::outcome(state) else {
            assert!(
                !G::owing(state).is_empty(),
                "the match is over without an outcome"
            );
            return;
        };
        assert!(G::owing(state).is_empty(), "an outcome before the end");
        assert_eq!(outcome.seats.len(), usize::from(random.seats));
        let categories = |i: usize| {
            outcome.seats[i]
                .breakdown
                .iter()
                .map(|line| line.category)
                .collect()
        };
        let first: Vec<&str> = categories(0);
        for (i, seat) in outcome.seats.iter().enumerate() {
            assert_eq!(
                seat.breakdown.iter().map(|line| line.points).sum::<i32>(),
                seat.score
            );
            assert_eq!(categories(i), first);
            let better = outcome
                .seats
                .iter()
                .filter(|other| other.place < seat.place);
            assert_eq!(better.clone().count() + 1, usize::from(seat.place));
            assert!(better.clone().all(|other| other.score >= seat.score));
        }
    });
}

macro_rules! laws {
    ($game:ident, $module:ident, $cases:literal: $($law:ident),*) => {
        mod $module {
            use super::*;
            proptest! {
                #![proptest_config(ProptestConfig {
                    cases: $cases,
                    failure_persistence: None,
                    ..ProptestConfig::default()
                })]
                $(
                    #[test]
                    fn $law(random in random_match::<$game>()) {
                        super::$law::<$game>(&random);
                    }
                )*
            }
        }
    };
    ($game:ident, $module:ident, $cases:literal) => {
        laws!($game, $module, $cases:
            listed_decisions_are_distinct_within_the_cap_and_apply,
            unlisted_decisions_are_refused_and_change_nothing,
            notation_parses_back_exactly,
            an_observation_tells_no_hidden_fact_and_is_complete,
            equal_decisions_give_equal_digests_and_events,
            a_match_ends_with_an_outcome_that_adds_up
        );
    };
}

laws!(OldLondonBridge, old_london_bridge, 64);
laws!(RockPaperScissors, trivial_game, 16);

#[test]
fn every_game_of_the_catalogue_is_held_to_the_laws() {
    assert_eq!(GAME_IDS, [OldLondonBridge::ID]);
}
