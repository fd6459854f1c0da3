//! Old London Bridge on the wire: editions, configs and rare values.

use std::sync::Arc;

use bridgemaster_games::{
    Seat,
    old_london_bridge::{
        Building, Coat, Config, Edition, EditionParts, Event, Kind, OldLondonBridge, TileKind,
    },
};
use bridgemaster_proto::{
    games::{WireGame, old_london_bridge::v1::StackView},
    v1::{self, game_observation},
};

use crate::random_match::{Rare, Wired, play, refused};

type Olb = OldLondonBridge;

#[test]
fn an_entry_of_an_unknown_game_is_refused() {
    // Field 15, a message of two bytes.
    let bytes = [0x7a, 0x02, 0x08, 0x01];
    let wire: v1::GameDecision = prost::Message::decode(bytes.as_slice()).unwrap();
    refused(Olb::decision_from_wire(&wire), "old_london_bridge", "must be set");
}

#[test]
fn unseen_buildings_are_listed_by_number_or_coat() {
    let config = Config::default();
    let end = play::<Olb>(&config, 4, 9, |_| {}).end;
    let of = |kind: Kind| end.stacks.iter().position(|stack| stack.kind == kind).unwrap();
    let with = |kind: Kind, change: &dyn Fn(&mut StackView)| {
        let mut wire = Olb::observation_to_wire(&end);
        let Some(game_observation::Game::OldLondonBridge(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(&mut entry.stacks[of(kind)]);
        Olb::observation_from_wire(&wire, &config)
    };
    let path = |kind, list: &str| format!("old_london_bridge.stacks[{}].{list}", of(kind));
    refused(
        with(Kind::Chapel, &|stack| stack.unseen_numbers = vec![1]),
        &path(Kind::Chapel, "unseen_numbers[0]"),
        "the edition built-in has no chapel of number 1",
    );
    refused(
        with(Kind::Chapel, &|stack| stack.unseen_coats = vec![1]),
        &path(Kind::Chapel, "unseen_coats"),
        "must be empty: numbers identify these buildings",
    );
    refused(
        with(Kind::Park, &|stack| stack.unseen_numbers = vec![1]),
        &path(Kind::Park, "unseen_numbers"),
        "must be empty: parks have no numbers",
    );
}

/// Events that random play rarely reaches.
fn events() -> Vec<Event> {
    let seat = Seat::new(3).unwrap();
    vec![
        Event::TurnSkipped { seat },
        Event::GameEnded { early: true },
        Event::StackRevealed { stack: Kind::Park, top: None },
        Event::TileTaken { seat, stack: 2, tile: TileKind::TakeA2, revealed: None },
    ]
}

/// The built-in edition with different data in every entry.
fn other_edition() -> Edition {
    let built_in = Edition::built_in();
    let mut bonus_stacks: Vec<Vec<_>> =
        built_in.bonus_stacks().iter().map(|s| s.to_vec()).collect();
    let tile = bonus_stacks[0][0];
    let place = bonus_stacks[1].iter().position(|other| *other != tile).unwrap();
    bonus_stacks[0][0] = std::mem::replace(&mut bonus_stacks[1][place], tile);
    Edition::new(&EditionParts {
        name: "Upside down".to_owned(),
        ring: built_in.ring().iter().rev().copied().collect(),
        rondel: vec![None, Some(3), Some(3), Some(1), Some(2), Some(1)],
        chapel_last_space: 60,
        chapel_money: vec![(1, 100), (60, 1)],
        gate_last_space: 7,
        gate_bonus: vec![1, 2, 3, 7],
        bonus_stacks,
        buildings: built_in
            .buildings()
            .iter()
            .rev()
            .map(|building| Building {
                kind: building.kind,
                number: building.number.map(|number| 61 - number),
                coat: match building.kind {
                    Kind::Guildhall => None,
                    _ => Some(Coat::Grey),
                },
            })
            .collect(),
    })
    .unwrap()
}

impl Wired for OldLondonBridge {
    fn set_other_edition(config: &mut Config) {
        config.edition = Arc::new(other_edition());
    }

    fn rare() -> Rare<Self> {
        Rare { events: events(), ..Rare::default() }
    }

    const ERROR_AT_OTHER_FIELD: &'static [(&'static str, &'static str)] = &[
        ("chapel_last_space", "chapel_money"),
        ("gate_last_space", "gate_bonus"),
        // Each house number occurs once.
        ("number", "number"),
        ("kind", "unseen_numbers"),
        ("kind", "unseen_coats"),
    ];
}
