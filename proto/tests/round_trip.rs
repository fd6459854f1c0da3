//! What is written and read back is what it was, over the bytes of the wire.

use std::sync::Arc;

use bridgemaster_games::{
    Game, Seat,
    old_london_bridge::{
        BuildingParts, Coat, Config, Edition, EditionParts, Event, Kind, OldLondonBridge, TileKind,
    },
};
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameConfig, GameDecision, GameEvent, GameObservation, GameSetup},
};
use proptest::prelude::*;
use prost::Message;

use crate::random_match::{config_of, play, setup_of};

type Olb = OldLondonBridge;

/// Sends a message over the wire.
fn sent<M: Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).unwrap()
}

/// The house edition with other data in every entry.
fn other_edition() -> Edition {
    let house = Edition::house();
    let mut bonus_stacks: Vec<Vec<_>> = house.bonus_stacks().iter().map(|s| s.to_vec()).collect();
    let tile = bonus_stacks[0][0];
    let place = bonus_stacks[1]
        .iter()
        .position(|other| *other != tile)
        .unwrap();
    bonus_stacks[0][0] = std::mem::replace(&mut bonus_stacks[1][place], tile);
    Edition::new(&EditionParts {
        name: "Upside down".to_owned(),
        ring: house.ring().iter().rev().copied().collect(),
        rondel: vec![None, Some(3), Some(3), Some(1), Some(2), Some(1)],
        chapel_last_space: 60,
        chapel_money: vec![(1, 100), (60, 1)],
        gate_last_space: 7,
        gate_bonus: vec![1, 2, 3, 7],
        bonus_stacks,
        buildings: house
            .buildings()
            .iter()
            .rev()
            .map(|building| BuildingParts {
                kind: building.kind,
                number: building.number.map(|number| 61 - u32::from(number)),
                coat: match building.kind {
                    Kind::Guildhall => None,
                    _ => Some(Coat::Grey),
                },
            })
            .collect(),
    })
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_in_a_match_survives_the_wire(
        seats in 2u8..=4,
        seed: u64,
        choices in prop::array::uniform4(0usize..6),
        with_other_edition: bool,
    ) {
        let mut config = config_of(choices);
        if with_other_edition {
            config.edition = Arc::new(other_edition());
        }
        let wire: GameConfig = sent(&Olb::config_to_wire(&config));
        prop_assert_eq!(Olb::config_from_wire(&wire).unwrap(), config.clone());

        let setup = setup_of(&config, seats, seed);
        let wire: GameSetup = sent(&Olb::setup_to_wire(&setup));
        prop_assert_eq!(Olb::setup_from_wire(&wire, &config).unwrap(), setup);

        let mut failed = None;
        let (events, end) = play(&config, seats, seed, |step| {
            let wire: GameObservation = sent(&Olb::observation_to_wire(step.observation));
            if Olb::observation_from_wire(&wire, &config).as_ref() != Ok(step.observation) {
                failed.get_or_insert_with(|| format!("{:?}", step.observation));
            }
            for decision in step.legal {
                let wire: GameDecision = sent(&Olb::decision_to_wire(decision));
                if Olb::decision_from_wire(&wire).as_ref() != Ok(decision) {
                    failed.get_or_insert_with(|| format!("{decision:?}"));
                }
            }
        });
        prop_assert_eq!(failed, None);
        let wire: GameObservation = sent(&Olb::observation_to_wire(&end));
        prop_assert_eq!(Olb::observation_from_wire(&wire, &config).unwrap(), end);
        for event in events {
            let wire: GameEvent = sent(&Olb::event_to_wire(&event));
            prop_assert_eq!(Olb::event_from_wire(&wire).unwrap(), event);
        }
    }
}

#[test]
fn events_that_random_play_hardly_reaches_survive_the_wire() {
    let seat = Seat::new(3).unwrap();
    for event in [
        Event::TurnSkipped { seat },
        Event::GameEnded { early: true },
        Event::StackRevealed {
            stack: Kind::Park,
            top: None,
        },
        Event::TileTaken {
            seat,
            stack: 2,
            tile: TileKind::TakeA2,
            revealed: None,
        },
    ] {
        let wire: GameEvent = sent(&Olb::event_to_wire(&event));
        assert_eq!(Olb::event_from_wire(&wire), Ok(event));
    }
}

#[test]
fn an_empty_config_is_the_default_one() {
    let empty = serde_json::json!({ "oldLondonBridge": {} });
    let wire: GameConfig = crate::descriptors::from_json("bridgemaster.v1.GameConfig", &empty);
    assert_eq!(Olb::config_from_wire(&wire), Ok(Config::default()));
}

#[test]
fn every_message_of_a_game_names_it() {
    let config = Config::default();
    let setup = setup_of(&config, 3, 1);
    assert_eq!(game_id(&Olb::config_to_wire(&config)), Some(Olb::ID));
    assert_eq!(game_id(&Olb::setup_to_wire(&setup)), Some(Olb::ID));
    let (events, end) = play(&config, 3, 1, |step| {
        assert_eq!(
            game_id(&Olb::decision_to_wire(&step.legal[0])),
            Some(Olb::ID)
        );
    });
    assert_eq!(game_id(&Olb::observation_to_wire(&end)), Some(Olb::ID));
    assert_eq!(game_id(&Olb::event_to_wire(&events[0])), Some(Olb::ID));
    assert_eq!(game_id(&GameConfig::default()), None);
}
