//! Every value survives encoding, bytes and decoding, in every game.

use std::{fmt::Debug, panic::catch_unwind, sync::Arc};

use bridgemaster_games::{
    ChanceStream, Rules as _, SeatCount, Seed, Viewer, bridges_to_nowhere::BridgesToNowhere,
    for_each_game,
};
use bridgemaster_proto::{
    games::{WireGame as _, Writer, game_id},
    v1::{
        GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, GameSetup,
        game_observation,
    },
};
use proptest::prelude::*;
use prost::Message;

use crate::random_match::{Rare, Wired, play, setup_of};

#[test]
fn decoded_configs_share_the_built_in_edition() {
    macro_rules! shares {
        ($($game:ident in $rules:ident),*) => {
            $(
                let built_in = bridgemaster_games::$rules::Edition::built_in();
                let config = sent(&$rules::$game::config_to_wire(&Default::default()));
                let config = $rules::$game::config_from_wire(&config).unwrap();
                assert!(Arc::ptr_eq(&config.edition, &built_in), "{}", $rules::$game::ID);
            )*
        };
    }
    use bridgemaster_games::{bridges_to_nowhere, carcassonne, old_london_bridge};
    shares!(
        OldLondonBridge in old_london_bridge,
        BridgesToNowhere in bridges_to_nowhere,
        Carcassonne in carcassonne
    );
}

/// Returns a message after encoding and decoding.
pub(crate) fn sent<M: Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).unwrap()
}

/// The maximum number of decisions that are tested from one list; most lists are shorter.
const MAX_SENT: usize = 100;

/// A change to an observation before it is sent: none, except for a planted defect.
type Tamper = fn(&mut GameObservation);

fn everything_in_a_match_survives_the_wire<G: Wired>(seats: u8, seed: u64, tamper: Tamper) {
    let config = G::any_config(&mut ChanceStream::new(&Seed::from(seed), 0));
    let wire: GameConfig = sent(&G::config_to_wire(&config));
    assert_eq!(game_id(&wire), Some(G::ID));
    assert_eq!(G::config_from_wire(&wire).unwrap(), config);
    assert_same_bytes(&wire, |to| G::put_config(&config, to));

    setup_survives::<G>(&setup_of::<G>(&config, seats, seed), &config);

    let played = play::<G>(&config, seats, seed, |step| {
        // Covers the secrets of seats that do not have to decide now, too.
        for seat in SeatCount::new(seats).unwrap().seats() {
            observation_survives::<G>(&step.observe(Viewer::Seat(seat)), &config, tamper);
        }
        observation_survives::<G>(&step.observe(Viewer::Spectator), &config, tamper);
        assert_written_directly::<G>(step.observation, step.legal, step.events);
        let every = step.legal.len().div_ceil(MAX_SENT).max(1);
        step.legal.iter().step_by(every).for_each(decision_survives::<G>);
    });
    observation_survives::<G>(&played.end, &config, tamper);
    played.events.iter().for_each(event_survives::<G>);
    played.chances.iter().for_each(chance_survives::<G>);
}

/// Asserts that the directly written bytes decode to the message and have the same size.
fn assert_same_bytes<M>(message: &M, put: impl FnOnce(&mut Writer))
where
    M: Message + Default + PartialEq + Debug,
{
    let mut writer = Writer::default();
    put(&mut writer);
    assert_eq!(M::decode(writer.as_bytes()).as_ref(), Ok(message));
    assert_eq!(writer.as_bytes().len(), message.encoded_len());
}

/// Calls [`assert_same_bytes`] for a request and for its parts.
fn assert_written_directly<G: Wired>(
    observation: &G::Observation,
    legal: &[G::Decision],
    events: &[G::Event],
) {
    let request: GameRequest = G::request_to_wire(observation, legal, events);
    assert_same_bytes(&request, |to| G::put_request(observation, legal, events, to));
    for decision in legal.iter().take(MAX_SENT) {
        assert_same_bytes(&G::decision_to_wire(decision), |to| G::put_decision(decision, to));
    }
    for event in events {
        assert_same_bytes(&G::event_to_wire(event), |to| G::put_event(event, to));
    }
}

fn setup_survives<G: Wired>(setup: &G::Setup, config: &G::Config) {
    let wire: GameSetup = sent(&G::setup_to_wire(setup));
    assert_eq!(game_id(&wire), Some(G::ID));
    assert_eq!(&G::setup_from_wire(&wire, config).unwrap(), setup);
}

