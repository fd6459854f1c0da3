//! What is written and read back is what it was, over the bytes of the wire, in every game.

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, Seed, alhambra::Alhambra, bridges_to_nowhere::BridgesToNowhere,
    carcassonne::Carcassonne, old_london_bridge::OldLondonBridge,
};
use bridgemaster_proto::{
    games::game_id,
    v1::{GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameSetup},
};
use proptest::prelude::*;
use prost::Message;

use crate::random_match::{Played, Wired, play, setup_of};

/// Sends a message over the wire.
pub(crate) fn sent<M: Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).unwrap()
}

/// Legal decisions of one list that are sent: all of most lists.
const MOST_SENT: usize = 100;

fn everything_in_a_match_survives_the_wire<G: Wired>(seats: u8, seed: u64) {
    let config = G::any_config(&mut ChanceStream::new(&Seed::from(seed), 0));
    let wire: GameConfig = sent(&G::config_to_wire(&config));
    assert_eq!(game_id(&wire), Some(G::ID));
    assert_eq!(G::config_from_wire(&wire).unwrap(), config);

    let setup = setup_of::<G>(&config, seats, seed);
    let wire: GameSetup = sent(&G::setup_to_wire(&setup));
    assert_eq!(game_id(&wire), Some(G::ID));
    assert_eq!(G::setup_from_wire(&wire, &config).unwrap(), setup);

    let check = |observation: &G::Observation| {
        let wire: GameObservation = sent(&G::observation_to_wire(observation));
        assert_eq!(game_id(&wire), Some(G::ID));
        assert_eq!(
            &G::observation_from_wire(&wire, &config).unwrap(),
            observation
        );
    };
    let Played {
        events,
        chances,
        end,
    } = play::<G>(&config, seats, seed, |step| {
        check(step.observation);
        let every = step.legal.len().div_ceil(MOST_SENT).max(1);
        for decision in step.legal.iter().step_by(every) {
            let wire: GameDecision = sent(&G::decision_to_wire(decision));
            assert_eq!(game_id(&wire), Some(G::ID));
            assert_eq!(&G::decision_from_wire(&wire).unwrap(), decision);
        }
    });
    check(&end);
    for event in events {
        let wire: GameEvent = sent(&G::event_to_wire(&event));
        assert_eq!(game_id(&wire), Some(G::ID));
        assert_eq!(G::event_from_wire(&wire).unwrap(), event);
    }
    for chance in chances {
        let wire: GameChance = sent(&G::chance_to_wire(&chance));
        assert_eq!(G::chance_from_wire(&wire).unwrap(), chance);
    }
}

fn an_empty_config_is_the_default_one<G: Wired>() {
    let key = lower_camel(G::ID);
    let empty = serde_json::json!({ key: {} });
    let wire: GameConfig = crate::descriptors::from_json("bridgemaster.v1.GameConfig", &empty);
    assert_eq!(G::config_from_wire(&wire), Ok(G::Config::default()));
}

/// The JSON name of an entry.
fn lower_camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |text, word| {
        text + &word[..1].to_uppercase() + &word[1..]
    })
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
        assert!(error.detail.contains(G::NAME), "{error}");
    }
}

macro_rules! round_trips {
    ($($module:ident $game:ident $cases:literal;)*) => {
        $(mod $module {
            use super::*;
            proptest! {
                #![proptest_config(ProptestConfig::with_cases($cases))]
                #[test]
                fn everything_in_a_match_survives_the_wire(seats in $game::SEATS, seed: u64) {
                    super::everything_in_a_match_survives_the_wire::<$game>(seats, seed);
                }
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

        #[test]
        fn every_game_of_the_catalogue_is_sent_over_the_wire() {
            assert_eq!(GAME_IDS, [$($game::ID),*]);
        }
    };
}

round_trips! {
    old_london_bridge OldLondonBridge 48;
    alhambra Alhambra 24;
    bridges_to_nowhere BridgesToNowhere 24;
    carcassonne Carcassonne 24;
}

#[test]
fn a_message_without_a_game_names_none() {
    assert_eq!(game_id(&GameConfig::default()), None);
}
