//! The referee with a real game: whole matches whose records replay to the same states.
#![allow(clippy::unwrap_used)]

mod script;

use std::collections::VecDeque;

use bridgemaster_games::{ChanceStream, Game, Rules, Seed, old_london_bridge::OldLondonBridge};
use bridgemaster_referee::*;
use script::{Script, rules};

/// Plays a match of bots that answer at random, and checks its records against the rules.
fn play_random_match(seats: u8, seed: u64) {
    let mut rules = rules::<OldLondonBridge>(seats);
    rules.seed = Seed::from(seed);
    let mut script = Script::started(rules);
    let mut chance = ChanceStream::new(&Seed::from(seed), 1 << 40);
    let mut answered = vec![0; usize::from(seats)];
    let mut asked = VecDeque::new();
    loop {
        asked.extend(script.last.iter().filter_map(|output| match output {
            Output::Send {
                seat,
                message: SeatMessage::Request(request),
                ..
            } => {
                let choices = request.content.legal.len() as u32;
                Some((seat.number(), request.request_id, choices))
            }
            _ => None,
        }));
        let Some((number, request_id, choices)) = asked.pop_front() else {
            break;
        };
        answered[usize::from(number)] += 1;
        script.wait_us(50).hand_over(number, request_id);
        script
            .wait_us(50)
            .answer_index(number, request_id, chance.below(choices));
    }
    assert_eq!(script.referee.phase(), MatchPhase::Ended);

    let referee = &script.referee;
    let MatchRules { config, seats, .. } = referee.rules();
    let mut events = Vec::new();
    let mut state = OldLondonBridge::start(config, *seats, referee.setup(), &mut events).unwrap();
    assert_eq!(events, referee.opening_events());
    assert_eq!(OldLondonBridge::digest(&state), referee.opening_digest());
    for record in &script.records {
        if let RecordEntry::Decision(record) = &record.entry {
            let mut events = Vec::new();
            OldLondonBridge::apply(&mut state, record.seat, &record.decision, &mut events).unwrap();
            assert_eq!(events, record.events);
            assert_eq!(OldLondonBridge::digest(&state), record.digest);
        }
    }
    let outcome = OldLondonBridge::outcome(&state).unwrap();
    let result = script.result();
    for ((seat, expected), answered) in result.seats.iter().zip(&outcome.seats).zip(answered) {
        assert_eq!((seat.place, seat.score), (expected.place, expected.score));
        assert_eq!((seat.fault_count, seat.house_decisions), (0, 0));
        assert_eq!(seat.clock_use.answered, answered);
        assert!(seat.clock_use.charged_us >= u64::from(answered) * 50);
    }
}

#[test]
fn whole_matches_replay_to_the_same_states_and_results() {
    for seats in OldLondonBridge::SEATS {
        for seed in 0..20 {
            play_random_match(seats, seed);
        }
    }
}

#[test]
fn the_house_alone_finishes_a_match() {
    for seats in OldLondonBridge::SEATS {
        let mut script = Script::<OldLondonBridge>::new(rules(seats));
        script.tick_at_deadline();
        assert_eq!(script.referee.phase(), MatchPhase::Ended);
        assert!(script.result().seats.iter().all(|seat| seat.place == 1));
    }
}
