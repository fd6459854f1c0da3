//! The bots in whole matches, called in the same way as by the SDK. All messages are those of the
//! protocol; only the network is missing.

#![allow(clippy::unwrap_used, missing_docs)]

use std::time::Instant;

use bridgemaster_bots::{NAMES, by_name};
use bridgemaster_games::{
    ChanceStream, GAME_IDS, NoEvents, Seat, SeatCount, Seed, Viewer, resolve_chance, with_game,
};
use bridgemaster_sdk::{Bot, Choice, Request, proto::games::WireGame, v1};

fn started<G: WireGame>(config: &G::Config, seats: SeatCount, seat: Seat) -> v1::MatchStarted {
    let config = v1::MatchConfig {
        game: Some(G::config_to_wire(config)),
        seats: seats.get().into(),
        ..Default::default()
    };
    v1::MatchStarted {
        seat: seat.number().into(),
        config: Some(Box::new(config)),
        rules_version: G::RULES_VERSION,
        ..Default::default()
    }
}

fn request<G: WireGame>(state: &G::State, seat: Seat, legal: &[G::Decision]) -> Request {
    let observation = G::observe(state, Viewer::Seat(seat));
    let message = v1::DecisionRequest {
        game: Some(G::request_to_wire(&observation, legal, &[])),
        legal_count: legal.len() as u32,
        ..Default::default()
    };
    Request::new(message, seat.number().into(), Instant::now())
}

fn plays_whole_matches_by_listed_decisions<G: WireGame>(name: &str) {
    for seats in G::SEATS.filter_map(SeatCount::new) {
        let (config, seed) = (G::Config::default(), Seed::from(5));
        let mut bots: Vec<Box<dyn Bot>> = Vec::new();
        for seat in seats.seats() {
            let mut bot = by_name(name, &seed).unwrap();
            bot.match_started(&started::<G>(&config, seats, seat));
            bots.push(bot);
        }
        let setup = G::draw_setup(&config, seats, &seed).unwrap();
        let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
        let mut chance = ChanceStream::new(&seed, 1_000_000);
        let mut legal = Vec::new();
        loop {
            resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
            let Some(seat) = G::seats_to_decide(&state).iter().next() else {
                break;
            };
            G::legal(&state, seat, &mut legal);
            let choice = bots[seat.index()].decide(&request::<G>(&state, seat, &legal));
            let Choice::Index(index) = choice else {
                panic!("{name} answers {choice:?} in {}", G::ID)
            };
            G::apply(&mut state, seat, &legal[index], &mut NoEvents).unwrap();
        }
        assert!(G::outcome(&state).is_some());
    }
}

#[test]
fn every_bot_plays_whole_matches_of_every_game_by_listed_decisions() {
    for id in GAME_IDS {
        for name in NAMES {
            with_game!(*id, G => plays_whole_matches_by_listed_decisions::<G>(name)).unwrap();
        }
    }
}

fn resigns_from_a_match_that_it_cannot_read<G: WireGame>() {
    let seats = SeatCount::new(2).unwrap();
    let seat = Seat::new(0).unwrap();
    let mut bot = by_name("greedy", &Seed::from(1)).unwrap();
    let of_other_rules = v1::MatchStarted {
        rules_version: G::RULES_VERSION + 1,
        ..started::<G>(&G::Config::default(), seats, seat)
    };
    for unreadable in [of_other_rules, v1::MatchStarted::default()] {
        bot.match_started(&unreadable);
        let request = Request::new(v1::DecisionRequest::default(), 0, Instant::now());
        assert_eq!(bot.decide(&request), Choice::Resign);
    }
}

#[test]
fn greedy_resigns_from_a_match_that_it_cannot_read() {
    for id in GAME_IDS {
        with_game!(*id, G => resigns_from_a_match_that_it_cannot_read::<G>()).unwrap();
    }
}
