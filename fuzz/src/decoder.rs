//! Fuzzes the conversion of received messages to the types of the games.

use std::fmt::Write as _;

use bridgemaster_games::{GAME_IDS, SeatCount, SeatSet, with_game};
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{
        GameChance, GameEvent, GameObservation, GameSetup, MatchConfig, PlayRequest, Replay,
        decision::Choice, play_request::Message as Request,
    },
};
use bridgemaster_replay::{FORMAT_VERSION, verify};
use prost::Message as _;

use crate::playout::play_some;

/// Runs the target. The first byte selects the type of the message, the rest is its encoding.
pub fn run(bytes: &[u8]) {
    let Some((kind, body)) = bytes.split_first() else {
        return;
    };
    match kind % 6 {
        0 => PlayRequest::decode(body).iter().for_each(request),
        1 => MatchConfig::decode(body).iter().for_each(match_config),
        2 => GameSetup::decode(body).iter().for_each(setup),
        3 => GameObservation::decode(body).iter().for_each(observation),
        4 => GameEvent::decode(body).iter().for_each(event),
        _ => GameChance::decode(body).iter().for_each(chance),
    }
}

/// Checks that a decoded decision is encoded unchanged, and that its notation parses to the same
/// decision. The parser is allowed to refuse a notation without an object, because no state allows
/// such a decision.
fn request(request: &PlayRequest) {
    let Some(Request::Decision(decision)) = &request.message else {
        return;
    };
    let Some(Choice::Decision(decision)) = &decision.choice else {
        return;
    };
    for id in GAME_IDS {
        with_game!(*id, G => {
            if let Ok(read) = G::decision_from_wire(decision) {
                assert_eq!(game_id(decision), Some(*id));
                let written = G::decision_to_wire(&read);
                assert_eq!(G::decision_from_wire(&written).as_ref(), Ok(&read));
                let text = read.to_string();
                let parsed = text.parse().ok();
                assert!(parsed.is_none() || parsed == Some(read), "{text:?}");
            }
        });
    }
}

/// Checks that each accepted config can be played, and that replays without records are refused.
fn match_config(config: &MatchConfig) {
    let Some(game) = &config.game else { return };
    let Some(id) = game_id(game) else { return };
    with_game!(id, G => {
        let replay = |setup: Option<GameSetup>| Replay {
            format_version: FORMAT_VERSION,
            rules_version: G::RULES_VERSION,
            game_id: id.to_owned(),
            config: Some(config.clone()),
            setup,
            ..Replay::default()
        };
        // A replay without records fails the verification.
        assert!(verify(&replay(None)).is_err());
        if let Ok(read) = G::config_from_wire(game) {
            let written = G::config_to_wire(&read);
            assert_eq!(G::config_from_wire(&written).as_ref(), Ok(&read));
            for seats in G::SEATS.filter_map(SeatCount::new) {
                if G::check_config(&read, seats).is_ok() {
                    let drawn = G::draw_setup(&read, seats, &7.into()).expect("a checked config");
                    let setup = G::setup_to_wire(&drawn);
                    assert!(verify(&replay(Some(setup))).is_err());
                    start_and_play::<G>(&read, seats, &drawn, true);
                }
            }
        }
    });
}

fn setup(setup: &GameSetup) {
    let Some(id) = game_id(setup) else { return };
    with_game!(id, G => {
        let config = Default::default();
        if let Ok(read) = G::setup_from_wire(setup, &config) {
            let written = G::setup_to_wire(&read);
            assert_eq!(G::setup_from_wire(&written, &config).as_ref(), Ok(&read));
            for seats in G::SEATS.filter_map(SeatCount::new) {
                start_and_play::<G>(&config, seats, &read, false);
            }
        }
    });
}

/// Checks that an accepted setup can be played.
fn start_and_play<G: WireGame>(
    config: &G::Config,
    seats: SeatCount,
    setup: &G::Setup,
    must_start: bool,
) {
    match G::start(config, seats, setup, &mut Vec::new()) {
        Ok(mut state) => play_some::<G>(&mut state),
        Err(error) => assert!(!must_start, "a drawn setup is refused: {error}"),
    }
}

fn observation(observation: &GameObservation) {
    let Some(id) = game_id(observation) else {
        return;
    };
    with_game!(id, G => {
        let config = Default::default();
        if let Ok(read) = G::observation_from_wire(observation, &config) {
            let written = G::observation_to_wire(&read);
            assert_eq!(G::observation_from_wire(&written, &config).as_ref(), Ok(&read));
            let mut text = String::new();
            // Rendering fails only if its sink fails, and a `String` never fails.
            assert!(G::render(&config, &read, &mut text).is_ok());
            G::progress(&read);
            let mut stream = bridgemaster_games::ChanceStream::new(&7.into(), 0);
            if let Ok(state) = G::sample_state(&config, &read, &mut stream) {
                let seats_to_decide: SeatSet = G::seats_to_decide(&state);
                let mut legal = Vec::new();
                seats_to_decide.iter().for_each(|seat| {
                    G::legal(&state, seat, &mut legal);
                });
            }
        }
    });
}

fn event(event: &GameEvent) {
    let Some(id) = game_id(event) else { return };
    with_game!(id, G => {
        if let Ok(read) = G::event_from_wire(event) {
            let written = G::event_to_wire(&read);
            assert_eq!(G::event_from_wire(&written).as_ref(), Ok(&read));
            let mut text = String::new();
            assert!(write!(text, "{read}").is_ok());
        }
    });
}

fn chance(chance: &GameChance) {
    for id in GAME_IDS {
        with_game!(*id, G => {
            if let Ok(read) = G::chance_from_wire(chance) {
                let written = G::chance_to_wire(&read);
                assert_eq!(G::chance_from_wire(&written).as_ref(), Ok(&read));
                let config = Default::default();
                let seats = SeatCount::new(*G::SEATS.start()).expect("a game's own range");
                let drawn = G::draw_setup(&config, seats, &7.into()).expect("the standard config");
                if let Ok(mut state) = G::start(&config, seats, &drawn, &mut Vec::new()) {
                    let before = G::digest(&state);
                    if G::apply_chance(&mut state, &read, &mut Vec::new()).is_err() {
                        assert_eq!(G::digest(&state), before);
                    }
                }
            }
        });
    }
}
