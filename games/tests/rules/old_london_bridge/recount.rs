//! Thousands of random matches, recounted from their setup and decisions by the naive rules: after
//! every decision both agree, observations, events and legal lists included.

use std::collections::BTreeMap;

use bridgemaster_games::old_london_bridge::{
    Area, Config, Decision, Event, FaceChoice, Kind, OldLondonBridge, StartLeaders,
};
use bridgemaster_games::{
    ChanceStream, Game, NoEvents, Rules, Sample, Seat, SeatCount, Seed, Viewer,
};
use proptest::prelude::*;

use crate::old_london_bridge::naive::Naive;

/// The policy of all seats.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Uniform,
    /// Mostly takes from three stacks, so that the match ends early.
    Exhausts,
    /// Mostly spends and earns bonus tiles.
    Tiles,
    /// Mostly builds parks, so that bridges grow long.
    Parks,
}

/// Rare events, and how often they occurred.
type Seen = BTreeMap<&'static str, u32>;

fn note_rare(event: &Event, seen: &mut Seen) {
    let what = match event {
        Event::TakeA2Answered { used: true, .. } => "take_a_2",
        Event::CardsRaised { raises, .. } if *raises != [0, 0] => "raise",
        Event::Placed { share: true, .. } => "share",
        Event::Placed { opening: Some(_), .. } => "opened by a tile",
        Event::TurnSkipped { .. } => "turn without a placement",
        Event::Built { replaced: Some(_), .. } => "replacement",
        Event::Built { slot: 11, .. } => "full bridge",
        Event::CardRecalled { .. } => "recall",
        Event::TileUsed { .. } => "track tile",
        Event::ChapelAdvanced { to: 15, .. } => "end of the chapel track",
        Event::GateAdvanced { to: 15, .. } => "end of the gate track",
        Event::GateAdvanced { tiles: 2.., .. } => "two bonus tiles",
        Event::GameEnded { early: true } => "early end",
        _ => return,
    };
    *seen.entry(what).or_default() += 1;
}

fn choose(list: &[Decision], manner: Manner, chance: &mut ChanceStream) -> Decision {
    let is_preferred = |decision: &&Decision| match (manner, decision) {
        (Manner::Exhausts, Decision::Place(place)) => {
            matches!(place.stack, Kind::Chapel | Kind::Inn | Kind::Guildhall)
        }
        (Manner::Tiles, Decision::Place(place)) => {
            place.share || place.opening || place.stack == Kind::Gate
        }
        (Manner::Tiles, Decision::UseTile(_) | Decision::TakeA2(true)) => true,
        (Manner::Tiles, Decision::RaiseCards(raises)) => *raises != [0, 0],
        (Manner::Parks, Decision::Place(place)) => place.stack == Kind::Park,
        _ => false,
    };
    let preferred: Vec<&Decision> = list.iter().filter(is_preferred).collect();
    let at_random = preferred.is_empty() || chance.below(5) == 0;
    let mut below = |most: usize| chance.below(most as u32) as usize;
    if at_random { list[below(list.len())] } else { *preferred[below(preferred.len())] }
}

/// Plays a match; returns its rare events.
fn play(count: u8, config: &Config, seed: u64, manner: Manner) -> Seen {
    let (count, seed) = (SeatCount::new(count).unwrap(), Seed::from(seed));
    let setup = OldLondonBridge::draw_setup(config, count, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = OldLondonBridge::start(config, count, &setup, &mut events).unwrap();
    let mut naive = Naive::new(config, &setup);
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let (mut seen, mut list) = (Seen::new(), Vec::new());
    loop {
        assert_eq!(events, naive.events);
        events.iter().for_each(|event| note_rare(event, &mut seen));
        events.clear();
        naive.events.clear();
        for viewer in count.seats().map(Viewer::Seat).chain([Viewer::Spectator]) {
            assert_eq!(OldLondonBridge::observe(&state, viewer), naive.observe(viewer));
        }
        for seat in count.seats() {
            OldLondonBridge::legal(&state, seat, &mut list);
            assert_eq!(list, naive.legal(seat));
        }
        let seats_to_decide: Vec<Seat> = OldLondonBridge::seats_to_decide(&state).iter().collect();
        if seats_to_decide.is_empty() {
            break;
        }
        let seat = seats_to_decide[chance.below(seats_to_decide.len() as u32) as usize];
        OldLondonBridge::legal(&state, seat, &mut list);
        if matches!(list[0], Decision::Place(_)) {
            for decision in naive.candidates().map(Decision::Place) {
                let applied =
                    OldLondonBridge::apply(&mut state.clone(), seat, &decision, &mut NoEvents);
                assert_eq!(applied.is_ok(), list.contains(&decision), "{decision}");
            }
        }
        let decision = choose(&list, manner, &mut chance);
        OldLondonBridge::apply(&mut state, seat, &decision, &mut events).unwrap();
        naive.apply(seat, &decision);
    }
    let outcome = OldLondonBridge::outcome(&state).unwrap();
    let result: Vec<(i32, u8)> = outcome.seats.iter().map(|s| (s.score, s.place)).collect();
    assert_eq!(result, naive.result());
    for (seat, points) in outcome.seats.iter().zip(naive.points()) {
        let lines: Vec<i32> = seat.breakdown.iter().map(|line| line.points).collect();
        assert_eq!(lines, points);
    }
    seen
}

fn any_config(chance: &mut ChanceStream) -> Config {
    let mut config = Config::default();
    for (area, choice) in Area::ALL.iter().zip(&mut config.faces) {
        *choice = FaceChoice::Face(area.faces()[chance.below(5) as usize]);
    }
    if chance.below(4) == 0 {
        config.start_leaders = StartLeaders::Paid;
    }
    config
}

const MANNERS: [Manner; 4] = [Manner::Uniform, Manner::Exhausts, Manner::Tiles, Manner::Parks];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_rules_and_the_naive_rules_agree_after_every_decision(
        count in 2..=4u8,
        seed in any::<u64>(),
        manner in prop::sample::select(&MANNERS[..]),
    ) {
        let config = any_config(&mut ChanceStream::new(&Seed::from(seed), 2_000_000));
        play(count, &config, seed, manner);
    }
}

#[test]
fn the_recounted_matches_reach_rare_events() {
    let mut all = Seen::new();
    for (seed, manner) in (0..160).zip(MANNERS.into_iter().cycle()) {
        let seen = play(2 + (seed / 4 % 3) as u8, &Config::default(), seed, manner);
        for (what, count) in seen {
            *all.entry(what).or_default() += count;
        }
    }
    assert!(all.len() == 13 && all.values().all(|&count| count > 0), "{all:?}");
}