fn observation_survives<G: Wired>(
    observation: &G::Observation,
    config: &G::Config,
    tamper: Tamper,
) {
    let mut wire: GameObservation = sent(&G::observation_to_wire(observation));
    tamper(&mut wire);
    assert_eq!(game_id(&wire), Some(G::ID));
    let read = G::observation_from_wire(&wire, config).unwrap();
    assert_eq!(&read, observation);
}

fn decision_survives<G: Wired>(decision: &G::Decision) {
    let wire: GameDecision = sent(&G::decision_to_wire(decision));
    assert_eq!(game_id(&wire), Some(G::ID));
    assert_eq!(&G::decision_from_wire(&wire).unwrap(), decision);
}

fn event_survives<G: Wired>(event: &G::Event) {
    let wire: GameEvent = sent(&G::event_to_wire(event));
    assert_eq!(game_id(&wire), Some(G::ID));
    assert_eq!(&G::event_from_wire(&wire).unwrap(), event);
}

fn chance_survives<G: Wired>(chance: &G::Chance) {
    let wire: GameChance = sent(&G::chance_to_wire(chance));
    assert_eq!(&G::chance_from_wire(&wire).unwrap(), chance);
}

fn rare_values_survive_the_wire<G: Wired>() {
    let config = G::Config::default();
    let Rare { setups, decisions, events, chances, observations } = G::rare();
    for setup in &setups {
        setup_survives::<G>(setup, &config);
    }
    for observation in &observations {
        observation_survives::<G>(observation, &config, |_| {});
        assert_written_directly::<G>(observation, &decisions, &events);
    }
    decisions.iter().for_each(decision_survives::<G>);
    events.iter().for_each(event_survives::<G>);
    chances.iter().for_each(chance_survives::<G>);
}

fn an_empty_config_is_the_default_one<G: Wired>() {
    let key = lower_camel(G::ID);
    let empty = serde_json::json!({ key: {} });
    let wire: GameConfig = crate::descriptors::from_json("bridgemaster.v1.GameConfig", &empty);
    assert_eq!(G::config_from_wire(&wire), Ok(G::Config::default()));
}

/// The JSON name of a game's entry.
fn lower_camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}

fn a_message_without_the_entry_of_the_game_is_refused_with_its_name<G: Wired>() {
    let config = G::Config::default();
    let refused = [
        G::config_from_wire(&GameConfig::default()).err(),
        G::setup_from_wire(&GameSetup::default(), &config).err(),
        G::decision_from_wire(&GameDecision::default()).err(),
        G::observation_from_wire(&GameObservation::default(), &config).err(),
        G::event_from_wire(&GameEvent::default()).err(),
    ];
    for error in refused {
        let error = error.unwrap();
        assert_eq!(error.field, G::ID);
        assert!(error.problem.contains(G::NAME), "{error}");
    }
}

macro_rules! round_trips {
    ($($module:ident: $game:ident,)*) => {
        $(mod $module {
            use super::*;
            use bridgemaster_games::$module::$game;
            proptest! {
                #![proptest_config(ProptestConfig::with_cases(24))]
                #[test]
                fn everything_in_a_match_survives_the_wire(seats in $game::SEATS, seed: u64) {
                    super::everything_in_a_match_survives_the_wire::<$game>(seats, seed, |_| {});
                }
            }
            #[test]
            fn rare_values_survive_the_wire() {
                super::rare_values_survive_the_wire::<$game>();
            }
            #[test]
            fn an_empty_config_is_the_default_one() {
                super::an_empty_config_is_the_default_one::<$game>();
            }
            #[test]
            fn a_message_without_the_entry_of_the_game_is_refused_with_its_name() {
                super::a_message_without_the_entry_of_the_game_is_refused_with_its_name::<$game>();
            }
        })*
    };
}

for_each_game!(round_trips);

/// The planted defect: a seat's unpublished placements are lost.
#[test]
fn a_wire_that_drops_a_seats_own_secret_is_found() {
    let drops: Tamper = |wire| {
        let Some(game_observation::Game::BridgesToNowhere(entry)) = &mut wire.game else {
            unreachable!("a match of this game is played")
        };
        entry.seats.iter_mut().for_each(|seat| seat.placed.clear());
    };
    let law = || everything_in_a_match_survives_the_wire::<BridgesToNowhere>(2, 1, drops);
    let message = catch_unwind(law).expect_err("the law finds no error");
    let message = message.downcast_ref::<String>().unwrap();
    assert!(message.contains("left == right"), "{message}");
}

#[test]
fn a_message_without_a_game_names_none() {
    assert_eq!(game_id(&GameConfig::default()), None);
}
